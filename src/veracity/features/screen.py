"""The feature screen: columns that derive from the claimed value are no features."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.data.encode.grouping import distinct
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
        """Look at a column of numbers, one for each claim."""
        item, value, known = _contested(matrix, np.isfinite(column))
        x = column[known]
        n_in_item, n_in_value = np.bincount(item), np.bincount(value)
        mean_of_item, mean_of_value = _means(item, x, n_in_item), _means(value, x, n_in_value)
        return cls(
            float(np.sum((x - mean_of_item[item]) ** 2)),
            float(np.sum((x - mean_of_value[value]) ** 2)),
            len(x) - int((n_in_item > 0).sum()),
            len(x) - int((n_in_value > 0).sum()),
            float(np.sum(x**2)),
        )

    @classmethod
    def of_categories(cls, matrix: ClaimMatrix, codes: Codes) -> ValueShare:
        """Look at a column of categories, -1 for none: a number 0 or 1 for each of them."""
        item, value, known = _contested(matrix, codes >= 0)
        category = codes[known]
        return cls(
            _spread(item, category),
            _spread(value, category),
            len(category) - int((np.bincount(item) > 0).sum()),
            len(category) - int((np.bincount(value) > 0).sum()),
            float(len(category)),
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


def _contested(matrix: ClaimMatrix, known: Mask) -> tuple[Codes, Codes, Mask]:
    """Return items and values of the claims that can be compared, and which these are.

    Those are claims about items for which two values or more are given: yes and no are two values.
    """
    boolean = matrix.kind_is("boolean")[matrix.item_of_claim]
    known = known & ((matrix.claim_value == 1) | boolean)
    value = 2 * matrix.statement_index.astype(np.int64) + matrix.claim_value
    pairs = distinct(value[known])
    item_of_pair = matrix.item_of_statement[pairs // 2]
    several = np.bincount(item_of_pair, minlength=matrix.n_items) > 1
    known = known & several[matrix.item_of_claim]
    return matrix.item_of_claim[known].astype(np.int64), value[known], known


def _spread(group: Codes, category: Codes) -> float:
    """Return the sum of squares about the means of groups, over all categories."""
    n_in_group = np.bincount(group)
    pair = group.astype(np.int64) * (int(category.max(initial=0)) + 1) + category
    pairs, count = np.unique(pair, return_counts=True)
    owner = pairs // (int(category.max(initial=0)) + 1)
    return float(len(group) - np.sum(count**2 / n_in_group[owner]))


def _means(group: Codes, x: Floats, sizes: Codes) -> Floats:
    return np.bincount(group, x, minlength=len(sizes)) / np.maximum(sizes, 1)
