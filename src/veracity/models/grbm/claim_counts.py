"""Counts of claims, before a fit: who claims how much, about which attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.grouping import among
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.parts import Parts, parts_of, place_in
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
    parts = parts_of(claims.blocks, claims.n_sources)
    n_claims, about = _claims_by_source(claims, names, parts)
    if ranges is None:
        medians = {name: float(np.median(n_about)) for name, (_, n_about) in about.items()}
        ranges = choose_forms(claims.attributes, medians)
    by_classes = [own.name for own in ranges if own.form == "confusion"]
    classes = _classes(claims, by_classes)
    one_sided = _one_sided(claims, classes, parts)
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


def _claims_by_source(
    claims: ClaimsInBlocks, names: Sequence[str], parts: Parts
) -> tuple[Indices, dict[str, tuple[Indices, Indices]]]:
    """Count the claims of each source, in all and about each attribute that it speaks about."""
    n_claims, about = [], []
    for part in parts:
        counts = claims.blocks.total(_count, names, part)
        n_claims.append(counts["all claims"].everywhere())
        about.append(_by_attribute(counts["pairs"].whole(), names))
    together = {}
    for name in names:
        sources, n_about = zip(*(of_part[name] for of_part in about), strict=True)
        together[name] = np.concatenate(sources), np.concatenate(n_about)
    return np.concatenate(n_claims), together


def _one_sided(
    claims: ClaimsInBlocks, classes: Mapping[str, tuple[str, ...]], parts: Parts
) -> dict[str, tuple[OneSided, float]]:
    """Return the sources that say one class only, and the share of claims of those surely so."""
    if not classes:
        return {}
    found: dict[str, list[OneSided]] = {name: [] for name in classes}
    of_class = {name: np.zeros(len(own)) for name, own in classes.items()}
    for part in parts:
        rows = claims.blocks.total(_count_said, classes, part)["said"].whole()
        for number, name in enumerate(classes):
            of_attribute = rows[rows[:, 0] == number]
            n_classes = len(classes[name])
            pair = of_attribute[:, 1] * n_classes + of_attribute[:, 2]
            pairs, place = np.unique(pair, return_inverse=True)
            count = np.bincount(place, of_attribute[:, 3]).astype(np.int64)
            source, value = np.divmod(pairs, n_classes)
            found[name].append(OneSided.among(source, value, count))
            of_class[name] += sum_by(value, count.astype(np.float64), n_classes)
    return {
        name: (together := OneSided.joined(of_parts), together.sure_share(of_class[name]))
        for name, of_parts in found.items()
    }


def _count_said(block: ClaimBlock, classes: Mapping[str, tuple[str, ...]], part: Indices) -> Sums:
    """Count how often each source says each class; rows of attribute, source, class and count."""
    matrix, rows = block.matrix, []
    inside, _ = place_in(part, block.place)
    labels = matrix.values.to_pylist()
    for number, (name, own) in enumerate(classes.items()):
        index = matrix.place_of_attribute[name]
        about = matrix.claims_of_attribute(index)
        claims = np.arange(about.start, about.stop)
        if not inside.all():
            claims = claims[inside[matrix.source_index[claims]]]
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


def _count(block: ClaimBlock, names: Sequence[str], part: Indices) -> Sums:
    """Count the claims of some sources; pairs are rows of attribute, source and count."""
    matrix = block.matrix
    inside, place = place_in(part, block.place)
    number = {name: index for index, name in enumerate(names)}
    of_profile = np.array([number[profile.name] for profile in matrix.profiles], np.int64)
    attribute, source = (
        of_profile[matrix.attribute_index][matrix.item_of_claim],
        matrix.source_index,
    )
    if not inside.all():
        ours = inside[source]
        attribute, source = attribute[ours], source[ours]
    pair, n_claims = _counted(attribute * matrix.n_sources + source)
    attribute, of_pair = np.divmod(pair, matrix.n_sources)
    of_source = np.bincount(source, minlength=matrix.n_sources)[inside]
    return {
        "all claims": Scattered(place, of_source, len(part)),
        "pairs": Joined((np.stack([attribute, block.place[of_pair], n_claims], axis=1),)),
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
