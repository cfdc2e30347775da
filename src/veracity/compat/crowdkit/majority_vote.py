"""MajorityVote: the label with the most votes, plain or weighted by skill."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, most_probable
from veracity.compat.frames import import_pandas
from veracity.data.arrays import Floats, Indices
from veracity.errors import InvalidParameter, listing, suggestion

ON_MISSING = ("error", "ignore", "value")


class MajorityVote(Aggregator):
    """Give each task the label with the most votes, or with the largest sum of skills.

    Parameters
    ----------
    default_skill
        The skill of workers who have none, with `on_missing_skill="value"`.
    on_missing_skill
        What to do with answers of workers whose skill is not given: ``"error"``, ``"ignore"`` or
        ``"value"``.

    Attributes
    ----------
    labels_
        The label of each task.
    probas_
        The share of each label in the votes on each task.
    skills_
        How often each worker agrees with the label of a task.

    Examples
    --------
    >>> import pandas as pd
    >>> from veracity.compat.crowdkit import MajorityVote
    >>> answers = pd.DataFrame({
    ...     "task": ["t1", "t1", "t1", "t2", "t2"],
    ...     "worker": ["ann", "bob", "cleo", "ann", "bob"],
    ...     "label": ["cat", "cat", "dog", "dog", "dog"],
    ... })
    >>> MajorityVote().fit_predict(answers).to_dict()
    {'t1': 'cat', 't2': 'dog'}
    """

    probas_: Any
    skills_: Any

    def __init__(
        self,
        default_skill: float | None = None,
        on_missing_skill: Literal["error", "ignore", "value"] = "error",
    ) -> None:
        self.default_skill = default_skill
        self.on_missing_skill = on_missing_skill

    def fit(self, data: Any, skills: Any = None) -> Self:
        """Fit to a frame of task, worker and label; `skills` is a series indexed by worker."""
        answers, weight = Answers.of(data), None
        if skills is not None:
            self._check_parameters()
            answers, weight = self._weighted(answers, skills)
        shares = answers.shares(weight)
        self.probas_ = answers.probas(shares, in_order_of_tasks=True)
        self.labels_ = most_probable(self.probas_)
        right, known = answers.accuracy(best_labels(shares))
        self.skills_ = answers.of_workers(right / np.maximum(known, 1.0), "skill")
        return self

    def fit_predict(self, data: Any, skills: Any = None) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data, skills).labels_

    def fit_predict_proba(self, data: Any, skills: Any = None) -> Any:
        """Fit, and return the share of each label."""
        return self.fit(data, skills).probas_

    def _check_parameters(self) -> None:
        if self.on_missing_skill not in ON_MISSING:
            near = suggestion(str(self.on_missing_skill), ON_MISSING)
            raise InvalidParameter(
                f"on_missing_skill must be one of {listing(ON_MISSING)}. "
                f"Got {self.on_missing_skill!r} instead.{near}"
            )
        if (self.default_skill is not None) != (self.on_missing_skill == "value"):
            raise InvalidParameter(
                'default_skill and on_missing_skill="value" go together: give both or neither. '
                f"Got {self.default_skill!r} and {self.on_missing_skill!r}."
            )

    def _weighted(self, answers: Answers, skills: Any) -> tuple[Answers, Floats]:
        """Return the answers that count, and the skill behind each."""
        pandas = import_pandas("veracity.compat.crowdkit")
        of_worker = pandas.Series(skills).reindex(answers.workers).to_numpy(np.float64)
        weight = of_worker[answers.worker]
        missing = np.isnan(weight)
        if not missing.any():
            return answers, weight
        unknown = answers.workers[np.isnan(of_worker)]
        if self.on_missing_skill == "value":
            return answers, np.asarray(np.where(missing, self.default_skill, weight), np.float64)
        if self.on_missing_skill == "error":
            raise InvalidParameter(
                f"skills has no number for {listing(unknown, 5)}. Add them, or choose "
                'on_missing_skill="ignore" or "value".'
            )
        silent = np.bincount(answers.task, ~missing, answers.n_tasks) == 0
        if silent.any():
            raise InvalidParameter(
                f"No worker with a known skill answers {listing(answers.tasks[silent], 5)}. Add "
                'skills, or choose on_missing_skill="value" and a default_skill.'
            )
        kept = pandas.DataFrame({
            "task": answers.tasks.take(answers.task[~missing]),
            "worker": answers.workers.take(answers.worker[~missing]),
            "label": answers.labels.take(answers.label[~missing]),
        })  # fmt: skip
        return Answers.of(kept), weight[~missing]


def best_labels(shares: Floats) -> Indices:
    """Return the label with the largest share, the first of equals; (n_tasks,)."""
    if not shares.size:
        return np.empty(0, np.int64)
    return np.asarray(shares.argmax(axis=1), np.int64)
