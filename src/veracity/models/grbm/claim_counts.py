"""Counts of claims, before a fit: who claims how much, about which attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Joined, Scattered, Sums, Together
from veracity.models.grbm.attributes import (
    AttributeParameters,
    AttributeRange,
    choose_forms,
    nobody,
)
from veracity.models.grbm.model_spec import log_claim_counts
from veracity.models.views.classes import values_by_attribute

#: The forms whose parameters have an entry for each source.
WITH_SOURCES = ("confusion", "per-statement")


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
    of its own from K claims on.
    """
    names = [profile.name for profile in claims.attributes]
    counts = claims.blocks.total(_count, names, claims.n_sources)
    about = _by_attribute(counts["pairs"].whole(), names)
    if ranges is None:
        medians = {name: float(np.median(n_claims)) for name, (_, n_claims) in about.items()}
        ranges = choose_forms(claims.attributes, medians)
    by_classes = [own.name for own in ranges if own.form == "confusion"]
    classes = _classes(claims, by_classes)
    attributes = []
    for own in ranges:
        sources = confused = nobody()
        if own.form in WITH_SOURCES:
            sources, n_claims = about[own.name]
            if own.confuses:
                confused = np.flatnonzero(n_claims >= own.n_classes)
        attributes.append(AttributeParameters(own, classes.get(own.name, ()), sources, confused))
    return ClaimCounts(counts["all claims"].everywhere(), tuple(attributes))


def _count(block: ClaimBlock, names: Sequence[str], n_sources: int) -> Sums:
    matrix = block.matrix
    number = {name: index for index, name in enumerate(names)}
    of_profile = np.array([number[profile.name] for profile in matrix.profiles], np.int64)
    attribute = of_profile[matrix.attribute_index][matrix.item_of_claim]
    pair, n_claims = np.unique(
        attribute * matrix.n_sources + matrix.source_index, return_counts=True
    )
    attribute, source = np.divmod(pair, matrix.n_sources)
    of_source = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return {
        "all claims": Scattered(block.place, of_source, n_sources),
        "pairs": Joined((np.stack([attribute, block.place[source], n_claims], axis=1),)),
    }


def _by_attribute(pairs: Indices, names: Sequence[str]) -> dict[str, tuple[Indices, Indices]]:
    """Return, for each attribute, its sources and how much each of them claims about it."""
    attribute, source, n_claims = pairs.T
    n_sources = int(source.max(initial=0)) + 1
    pair, place = np.unique(attribute * n_sources + source, return_inverse=True)
    total = np.bincount(place, n_claims).astype(np.int64)
    attribute, source = np.divmod(pair, n_sources)
    bounds = np.searchsorted(attribute, np.arange(len(names) + 1))
    return {
        name: (source[first:last], total[first:last])
        for name, first, last in zip(names, bounds[:-1], bounds[1:], strict=True)
    }


def _classes(claims: ClaimsInBlocks, names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the classes of attributes, in order; of a boolean one, no and yes."""
    if not names:
        return {}
    found = claims.blocks.total(_values, names)["values"].members
    values: dict[str, list[str]] = {name: [] for name in names}
    for name, label in sorted(found):
        values[name].append(label)
    boolean = {
        profile.name: (str(profile.negative), str(profile.positive))
        for profile in claims.attributes
        if profile.kind == "boolean"
    }
    return {name: boolean.get(name, tuple(labels)) for name, labels in values.items()}


def _values(block: ClaimBlock, names: Sequence[str]) -> Sums:
    matrix = block.matrix
    wanted = np.array([profile.name in set(names) for profile in matrix.profiles])
    values = values_by_attribute(matrix, wanted)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return {"values": Together(frozenset(pairs))}
