"""DawidSkene and OneCoinDawidSkene, with crowd-kit's start, smoothing and stopping rule."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, add_rows, known_values, most_probable
from veracity.compat.crowdkit.initial_error import STRATEGIES, initial_counts
from veracity.compat.frames import import_pandas
from veracity.data.arrays import Floats, Indices
from veracity.errors import InvalidParameter, listing

#: The least probability of anything.
LEAST = 1e-10


class DawidSkene(Aggregator):
    """Learn a confusion matrix for each worker, by expectation maximisation.

    Dawid and Skene, Maximum likelihood estimation of observer error-rates using the EM algorithm,
    Applied Statistics, 1979. The same method as `veracity.DawidSkene`, with the arguments,
    attributes and stopping rule of crowd-kit.

    Parameters
    ----------
    n_iter
        Iterations at most.
    tol
        The fit stops when the loss per answer grows by less.
    initial_error_strategy
        How `initial_error` is used: ``"assign"`` starts from it; ``"addition"`` adds its counts
        to those of the answers, in every iteration; None leaves it out.

    Attributes
    ----------
    labels_, probas_
        The most probable label of each task, and the probabilities of all.
    priors_
        How often each label is the true one.
    errors_
        The probability that a worker says a label (the index), for each true label (the columns).
    loss_history_
        The evidence lower bound per answer, after each iteration.

    Examples
    --------
    >>> from veracity.compat.crowdkit import DawidSkene
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> DawidSkene(n_iter=100).fit_predict(answers).to_dict()
    {'a': 1, 'b': 0}
    """

    probas_: Any
    priors_: Any
    errors_: Any
    loss_history_: list[float]

    def __init__(
        self,
        n_iter: int = 100,
        tol: float = 1e-5,
        initial_error_strategy: Literal["assign", "addition"] | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.tol = tol
        self.initial_error_strategy = initial_error_strategy

    def fit(self, data: Any, true_labels: Any = None, initial_error: Any = None) -> Self:
        """Fit to a frame of task, worker and label.

        Parameters
        ----------
        data
            A frame of task, worker and label.
        true_labels
            Known labels: a series indexed by task.
        initial_error
            What is known about workers: a frame like `errors_`.
        """
        if self.initial_error_strategy not in (None, *STRATEGIES):
            raise InvalidParameter(
                f"initial_error_strategy must be None or one of {listing(STRATEGIES)}. Got "
                f"{self.initial_error_strategy!r} instead."
            )
        if self.initial_error_strategy is None:
            initial_error = None
        more = list(known_values(true_labels))
        more += [] if initial_error is None else list(initial_error.columns)
        answers = Answers.of(data, more)
        known = None if true_labels is None else answers.known_labels(true_labels)
        return self._fit_answers(answers, known, initial_error)

    def fit_predict(self, data: Any, true_labels: Any = None, initial_error: Any = None) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data, true_labels, initial_error).labels_

    def fit_predict_proba(
        self, data: Any, true_labels: Any = None, initial_error: Any = None
    ) -> Any:
        """Fit, and return the probability of each label."""
        return self.fit(data, true_labels, initial_error).probas_

    def _fit_answers(self, answers: Answers, known: Indices | None, initial_error: Any) -> Self:
        if not len(answers):
            return self._set_empty()
        said = Said(answers, initial_error, self.initial_error_strategy)
        probas = clamped(answers.shares(), known)
        prior = probas.mean(axis=0)
        errors = self._errors(said, probas, first=True)
        loss, self.loss_history_ = -np.inf, []
        for _ in range(self.n_iter):
            probas = clamped(said.expect(prior, errors), known)
            prior = probas.mean(axis=0)
            errors = self._errors(said, probas, first=False)
            new_loss = said.evidence(probas, prior, errors) / len(answers)
            probas = np.maximum(probas, LEAST)
            self.loss_history_.append(new_loss)
            if new_loss - loss < self.tol:
                break
            loss = new_loss
        self._set(answers, said, probas, prior, errors)
        return self

    def _errors(self, said: Said, probas: Floats, first: bool) -> Floats:
        """Return the error matrices, one row for each worker and label said."""
        counts = said.counts(probas)
        if first and said.start is not None:
            counts = said.start
        elif said.history is not None:
            counts = counts + said.history
        counts = np.maximum(counts, LEAST)
        return np.asarray(counts / said.by_worker(counts)[said.worker])

    def _set(
        self, answers: Answers, said: Said, probas: Floats, prior: Floats, errors: Floats
    ) -> None:
        pandas = import_pandas("veracity.compat.crowdkit")
        columns = answers.labels.rename("label")
        self.probas_ = answers.probas(probas, in_order_of_tasks=False)
        self.labels_ = most_probable(self.probas_)
        self.priors_ = pandas.Series(prior, index=columns, name="prior")
        names = [answers.workers.take(said.worker), answers.labels.take(said.label)]
        index = pandas.MultiIndex.from_arrays(names, names=["worker", "label"])
        self.errors_ = pandas.DataFrame(errors, index=index, columns=answers.labels)

    def _set_empty(self) -> Self:
        pandas = import_pandas("veracity.compat.crowdkit")
        self.probas_, self.errors_ = pandas.DataFrame(), pandas.DataFrame()
        self.priors_ = pandas.Series(dtype=float, name="prior")
        self.labels_ = pandas.Series(dtype=float, name="agg_label")
        self.loss_history_ = []
        return self


class OneCoinDawidSkene(DawidSkene):
    """Learn one accuracy for each worker, by expectation maximisation.

    Zhang, Chen, Zhou and Jordan, Spectral methods meet EM, 2016. The same method as
    `veracity.OneCoin`, with the arguments, attributes and stopping rule of crowd-kit.

    Parameters
    ----------
    n_iter
        Iterations at most.
    tol
        The fit stops when the loss per answer grows by less.
    initial_error_strategy
        Not used; crowd-kit has it, too.

    Attributes
    ----------
    skills_
        The accuracy of each worker. All else is as of `DawidSkene`.

    Examples
    --------
    >>> from veracity.compat.crowdkit import OneCoinDawidSkene
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> OneCoinDawidSkene().fit(answers).skills_.round(3).to_dict()
    {'x': 1.0, 'y': 1.0, 'z': 0.0}
    """

    skills_: Any

    def fit(self, data: Any) -> Self:  # type: ignore[override]
        """Fit to a frame of task, worker and label."""
        return self._fit_answers(Answers.of(data), None, None)

    def fit_predict(self, data: Any) -> Any:  # type: ignore[override]
        """Fit, and return the label of each task."""
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Any) -> Any:  # type: ignore[override]
        """Fit, and return the probability of each label."""
        return self.fit(data).probas_

    def _errors(self, said: Said, probas: Floats, first: bool) -> Floats:
        skill, n_labels = said.skills(probas), probas.shape[1]
        own = skill[said.worker][:, None]
        right = said.label[:, None] == np.arange(n_labels)
        errors = np.where(right, own, (1.0 - own) / max(n_labels - 1, 1))
        return np.asarray(np.clip(errors, LEAST, 1.0 - LEAST))

    def _set(
        self, answers: Answers, said: Said, probas: Floats, prior: Floats, errors: Floats
    ) -> None:
        super()._set(answers, said, probas, prior, errors)
        pandas = import_pandas("veracity.compat.crowdkit")
        workers = answers.workers.rename("worker")
        self.skills_ = pandas.Series(said.skills(probas), index=workers, name="skill")


class Said:
    """What workers say: one row for each worker and label that occur together.

    Attributes
    ----------
    worker, label
        Of each row; (n_rows,).
    start, history
        Counts to start from, and counts to add in every iteration; None without.
    """

    def __init__(self, answers: Answers, initial_error: Any, strategy: str | None) -> None:
        pandas = import_pandas("veracity.compat.crowdkit")
        self._answers = answers
        key = answers.worker * answers.n_labels + answers.label
        given = None if initial_error is None else initial_counts(answers, initial_error, strategy)
        keys = key if given is None else np.append(key, given.key)
        place, rows = pandas.factorize(keys)
        self._row = place[: len(key)].astype(np.int64)
        self.worker, self.label = rows // answers.n_labels, rows % answers.n_labels
        self.start: Floats | None = None
        self.history: Floats | None = None
        if given is not None:
            counts = np.zeros((len(rows), answers.n_labels))
            counts[place[len(key) :]] = given.counts
            if strategy == "assign":
                self.start = counts
            else:
                self.history = counts

    def counts(self, probas: Floats) -> Floats:
        """Return how often each row is said, for each true label; (n_rows, n_labels)."""
        counts = np.zeros((len(self.worker), probas.shape[1]))
        add_rows(np.ascontiguousarray(probas), self._answers.task, self._row, counts)
        self._counts = counts
        return counts

    def by_worker(self, table: Floats) -> Floats:
        """Add up the rows of each worker; (n_workers, n_labels)."""
        total = np.zeros((self._answers.n_workers, table.shape[1]))
        add_rows(table, np.arange(len(table)), self.worker, total)
        return total

    def skills(self, probas: Floats) -> Floats:
        """Return the share of right answers of each worker; (n_workers,)."""
        counts = self.counts(probas)
        right = counts[np.arange(len(counts)), self.label]
        given = np.bincount(self._answers.worker, minlength=self._answers.n_workers)
        return np.asarray(np.bincount(self.worker, right, self._answers.n_workers) / given)

    def expect(self, prior: Floats, errors: Floats) -> Floats:
        """Return the probability of each label of each task; (n_tasks, n_labels)."""
        log_prior = np.log(np.maximum(prior, LEAST))
        log_likelihood = np.tile(log_prior, (self._answers.n_tasks, 1))
        add_rows(np.log(errors), self._row, self._answers.task, log_likelihood)
        likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
        return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))

    def evidence(self, probas: Floats, prior: Floats, errors: Floats) -> float:
        """Return crowd-kit's evidence lower bound, by which the fit stops.

        It counts the prior once for each answer, not once for each task.
        """
        log_joint = np.log(errors) + np.log(np.maximum(prior, LEAST))
        kept = np.maximum(probas, LEAST)
        expected = float((self._counts * log_joint).sum())
        if self.history is not None:
            expected += float((self.history * np.log(errors)).sum())
        return expected - float((kept * np.log(kept)).sum())


def clamped(probas: Floats, known: Indices | None) -> Floats:
    """Give tasks whose label is known all probability there."""
    if known is None:
        return probas
    tasks = np.flatnonzero(known >= 0)
    probas = probas.copy()
    probas[tasks] = 0.0
    probas[tasks, known[tasks]] = 1.0
    return probas
