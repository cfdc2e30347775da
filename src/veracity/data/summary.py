"""A look at claims before any model: sizes, the long tail, conflicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from veracity.data.claims import Claims
from veracity.data.results import claimed_values, speakers


@dataclass(frozen=True)
class ClaimsSummary:
    """Counts that describe a table of claims.

    ``n_claims`` counts the claims in use, ``n_rows`` those in the table; an item is contested if
    more than one value is claimed for it.
    """

    n_rows: int
    n_claims: int
    n_sources: int
    n_entities: int
    n_attributes: int
    n_items: int
    n_statements: int
    n_contested: int
    n_denials: int
    n_one_source_items: int
    n_one_claim_sources: int
    median_claims_per_source: float
    most_claims_of_a_source: int
    share_of_largest_tenth: float
    median_sources_per_item: float

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return asdict(self)


def summarise_claims(claims: Claims) -> ClaimsSummary:
    """Count what is in a table of claims."""
    matrix = claims.matrix
    per_source = np.sort(np.bincount(matrix.source_index, minlength=matrix.n_sources))[::-1]
    per_item = speakers(matrix)
    largest = per_source[: max(1, len(per_source) // 10)]
    return ClaimsSummary(
        n_rows=len(claims),
        n_claims=matrix.n_claims,
        n_sources=matrix.n_sources,
        n_entities=len(matrix.entities),
        n_attributes=len(matrix.attributes),
        n_items=matrix.n_items,
        n_statements=matrix.n_statements,
        n_contested=int((claimed_values(matrix) > 1).sum()),
        n_denials=int((matrix.claim_value == 0).sum()),
        n_one_source_items=int((per_item == 1).sum()),
        n_one_claim_sources=int((per_source == 1).sum()),
        median_claims_per_source=float(np.median(per_source)),
        most_claims_of_a_source=int(per_source[0]),
        share_of_largest_tenth=float(largest.sum() / per_source.sum()),
        median_sources_per_item=float(np.median(per_item)),
    )
