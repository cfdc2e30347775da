"""GLAD: the ability of workers and the easiness of tasks, with crowd-kit's optimiser."""

from __future__ import annotations

import logging
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, most_probable
from veracity.compat.frames import import_pandas
from veracity.data.arrays import Floats

logger = logging.getLogger(__name__)

LOG_ROOT_2_PI = 0.5 * np.log(2.0 * np.pi)


class GLAD(Aggregator):
    """Learn the ability alpha of each worker and the easiness beta of each task.

    Whitehill, Wu, Bergsma, Movellan and Ruvolo, Whose vote should count more, NIPS 2009: a worker
    is right with the probability 1 / (1 + exp(-alpha exp(beta))). The same method as
    `veracity.GLAD`, with the arguments, attributes and optimiser of crowd-kit.

    Parameters
    ----------
    n_iter, tol
        Iterations at most; the fit stops when the loss grows by less than `tol`.
    silent
        Whether to keep the loss of each iteration out of the log.
    labels_priors
        A series of probabilities, indexed by label; all alike by default.
    alphas_priors_mean, betas_priors_mean
        Series of expected abilities by worker, and of expected easiness by task; 1 by default.
    m_step_max_iter, m_step_tol
        Of the optimiser within an iteration.

    Attributes
    ----------
    labels_, probas_
        The most probable label of each task, and the probabilities of all.
    priors_
        The prior probability of each label.
    alphas_, betas_
        The ability of each worker, and the easiness of each task.
    loss_history_
        The expected log-likelihood after each iteration, per answer and label.

    Examples
    --------
    >>> from veracity.compat.crowdkit import GLAD
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> GLAD().fit_predict(answers).to_dict()
    {'a': 1, 'b': 0}
    """

    probas_: Any
    priors_: Any
    alphas_: Any
    betas_: Any
    loss_history_: list[float]

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        silent: bool = True,
        labels_priors: Any = None,
        alphas_priors_mean: Any = None,
        betas_priors_mean: Any = None,
        m_step_max_iter: int = 25,
        m_step_tol: float = 1e-2,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.silent = silent
        self.labels_priors = labels_priors
        self.alphas_priors_mean = alphas_priors_mean
        self.betas_priors_mean = betas_priors_mean
        self.m_step_max_iter = m_step_max_iter
        self.m_step_tol = m_step_tol

    def fit(self, data: Any) -> Self:
        """Fit to a frame of task, worker and label."""
        more = () if self.labels_priors is None else self.labels_priors.index
        answers = Answers.of(data, more)
        prior = _numbers(self.labels_priors, answers.labels, 1.0 / max(answers.n_labels, 1), 0.0)
        table = Abilities(
            answers,
            prior,
            _numbers(self.alphas_priors_mean, answers.workers, 1.0, 1.0),
            _numbers(self.betas_priors_mean, answers.tasks, 1.0, 1.0),
        )
        at = np.ones(answers.n_workers + answers.n_tasks)
        probas = table.expect(at)
        loss = table.expected(at, table.own(probas))
        self.loss_history_ = []
        for _ in range(self.n_iter if len(answers) else 0):
            last = loss
            probas = table.expect(at)
            at = self._maximise(table, at, table.own(probas))
            loss = table.expected(at, table.own(probas)) / (len(answers) * answers.n_labels)
            self.loss_history_.append(loss)
            if not self.silent:
                logger.info("GLAD, iteration %d: Q = %.4f", len(self.loss_history_), loss)
            if loss - last < self.tol:
                break
        self._set(answers, prior, probas, at)
        return self

    def fit_predict(self, data: Any) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Any) -> Any:
        """Fit, and return the probability of each label."""
        return self.fit(data).probas_

    def _maximise(self, table: Abilities, at: Floats, own: Floats) -> Floats:
        found = minimize(
            lambda x: -table.expected(x, own),
            at,
            method="CG",
            jac=lambda x: -table.gradient(x, own),
            tol=self.m_step_tol,
            options={"maxiter": self.m_step_max_iter},
        )
        return np.asarray(found.x)

    def _set(self, answers: Answers, prior: Floats, probas: Floats, at: Floats) -> None:
        pandas = import_pandas("veracity.compat.crowdkit")
        self.probas_ = answers.probas(probas, in_order_of_tasks=True)
        self.labels_ = most_probable(self.probas_)
        self.priors_ = pandas.Series(prior, index=answers.labels.rename("label"), name="prior")
        n_workers = answers.n_workers
        workers, tasks = answers.workers.rename("worker"), answers.tasks.rename("task")
        self.alphas_ = pandas.Series(at[:n_workers], index=workers, name="alpha")
        self.betas_ = pandas.Series(at[n_workers:], index=tasks, name="beta")


class Abilities:
    """The model: abilities and easinesses in one vector, their priors, and the answers."""

    def __init__(self, answers: Answers, prior: Floats, alpha: Floats, beta: Floats) -> None:
        self._answers = answers
        self._mean = np.concatenate([alpha, beta])
        with np.errstate(divide="ignore"):
            self._log_prior = np.log(prior)
        self._log_others = np.log(max(answers.n_labels - 1, 1))
        self._task_place = answers.n_workers + answers.task

    def _strength(self, at: Floats) -> Floats:
        """Return the log-odds of each answer's being right; (n_answers,)."""
        return np.asarray(at[self._answers.worker] * np.exp(at[self._task_place]))

    def own(self, probas: Floats) -> Floats:
        """Return the probability that each answer is right; (n_answers,)."""
        return np.asarray(probas[self._answers.task, self._answers.label])

    def expect(self, at: Floats) -> Floats:
        """Return the probability of each label of each task; (n_tasks, n_labels)."""
        answers, strength = self._answers, self._strength(at)
        shape = (answers.n_tasks, answers.n_labels)
        wrong = log_expit(-strength) - self._log_others
        votes = np.bincount(answers.cell, log_expit(strength) - wrong, shape[0] * shape[1])
        common = np.bincount(answers.task, wrong, answers.n_tasks)[:, None]
        log_likelihood = votes.reshape(shape) + common + self._log_prior
        likelihood = np.exp(
            log_likelihood - log_likelihood.max(axis=1, keepdims=True, initial=-np.inf)
        )
        return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))

    def expected(self, at: Floats, own: Floats) -> float:
        """Return the expected log-likelihood, with the priors of abilities and easinesses."""
        strength = self._strength(at)
        right, wrong = log_expit(strength), log_expit(-strength) - self._log_others
        away = at - self._mean
        log_density = -0.5 * float(away @ away) - len(at) * LOG_ROOT_2_PI
        return float((own * right + (1.0 - own) * wrong).sum() + log_density)

    def gradient(self, at: Floats, own: Floats) -> Floats:
        """Return the gradient of `expected`."""
        answers = self._answers
        ease = np.exp(at[self._task_place])
        ability = at[answers.worker]
        slope = (own - expit(ability * ease)) * ease
        by_worker = np.bincount(answers.worker, slope, answers.n_workers)
        by_task = np.bincount(answers.task, slope * ability, answers.n_tasks)
        return np.asarray(np.concatenate([by_worker, by_task]) - (at - self._mean))


def _numbers(given: Any, names: Any, default: float, missing: float) -> Floats:
    """Return a number for each name, `default` if none are given."""
    if given is None:
        return np.full(len(names), default)
    return np.asarray(given.reindex(names, fill_value=missing), np.float64)
