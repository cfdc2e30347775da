"""The repair queue: the items that are most likely wrong, weighted by what an error costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.buffers import to_numpy
from veracity.data.claims import Claims
from veracity.errors import InvalidParameter, MissingColumn, listing, suggestion
from veracity.workflow.audits import TIES, Audit, item_hash


@dataclass(frozen=True, eq=False)
class Repairs:
    """Items to repair, that with the largest expected cost first.

    Attributes
    ----------
    items
        Their places in the claim matrix.
    expected_cost
        How likely the verdict is wrong times what an error costs; of each of these items.
    n_left
        How many items have no mark yet, these included.
    n_without_cost
        How many of them have no cost, so that they come last.
    """

    items: Indices
    expected_cost: Floats
    n_left: int
    n_without_cost: int


def repair_queue(audit: Audit, count: int, cost: str | None = None) -> Repairs:
    """Return the unmarked items whose repair is worth most.

    `cost` names a column of numbers; without one, an error of any item costs the same.
    """
    if count < 1:
        raise InvalidParameter(f"The number of items must be 1 or more. Got {count!r} instead.")
    answers, matrix = audit.answers(), audit.matrix
    of_item = np.ones(matrix.n_items) if cost is None else item_costs(audit.claims, cost)
    order = repair_order(audit, of_item)
    left = order[~answers.is_marked[order] & ~answers.skipped[order]]
    n_missing = int(np.isnan(of_item[left]).sum())
    items = left[:count]
    return Repairs(items, expected_costs(audit, of_item)[items], len(left), n_missing)


def repair_order(audit: Audit, of_item: Floats) -> Indices:
    """Return all items, that with the largest expected cost first; those without a cost last."""
    items = np.arange(audit.matrix.n_items)
    ties = item_hash(audit.matrix, items, TIES)
    expected = expected_costs(audit, of_item)
    return np.lexsort((ties, np.isnan(of_item), -expected))


def expected_costs(audit: Audit, of_item: Floats) -> Floats:
    """Return how likely each verdict is wrong times what an error costs; (n_items,)."""
    costs = np.where(np.isnan(of_item), 0.0, of_item)
    return np.asarray((1.0 - audit.shown.plausibility) * costs)


def item_costs(claims: Claims, column: str) -> Floats:
    """Return what an error of each item costs: the mean of a column over its claims; (n_items,).

    NaN where none of them has a number.
    """
    types = claims.feature_types
    numbers = [name for name, kind in types.items() if kind == "number"]
    if types.get(column) != "number":
        found = f"is of type {types[column]}" if column in types else "is not there"
        kind = InvalidParameter if column in types else MissingColumn
        raise kind(
            f"The cost was given as {column!r}, which {found}.{suggestion(column, numbers)} "
            "Expected a feature column of numbers. The run has "
            f"{listing(map(repr, numbers)) if numbers else 'none'}."
        )
    matrix = claims.matrix
    cost = to_numpy(claims.features[column])[matrix.row]
    if (cost < 0).any():
        raise InvalidParameter(
            f"The cost {column!r} is negative for some items. Expected 0 or more."
        )
    known = ~np.isnan(cost)
    item = matrix.item_of_claim[known]
    total = sum_by(item, cost[known], matrix.n_items)
    n_claims = np.bincount(item, minlength=matrix.n_items)
    return np.where(n_claims > 0, total / np.maximum(n_claims, 1), np.nan)
