"""Answers: the rows of task, worker and label as integers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from veracity.compat.frames import import_pandas
from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.compiled import compiled
from veracity.errors import InputError, MissingColumn, listing, suggestion

COLUMNS = ("task", "worker", "label")


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of workers to tasks, one per row; rows with a missing cell are left out.

    Attributes
    ----------
    task, worker, label
        Of each answer, as places in `tasks`, `workers` and `labels`; (n_answers,).
    tasks, workers
        Names in order of appearance, as pandas indexes.
    labels
        Labels in their own order; in order of appearance if asked for, or if they do not compare.
    """

    task: Indices
    worker: Indices
    label: Indices
    tasks: Any
    workers: Any
    labels: Any

    @classmethod
    def of(cls, data: Any, more_labels: Any = (), *, sort_labels: bool = True) -> Answers:
        """Read answers from a frame; `more_labels` are labels that perhaps no worker gives."""
        pandas = import_pandas("veracity.compat.crowdkit")
        frame = _frame(pandas, data)
        _check_columns([str(name) for name in frame.columns])
        columns = [_plain(frame[name]) for name in COLUMNS]
        present = np.logical_and.reduce([column.notna().to_numpy() for column in columns])
        if not present.all():
            columns = [column[present] for column in columns]
        (task, tasks), (worker, workers), (label, labels) = (
            _factorized(pandas, column) for column in columns
        )
        answers = cls(task, worker, label, tasks, workers, labels)
        return answers._with_labels(more_labels) if sort_labels else answers

    def _with_labels(self, more: Any) -> Answers:
        """Add labels that nobody gives, and bring all into their order."""
        labels = self.labels
        if len(more):
            labels = labels.append(type(labels)(more)).unique()
        order = in_order(labels)
        place = np.empty(len(labels), np.int64)
        place[order] = np.arange(len(labels))
        return replace(self, label=place[self.label], labels=labels.take(order))

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.tasks)

    @property
    def n_workers(self) -> int:
        """The number of workers."""
        return len(self.workers)

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.labels)

    def __len__(self) -> int:
        return len(self.task)

    @property
    def cell(self) -> Indices:
        """The place of each answer's task and label in a table of both; (n_answers,)."""
        return self.task * self.n_labels + self.label

    def shares(self, weight: Floats | None = None) -> Floats:
        """Return the share of each label in the votes on each task; (n_tasks, n_labels).

        Where all weights of a task are zero, its votes count alike.
        """
        shape = (self.n_tasks, self.n_labels)
        votes = np.bincount(self.cell, weight, minlength=shape[0] * shape[1]).reshape(shape)
        total = votes.sum(axis=1, keepdims=True)
        if weight is not None and (total == 0).any():
            votes = np.where(total == 0, self.shares(), votes)
            total = votes.sum(axis=1, keepdims=True)
        return np.asarray(votes / total, np.float64)

    @cached_property
    def _first(self) -> Mask | None:
        """The first of answers that a worker repeats word for word; None if nobody does."""
        key = self.cell * self.n_workers + self.worker
        found, first = np.unique(key, return_index=True)
        if len(found) == len(key):
            return None
        mask = np.zeros(len(key), np.bool_)
        mask[first] = True
        return mask

    def accuracy(self, truth: Indices) -> tuple[Floats, Floats]:
        """Return how many answers of each worker are right, and how many could be checked.

        `truth` is the label of each task, -1 where it is not known. A repeated answer counts once.
        """
        right, known = truth[self.task] == self.label, truth[self.task] >= 0
        worker = self.worker
        if self._first is not None:
            right, known, worker = right[self._first], known[self._first], worker[self._first]
        counts = [np.bincount(worker[mask], minlength=self.n_workers) for mask in (right, known)]
        return np.asarray(counts[0], np.float64), np.asarray(counts[1], np.float64)

    # Back to names

    def probas(self, table: Floats, *, in_order_of_tasks: bool) -> Any:
        """Return a table of tasks by labels as a frame."""
        pandas = import_pandas("veracity.compat.crowdkit")
        order = in_order(self.tasks) if in_order_of_tasks else np.arange(self.n_tasks)
        index = self.tasks.take(order).rename("task")
        return pandas.DataFrame(table[order], index=index, columns=self.labels.rename("label"))

    def of_workers(self, numbers: Floats, name: str, keep: Mask | None = None) -> Any:
        """Return numbers of workers as a series, in the order of workers where `keep`."""
        pandas = import_pandas("veracity.compat.crowdkit")
        order = in_order(self.workers)
        order = order if keep is None else order[keep[order]]
        return pandas.Series(
            numbers[order], index=self.workers.take(order).rename("worker"), name=name
        )

    def known_labels(self, true_labels: Any) -> Indices:
        """Return the known label of each task, -1 where there is none; (n_tasks,)."""
        known = _known_series(true_labels)
        place = np.append(self.labels.get_indexer(known.to_numpy()), -1)
        return np.asarray(place[known.index.get_indexer(self.tasks)], np.int64)


def known_values(true_labels: Any) -> Any:
    """Return the distinct labels of known truth."""
    return () if true_labels is None else _known_series(true_labels).unique()


def _known_series(true_labels: Any) -> Any:
    pandas = import_pandas("veracity.compat.crowdkit")
    known = _plain(pandas.Series(true_labels)).dropna()
    if known.index.has_duplicates:
        repeated = known.index[known.index.duplicated()].unique()
        raise InputError(
            f"true_labels must have one label per task. Got several for {listing(repeated, 3)}."
        )
    return known


def in_order(names: Any) -> Indices:
    """Return the places of names in their own order, or as they are if they do not compare."""
    try:
        return np.asarray(names.argsort(), np.int64)
    except TypeError:
        return np.arange(len(names))


def most_probable(frame: Any) -> Any:
    """Return the most probable label of each task; the first of equals."""
    pandas = import_pandas("veracity.compat.crowdkit")
    if not frame.size:
        return pandas.Series([], dtype=object, name="agg_label")
    best = frame.columns.take(frame.to_numpy().argmax(axis=1))
    return pandas.Series(best.to_numpy(), index=frame.index, name="agg_label", dtype=best.dtype)


@compiled
def add_rows(table: Any, at: Any, to: Any, out: Any) -> None:
    """Add the row `at` of a table to the row `to` of another, for all pairs of places."""
    for i in range(len(at)):
        for k in range(table.shape[1]):
            out[to[i], k] += table[at[i], k]


def _frame(pandas: Any, data: Any) -> Any:
    if isinstance(data, pandas.DataFrame):
        return data
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    try:
        return pandas.DataFrame(data)
    except (TypeError, ValueError):
        raise InputError(
            f"data must be a table of task, worker and label. Got {type(data).__name__} instead."
        ) from None


def _check_columns(names: list[str]) -> None:
    for name in COLUMNS:
        if name not in names:
            raise MissingColumn(
                f"data has no column {name!r}.{suggestion(name, names)} It has {listing(names)}, "
                f"and {listing(COLUMNS)} are needed. Rename the columns first."
            )


def _plain(column: Any) -> Any:
    """Return a column of categories as one of their values."""
    categories = getattr(column.dtype, "categories", None)
    return column if categories is None else column.astype(categories.dtype)


def _factorized(pandas: Any, column: Any) -> tuple[Indices, Any]:
    codes, names = pandas.factorize(column)
    return np.asarray(codes, np.int64), pandas.Index(names)
