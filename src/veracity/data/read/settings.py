"""Reading options, which every constructor of `Claims` accepts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypedDict, get_args

from veracity.arguments import check_keywords, must_be
from veracity.data.clean.levels import read_order
from veracity.data.clean.tolerance import Tolerance
from veracity.data.fields.notation import Notation
from veracity.data.fields.registry import FIELDS
from veracity.data.hierarchy.hierarchy import Hierarchy
from veracity.data.read.declared_features import (
    FeatureKind,
    Features,
    feature_name,
    features_of,
    present,
)
from veracity.data.read.moments import as_time_text, seconds_of
from veracity.data.read.schema import CLAIM_ROLES
from veracity.errors import InvalidParameter, listing, suggestion

Kind = Literal["single", "multiple", "boolean"]
Domain = Literal["closed", "open"]
Comparison = Literal[
    "text",
    "number",
    "date",
    "decimal",
    "ordered",
    "amount",
    "company",
    "country",
    "email",
    "person",
    "phone",
    "postal",
    "url",
]
Duplicates = Literal["auto", "latest", "all", "error"]
Nulls = Literal["drop", "error"]
FieldsMode = Literal["off", "auto"]
TruthMode = Literal["constant", "changing"]
UnicodeForm = Literal["NFC", "NFD", "NFKC", "NFKD"]

#: The notations that there are.
EXPECTED = (
    "Expected dmy or mdy for dates, point or comma for amounts, a region such as CH for phone "
    "numbers, and the number of digits, such as 5, for postal codes."
)
#: The key in ``attributes`` that speaks for every attribute not named.
ANY_ATTRIBUTE = "*"


@dataclass(frozen=True)
class Attribute:
    """What the user knows about an attribute; everything left out is inferred.

    Parameters
    ----------
    kind
        ``single`` (one true value), ``multiple`` (several may be true) or ``boolean`` (one
        statement, claimed or denied).
    domain
        ``closed`` (a small set of values reused across entities) or ``open``.
    values
        How values are compared: as ``text``, or by their canonical form as ``number`` or ``date``.
        Numbers are judged as such, not as a contest of values; left out, this is so where sources
        measure: their numbers are near one another, and hardly ever the same.
        As ``decimal``, plain numbers such as 10 and 10.0 are one value, but are judged like any
        other value; left out, this is so where most of many values are such numbers. As a field
        (``phone``, ``email``, ``url``, ``amount``, ``company``, ``person``, ``postal``,
        ``country``, or ``date``), spellings of the same thing are one value. As ``ordered``, values
        are levels from low to high, and a claim that is near the truth counts as near.
    positive
        Of a boolean attribute, the value that says yes.
    tolerance
        Of numbers: how far apart two values of an item may be and still be one, as ``0.5``, or as
        ``"1%"`` of the value that most sources name. It makes `values` ``number``, unless they are
        an ``amount``.
    notation
        Of dates, amounts, phone numbers and postal codes: how to read what could mean several
        things, as a name such as ``"dmy"``, or a mapping from sources to names; see `Notation`.
        Left out, the claims tell.
    order
        Of ordered values: the levels, from low to high. Left out, numbers are ordered by size, and
        words if they belong to a common scale such as low, medium, high. It makes `values`
        ``ordered``.
    truth
        ``changing`` if the true value of an item changes with time, ``constant`` (if not said) if
        not. Of values that change every dated claim counts, earlier ones of a source, too.
    hierarchy
        Which values lie within which, as Bern within Switzerland: a table with the columns child
        and parent (a frame, the path of a file, or a mapping from children to parents), a separator
        such as ``", "`` or ``"/"``, or ``"tokens"``; see `Hierarchy.of`.
    reason
        Why the values are judged as numbers, where the claims told; None where you said so.
    """

    kind: Kind | None = None
    domain: Domain | None = None
    values: Comparison | None = None
    positive: str | None = None
    tolerance: float | str | None = None
    notation: Notation | Mapping[str, str] | str | None = None
    order: Sequence[str] | None = None
    truth: TruthMode | None = None
    hierarchy: Any = None
    reason: str | None = None

    def __post_init__(self) -> None:
        _check_choice("kind", self.kind, Kind)
        _check_choice("domain", self.domain, Domain)
        _check_choice("values", self.values, Comparison)
        _check_choice("truth", self.truth, TruthMode)
        if self.truth == "changing" and self.kind == "multiple":
            raise InvalidParameter(
                "truth is 'changing' for attributes with one true value at a time, but kind is "
                "'multiple'. Leave out one of them."
            )
        if self.tolerance is not None:
            self._check_tolerance(self.tolerance)
        if self.notation is not None:
            object.__setattr__(self, "notation", Notation.of(self.notation))
            self._check_notation(self.rule)
        if self.order is not None:
            self._check_order(self.order)
        if self.values == "ordered" and self.kind not in (None, "single"):
            raise InvalidParameter(
                f"Ordered values have one truth, but kind is {self.kind!r}. Leave it out, or set "
                "values to something else."
            )
        if self.hierarchy is not None:
            object.__setattr__(self, "hierarchy", Hierarchy.of(self.hierarchy))
            self._check_hierarchy()

    @property
    def rule(self) -> Notation:
        """How values are read that could mean several things."""
        return self.notation if isinstance(self.notation, Notation) else Notation()

    def _check_tolerance(self, tolerance: float | str) -> None:
        Tolerance.of(tolerance)
        others = self.values not in (None, "text", "number", "decimal", "amount")
        if others or self.kind == "boolean":
            what = FIELDS[str(self.values)].many if others else "boolean attributes"
            raise InvalidParameter(f"tolerance is for numbers, and cannot be set for {what}.")
        if self.values != "amount":
            object.__setattr__(self, "values", "number")

    def _check_order(self, order: Sequence[str]) -> None:
        if self.values not in (None, "ordered"):
            raise InvalidParameter(
                f"order is for ordered values, but values is {self.values!r}. Leave out one of "
                "them."
            )
        object.__setattr__(self, "order", read_order(order))
        object.__setattr__(self, "values", "ordered")

    def _check_hierarchy(self) -> None:
        if self.kind not in (None, "single"):
            raise InvalidParameter(
                f"hierarchy is for attributes with one true value. Leave out kind={self.kind!r}, "
                "or the hierarchy."
            )
        if self.values not in (None, "text", "decimal", "country"):
            raise InvalidParameter(
                f"hierarchy is for values that are compared as text, not as {self.values!r}. Leave "
                "out one of the two."
            )

    def _check_notation(self, given: Notation) -> None:
        field = FIELDS.get(self.values or "")
        if field is None or not field.evidence:
            if not given.names:
                return
            raise InvalidParameter(
                "notation is for dates, amounts, phone numbers and postal codes. Set values to "
                f"date, amount, phone or postal; it is {self.values!r}."
            )
        for name in sorted(given.names):
            if not field.allows(name):
                raise InvalidParameter(f"{name!r} is no notation of {field.many}. {EXPECTED}")


class ReadingOptions(TypedDict, total=False):
    """Keyword arguments shared by every way of making `Claims`; see `Settings`."""

    duplicates: Duplicates
    nulls: Nulls
    strip: bool
    casefold: bool
    unicode: UnicodeForm | None
    canonical: Callable[[str], str] | None
    features: Features
    familiar_features: Mapping[str, FeatureKind]
    numbers: Sequence[str]
    categories: Sequence[str]
    time_format: str | None
    fields: FieldsMode
    as_of: str | float | None


class RecordOptions(ReadingOptions, total=False):
    """The reading options, and the columns that a record has beside its attributes."""

    time: str
    weight: str


class ColumnOptions(RecordOptions, total=False):
    """The reading options, and the columns of a table of claims."""

    source: str
    entity: str
    attribute: str
    value: str
    asserts: str


class Options(ColumnOptions, total=False):
    """The reading options, the columns of a table of claims, and its attributes."""

    attributes: Mapping[str, Attribute | Kind]


class ShapedOptions(ColumnOptions, total=False):
    """The options of a table of any shape; see `Claims.from_records` and `Claims.from_wide`."""

    attributes: Sequence[str] | Mapping[str, Attribute | Kind]
    shape: Any  # a name, or a `Shape`
    key: str | None
    record: str | None
    item: str | None
    sources: Sequence[str] | None


#: The names of all options, and of those of a table of any shape.
OPTIONS = frozenset(Options.__annotations__)
SHAPED_OPTIONS = frozenset(ShapedOptions.__annotations__)


@dataclass(frozen=True)
class Settings:
    """The options with which a table of claims is read.

    Parameters
    ----------
    columns
        Role to column name, for the roles that the user names.
    attributes
        What the user knows about attributes, by name; ``"*"`` speaks for all others.
    duplicates
        What to do with a source that speaks twice about an item with one true value. ``auto``
        keeps the latest claim where there is a time; otherwise all m claims of the source about
        the item count, each with weight 1/sqrt(m). ``latest`` keeps one (by time, else input
        order), ``all`` keeps all with full weight, and ``error`` refuses them.
    nulls
        Whether a claim without source, entity, attribute or value is dropped and counted, or is
        an error.
    strip, casefold, unicode, canonical
        How values are brought to the form in which they are compared; `canonical` is a function
        from text to text and comes last.
    features
        Columns to use as features beside those that begin with ``claim_``, ``source_`` or
        ``entity_``: a list, or a mapping from columns to what they describe, ``claim`` (if not
        said), ``source`` or ``entity``. A column ``confidence`` is called ``claim_confidence``
        from then on.
    familiar_features
        The `features` of earlier claims, which these may have under the same names, or lack.
    numbers, categories
        Feature columns that are to be read as numbers or as categories, whatever they look like.
    time_format
        How to read times that are not ISO 8601, as in ``%d/%m/%Y``.
    fields
        ``auto`` finds out which attributes are phone numbers, dates, amounts and so on, by their
        names and values, and compares their values as such. ``off`` compares as `attributes` say.
    as_of
        Of values that change: the time for which the truth is asked, such as ``"2023-05-01"``, or
        a number where times are numbers. Left out, it is the time of the last claim.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    duplicates: Duplicates = "auto"
    nulls: Nulls = "drop"
    strip: bool = False
    casefold: bool = False
    unicode: UnicodeForm | None = None
    canonical: Callable[[str], str] | None = None
    features: Mapping[str, FeatureKind] = field(default_factory=dict)
    familiar_features: Mapping[str, FeatureKind] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    time_format: str | None = None
    fields: FieldsMode = "off"
    as_of: str | float | None = None

    def __post_init__(self) -> None:
        _check_choice("fields", self.fields, FieldsMode)
        _check_choice("duplicates", self.duplicates, Duplicates)
        _check_choice("nulls", self.nulls, Nulls)
        _check_choice("unicode", self.unicode, UnicodeForm)
        if self.canonical is not None and not callable(self.canonical):
            raise InvalidParameter(
                f"canonical must be a function from text to text. Got {self.canonical!r} instead."
            )
        if self.as_of is not None:
            object.__setattr__(self, "as_of", as_time_text(self.as_of))

    @property
    def moment(self) -> float | None:
        """The time that `as_of` names, as times of claims are held."""
        return None if self.as_of is None else seconds_of(str(self.as_of))

        if any(said.hierarchy is not None for said in self.attributes.values()):
            object.__setattr__(self, "attributes", self._with_hierarchies())

    def _with_hierarchies(self) -> dict[str, Attribute]:
        """Let hierarchies compare values as these settings do."""
        form = self.strip, self.casefold, self.unicode
        return {
            name: said
            if said.hierarchy is None
            else replace(said, hierarchy=said.hierarchy.compared(*form))
            for name, said in self.attributes.items()
        }

    @classmethod
    def of(cls, options: Options) -> Settings:
        """Build settings from keyword arguments, and say which one is unknown."""
        check_keywords("Claims", options, sorted(OPTIONS))
        given: dict[str, Any] = dict(options)
        for role in CLAIM_ROLES:
            if not isinstance(given.get(role), str | None):
                raise must_be(role, "the name of a column", given[role])
        if not isinstance(given.get("attributes"), Mapping | None):
            raise must_be("attributes", "a mapping from names to kinds", given["attributes"])
        columns = {role: given.pop(role) for role in CLAIM_ROLES if given.get(role) is not None}
        for role in CLAIM_ROLES:
            given.pop(role, None)
        attributes = {
            name: setting if isinstance(setting, Attribute) else Attribute(kind=setting)
            for name, setting in (given.pop("attributes", None) or {}).items()
        }
        features = features_of(given.pop("features", None) or {})
        names = {column: feature_name(column, kind) for column, kind in features.items()}
        for option in ("numbers", "categories"):
            if option in given:
                given[option] = tuple(names.get(name, name) for name in given[option])
        return cls(columns=columns, attributes=attributes, features=features, **given)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain data, for ``run.json``; of a function, its name."""
        described = asdict(self)
        del described["familiar_features"]  # those that were there are features
        if self.canonical is not None:
            described["canonical"] = getattr(self.canonical, "__qualname__", repr(self.canonical))
        return described

    @property
    def duplicates_in_use(self) -> Duplicates:
        """How to read the claims in use again, such that each counts as it did."""
        return in_use_again(self.duplicates)

    def for_columns(self, names: Collection[str]) -> Settings:
        """Return the settings for a table, whose familiar features are features like others."""
        familiar = present(self.familiar_features, names)
        return replace(self, features={**familiar, **self.features}, familiar_features={})

    def for_attribute(self, name: str) -> Attribute:
        """Return what the user said about an attribute."""
        return self.attributes.get(name) or self.attributes.get(ANY_ATTRIBUTE) or Attribute()


def in_use_again(duplicates: str) -> Duplicates:
    """Return how to treat repeats among claims in use, those left by `duplicates`.

    Repeated claims that share their weight do so again; of others, none is left out twice.
    """
    return "auto" if duplicates == "auto" else "all"


def declared_attributes(description: Mapping[str, Any]) -> dict[str, Attribute]:
    """Return the attributes of a run, as ``run.json`` describes it, as they were taken to be."""
    said = description["settings"].get("attributes", {})
    declared = {}
    for profile in description["attributes"]:
        own = said.get(profile["name"]) or said.get(ANY_ATTRIBUTE) or {}
        declared[profile["name"]] = Attribute(
            profile["kind"],
            profile["domain"],
            own.get("values") or "text",  # as it was taken to be
            profile["positive"],
            profile.get("tolerance"),
            own.get("notation"),
            profile.get("order") or None,
            truth="changing" if profile.get("changing") else None,
            hierarchy=own.get("hierarchy"),
            reason=own.get("reason"),
        )
    return declared


def for_spellings(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Return attributes whose values already have their spelling, whoever claims them."""
    return {
        name: said if said.notation is None else replace(said, notation=said.rule.of_spellings())
        for name, said in attributes.items()
    }


def _check_choice(name: str, value: object, choices: Any) -> None:
    allowed = get_args(choices)
    if value is not None and value not in allowed:
        raise InvalidParameter(
            f"{name} must be one of {listing(allowed)}. Got {value!r} instead."
            f"{suggestion(str(value), allowed)}"
        )
