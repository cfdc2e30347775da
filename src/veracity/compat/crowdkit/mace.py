"""MACE: workers who know, and workers who answer by habit."""

from __future__ import annotations

import logging
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.special import digamma, logsumexp

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, most_probable
from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter, suggestion

logger = logging.getLogger(__name__)

METHODS = ("vb", "em")
#: Pseudo-counts of each label that a worker may give by habit, with ``method="vb"``.
HABIT_PRIOR = 10.0
TINY = 1e-300


class MACE(Aggregator):
    """Learn how often each worker knows the label, and what each says otherwise.

    Hovy, Berg-Kirkpatrick, Vaswani and Hovy, Learning whom to trust with MACE, NAACL 2013. The
    same method as `veracity.MACE`, with the arguments, attributes and start of crowd-kit.

    Parameters
    ----------
    n_restarts
        How many fits are made, each from another start; the most likely one is kept.
    n_iter
        Iterations of a fit.
    method
        ``"vb"`` (variational Bayes) or ``"em"`` (expectation maximisation).
    smoothing
        Pseudo-counts of ``"em"``; None for 0.01 / number of labels.
    default_noise
        How far apart the numbers are that a fit starts from.
    alpha, beta
        Pseudo-counts of ``"vb"`` for not knowing the label and for knowing it.
    random_state
        Seed of the first start; the others follow from it.
    verbose
        1 to log each restart.

    Attributes
    ----------
    labels_, probas_
        The most probable label of each task, and the probabilities of all.
    spamming_
        Weights for each worker: of answering by habit, of knowing; (n_workers, 2).
    thetas_
        What each worker says by habit; (n_workers, n_labels). Workers and labels are in order of
        appearance, as in the columns of `probas_`.
    skills_
        How often each worker knows the label.

    Examples
    --------
    >>> from veracity.compat.crowdkit import MACE
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> MACE().fit_predict(answers).to_dict()
    {'a': 1, 'b': 0}
    """

    probas_: Any
    skills_: Any
    spamming_: Floats
    thetas_: Floats

    def __init__(
        self,
        n_restarts: int = 10,
        n_iter: int = 50,
        method: Literal["vb", "em"] = "vb",
        smoothing: float | None = None,
        default_noise: float = 0.5,
        alpha: float = 0.5,
        beta: float = 0.5,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.n_restarts = n_restarts
        self.n_iter = n_iter
        self.method = method
        self.smoothing = smoothing
        self.default_noise = default_noise
        self.alpha = alpha
        self.beta = beta
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, data: Any) -> Self:
        """Fit to a frame of task, worker and label."""
        self._check_parameters()
        answers = Answers.of(data, sort_labels=False)
        best = None
        for restart in range(self.n_restarts):
            found = self._fit_once(answers, self.random_state + restart)
            if self.verbose:
                likelihood = found.expected.log_likelihood
                logger.info("MACE, restart %d: log-likelihood %.5f", restart + 1, likelihood)
            if best is None or found.expected.log_likelihood > best.expected.log_likelihood:
                best = found
        assert best is not None
        self.spamming_, self.thetas_ = best.spamming, best.thetas
        self.probas_ = answers.probas(best.expected.posterior, in_order_of_tasks=False)
        self.labels_ = most_probable(self.probas_)
        knows = best.spamming[:, 1] / np.maximum(best.spamming.sum(axis=1), TINY)
        self.skills_ = answers.of_workers(knows, "skill")
        return self

    def fit_predict(self, data: Any) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Any) -> Any:
        """Fit, and return the probability of each label."""
        return self.fit(data).probas_

    def _check_parameters(self) -> None:
        if self.method not in METHODS:
            raise InvalidParameter(
                f"method must be 'vb' or 'em'. Got {self.method!r} instead."
                f"{suggestion(str(self.method), METHODS)}"
            )
        if self.n_restarts < 1:
            raise InvalidParameter(
                f"n_restarts must be 1 or more. Got {self.n_restarts!r} instead."
            )

    def _fit_once(self, answers: Answers, seed: int) -> Fitted:
        spamming, thetas = self._start(answers, seed)
        expected = expect(answers, spamming, thetas)
        for _ in range(self.n_iter):
            if self.method == "vb":
                spamming = variational(expected.knowing, np.array([self.alpha, self.beta]))
                thetas = variational(expected.habits, np.full(answers.n_labels, HABIT_PRIOR))
            else:
                smoothing = self.smoothing
                if smoothing is None:
                    smoothing = 0.01 / max(answers.n_labels, 1)
                spamming = shares(expected.knowing + smoothing)
                thetas = shares(expected.habits + smoothing)
            expected = expect(answers, spamming, thetas)
        return Fitted(spamming, thetas, expected)

    def _start(self, answers: Answers, seed: int) -> tuple[Floats, Floats]:
        """Draw a start as crowd-kit does: both tables from the same seed."""

        def draw(n_columns: int) -> Floats:
            uniform = np.random.RandomState(seed).uniform(size=(answers.n_workers, n_columns))
            return shares(1.0 + (1.0 + self.default_noise) * uniform)

        return draw(2), draw(answers.n_labels)


class Expected(NamedTuple):
    """What the answers say of the truth: posterior of labels, and expected counts."""

    log_likelihood: float
    posterior: Floats  # (n_tasks, n_labels)
    knowing: Floats  # (n_workers, 2): by habit, knowing
    habits: Floats  # (n_workers, n_labels)


class Fitted(NamedTuple):
    """Parameters of a fit, and what follows from them."""

    spamming: Floats
    thetas: Floats
    expected: Expected


def expect(answers: Answers, spamming: Floats, thetas: Floats) -> Expected:
    """Do the expectation step, in logarithms, so that tasks with many answers do not underflow."""
    n_tasks, n_workers, n_labels = answers.n_tasks, answers.n_workers, answers.n_labels
    habit = np.maximum(spamming[answers.worker, 0] * thetas[answers.worker, answers.label], TINY)
    knows = spamming[answers.worker, 1]
    log_joint = np.bincount(answers.cell, np.log1p(knows / habit), n_tasks * n_labels)
    log_joint = log_joint.reshape(n_tasks, n_labels) - np.log(max(n_labels, 1))
    log_joint += np.bincount(answers.task, np.log(habit), n_tasks)[:, None]
    evidence = logsumexp(log_joint, axis=1) if log_joint.size else np.empty(0)
    posterior = np.exp(log_joint - evidence[:, None])
    right = posterior[answers.task, answers.label]
    known = right * knows / (habit + knows)
    guessed = 1.0 - known
    sides = [np.bincount(answers.worker, part, n_workers) for part in (guessed, known)]
    said = answers.worker * n_labels + answers.label
    habits = np.bincount(said, guessed, n_workers * n_labels).reshape(n_workers, n_labels)
    return Expected(
        float(evidence.sum()), posterior, np.column_stack(sides), np.asarray(habits, np.float64)
    )


def variational(counts: Floats, prior: Floats) -> Floats:
    """Return the geometric means of shares under their Dirichlet posterior."""
    total = (counts + prior).sum(axis=1, keepdims=True)
    return np.asarray(np.exp(digamma(counts + prior) - digamma(total)))


def shares(counts: Floats) -> Floats:
    """Divide each row by its sum."""
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), TINY))
