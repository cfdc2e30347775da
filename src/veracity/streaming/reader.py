"""Claims that come in parts: how each part is read as those before it were.

What the attributes are is settled by the claims of a whole fit, and stays so for the claims that
come later: a batch of two claims cannot tell whether a domain is closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.claims import Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.repeats import SpeaksTwice
from veracity.data.fields.registry import FIELDS
from veracity.data.notes import Note, plural
from veracity.data.read.declared_features import FeatureKind, features_of
from veracity.data.read.frames import plain_text
from veracity.data.read.settings import (
    ANY_ATTRIBUTE,
    Attribute,
    Duplicates,
    Options,
    for_spellings,
    in_use_again,
)
from veracity.data.read.shape import Shape
from veracity.errors import InputError, InvalidParameter, listing
from veracity.streaming.history_rows import CLAIM_COLUMNS, FEATURE_TYPES

#: The settings that say when two values are the same.
FORMS = ("strip", "casefold", "unicode")
ROLES = ("source", "entity", "attribute", *list(CLAIM_COLUMNS)[1:])


class Batch(NamedTuple):
    """New claims under our column names, what was noticed on reading them, and their origin."""

    table: pa.Table
    notes: list[Note]
    origin: list[dict[str, object]]


@dataclass
class StreamReader:
    """Reads the claims of a stream with the settings of the first batch.

    Attributes
    ----------
    declared
        What the user said about attributes.
    duplicates, forms
        What to do with a source that speaks twice, and when two values are the same.
    features
        The type of each feature column.
    roles
        Whether claims have a time and a weight.
    profiles
        The attributes as they were taken to be.
    values
        The values of attributes with a closed domain.
    canonical
        The function that brings values to the form in which they are compared, if any.
    named
        The feature columns that the user named, and what they describe.
    dated, as_of
        Whether times are dates, and the time for which the truth of values that change is asked.
    """

    declared: dict[str, Attribute]
    duplicates: Duplicates
    forms: dict[str, Any]
    features: dict[str, str]
    roles: dict[str, bool]
    profiles: dict[str, AttributeProfile] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)
    canonical: Any = None
    named: dict[str, FeatureKind] = field(default_factory=dict)
    dated: bool = False
    as_of: str | None = None

    @classmethod
    def of(cls, claims: Claims, settings: Mapping[str, Any] | None = None) -> StreamReader:
        """Take over how claims were read.

        `settings` are those of a run, where these are its claims in use, read once more.
        """
        described: Mapping[str, Any] = settings or claims.describe_settings()
        declared = {
            name: Attribute(**given) if isinstance(given, dict) else given
            for name, given in (described.get("attributes") or {}).items()
        }
        reading = cls(
            declared,
            cast(Duplicates, described.get("duplicates", "latest")),
            {name: described[name] for name in FORMS if described.get(name)},
            claims.feature_types,
            {role: role in claims.columns.roles for role in ("time", "weight")},
            canonical=claims.canonical if settings is None else None,
            named=dict(described.get("features") or {}),
            dated=claims.columns.dated,
            as_of=described.get("as_of"),
        )
        reading.settle(claims)
        return reading

    def settle(self, claims: Claims) -> None:
        """Store the attribute profiles of claims."""
        self.profiles |= {profile.name: profile for profile in claims.attributes}
        for name, values in _closed_values(claims).items():
            self.values[name] = sorted({*self.values.get(name, ()), *values})

    # Reading

    def batch(self, claims: Any, **options: Any) -> Batch:
        """Read new claims, in the order that they came.

        `options` are those of `Claims.read`, and say what is different from the claims before.
        """
        if isinstance(claims, Claims):
            self._check_notations(claims)
        else:
            claims = self._read(claims, options)
            self._learn_notations(claims)
        table = plain_text(claims.to_arrow())
        if claims.columns.is_ordered and not self.roles["time"]:
            table = table.drop_columns(["time"])  # it was no time in the claims so far
        if "time" in table.column_names and not self.roles["time"]:
            self.dated = claims.columns.dated
        for role in ("time", "weight"):
            self.roles[role] = self.roles[role] or role in table.column_names
        new = {
            name: kind for name, kind in claims.feature_types.items() if name not in self.features
        }
        missing = [name for name in self.features if name not in claims.feature_types]
        self.features |= new
        notes = list(claims.read_notes)
        if missing:
            text = f"The new claims lack {listing(missing)}; these cells count as missing."
            notes.append(Note("features", text, table.num_rows))
        return Batch(self._in_columns(table), notes, claims.describe_origin())

    def _read(self, claims: Any, options: dict[str, Any]) -> Claims:
        shape, options = Shape.taken_from(options)
        given: dict[str, Attribute] = dict(options.pop("attributes", None) or {})
        self._check_declared(given)
        self.declared |= given
        for name, usual in (*((name, None) for name in FORMS), ("duplicates", "auto")):
            asked, here = options.pop(name, None), (self.forms | self._speaking).get(name)
            if asked and asked not in (usual, here):
                raise InvalidParameter(
                    f"{name} cannot change in an update: earlier claims were read with "
                    f"{name}={here!r}. Leave it out."
                )
        options |= {"attributes": self._attributes(), **self.forms, "canonical": self.canonical}
        options["familiar_features"] = self.named
        self.named = {**self.named, **features_of(options.get("features") or {})}
        options["shape"] = shape
        if isinstance(claims, str) or hasattr(claims, "__fspath__"):
            read: Claims = Claims.read(claims, **options)
            return read
        return Claims.from_frame(claims, **options)

    def _learn_notations(self, claims: Claims) -> None:
        """Store how new sources write dates, amounts and so on."""
        for name, said in claims.settings.attributes.items():
            if said.values in FIELDS and name != ANY_ATTRIBUTE:
                own = self.declared.get(name) or self.declared.get(ANY_ATTRIBUTE) or Attribute()
                self.declared[name] = replace(own, values=said.values, notation=said.notation)

    def _check_notations(self, claims: Claims) -> None:
        """Refuse claims whose values were read in another way than those before."""
        for name in (profile.name for profile in claims.attributes):
            said = self.declared.get(name) or self.declared.get(ANY_ATTRIBUTE) or Attribute()
            theirs = claims.settings.for_attribute(name)
            read = ((one.values, one.rule.default, one.rule.unit) for one in (said, theirs))
            if said.values in FIELDS and len(set(read)) > 1:
                raise InvalidParameter(
                    f"The new claims read {name!r} in another way than the earlier ones. Pass the "
                    "table or its path, so that it is read like the earlier claims."
                )

    @property
    def _speaking(self) -> dict[str, Any]:
        return {"duplicates": self.duplicates}

    def _check_declared(self, given: dict[str, Attribute]) -> None:
        known = [name for name in given if name in self.profiles]
        if known:
            raise InvalidParameter(
                f"Earlier claims settled the kind and domain of {listing(known)}, so they cannot "
                "be declared again. Leave the declaration out, or make the run again."
            )

    def _attributes(self) -> dict[str, Attribute]:
        """Return the declaration of each attribute: as settled earlier, else as given."""
        found = dict(self.declared)
        for name, profile in self.profiles.items():
            said = self.declared.get(name) or self.declared.get(ANY_ATTRIBUTE) or Attribute()
            found[name] = Attribute(
                profile.kind,
                profile.domain,
                said.values or "text",  # as it was taken to be
                profile.positive,
                profile.tolerance,
                said.notation,
                profile.order if len(profile.order) > 1 else None,  # one level is no order yet
                truth="changing" if profile.changing else None,
                hierarchy=profile.hierarchy,
                reason=said.reason,
            )
        return found

    def _in_columns(self, table: pa.Table) -> pa.Table:
        """Return claims in the columns that those before have, nulls where they have none."""
        columns = {}
        types = {name: FEATURE_TYPES[kind] for name, kind in self.features.items()}
        for name, kind in {
            "entity": pa.string(),
            "attribute": pa.string(),
            **CLAIM_COLUMNS,
            **types,
        }.items():
            if name in ("time", "weight") and not self.roles[name]:
                continue
            if name not in table.column_names:
                columns[name] = pa.nulls(table.num_rows, kind)
                continue
            try:
                column = table[name].cast(kind)
            except pa.ArrowException as error:
                raise InputError(
                    f"The column {name!r} was {self.features.get(name, kind)} in earlier claims, "
                    f"and is {table[name].type} now: {str(error).splitlines()[0]}."
                ) from error
            if pa.types.is_floating(kind):
                column = pc.if_else(pc.is_nan(column), None, column)
            columns[name] = column.combine_chunks()
        return pa.table(columns)

    def whole(self, table: pa.Table) -> Claims:
        """Read all claims by what the user said of attributes, as for a fit from scratch."""
        present = set(pc.unique(table["attribute"]).to_pylist())
        declared = {
            name: said
            for name, said in self.declared.items()
            if name == ANY_ATTRIBUTE or name in present
        }
        return self._claims(table, declared, self.duplicates)

    def in_use(self, table: pa.Table) -> Claims:
        """Read claims in use once more, such that each counts as it did."""
        return self.some(table, in_use_again(self.duplicates))

    def some(self, table: pa.Table, duplicates: Duplicates | None = None) -> Claims:
        """Read the claims about some items, whose attributes are what they were taken to be."""
        present = pc.unique(table["attribute"]).to_pylist()
        any_other = self.declared.get(ANY_ATTRIBUTE, Attribute())
        known = self._attributes()
        declared = {name: known.get(name, any_other) for name in present}
        try:
            claims = self._claims(table, declared, duplicates or self.duplicates)
            found = _closed_values(claims)
            return claims.with_profiles(
                tuple(self._settled(profile, found) for profile in claims.attributes)
            )
        except SpeaksTwice as error:
            repeats = error.repeats
            raise InputError(
                f"Source {repeats.source!r} speaks again about entity {repeats.entity!r}, which "
                "has one true value. The run forbids this (duplicates=error), but "
                f"{plural(repeats.n_claims, 'claim does', 'claims do')} so."
            ) from error

    def _claims(
        self, table: pa.Table, declared: Mapping[str, Attribute], duplicates: Duplicates
    ) -> Claims:
        options: dict[str, Any] = {role: role for role in ROLES if role in table.column_names}
        for kind, option in {"number": "numbers", "category": "categories"}.items():
            names = [name for name, type_ in self.features.items() if type_ == kind]
            options[option] = [name for name in names if name in table.column_names]
        claims = Claims.from_frame(
            table,
            **cast(
                Options,
                {
                    **options,
                    "as_of": self.as_of,
                    # These claims were read before: values have their spelling.
                    "attributes": for_spellings(declared),
                    "duplicates": duplicates,
                    **self.forms,
                },
            ),
        )
        claims.columns = replace(claims.columns, dated=self.dated)  # times are seconds by now
        return claims

    def _settled(self, now: AttributeProfile, found: dict[str, list[str]]) -> AttributeProfile:
        """Return an attribute as it was taken to be; the values of a closed one may grow."""
        known = self.profiles.get(now.name)
        if known is None:
            return now
        if known.kind == "boolean":
            made_up = f"not {known.positive}"
            if now.negative in (made_up, known.negative):
                return known
            if known.negative != made_up:
                raise InputError(
                    f"Attribute {now.name!r} is boolean, {known.positive!r} or {known.negative!r}, "
                    f"but a new claim says {now.negative!r}."
                )
            return replace(known, negative=now.negative)
        values = {*self.values.get(now.name, ()), *found.get(now.name, ())}
        return replace(known, n_values=max(len(values), known.n_values))

    # Keeping it

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "declared": {name: asdict(said) for name, said in self.declared.items()},
            "duplicates": self.duplicates,
            "forms": self.forms,
            "features": self.features,
            "roles": self.roles,
            "profiles": [profile.as_dict() for profile in self.profiles.values()],
            "values": self.values,
            "named": self.named,
            "dated": self.dated,
            "as_of": self.as_of,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> StreamReader:
        """Take over what `as_dict` returned."""
        profiles = (AttributeProfile(**profile) for profile in plain["profiles"])
        return cls(
            {name: Attribute(**said) for name, said in plain["declared"].items()},
            plain["duplicates"],
            dict(plain["forms"]),
            dict(plain["features"]),
            dict(plain["roles"]),
            {profile.name: profile for profile in profiles},
            dict(plain["values"]),
            named=dict(plain.get("named", {})),
            dated=bool(plain.get("dated", False)),
            as_of=plain.get("as_of"),
        )


def _closed_values(claims: Claims) -> dict[str, list[str]]:
    """Return the values of attributes with a closed domain."""
    matrix = claims.matrix
    closed = {
        profile.name
        for profile in matrix.profiles
        if profile.domain == "closed" and profile.kind != "boolean"
    }
    if not closed:
        return {}
    table = plain_text(claims.to_arrow().select(["attribute", "value"]))
    kept = table.filter(pc.is_in(table["attribute"], pa.array(sorted(closed), pa.string())))
    pairs = kept.group_by(["attribute", "value"]).aggregate([])
    found: dict[str, list[str]] = {}
    for row in pairs.to_pylist():
        found.setdefault(row["attribute"], []).append(row["value"])
    return found
