"""A look at claims before any model: sizes, the long tail, conflicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.claims import Claims
from veracity.data.output.results import claimed_values, speakers


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

    @classmethod
    def of_counts(cls, per_source: npt.NDArray[np.int64], **counts: Any) -> ClaimsSummary:
        """Put counts together, with what follows from how much each source claims."""
        ordered = np.sort(per_source)[::-1]
        largest = ordered[: max(1, len(ordered) // 10)]
        return cls(
            n_claims=int(ordered.sum()),
            n_sources=len(ordered),
            n_one_claim_sources=int((ordered == 1).sum()),
            median_claims_per_source=float(np.median(ordered)),
            most_claims_of_a_source=int(ordered[0]),
            share_of_largest_tenth=float(largest.sum() / ordered.sum()),
            **counts,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return asdict(self)


def summarise_claims(claims: Claims) -> ClaimsSummary:
    """Count what is in a table of claims."""
    matrix = claims.matrix
    per_item = speakers(matrix)
    return ClaimsSummary.of_counts(
        np.bincount(matrix.source_index, minlength=matrix.n_sources),
        n_rows=len(claims),
        n_entities=len(matrix.entities),
        n_attributes=len(matrix.attributes),
        n_items=matrix.n_items,
        n_statements=matrix.n_statements,
        n_contested=int((claimed_values(matrix) > 1).sum()),
        n_denials=int((matrix.claim_value == 0).sum()),
        n_one_source_items=int((per_item == 1).sum()),
        median_sources_per_item=float(np.median(per_item)),
    )
