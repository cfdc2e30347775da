"""Other shapes of the same thing: records, wide tables, triples, label matrices, nested answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.arguments import must_be
from veracity.data.read.frames import arrow_table, as_text, text_column
from veracity.data.read.schema import FEATURE_PREFIXES, SYNONYMS, fold_name
from veracity.errors import InputError, MissingColumn, listing, suggestion


def from_records(
    frame: Any,
    key: str,
    source: str,
    attributes: Iterable[str] | None,
    features: Collection[str] = (),
) -> pa.Table:
    """Return one claim per cell of each record; see `Claims.from_records`."""
    table = arrow_table(frame)
    _require(table, [key, source, *(attributes or ()), *features])
    beside = [
        name
        for name in table.column_names
        if (_goes_along(name) or name in features) and name not in (key, source)
    ]
    if attributes is None:
        attributes = [name for name in table.column_names if name not in (key, source, *beside)]
    attributes = list(attributes)
    if not attributes:
        raise InputError("The records have no attribute columns. Name them with attributes=[...].")
    parts = []
    for name in attributes:
        cells = as_text(table[name])
        columns = {"source": as_text(table[source]), "entity": as_text(table[key])}
        columns["attribute"] = pa.repeat(pa.scalar(name), len(cells))
        columns["value"] = cells
        columns |= {extra: _takable(table[extra]) for extra in beside if extra not in attributes}
        parts.append(pa.table(columns).filter(pc.is_valid(cells)))
    return pa.concat_tables(parts)


def _takable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Turn string views, which Arrow cannot filter yet, into strings."""
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def _goes_along(name: str) -> bool:
    """Whether a column of a record belongs to each of its claims."""
    return name.startswith(FEATURE_PREFIXES) or fold_name(name) in (
        *SYNONYMS["time"],
        *SYNONYMS["weight"],
    )


def from_wide(frame: Any, item: str | None, features: Collection[str] = ()) -> pa.Table:
    """Return one claim per cell of a table of items by sources; see `Claims.from_wide`."""
    table, entities, sources = _items_and_sources(frame, item, features)
    parts = []
    for name in sources:
        cells = as_text(table[name])
        columns = {"source": pa.repeat(pa.scalar(name), len(cells)), "entity": entities}
        columns |= {extra: _takable(table[extra]) for extra in features}
        parts.append(pa.table(columns | {"value": cells}).filter(pc.is_valid(cells)))
    return pa.concat_tables(parts)


def _items_and_sources(
    frame: Any, item: str | None, features: Collection[str]
) -> tuple[pa.Table, pa.Array, list[str]]:
    index = getattr(frame, "index", None)
    table = arrow_table(frame)
    _require(table, [*features, *([] if item is None else [item])])
    if item is None:
        named = [name for name in table.column_names if fold_name(name) in SYNONYMS["entity"]]
        item = named[0] if len(named) == 1 else None
    sources = [name for name in table.column_names if name != item and name not in features]
    if not sources:
        raise InputError("The wide table has no source columns: expected one column per source.")
    if item is not None:
        return table, as_text(table[item]), sources
    if index is not None and hasattr(index, "tolist"):
        return table, text_column(index.tolist()), sources
    return table, text_column(range(table.num_rows)), sources


def from_triples(triples: Iterable[Sequence[object]]) -> pa.Table:
    """Return claims given as (source, entity, value) or (source, entity, attribute, value)."""
    if isinstance(triples, str) or not isinstance(triples, Iterable):
        raise must_be("triples", "rows of (source, entity, value)", triples)
    rows = list(triples)
    for row in rows:
        if isinstance(row, str) or not isinstance(row, Sequence):
            raise must_be("Each row of triples", "(source, entity, value)", row)
    lengths = {len(row) for row in rows}
    if lengths - {3} and lengths - {4}:
        raise InputError(
            "Triples must be (source, entity, value), or all (source, entity, attribute, value). "
            f"Got rows of {listing(sorted(lengths))} entries instead."
        )
    names = ["source", "entity", "value"]
    if lengths == {4}:
        names.insert(2, "attribute")
    columns = zip(*rows, strict=True) if rows else [() for _ in names]
    return pa.table(
        {name: text_column(column) for name, column in zip(names, columns, strict=True)}
    )


def from_matrix(
    labels: Any, items: Sequence[object] | None, sources: Sequence[object] | None, abstain: int
) -> pa.Table:
    """Return one claim per label of a matrix of items by sources; see `Claims.from_matrix`."""
    if hasattr(labels, "tocoo"):
        entries = labels.tocoo()
        row, column, label = entries.row, entries.col, entries.data
        spoken = label != abstain
        row, column, label = row[spoken], column[spoken], label[spoken]
    else:
        labels = np.asarray(labels)
        if labels.ndim != 2:
            raise InputError(f"A label matrix has two dimensions. Got {labels.ndim} instead.")
        row, column = np.nonzero(labels != abstain)
        label = labels[row, column]
    return pa.table(
        {
            "source": _named(sources, column, labels.shape[1], "sources"),
            "entity": _named(items, row, labels.shape[0], "items"),
            "value": as_text(pa.chunked_array([pa.array(label)])),
        }
    )


def _named(names: Sequence[object] | None, index: Any, size: int, what: str) -> pa.Array:
    if names is None:
        return as_text(pa.chunked_array([pa.array(index)]))
    if len(names) != size:
        raise InputError(f"The matrix has {size:,} {what}, but {len(names):,} names were given.")
    return text_column(names).take(pa.array(index))


def from_answers(answers: Mapping[Any, Mapping[Any, object]]) -> pa.Table:
    """Return claims given as ``{item: {source: value}}``."""
    if not isinstance(answers, Mapping):
        raise must_be("answers", "a mapping {item: {source: value}}", answers)
    rows = [
        (source, item, value)
        for item, claims in answers.items()
        for source, value in claims.items()
    ]
    return from_triples(rows)


def _require(table: pa.Table, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.column_names:
            raise MissingColumn(
                f"The table has no column {name!r}.{suggestion(name, table.column_names)} "
                f"Its columns are: {listing(table.column_names)}."
            )
