"""A look at claims in blocks, as `veracity.data.output.summary` takes it of claims in memory."""

from __future__ import annotations

import numpy as np

from veracity.data.blocks import ClaimBlock
from veracity.data.output.results import claimed_values, speakers
from veracity.data.output.summary import ClaimsSummary
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Counts, Scattered, Sums


def summarise_blocks(claims: ClaimsInBlocks) -> ClaimsSummary:
    """Count what is in a table of claims."""
    sums = claims.blocks.total(_count, claims.n_sources)
    per_source, per_item = sums.pop("per_source").everywhere(), sums.pop("per_item").of
    return ClaimsSummary.of_counts(
        per_source,
        n_rows=claims.n_rows,
        n_entities=claims.n_entities,
        n_attributes=len(claims.attributes),
        median_sources_per_item=_median(per_item),
        **sums,
    )


def _count(block: ClaimBlock, n_sources: int) -> Sums:
    matrix = block.matrix
    per_item = speakers(matrix)
    n_claims = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return {
        "per_source": Scattered(block.place, n_claims, n_sources),
        "per_item": Counts(np.bincount(per_item)),
        "n_items": matrix.n_items,
        "n_statements": matrix.n_statements,
        "n_contested": int((claimed_values(matrix) > 1).sum()),
        "n_denials": int((matrix.claim_value == 0).sum()),
        "n_one_source_items": int((per_item == 1).sum()),
    }


def _median(counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """Return the median of 0, 1, ..., of which there are so many."""
    ends = np.cumsum(counts)
    middle = [(ends[-1] - 1) // 2, ends[-1] // 2]
    return float(np.mean(np.searchsorted(ends, middle, side="right")))
