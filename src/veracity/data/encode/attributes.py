"""Attribute profiles: kind (how many values can be true) and domain (open or closed)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa

from veracity.data.buffers import take_labels
from veracity.data.encode.grouping import CodedClaims, distinct, starts
from veracity.data.encode.lists import (
    ListCounts,
    Speakings,
    count_numbers,
)
from veracity.data.encode.scales import order_of
from veracity.data.hierarchy.hierarchy import Hierarchy
from veracity.data.notes import plural
from veracity.data.read.settings import Attribute, Domain, Kind, Settings
from veracity.errors import InputError, InvalidParameter, listing, suggestion

#: Words that say yes and no; compared without regard to case.
BOOLEAN_WORDS = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"), ("1", "0"))
#: A closed domain has 2 to 24 values, each with at least 3 items on average.
CLOSED_VALUES = range(2, 25)
CLOSED_ITEMS_PER_VALUE = 3


@dataclass(frozen=True)
class AttributeProfile:
    """An attribute as it is treated, and why.

    ``positive`` and ``negative`` are the two values of a boolean attribute, None otherwise.
    ``numeric`` marks an attribute with one true value that is a number, as declared or recognised,
    ``numeric_reason`` says why, and ``tolerance`` is what was said about such numbers. ``order``
    are the levels of ordered values, from low to high. ``changing`` marks one whose truth changes
    with time. ``hierarchy`` is what was said about values that lie within one another.
    """

    name: str
    kind: Kind
    domain: Domain
    n_items: int
    n_values: int
    kind_reason: str
    domain_reason: str
    positive: str | None = None
    negative: str | None = None
    numeric: bool = False
    tolerance: float | str | None = None
    numeric_reason: str = ""
    order: tuple[str, ...] = ()
    changing: bool = False
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", tuple(self.order))
        if self.hierarchy is not None:  # perhaps as plain data
            object.__setattr__(self, "hierarchy", Hierarchy.of(self.hierarchy))

    @property
    def form(self) -> str:
        """How its truth is judged, such as ``number``, or ``value`` for a contest of values.

        An attribute whose values change is of the form ``changing``, also if they are numbers.
        """
        if self.changing:
            return "changing"
        if self.order:
            return "ordered"
        if self.hierarchy is not None:
            return "hierarchy"
        return "number" if self.numeric else "value"

    @property
    def implies_denials(self) -> bool:
        """Whether naming one value of an item denies the values that are not named."""
        return self.kind != "boolean"

    def in_order(self, values: Iterable[str]) -> list[str]:
        """Return values as they come, or from low to high if they are ordered."""
        place = {level: number for number, level in enumerate(self.order)}
        return sorted(values, key=lambda value: place.get(value, len(place)))

    def as_dict(self) -> dict[str, Any]:
        """Return the profile as plain data."""
        return {**asdict(self), "order": list(self.order)}

    @classmethod
    def of_dict(cls, given: dict[str, Any]) -> Self:
        """Restore what `as_dict` returned."""
        return cls(**{**given, "order": tuple(given.get("order", ()))})


@dataclass(frozen=True)
class AttributeCounts:
    """Counts of an attribute's claims that decide its kind and domain.

    ``values`` lists the distinct values where they are few enough to look at.
    """

    name: str
    n_items: int
    n_values: int
    values: tuple[str, ...]
    lists: ListCounts = field(default_factory=ListCounts)


def check_names(settings: Settings, attributes: Sequence[str]) -> None:
    """Refuse settings for an attribute that nobody speaks about."""
    for name in settings.attributes:
        if name != "*" and name not in attributes:
            raise InvalidParameter(
                f"There is no attribute {name!r} in the claims.{suggestion(name, attributes)} "
                f"The attributes are: {listing(attributes)}."
            )


def profile_attribute(counts: AttributeCounts, setting: Attribute) -> AttributeProfile:
    """Settle the kind and domain of an attribute: as the user says, else as it looks."""
    # Who says that 0 and 1 are numbers does not mean no and yes.
    words = None if setting.values in ("number", "ordered") else boolean_words(counts.values)
    if setting.kind is not None:
        kind, reason = setting.kind, "as you said"
    elif setting.hierarchy is not None:
        kind, reason = "single", "its values lie within one another, and one is the most specific"
    elif setting.reason is not None:
        kind, reason = "single", "it is measured"
    else:
        kind, reason = _infer_kind(counts, words)
    changing = setting.truth == "changing"
    if changing and kind == "multiple":
        kind, reason = "single", "its truth changes, so one value is true at a time"
    positive = negative = None
    order: tuple[str, ...] = ()
    if setting.values == "ordered":
        kind, reason = "single", "its values are ordered, and one of them is true"
        order = order_of(counts.name, counts.values, counts.n_values, setting.order or ())
    if kind == "boolean":
        positive, negative = _positive_and_negative(counts, setting, words)
        domain, domain_reason = _boolean_domain(counts.name, setting.domain)
    elif order:
        domain, domain_reason = "closed", plural(len(order), "level")
    elif setting.domain is not None:
        domain, domain_reason = setting.domain, "as you said"
    else:
        domain, domain_reason = _infer_domain(counts)
    numeric = kind == "single" and setting.values == "number" and not changing
    return AttributeProfile(
        counts.name,
        kind,
        domain,
        counts.n_items,
        counts.n_values,
        reason,
        domain_reason,
        positive,
        negative,
        numeric=numeric,
        tolerance=setting.tolerance,
        numeric_reason=(setting.reason or "as you said") if numeric else "",
        order=order,
        changing=changing,
        hierarchy=setting.hierarchy,
    )


def boolean_words(values: Sequence[str]) -> tuple[str, str] | None:
    """Return the pair of words that all values belong to, if there is one."""
    folded = {value.casefold() for value in values}
    if not folded or len(folded) < len(values):  # False and false: two spellings of one word
        return None
    for pair in BOOLEAN_WORDS:
        if folded == set(pair) or (folded < set(pair) and pair[0].isalpha()):
            return pair
    return None


def _infer_kind(counts: AttributeCounts, words: tuple[str, str] | None) -> tuple[Kind, str]:
    if words is not None:
        return "boolean", f"its only values are {' and '.join(map(repr, counts.values))}"
    lists = counts.lists
    if not lists.n_lists:
        return "single", "no source names several values of an item at once"
    if lists.repeat_themselves:
        return "single", "sources that make several claims at once often repeat themselves"
    if not lists.may_be_lists():
        share = f"{lists.share:.1%} of the times it speaks"
        return "single", f"a source names several values only {share}"
    if counts.n_values == 2 and _infer_domain(counts)[0] == "closed":
        return "single", "who names both of its two values contradicts itself"
    if lists.are_quantities(counts.n_values):
        return "single", "its values are numbers with decimals, of which one is true"
    if lists.rarely:
        return "single", "most sources that name several values at once rarely do so"
    return "multiple", f"{lists.share:.0%} of the times a source speaks, it names several values"


def _infer_domain(counts: AttributeCounts) -> tuple[Domain, str]:
    n_values, n_items = counts.n_values, counts.n_items
    facts = f"{n_values:,} distinct value{'s' * (n_values != 1)} over {plural(n_items, 'item')}"
    if n_values in CLOSED_VALUES and n_items >= CLOSED_ITEMS_PER_VALUE * n_values:
        return "closed", facts
    return "open", facts


def _boolean_domain(name: str, asked: Domain | None) -> tuple[Domain, str]:
    if asked == "open":
        raise InvalidParameter(f"Attribute {name!r} is boolean, so its domain cannot be open.")
    return "closed", "true or false"


def _positive_and_negative(
    counts: AttributeCounts, setting: Attribute, words: tuple[str, str] | None
) -> tuple[str, str]:
    if counts.n_values > 2:
        shown = f" ({listing(counts.values, limit=5)})" if counts.values else ""
        raise InputError(
            f"Attribute {counts.name!r} is said to be boolean, but has {counts.n_values:,} values"
            f"{shown}. Expected two; merge spellings with --casefold or --strip, or make it single."
        )
    values = sorted(counts.values)
    if setting.positive is not None:
        if setting.positive not in values and len(values) == 2:
            raise InvalidParameter(
                f"The positive value of {counts.name!r} was given as {setting.positive!r}, but its "
                f"values are {listing(values)}."
            )
        others = [value for value in values if value != setting.positive]
        return setting.positive, others[0] if others else f"not {setting.positive}"
    if words is not None:
        by_word = {value.casefold(): value for value in values}
        return by_word.get(words[0], words[0]), by_word.get(words[1], words[1])
    if len(values) == 2 and values[0].casefold() == values[1].casefold():
        raise InputError(
            f"The values {listing(values)} of the boolean attribute {counts.name!r} are one word. "
            "Merge their spellings with --casefold, or say which of them is positive."
        )
    if len(values) == 2:  # as 1 comes after 0, true after false and yes after no
        return values[1], values[0]
    return values[0], f"not {values[0]}"


def count_attributes(
    names: Sequence[str],
    value_labels: pa.Array,
    claims: CodedClaims,
) -> list[AttributeCounts]:
    """Count what `profile_attribute` needs, over claims sorted by item, value and source."""
    n_attributes, n_values = len(names), max(len(value_labels), 1)
    n_items = np.bincount(claims.attribute[starts(claims.item)], minlength=n_attributes)
    # A set of (attribute, value), sorted, and where each attribute begins in it.
    said = claims.value.astype(np.int64)
    if n_attributes > 1:
        said += claims.attribute.astype(np.int64) * n_values
    codes = distinct(said, stop=n_attributes * n_values)
    bounds = np.searchsorted(codes, np.arange(n_attributes + 1) * n_values)
    speakings = Speakings.of(claims)
    by_attribute = speakings.by_attribute(n_attributes)
    n_given, n_regular = speakings.sources_giving_lists(n_attributes, claims.n_sources)
    counted = []
    for index, name in enumerate(names):
        own = codes[bounds[index] : bounds[index + 1]] % n_values
        few = len(own) < CLOSED_VALUES.stop
        labels = tuple(take_labels(value_labels, own).to_pylist()) if few else ()
        lists = ListCounts(**{kind: int(count[index]) for kind, count in by_attribute.items()})
        if lists.may_be_lists():
            n_numbers, n_decimals = count_numbers(take_labels(value_labels, own))
            lists = replace(
                lists,
                n_list_sources=int(n_given[index]),
                n_regular_sources=int(n_regular[index]),
                n_numbers=n_numbers,
                n_decimals=n_decimals,
            )
        counted.append(AttributeCounts(name, int(n_items[index]), len(own), labels, lists))
    return counted
