"""Numbers against the best source in hindsight: whether anybody was closer to the truth."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.claims import Claims
from veracity.data.clean.numbers import numbers_of
from veracity.data.output.tables import Table
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import items_of

#: A source is compared that speaks about so many items with known truth, and so large a share.
FEWEST_ITEMS = 20
LEAST_SHARE = 0.2


def against_best_source(truths: Table, truth: GroundTruth, claims: Claims) -> float | None:
    """Return the error of believed numbers as a multiple of that of the best source in hindsight.

    Each source that speaks about enough items is compared on these, by mean absolute error; the
    best is the one that comes off best. Below 1, what is believed is closer to the truth than any
    source. None if no source speaks about enough numbers, or one is never wrong.
    """
    matrix = claims.matrix
    known = truth.for_attributes(matrix.attributes.to_pylist())
    true, believed = (
        _by_item(claims, items_of(matrix, table), numbers_of(table["value"].combine_chunks()))
        for table in (known, truths.to_arrow())
    )
    item = matrix.item_of_claim
    said, ours = np.abs(claims.numbers - true[item]), np.abs(believed - true)[item]
    heard = np.flatnonzero(np.isfinite(said) & np.isfinite(ours) & (matrix.claim_value == 1))
    source = matrix.source_index[heard].astype(np.int64)
    theirs, own, count = (
        sum_by(source, column, matrix.n_sources)
        for column in (said[heard], ours[heard], np.ones(len(heard)))
    )
    n_items = int(np.isfinite(true).sum())
    enough = np.flatnonzero(count >= max(FEWEST_ITEMS, LEAST_SHARE * n_items))
    if not len(enough) or (theirs[enough] == 0).any():
        return None
    return float((own[enough] / theirs[enough]).max())


def _by_item(claims: Claims, item: Indices, number: Floats) -> Floats:
    """Return a number for each item, NaN where there is none."""
    found = np.full(claims.matrix.n_items, np.nan)
    found[item[item >= 0]] = number[item >= 0]
    return found
