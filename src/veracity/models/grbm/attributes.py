"""The form in which each attribute is judged, and the parameters that it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices, Mask
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import among
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.hardness import N_SHAPES
from veracity.models.grbm.parameters import ParameterNames
from veracity.models.grbm.speaking import SPEAKING_NORM, OneSided

#: How an attribute is judged: each statement by itself as true or false; by classes that sources
#: confuse; by one reliability whatever the value, in a closed domain or, with lures, in an open
#: one. The paper's machine judges all statements alike, with a hidden bias that is
#: free or tied to the other parameters.
Form = Literal["per-statement", "confusion", "one-coin", "lures", "free-binary", "tied-binary"]
#: The forms of the paper's machine, one for all attributes together.
BINARY_FORMS = ("free-binary", "tied-binary")
#: The forms with one reliability for all values.
COIN_FORMS = ("one-coin", "lures")

#: An attribute is judged by classes from this many items per pair of classes on, or if the median
#: source has so many claims per class.
ITEMS_PER_PAIR_OF_CLASSES, CLAIMS_PER_CLASS = 4, 5
#: The standard deviation of the hardness of items: in general, and if most items are open; where
#: it is learned, what it is drawn to.
HARDNESS, HARDNESS_IF_OPEN = 0.5, 1.5


@dataclass(frozen=True)
class AttributeRange:
    """The items of an attribute, which are side by side, and the form in which they are judged.

    Attributes
    ----------
    name
        Of the attribute.
    form
        How its items are judged.
    first, last
        Its items are those from `first` up to, not including, `last`.
    n_classes
        The number of values of a closed domain; 2 where statements are true or false; 0 where the
        values of an item are those claimed and one that is not.
    hardness
        The standard deviation of the hardness of its items; 0 for none.
    confuses
        Whether sources take some classes for others, apart from their habits.
    learns_hardness
        Whether it is learned how hard the items of each class are.
    """

    name: str
    form: Form
    first: int
    last: int
    n_classes: int
    hardness: float = 0.0
    confuses: bool = False
    learns_hardness: bool = False

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.last - self.first


def nobody() -> Indices:
    """Return no sources."""
    return np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class AttributeParameters:
    """The parameters that an attribute has: its form, its classes, and who has some of their own.

    Attributes
    ----------
    range
        The attribute and its form.
    classes
        The values of a closed attribute that is judged by classes.
    sources
        The sources that spoke about it, in order.
    has_confusion
        Those of `sources`, by their place there, that have a confusion matrix of their own.
    one_sided
        The sources that are judged by their speaking.
    has_habit
        Those of `sources`, by their place there, whose habits are learned: they say several values.
    """

    range: AttributeRange
    classes: tuple[str, ...] = ()
    sources: Indices = field(default_factory=nobody)
    has_confusion: Indices = field(default_factory=nobody)
    one_sided: OneSided = field(default_factory=OneSided.nobody)
    has_habit: Indices = field(default_factory=nobody)

    @property
    def names(self) -> ParameterNames:
        """Names and sizes of the parameters."""
        sizes = {
            "class": self.range.n_classes,
            "source": len(self.sources),
            "confused source": len(self.has_confusion),
            "shape": N_SHAPES,
        }
        axes: dict[str, tuple[str, ...]] = {}
        if self.range.form == "confusion":
            axes = {
                "prior": ("class",),  # b
                "habit": ("class",),  # a
                "source_habit": ("source", "class"),  # A
            }
            if self.range.learns_hardness:
                axes["hardness"] = ("class", "shape")
            if self.range.confuses:
                axes["confusion"] = ("class", "class")  # C, truth by said
                axes["source_confusion"] = ("confused source", "class", "class")  # B
            if len(self.one_sided):
                axes[SPEAKING_NORM] = ("class",)
        elif self.range.form == "lures":
            axes = {"log_alpha": ()}
        elif self.range.form == "per-statement":
            axes = {"prior": (), "habit": (), "source_habit": ("source",)}
        elif self.range.form in BINARY_FORMS:
            axes = {"global_hidden_bias": ()}
        return ParameterNames(axes, sizes)

    def place_of(self, sources: Indices) -> Indices:
        """Return the place of sources among ours, -1 for those that did not speak."""
        if not len(self.sources):
            return np.full(len(sources), -1)
        place = np.minimum(np.searchsorted(self.sources, sources), len(self.sources) - 1)
        return np.where(self.sources[place] == sources, place, -1)

    def confuses(self, sources: Indices) -> Mask:
        """Mark the sources that have a confusion matrix of their own."""
        return among(self.place_of(sources), self.has_confusion)

    def along(self, sources: Indices, has_confusion: Indices) -> dict[str, Indices]:
        """Return our entry for each source of another table, and for those with a confusion matrix.

        Parameters
        ----------
        sources
            The sources of the other table, by their place among all.
        has_confusion
            Those of them, by their place there, that have a confusion matrix of their own.
        """
        place = self.place_of(sources)
        confused = place[has_confusion]
        return {
            "source": place,
            "confused source": np.where(
                among(confused, self.has_confusion),
                np.searchsorted(self.has_confusion, confused),
                -1,
            ),
        }

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return it as plain data and arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "sources": self.sources,
            "has_confusion": self.has_confusion,
            "has_habit": self.has_habit,
            "one_sided": np.stack(
                [self.one_sided.source, self.one_sided.value, self.one_sided.n_claims]
            ),
        }
        return {"range": asdict(self.range), "classes": list(self.classes)}, arrays

    @classmethod
    def of_state(
        cls, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> AttributeParameters:
        """Restore what `state` returned."""
        own = AttributeRange(**state["range"])
        one_sided = OneSided(*arrays["one_sided"])
        sources, confused = arrays["sources"], arrays["has_confusion"]
        classes, has_habit = tuple(state["classes"]), arrays["has_habit"]
        return cls(own, classes, sources, confused, one_sided, has_habit)


def choose_forms(
    profiles: Sequence[AttributeProfile], median_claims: Mapping[str, float]
) -> list[AttributeRange]:
    """Choose a form for each attribute, whose items stand side by side.

    Closed attributes are judged by classes if they have items enough to tell classes apart, or
    sources with claims enough; else by one reliability over the closed domain. If most items of the
    table have open domains, so that sources are best compared by what they share, those with one
    true value are all taken to be open.

    Parameters
    ----------
    profiles
        The attributes.
    median_claims
        How many claims the median source makes about each attribute, by name.
    """
    sizes = np.array([profile.n_items for profile in profiles])
    bounds = np.append(0, np.cumsum(sizes))
    is_open = np.array([_is_open(profile) for profile in profiles])
    mostly_open = bool(sizes[is_open].sum() > sizes.sum() / 2)
    return [
        _range_of(profile, int(first), int(last), mostly_open, median_claims.get(profile.name, 0.0))
        for profile, first, last in zip(profiles, bounds[:-1], bounds[1:], strict=True)
        if last > first
    ]


def same_forms(matrix: ClaimMatrix, fitted: Sequence[AttributeRange]) -> list[AttributeRange]:
    """Give the attributes of another table the forms that they had in the fit.

    An attribute that was not there gets the form of its kind that needs no classes.
    """
    if fitted and fitted[0].form in BINARY_FORMS:
        return [replace(fitted[0], last=matrix.n_items)]
    known = {own.name: own for own in fitted}
    bounds = np.searchsorted(matrix.attribute_index, np.arange(len(matrix.profiles) + 1))
    ranges = []
    for profile, first, last in zip(matrix.profiles, bounds[:-1], bounds[1:], strict=True):
        own = known.get(profile.name)
        if last == first:
            continue
        if own is None or (own.form == "per-statement") != _is_by_statement(profile):
            own = _new_range(profile, known.values())
        ranges.append(replace(own, first=int(first), last=int(last)))
    return ranges


def _new_range(profile: AttributeProfile, known: Iterable[AttributeRange]) -> AttributeRange:
    """Return the form of an attribute that a fit did not know: one that needs no classes."""
    if _is_by_statement(profile):
        return AttributeRange(profile.name, "per-statement", 0, 0, 2)
    hardness = max((own.hardness for own in known), default=HARDNESS)
    if profile.kind == "boolean":
        return AttributeRange(profile.name, "one-coin", 0, 0, 2, hardness)
    return AttributeRange(profile.name, "lures", 0, 0, 0, hardness)


def _is_by_statement(profile: AttributeProfile) -> bool:
    return profile.kind == "multiple"


def _is_open(profile: AttributeProfile) -> bool:
    return profile.kind == "single" and profile.domain == "open"


def _range_of(
    profile: AttributeProfile, first: int, last: int, mostly_open: bool, median_claims: float
) -> AttributeRange:
    if _is_by_statement(profile):
        return AttributeRange(profile.name, "per-statement", first, last, 2)
    hardness = HARDNESS_IF_OPEN if mostly_open else HARDNESS
    is_boolean = profile.kind == "boolean"
    if not is_boolean and (profile.domain == "open" or mostly_open):
        return AttributeRange(profile.name, "lures", first, last, 0, hardness)
    n_classes = 2 if is_boolean else max(profile.n_values, 2)
    many = last - first >= ITEMS_PER_PAIR_OF_CLASSES * n_classes**2
    by_class = many or median_claims >= CLAIMS_PER_CLASS * n_classes
    if not by_class or (is_boolean and mostly_open):
        return AttributeRange(profile.name, "one-coin", first, last, n_classes, hardness)
    confuses, is_hard = n_classes > 2 and many, hardness > 0.0
    return AttributeRange(
        profile.name, "confusion", first, last, n_classes, hardness, confuses, is_hard
    )
