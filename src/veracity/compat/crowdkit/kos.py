"""KOS: message passing between tasks and workers, for two labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from veracity.compat.crowdkit.aggregator import Aggregator
from veracity.compat.crowdkit.answers import Answers, in_order
from veracity.compat.frames import import_pandas
from veracity.errors import InputError, listing

#: Messages grow from round to round; they stop before they overflow.
LARGEST = 1e300


class KOS(Aggregator):
    """Pass messages between tasks and workers; only for two labels.

    Karger, Oh and Shah, Budget-optimal task allocation for reliable crowdsourcing systems,
    Operations Research, 2014.

    Parameters
    ----------
    n_iter
        Rounds of messages.
    random_state
        Seed of the first messages.

    Attributes
    ----------
    labels_
        The label of each task. There are no probabilities.

    Examples
    --------
    >>> from veracity.compat.crowdkit import KOS
    >>> answers = {"task": list("aaabbb"), "worker": list("xyzxyz"), "label": [1, 1, 0, 0, 0, 1]}
    >>> KOS(n_iter=10).fit_predict(answers).to_dict()
    {'a': 1, 'b': 0}
    """

    def __init__(self, n_iter: int = 100, random_state: int = 0) -> None:
        self.n_iter = n_iter
        self.random_state = random_state

    def fit(self, data: Any) -> Self:
        """Fit to a frame of task, worker and label."""
        pandas = import_pandas("veracity.compat.crowdkit")
        answers = Answers.of(data, sort_labels=False)
        if not len(answers):
            self.labels_ = pandas.Series([], dtype=object, name="agg_label")
            return self
        if answers.n_labels != 2:
            raise InputError(
                f"KOS needs two labels. Got {answers.n_labels}: {listing(answers.labels, 5)}. "
                "DawidSkene and GRBM take any number."
            )
        score = self._scores(answers)
        order = in_order(answers.tasks)
        label = answers.labels.take((score[order] < 0).astype(np.int64))
        index = answers.tasks.take(order).rename("task")
        self.labels_ = pandas.Series(label.to_numpy(), index=index, name="agg_label")
        return self

    def fit_predict(self, data: Any) -> Any:
        """Fit, and return the label of each task."""
        return self.fit(data).labels_

    def _scores(self, answers: Answers) -> Any:
        """Return a number for each task, positive for the first label."""
        vote = 1.0 - 2.0 * answers.label
        message = np.random.RandomState(self.random_state).normal(1.0, 1.0, len(answers))
        for _ in range(self.n_iter):
            to_task = vote * message
            of_task = np.bincount(answers.task, to_task)[answers.task]
            if np.abs(of_task).max() > LARGEST:
                break
            to_worker = vote * (of_task - to_task)
            of_worker = np.bincount(answers.worker, to_worker)[answers.worker]
            if np.abs(of_worker).max() > LARGEST:
                break
            message = of_worker - to_worker
        return np.bincount(answers.task, vote * message)
