"""The feature screen: columns that derive from the claimed value are no features."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.features.codes import Codes


@dataclass(frozen=True)
class ValueShare:
    """How much of a column's variance within items the claimed value explains.

    A share of 1 means that the column is a function of the value, as the length of a text is.
    Adjusted for the share that chance would give; 0 where no item has claims to compare. What
    disjoint sets of items say adds.

    Attributes
    ----------
    within_item, within_value
        Sums of squares about the means of items, and of their values.
    freedom_item, freedom_value
        How many of the numbers are not settled by those means.
    squares
        Sum of squares about 0.
    """

    within_item: float
    within_value: float
    freedom_item: int
    freedom_value: int
    squares: float

    @classmethod
    def of(cls, matrix: ClaimMatrix, column: Floats) -> ValueShare:
        """Look at a column of claims."""
        known = np.isfinite(column) & (matrix.claim_value == 1)
        item, statement = matrix.item_of_claim[known], matrix.statement_index[known]
        x = column[known]
        n_in_item = np.bincount(item, minlength=matrix.n_items)
        n_in_statement = np.bincount(statement, minlength=matrix.n_statements)
        mean_of_item = _means(item, x, n_in_item)
        mean_of_statement = _means(statement, x, n_in_statement)
        return cls(
            float(np.sum((x - mean_of_item[item]) ** 2)),
            float(np.sum((x - mean_of_statement[statement]) ** 2)),
            len(x) - int((n_in_item > 0).sum()),
            len(x) - int((n_in_statement > 0).sum()),
            float(np.sum(x**2)),
        )

    def __add__(self, other: ValueShare) -> ValueShare:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return ValueShare(*(one + another for one, another in pairs))

    @property
    def share(self) -> float:
        """The share of the variance within items that the claimed value explains."""
        if self.within_item <= 1e-12 * max(1.0, self.squares) or self.freedom_value <= 0:
            return 0.0
        of_value = self.within_value / self.freedom_value
        return 1.0 - of_value / (self.within_item / self.freedom_item)


def screen_column(share: ValueShare | None, max_share: float) -> str | None:
    """Return why a column is no feature: the claimed value explains more of it than `max_share`."""
    if share is None or share.share <= max_share:
        return None
    return f"derived from the value, which explains {share.share:.0%} of it within items"


def _means(group: Codes, x: Floats, sizes: Codes) -> Floats:
    return np.bincount(group, x, minlength=len(sizes)) / np.maximum(sizes, 1)
