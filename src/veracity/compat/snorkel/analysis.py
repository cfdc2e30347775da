"""LFAnalysis: what each labelling function covers, and where it meets others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.compat.estimator import Estimator
from veracity.compat.frames import import_pandas
from veracity.compat.snorkel.classes import Classes
from veracity.compat.snorkel.votes import LabelVotes, plain
from veracity.data.arrays import Floats, Indices, Mask
from veracity.errors import InputError


class LFAnalysis(Estimator):
    """Describe labelling functions by their label matrix.

    Parameters
    ----------
    L
        A label matrix, in any shape that `LabelModel` takes.
    lfs
        The labelling functions, for their names: objects with a `name`, or names.

    Examples
    --------
    >>> import numpy as np
    >>> from veracity.compat.snorkel import LFAnalysis
    >>> L = np.array([[0, 0, -1], [1, 0, 1], [-1, -1, 1]])
    >>> LFAnalysis(L).lf_summary(Y=np.array([0, 1, 1]))["Emp. Acc."].to_list()
    [1.0, 0.5, 1.0]
    """

    def __init__(self, L: Any, lfs: Sequence[Any] | None = None) -> None:
        self.L = L
        self.lfs = lfs
        self._votes = votes = LabelVotes.of(L)
        if lfs is not None and len(lfs) != votes.n_columns:
            raise InputError(
                f"There must be as many lfs as columns of L. Got {len(lfs)} and {votes.n_columns}."
            )
        self._classes = Classes.of(votes.label, _most(votes.label))
        self._label = self._classes.places(votes.label, "L")

    # Of the matrix

    def label_coverage(self) -> float:
        """Return the share of rows with a label."""
        return self._share_of_rows(self._n_labels > 0)

    def label_overlap(self) -> float:
        """Return the share of rows with two labels or more."""
        return self._share_of_rows(self._n_labels > 1)

    def label_conflict(self) -> float:
        """Return the share of rows with different labels."""
        return self._share_of_rows(self._in_conflict)

    # Of each function

    def lf_polarities(self) -> list[list[Any]]:
        """Return the labels that each function gives."""
        return [
            [self._classes.labels[i] for i in np.unique(self._label[self._votes.column == column])]
            for column in range(self._votes.n_columns)
        ]

    def lf_coverages(self) -> Floats:
        """Return the share of rows that each function labels."""
        return self._share_of_votes(np.ones(len(self._votes.row), np.bool_))

    def lf_overlaps(self, normalize_by_coverage: bool = False) -> Floats:
        """Return the share of rows that each function and another one label."""
        overlaps = self._share_of_votes((self._n_labels > 1)[self._votes.row])
        return _ratio(overlaps, self.lf_coverages()) if normalize_by_coverage else overlaps

    def lf_conflicts(self, normalize_by_overlaps: bool = False) -> Floats:
        """Return the share of rows in which another function contradicts each function."""
        conflicts = self._share_of_votes(self._in_conflict[self._votes.row])
        return _ratio(conflicts, self.lf_overlaps()) if normalize_by_overlaps else conflicts

    def lf_empirical_accuracies(self, Y: Any) -> Floats:
        """Return how often each function is right, given the true labels."""
        right, given = self._right(Y)
        return _ratio(right, given)

    def lf_empirical_probs(self, Y: Any, k: int) -> Floats:
        """Return P(label | truth) of each function, abstain first; (n_functions, k + 1, k)."""
        truth, votes = self._truth(Y), self._votes
        counts = np.zeros((votes.n_columns, k + 1, k))
        known = truth[votes.row] >= 0
        where = (votes.column[known], self._label[known] + 1, truth[votes.row[known]])
        np.add.at(counts, where, 1.0)
        of_class = np.bincount(truth[truth >= 0], minlength=k)[:k]
        counts[:, 0] = of_class - counts.sum(axis=1)
        return _ratio(counts, of_class.astype(np.float64))

    def lf_summary(self, Y: Any = None, est_weights: Any = None) -> Any:
        """Return a frame with a row for each function.

        Parameters
        ----------
        Y
            True labels, for Correct, Incorrect and Emp. Acc.
        est_weights
            Learned weights of the functions, to be shown beside.
        """
        pandas = import_pandas("LFAnalysis.lf_summary")
        names = self._names()
        columns: dict[str, Any] = {} if names is None else {"j": np.arange(self._votes.n_columns)}
        columns["Polarity"] = self.lf_polarities()
        columns["Coverage"] = self.lf_coverages()
        columns["Overlaps"] = self.lf_overlaps()
        columns["Conflicts"] = self.lf_conflicts()
        if Y is not None:
            right, given = self._right(Y)
            columns["Correct"] = right.astype(np.int64)
            columns["Incorrect"] = (given - right).astype(np.int64)
            columns["Emp. Acc."] = _ratio(right, given)
        if est_weights is not None:
            columns["Learned Weight"] = np.asarray(est_weights, np.float64)
        return pandas.DataFrame(columns, index=names)

    def _names(self) -> list[Any] | None:
        if self.lfs is not None:
            return [getattr(function, "name", function) for function in self.lfs]
        return self._votes.columns

    @property
    def _n_labels(self) -> Indices:
        return np.bincount(self._votes.row, minlength=self._votes.n_rows)

    @property
    def _in_conflict(self) -> Mask:
        votes, k = self._votes, max(len(self._classes), 1)
        cells = np.unique(votes.row * k + self._label)
        return np.asarray(np.bincount(cells // k, minlength=votes.n_rows) > 1)

    def _share_of_rows(self, chosen: Mask) -> float:
        return float(chosen.mean())

    def _share_of_votes(self, chosen: Mask) -> Floats:
        votes = self._votes
        counts = np.bincount(votes.column[chosen], minlength=votes.n_columns)
        return np.asarray(counts / votes.n_rows)

    def _right(self, Y: Any) -> tuple[Floats, Floats]:
        """Return how often each function is right, and how often it could be checked."""
        votes, truth = self._votes, self._truth(Y)[self._votes.row]
        right = np.bincount(votes.column[truth == self._label], minlength=votes.n_columns)
        known = np.bincount(votes.column[truth != -1], minlength=votes.n_columns)
        return right.astype(np.float64), known.astype(np.float64)

    def _truth(self, Y: Any) -> Indices:
        """Return the place of each true label: -1 if not known, and -2 if nobody votes for it."""
        given = plain(Y).ravel().tolist()
        if len(given) != self._votes.n_rows:
            raise InputError(f"Y must have {self._votes.n_rows} labels. Got {len(given)}.")
        place: dict[Any, int] = {label: i for i, label in enumerate(self._classes.labels)}
        place |= {-1: -1, None: -1}
        return np.array([place.get(label, -2) for label in given], np.int64)


def _most(labels: npt.NDArray[Any]) -> int:
    """Return how many labels there are, or the largest number plus one."""
    if labels.dtype.kind == "i":
        return int(labels.max(initial=0)) + 1
    return len(set(labels.tolist()))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.asarray(part / np.where(whole > 0, whole, 1.0))
