"""Which columns may serve as features: not those that say nothing, or that give the value away."""

from __future__ import annotations

import numpy as np

from veracity.data.matrix import ClaimMatrix, Floats
from veracity.features.coding import Codes

#: A category column with more categories than this share of claims names claims, not kinds.
MAX_DISTINCT_SHARE = 0.5
#: A column more of whose variance within items is explained by the value derives from the value.
MAX_VALUE_SHARE = 0.5


def value_share(matrix: ClaimMatrix, column: Floats) -> float:
    """Return the share of a column's variance within items that the claimed value explains.

    A share of 1 means that the column is a function of the value, as the length of a text is.
    Adjusted for the share that chance would give; 0 where no item has claims to compare.
    """
    known = np.isfinite(column) & (matrix.claim_value == 1)
    item, statement = matrix.item_of_claim[known], matrix.statement_index[known]
    x = column[known]
    n_in_item = np.bincount(item, minlength=matrix.n_items)
    n_in_statement = np.bincount(statement, minlength=matrix.n_statements)
    mean_of_item = _means(item, x, n_in_item)
    mean_of_statement = _means(statement, x, n_in_statement)
    within_item = float(np.sum((x - mean_of_item[item]) ** 2))
    within_value = float(np.sum((x - mean_of_statement[statement]) ** 2))
    freedom_item = len(x) - int((n_in_item > 0).sum())
    freedom_value = len(x) - int((n_in_statement > 0).sum())
    if within_item <= 1e-12 * max(1.0, float(np.sum(x**2))) or freedom_value <= 0:
        return 0.0
    return 1.0 - (within_value / freedom_value) / (within_item / freedom_item)


def _means(group: Codes, x: Floats, sizes: Codes) -> Floats:
    return np.bincount(group, x, minlength=len(sizes)) / np.maximum(sizes, 1)
