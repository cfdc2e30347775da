"""The shape of a table: one row per claim, one per record, or one per item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.notes import Note, plural
from veracity.data.read import shapes
from veracity.data.read.declared_features import features_of
from veracity.data.read.frames import arrow_table
from veracity.data.read.records import (
    RecordColumns,
    Records,
    from_records,
    list_columns,
    missing_notes,
    records_note,
)
from veracity.data.read.settings import ANY_ATTRIBUTE, Attribute, Kind
from veracity.data.read.shape_hints import key_hint, source_hint
from veracity.errors import InvalidParameter, MissingColumn, listing, suggestion

ShapeName = Literal["long", "records", "wide"]
SHAPES: tuple[ShapeName, ...] = get_args(ShapeName)
#: The options that only some shapes have, and which.
OPTIONS_OF: dict[str, ShapeName] = {
    "key": "records",
    "record": "records",
    "item": "wide",
    "sources": "wide",
}
#: The columns of claims that other shapes do not have.
OF_LONG: dict[ShapeName, tuple[str, ...]] = {
    "long": (),
    "records": ("entity", "attribute", "value", "asserts"),
    "wide": ("source", "entity", "attribute", "value", "asserts", "time", "weight"),
}


@dataclass(frozen=True, eq=False)
class Reshaped:
    """A table of claims that was made from another shape.

    Attributes
    ----------
    table
        One row per claim.
    notes
        How it was made.
    lists
        The attributes whose cells were lists, so that several of their values may be true.
    records
        Where each claim comes from, if the table was one of records.
    """

    table: pa.Table
    notes: list[Note]
    lists: list[str] = field(default_factory=list)
    records: Records | None = None

    @cached_property
    def spoken_about(self) -> list[str]:
        """The attributes of records that have any claims."""
        return [] if self.records is None else list(pc.unique(self.table["attribute"]).to_pylist())


@dataclass(frozen=True)
class Shape:
    """How a table holds its claims.

    Parameters
    ----------
    name
        ``long``: a row is a claim. ``records``: a row is a record of an entity, a column an
        attribute. ``wide``: a row is an item, a column a source.
    key, source, record
        Of records: the columns that say which entity a record describes, which system it comes
        from, and what its own number is.
    attributes
        Of records: the columns whose cells are claims; all others if not given.
    along
        Columns that belong to each claim of their row: features that were named; of records, also
        time and weight.
    item, sources
        Of wide tables: the column that names the item, and those of the sources.
    kind
        Of records: the kind of attributes about which nothing else is said; inferred if not given.
    """

    name: ShapeName = "long"
    key: str | None = None
    source: str | None = None
    record: str | None = None
    attributes: tuple[str, ...] | None = None
    along: tuple[str, ...] = ()
    item: str | None = None
    sources: tuple[str, ...] | None = None
    kind: Kind | None = None

    @property
    def is_long(self) -> bool:
        """Whether the table is one of claims already."""
        return self.name == "long"

    @classmethod
    def taken_from(cls, options: Mapping[str, Any]) -> tuple[Shape, dict[str, Any]]:
        """Split the options of reading: the shape, and how to read the claims made from it."""
        rest = dict(options)
        shape = rest.pop("shape", None) or "long"
        if isinstance(shape, Shape):
            return shape, rest
        own = {name: rest.pop(name, None) for name in OPTIONS_OF}
        _check(shape, own, rest)
        if shape == "long":
            return cls(), rest
        attributes = rest.pop("attributes", None) or {}
        features = tuple(features_of(rest.get("features") or {}))
        if shape == "wide":
            names = None if own["sources"] is None else tuple(own["sources"])
            rest |= {role: role for role in ("source", "entity", "value")}
            made = cls("wide", item=own["item"], sources=names, along=features)
            return made, rest | {"attributes": attributes}
        named = [rest[role] for role in ("time", "weight") if rest.get(role) is not None]
        made = cls(
            "records",
            key=own["key"],
            source=rest.pop("source", None),
            record=own["record"],
            attributes=_attribute_columns(attributes),
            along=(*named, *features),
        )
        rest |= {role: role for role in ("source", "entity", "attribute", "value")}
        return made, rest | {"attributes": _declared(attributes)}

    def apply(self, frame: Any) -> Reshaped:
        """Return the claims of a table of this shape."""
        return self._from_wide(frame) if self.name == "wide" else self._from_records(frame)

    def declared(self, given: Mapping[str, Attribute | Kind], made: Reshaped) -> dict[str, Any]:
        """Return what is known about attributes: as given, else by the shape.

        Several values of an attribute may be true if its cells are lists.
        """
        kinds: dict[str, Kind | None] = {
            name: "multiple" if name in made.lists else self.kind for name in made.spoken_about
        }
        empty = () if made.records is None else made.records.attributes
        found = {
            name: _attribute(said)
            for name, said in given.items()
            if name in made.spoken_about or name not in empty
        }
        any_other = found.get(ANY_ATTRIBUTE, Attribute())
        for name, kind in kinds.items():
            said = found.get(name, any_other)
            if kind is not None and said.kind is None:
                found[name] = replace(said, kind=kind)
        return found

    def _from_records(self, frame: Any) -> Reshaped:
        table = arrow_table(frame)
        for part, given, hint in (
            ("key", self.key, key_hint(table.column_names)),
            ("source", self.source, source_hint(table.column_names)),
        ):
            if given is None:
                raise MissingColumn(
                    f"Records need a {part}: the column that says {_MEANING[part]}. Name it with "
                    f"--{part} COLUMN (in Python: {part}=...).{hint} "
                    f"The table's columns are: {listing(table.column_names)}."
                )
        assert self.key is not None
        assert self.source is not None
        columns = RecordColumns.of(
            table, self.key, self.source, self.attributes, self.record, self.along
        )
        claims, records = from_records(table, columns)
        notes = [records_note(columns, table.num_rows), *columns.notes]
        notes += missing_notes(table, columns)
        made = Reshaped(claims, notes, list_columns(table, columns.attributes), records)
        empty = [name for name in columns.attributes if name not in made.spoken_about]
        if empty:
            text = f"{listing(empty)}: empty in all records, so nothing is said about it."
            notes.append(Note("attributes", text, len(empty)))
        return made

    def _from_wide(self, frame: Any) -> Reshaped:
        claims, item, sources = shapes.from_wide(frame, self.item, self.sources, self.along)
        named = "row number" if item is None else repr(item)
        text = f"Read a wide table: item = {named}, {plural(len(sources), 'source')}: "
        return Reshaped(claims, [Note("columns", f"{text}{listing(sources)}.")])

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data, for ``run.json``."""
        given = vars(self).items()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given
            if value not in (None, ())
        }


#: One row per claim.
LONG = Shape()
_MEANING = {
    "key": "which records describe the same entity",
    "source": "which system a record comes from",
}


def check_whole(options: Mapping[str, Any]) -> None:
    """Refuse another shape where claims are read part by part."""
    shape, _ = Shape.taken_from(options)
    if not shape.is_long:
        raise InvalidParameter(
            f"A table of shape {shape.name} is read as a whole, so neither --memory nor --engine "
            "spark can be used. Leave them out, or give a table with one row per claim."
        )


def _check(shape: Any, own: Mapping[str, Any], rest: Mapping[str, Any]) -> None:
    """Refuse a shape that there is not, and options that it does not have."""
    if shape not in SHAPES:
        raise InvalidParameter(
            f"shape must be {', '.join(SHAPES[:-1])} or {SHAPES[-1]}. Got {shape!r} instead."
            f"{suggestion(str(shape), SHAPES)}"
        )
    for name, needed in OPTIONS_OF.items():
        if own[name] is not None and shape != needed:
            raise InvalidParameter(
                f"{name} is for tables of shape {needed}. Add --shape {needed} (in Python: "
                f'shape="{needed}"), or leave {name} out.'
            )
    for name in OF_LONG[shape]:
        if rest.get(name) is not None:
            instead = {"source": "sources", "entity": "item" if shape == "wide" else "key"}
            use = f" Use {instead[name]} instead." if name in instead else " Leave it out."
            raise InvalidParameter(f"A table of shape {shape} has no {name} column.{use}")
    attributes = rest.get("attributes")
    if shape != "records" and attributes and isinstance(attributes, list | tuple):
        raise InvalidParameter(
            "attributes names columns only for tables of shape records. Elsewhere it is a mapping "
            'from attributes to what is known about them, such as {"author": "multiple"}.'
        )


def _attribute(said: Attribute | Kind) -> Attribute:
    return said if isinstance(said, Attribute) else Attribute(kind=said)


def _declared(attributes: Any) -> dict[str, Any]:
    """Return what is said about attributes, without those that are only named."""
    if not isinstance(attributes, Mapping):
        return {}
    return {name: said for name, said in attributes.items() if said != Attribute()}


def _attribute_columns(attributes: Any) -> tuple[str, ...] | None:
    """Return the columns that are attributes: those named, unless some speak for all others."""
    if isinstance(attributes, str):
        raise InvalidParameter(
            f"attributes must be a list of columns. Got the text {attributes!r} instead."
        )
    if not attributes or (isinstance(attributes, Mapping) and ANY_ATTRIBUTE in attributes):
        return None
    return tuple(attributes)
