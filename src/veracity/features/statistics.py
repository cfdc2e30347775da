"""Features that every table of claims has: how much is claimed by whom, about what, and when."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.encode.grouping import distinct, starts_mask
from veracity.data.matrix import ClaimMatrix


def claims_of_source(matrix: ClaimMatrix) -> Floats:
    """Log of the number of claims that a claim's source makes; (n_claims,)."""
    count = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return np.log1p(count)[matrix.source_index]


def sources_of_item(matrix: ClaimMatrix) -> Floats:
    """Log of the number of sources that speak about a claim's item; (n_claims,)."""
    pairs = distinct(matrix.pair_of_claim)
    count = np.bincount(pairs // matrix.n_sources, minlength=matrix.n_items)
    return np.log1p(count)[matrix.item_of_claim]


def values_of_item(matrix: ClaimMatrix) -> Floats:
    """Log of the number of statements about a claim's item; (n_claims,)."""
    return np.log1p(np.diff(matrix.statement_start))[matrix.item_of_claim]


def claims_of_statement(matrix: ClaimMatrix) -> Floats:
    """Log of the number of sources that claim a statement; (n_statements,)."""
    return np.log1p(matrix.sum_by_statement((matrix.claim_value == 1).astype(np.float64)))


def order_in_item(matrix: ClaimMatrix, time: Floats) -> Floats:
    """How late a claim comes among those of its item: 0 first, 1 last, 0.5 alone; (n_claims,).

    Claims made at the same time come equally late.
    """
    before, after = _around(matrix, time)
    others = before + after
    return np.where(others == 0, 0.5, before / np.where(others == 0, 1.0, others))


def claims_before_in_item(matrix: ClaimMatrix, time: Floats) -> Floats:
    """Log of the number of claims about its item that come before a claim; (n_claims,)."""
    return np.log1p(_around(matrix, time)[0])


def claims_after_in_item(matrix: ClaimMatrix, time: Floats) -> Floats:
    """Log of the number of claims about its item that come after a claim; (n_claims,)."""
    return np.log1p(_around(matrix, time)[1])


def _around(matrix: ClaimMatrix, time: Floats) -> tuple[Floats, Floats]:
    """Count the claims about its item before and after each claim, NaN where its time is missing.

    Of claims made at the same time, half come before and half after.
    """
    known = np.isfinite(time)
    item = matrix.item_of_claim[known].astype(np.int64)
    order = np.lexsort((time[known], item))
    size = np.bincount(item, minlength=matrix.n_items)
    rank = np.empty(len(item))
    rank[order] = np.arange(len(item)) - (np.cumsum(size) - size)[item[order]]
    begins = starts_mask(item[order], time[known][order])
    group = np.empty(len(item), np.int64)
    group[order] = np.cumsum(begins) - 1
    shared = np.bincount(group, rank) / np.maximum(np.bincount(group), 1)
    before, after = np.full((2, matrix.n_claims), np.nan)
    before[known] = shared[group]
    after[known] = size[item] - 1 - shared[group]
    return before, after


def age_in_item(matrix: ClaimMatrix, time: Floats) -> Floats:
    """Log of how much older a claim is than the latest of its item; (n_claims,)."""
    known = np.where(np.isfinite(time), time, -np.inf)
    latest = np.maximum.reduceat(known, matrix.claim_start[:-1])[matrix.item_of_claim]
    with np.errstate(invalid="ignore"):
        return np.log1p(latest - time)


CLAIM_STATISTICS = {
    "claims of source": claims_of_source,
    "sources of item": sources_of_item,
    "values of item": values_of_item,
}
STATEMENT_STATISTICS = {"claims of statement": claims_of_statement}
TIME_STATISTICS = {
    "order in item": order_in_item,
    "age in item": age_in_item,
    "claims before in item": claims_before_in_item,
    "claims after in item": claims_after_in_item,
}
NAMES = (*CLAIM_STATISTICS, *TIME_STATISTICS, *STATEMENT_STATISTICS)
