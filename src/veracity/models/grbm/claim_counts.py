"""Counts of claims, before a fit: who claims how much, about which attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums, Together
from veracity.models.grbm.attributes import (
    AttributeParameters,
    AttributeRange,
    choose_forms,
    nobody,
)
from veracity.models.grbm.model_spec import log_claim_counts
from veracity.models.views.classes import values_by_attribute

#: The claims of sources about an attribute have this before its name.
ABOUT = "about "


@dataclass(frozen=True, eq=False)
class ClaimCounts:
    """How much every source claims, and the parameters that each attribute gets."""

    n_claims: Indices
    attributes: tuple[AttributeParameters, ...]

    @property
    def log_claim_count(self) -> Floats:
        """z of each source; see `log_claim_counts`."""
        return log_claim_counts(self.n_claims)


def count_claims(
    claims: ClaimsInBlocks, ranges: Sequence[AttributeRange] | None = None
) -> ClaimCounts:
    """Count the claims of sources, about all attributes and about each.

    The form of each attribute is chosen, unless `ranges` gives it. A source has a confusion matrix
    of its own from K^2 claims on.
    """
    ranges = choose_forms(claims.attributes) if ranges is None else ranges
    counts = claims.blocks.total(_count, ranges, claims.n_sources)
    values: dict[str, list[str]] = {}
    for name, label in sorted(counts["values"].members):
        values.setdefault(name, []).append(label)
    attributes = []
    for own in ranges:
        sources = confused = nobody()
        if own.form != "one-coin":
            n_claims = counts[ABOUT + own.name].everywhere()
            sources = np.flatnonzero(n_claims)
            if own.form == "confusion" and own.n_classes > 2:
                confused = np.flatnonzero(n_claims[sources] >= own.n_classes**2)
        classes = tuple(values.get(own.name, ()))
        attributes.append(AttributeParameters(own, classes, sources, confused))
    return ClaimCounts(counts["all claims"].everywhere(), tuple(attributes))


def _count(block: ClaimBlock, ranges: Sequence[AttributeRange], n_sources: int) -> Sums:
    matrix = block.matrix
    number = {profile.name: index for index, profile in enumerate(matrix.profiles)}
    bounds = np.searchsorted(matrix.attribute_index, np.arange(len(matrix.profiles) + 1))
    start = matrix.claim_start[bounds]

    def count(first: int, last: int) -> Scattered:
        of_source = np.bincount(matrix.source_index[first:last], minlength=matrix.n_sources)
        return Scattered(block.place, of_source, n_sources)

    sums: Sums = {"all claims": count(0, matrix.n_claims)}
    for own in ranges:
        if own.form != "one-coin":
            index = number[own.name]
            sums[ABOUT + own.name] = count(int(start[index]), int(start[index + 1]))
    by_classes = {own.name for own in ranges if own.form == "confusion"}
    wanted = np.array([profile.name in by_classes for profile in matrix.profiles])
    values = values_by_attribute(matrix, wanted)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return sums | {"values": Together(frozenset(pairs))}
