"""Records: rows that describe an entity each, one column per attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Indices
from veracity.data.buffers import take_labels, to_numpy
from veracity.data.notes import Note, plural
from veracity.data.read.frames import as_text, text_column
from veracity.data.read.schema import FEATURE_PREFIXES, SYNONYMS, fold_name, repeated_names
from veracity.errors import InputError, InvalidParameter, MissingColumn, listing, suggestion

#: Names by which the column of a record's own number is found, in this order.
RECORD_NAMES = ("unique_id", "record_id", "id")
#: Endings of the names of columns that number something.
NUMBERING = ("id", "uuid", "guid", "rowid", "rownumber", "recordnumber", "recordno")
#: From so many records on, distinct whole numbers are record numbers, whatever they are called.
MANY_RECORDS = 20


@dataclass(frozen=True, eq=False)
class Records:
    """The records that claims were taken from.

    Attributes
    ----------
    entities
        The entities that they describe, in the order in which they come.
    ids
        The number or name of each record.
    record
        The record of each row of the table of claims.
    attributes
        The columns whose cells are claims.
    types
        The type of each of these columns and of the key, as far as it is not text.
    """

    entities: pa.StringArray
    ids: pa.StringArray
    record: Indices
    attributes: tuple[str, ...]
    types: dict[str, pa.DataType] = field(default_factory=dict)

    def ids_of(self, rows: Indices) -> pa.StringArray:
        """Return the record of each of some rows of the table of claims."""
        return take_labels(self.ids, self.record[rows])

    @classmethod
    def again(
        cls,
        entities: pa.ChunkedArray,
        ids: pa.ChunkedArray,
        attributes: Sequence[str],
        types: Mapping[str, str],
    ) -> Records:
        """Return records that were saved: what `ids_of` gave for each row, and types by name."""
        coded = ids.combine_chunks().dictionary_encode()
        named = {name: pa.type_for_alias(kind) for name, kind in types.items()}
        record = to_numpy(coded.indices).astype(np.int64)
        return cls(entities.combine_chunks(), coded.dictionary, record, tuple(attributes), named)

    def type_names(self) -> dict[str, str]:
        """Return the types by name, for ``run.json``."""
        return {name: str(kind) for name, kind in self.types.items() if _has_alias(kind)}


@dataclass(frozen=True)
class RecordColumns:
    """Which column of a table of records plays which part.

    Attributes
    ----------
    key, source, record
        The columns of the entity, of the source, and of the record's own number, if it has one.
    attributes
        The columns whose cells are claims.
    beside
        The columns that belong to each claim of a record: features, time and weight.
    notes
        What was left out, and why.
    """

    key: str
    source: str
    record: str | None
    attributes: tuple[str, ...]
    beside: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        table: pa.Table,
        key: str,
        source: str,
        attributes: Sequence[str] | None = None,
        record: str | None = None,
        along: Sequence[str] = (),
    ) -> RecordColumns:
        """Find the columns of records: as given, else by their names and what they hold."""
        chosen = None if attributes is None else list(attributes)
        named = [name for name in (record, *along) if name is not None]
        require(table, [key, source, *named, *(chosen or ())])
        _check_apart(key, source, record, chosen)
        taken = {key, source, *(chosen or ())}
        if record is None:
            record = next((name for name in RECORD_NAMES if _is_there(name, table, taken)), None)
        beside = tuple(
            name
            for name in table.column_names
            if name in along or (goes_along(name) and name not in (*taken, record))
        )
        notes: list[Note] = []
        if chosen is None:
            others = {key, source, record, *beside}
            chosen = [name for name in table.column_names if name not in others]
            numbers = [name for name in chosen if _numbers_records(name, table, key)]
            chosen = [name for name in chosen if name not in numbers]
            notes += [_numbers_note(numbers)] if numbers else []
        if not chosen:
            raise InputError(
                "The records have no attribute columns. Besides the key, the source and what "
                f"belongs to them, the table has none: {listing(table.column_names)}. Name the "
                "columns to use with --attributes A,B (in Python: attributes=[...])."
            )
        return cls(key, source, record, tuple(chosen), beside, tuple(notes))


def from_records(table: pa.Table, columns: RecordColumns) -> tuple[pa.Table, Records]:
    """Return one claim per cell of each record, and where each claim comes from.

    A cell that holds a list makes a claim for each of its values.
    """
    entity, source = as_text(table[columns.key]), as_text(table[columns.source])
    parts, rows = [], []
    for name in columns.attributes:
        cells, of_record = _cells(table[name])
        row = pa.array(of_record)
        made = {
            "source": source.take(row),
            "entity": entity.take(row),
            "attribute": pa.repeat(pa.scalar(name), len(cells)),
            "value": cells,
        }
        made |= {extra: takable(table[extra]).take(row) for extra in columns.beside}
        parts.append(pa.table(made))
        rows.append(of_record)
    is_named = pc.and_(pc.is_valid(entity), pc.not_equal(entity, ""))
    records = Records(
        pc.unique(entity.filter(is_named)),
        _ids(table, columns.record, source),
        np.concatenate(rows),
        columns.attributes,
        {
            name: kind
            for name in (columns.key, *columns.attributes)
            if (kind := _kept_type(table[name].type)) is not None
        },
    )
    return pa.concat_tables(parts), records


def list_columns(table: pa.Table, names: Sequence[str]) -> list[str]:
    """Return the columns whose cells are lists."""
    return [name for name in names if _is_list(table[name].type)]


def records_note(columns: RecordColumns, n_records: int) -> Note:
    """Say how a table of records was read."""
    numbered = "row number" if columns.record is None else repr(columns.record)
    text = (
        f"Read {plural(n_records, 'record')}: key = {columns.key!r}, source = {columns.source!r}, "
        f"record = {numbered}, attributes = {listing(columns.attributes)}."
    )
    return Note("columns", text)


def missing_notes(table: pa.Table, columns: RecordColumns) -> list[Note]:
    """Say how many records lack a key or a source, and so make no claims."""
    notes = []
    for name, why in ((columns.key, "describe no entity"), (columns.source, "have no source")):
        count = table.num_rows - int(pc.sum(claimed(as_text(table[name]))).as_py() or 0)
        if count:
            lack = plural(count, "record has no", "records have no")
            notes.append(Note("nulls", f"{lack} {name!r}: they {why} and are left out.", count))
    return notes


def goes_along(name: str) -> bool:
    """Whether a column of a record belongs to each of its claims, by its name."""
    return name.startswith(FEATURE_PREFIXES) or fold_name(name) in (
        *SYNONYMS["time"],
        *SYNONYMS["weight"],
    )


def claimed(cells: pa.Array) -> pa.BooleanArray:
    """Mark the cells that say something: neither null nor empty."""
    return pc.fill_null(pc.not_equal(cells, ""), False)


def takable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Turn string views, which Arrow cannot filter yet, into strings."""
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def require(table: pa.Table, names: Sequence[str]) -> None:
    """Refuse a table that lacks a column."""
    for name in names:
        if name not in table.column_names:
            raise MissingColumn(
                f"The table has no column {name!r}.{suggestion(name, table.column_names)} "
                f"Its columns are: {listing(table.column_names)}."
            )


def _check_apart(
    key: str, source: str, record: str | None, attributes: Sequence[str] | None
) -> None:
    """Refuse columns that are given two parts."""
    if key == source:
        raise InvalidParameter(
            f"The column {key!r} was given as key and as source. Expected a column of its own for "
            "each."
        )
    for part, name in (("key", key), ("source", source), ("record", record)):
        if name is not None and name in (attributes or ()):
            raise InvalidParameter(
                f"The column {name!r} is the {part} of the records, so it cannot be an attribute "
                "as well. Leave it out of the attributes."
            )
    if repeated := repeated_names(attributes or ()):
        raise InvalidParameter(f"Attributes are named twice: {listing(repeated)}.")


def _is_there(name: str, table: pa.Table, taken: set[str]) -> bool:
    return name in table.column_names and name not in taken


def _numbers_records(name: str, table: pa.Table, key: str) -> bool:
    """Whether a column gives each record a number of its own, and so says nothing about entities.

    All cells are filled and differ, although some entities have several records. Besides, the
    column is called a number, or there are many records and all cells are whole numbers.
    """
    column = table[name]
    if _is_list(column.type) or table.num_rows < 2:
        return False
    cells = as_text(column)
    if not pc.all(claimed(cells)).as_py() or len(pc.unique(cells)) < len(cells):
        return False
    if len(pc.unique(as_text(table[key]))) == len(cells):
        return False
    folded = "".join(letter for letter in name.casefold() if letter.isalnum())
    if folded.endswith(NUMBERING):
        return True
    whole = pc.all(pc.match_substring_regex(cells, r"^[0-9]{1,18}$")).as_py()
    return bool(whole) and len(cells) >= MANY_RECORDS


def _numbers_note(names: Sequence[str]) -> Note:
    is_or_are = "looks like a record number" if len(names) == 1 else "look like record numbers"
    text = (
        f"Left out {listing(names)}, which {is_or_are}: no two records share a value. To use "
        "such a column all the same, name all attributes with --attributes (in Python: "
        "attributes=[...])."
    )
    return Note("columns", text, len(names))


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _cells(column: pa.ChunkedArray) -> tuple[pa.Array, Indices]:
    """Return the filled cells of a column as text, and the record of each."""
    if _is_list(column.type):
        whole = column.combine_chunks()
        cells, rows = as_text(pc.list_flatten(whole)), np.asarray(pc.list_parent_indices(whole))
    else:
        cells, rows = as_text(column), np.arange(len(column))
    filled = claimed(cells)
    return cells.filter(filled), rows[np.asarray(filled)].astype(np.int64)


def _ids(table: pa.Table, record: str | None, source: pa.StringArray) -> pa.StringArray:
    """Return what records are called; with the source before it where numbers come twice."""
    numbers = text_column(range(1, table.num_rows + 1))
    if record is None:
        return numbers
    ids = pc.coalesce(as_text(table[record]), numbers)
    if len(pc.unique(ids)) == len(ids):
        return ids
    return pc.binary_join_element_wise(pc.coalesce(source, ""), ids, ":")


def _has_alias(kind: pa.DataType) -> bool:
    try:
        return bool(pa.type_for_alias(str(kind)) == kind)
    except ValueError:
        return False


def _kept_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the type that values can be given again once they were text, if it is not text."""
    plain = (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or (pa.types.is_timestamp(kind) and kind.tz is None)
    )
    return kind if plain else None
