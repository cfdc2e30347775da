"""Counts of claims, before a fit: who claims how much, about which attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.grouping import among
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Joined, Scattered, Sums, Together
from veracity.features.codes import distinct_codes
from veracity.models.grbm.attributes import (
    AttributeParameters,
    AttributeRange,
    choose_forms,
    nobody,
)
from veracity.models.grbm.model_spec import log_claim_counts
from veracity.models.grbm.speaking import (
    MAX_EXCESS,
    MIN_SHARE,
    OneSided,
    excess_of_meetings,
    find_one_sided,
)
from veracity.models.views.classes import values_by_attribute

#: The forms whose parameters have an entry for each source.
WITH_SOURCES = ("confusion", "per-statement")


@dataclass(frozen=True, eq=False)
class ClaimCounts:
    """How much every source claims, and the parameters that each attribute gets.

    Attributes
    ----------
    n_claims
        How much each source claims.
    n_telling
        How many of these claims tell something about it: not those about an attribute judged by
        classes of which it says one class only, unless it is judged by its speaking.
    attributes
        The attributes, with their forms and the sources of their parameters.
    """

    n_claims: Indices
    n_telling: Indices
    attributes: tuple[AttributeParameters, ...]

    @property
    def log_claim_count(self) -> Floats:
        """z of each source; see `log_claim_counts`."""
        return log_claim_counts(self.n_claims)


def count_claims(
    claims: ClaimsInBlocks,
    ranges: Sequence[AttributeRange] | None = None,
    speaking: bool | Literal["auto"] = False,
) -> ClaimCounts:
    """Count the claims of sources, about all attributes and about each.

    Parameters
    ----------
    claims
        The claims.
    ranges
        The form of each attribute; chosen if None. A source has a confusion matrix of its own from
        K claims on.
    speaking
        Whether one-sided sources are judged by their speaking; ``"auto"``: where they make most of
        the claims, and speak where they have something to say.
    """
    names = [profile.name for profile in claims.attributes]
    counts = claims.blocks.total(_count, names, claims.n_sources)
    about = _by_attribute(counts["pairs"].whole(), names)
    if ranges is None:
        medians = {name: float(np.median(n_claims)) for name, (_, n_claims) in about.items()}
        ranges = choose_forms(claims.attributes, medians)
    by_classes = [own.name for own in ranges if own.form == "confusion"]
    classes = _classes(claims, by_classes)
    one_sided = _one_sided(claims, classes)
    n_claims = counts["all claims"].everywhere()
    n_telling = n_claims.copy()
    attributes = []
    for own in ranges:
        sources = confused = has_habit = nobody()
        found, share = one_sided.get(own.name, (OneSided.nobody(), 0.0))
        if own.form in WITH_SOURCES:
            sources, n_about = about[own.name]
            if own.confuses:
                confused = np.flatnonzero(n_about >= own.n_classes)
            has_habit = np.flatnonzero(~among(sources, found.source))
        if not _judges_speaking(claims, own, found, share, speaking):
            n_telling[found.source] -= found.n_claims
            found = OneSided.nobody()
        attributes.append(
            AttributeParameters(own, classes.get(own.name, ()), sources, confused, found, has_habit)
        )
    return ClaimCounts(n_claims, n_telling, tuple(attributes))


def _judges_speaking(
    claims: ClaimsInBlocks,
    own: AttributeRange,
    found: OneSided,
    share: float,
    speaking: bool | Literal["auto"],
) -> bool:
    """Decide whether the one-sided sources of an attribute are judged by their speaking."""
    if not speaking or not len(found):
        return False
    if speaking is True:
        return True
    return share > MIN_SHARE and excess_of_meetings(claims, own, found) <= MAX_EXCESS


def _one_sided(
    claims: ClaimsInBlocks, classes: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[OneSided, float]]:
    """Return the sources that say one class only, and the share of claims of those surely so."""
    if not classes:
        return {}
    rows = claims.blocks.total(_count_said, classes)["said"].whole()
    made = {}
    for number, name in enumerate(classes):
        of_attribute = rows[rows[:, 0] == number]
        n_classes = len(classes[name])
        pair = of_attribute[:, 1] * n_classes + of_attribute[:, 2]
        pairs, place = np.unique(pair, return_inverse=True)
        count = np.bincount(place, of_attribute[:, 3]).astype(np.int64)
        source, value = np.divmod(pairs, n_classes)
        said = np.stack([value, count], axis=1)
        made[name] = find_one_sided(said, source, claims.n_sources)
    return made


def _count_said(block: ClaimBlock, classes: Mapping[str, tuple[str, ...]]) -> Sums:
    """Count how often each source says each class; rows of attribute, source, class and count."""
    matrix, rows = block.matrix, []
    labels = matrix.values.to_pylist()
    for number, (name, own) in enumerate(classes.items()):
        index = matrix.place_of_attribute[name]
        about = matrix.claims_of_attribute(index)
        claims = np.arange(about.start, about.stop)
        code = {label: place for place, label in enumerate(own)}
        values = matrix.value_index[matrix.statement_index[claims]]
        found, place = distinct_codes(values)
        of_value = np.array([code.get(labels[value], -1) for value in found.tolist()], np.int64)
        said = of_value[place]
        yes = matrix.claim_value[claims] == 1
        if matrix.profiles[index].kind == "boolean":
            said = np.where(yes, said, 1 - said)
            yes = np.ones(len(claims), np.bool_)
        source = block.place[matrix.source_index[claims]]
        pair = (source * len(own) + said)[yes & (said >= 0)]
        pairs, count = _counted(pair)
        source, said = np.divmod(pairs, len(own))
        rows.append(np.stack([np.full(len(pairs), number), source, said, count], axis=1))
    return {"said": Joined((np.concatenate(rows),))}


def _count(block: ClaimBlock, names: Sequence[str], n_sources: int) -> Sums:
    matrix = block.matrix
    number = {name: index for index, name in enumerate(names)}
    of_profile = np.array([number[profile.name] for profile in matrix.profiles], np.int64)
    attribute = of_profile[matrix.attribute_index][matrix.item_of_claim]
    pair, n_claims = _counted(attribute * matrix.n_sources + matrix.source_index)
    attribute, source = np.divmod(pair, matrix.n_sources)
    of_source = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return {
        "all claims": Scattered(block.place, of_source, n_sources),
        "pairs": Joined((np.stack([attribute, block.place[source], n_claims], axis=1),)),
    }


def _counted(keys: Indices) -> tuple[Indices, Indices]:
    """Return the distinct keys in order, and how often each occurs."""
    found, code = distinct_codes(keys)
    return found, np.bincount(code, minlength=len(found))


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
    asked = set(names)
    wanted = np.array([profile.name in asked for profile in matrix.profiles])
    values = values_by_attribute(matrix, wanted)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return {"values": Together(frozenset(pairs))}
