"""Other shapes of the same thing: wide tables, triples, label matrices, nested answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.arguments import must_be
from veracity.data.read.frames import arrow_table, as_text, text_column
from veracity.data.read.records import claimed, require, takable
from veracity.data.read.schema import SYNONYMS, fold_name
from veracity.errors import InputError, listing


def from_wide(
    frame: Any,
    item: str | None,
    sources: Sequence[str] | None = None,
    along: Sequence[str] = (),
) -> tuple[pa.Table, str | None, list[str]]:
    """Return one claim per cell of a table of items by sources; see `Claims.from_wide`.

    Columns named in `along` belong to each claim about their item. Beside the table come the column
    of the item, if there is one, and the columns of the sources.
    """
    table, entities, item, sources = _items_and_sources(frame, item, sources, along)
    parts = []
    for name in sources:
        cells = as_text(table[name])
        columns = {"source": pa.repeat(pa.scalar(name), len(cells)), "entity": entities}
        columns |= {extra: takable(table[extra]) for extra in along}
        parts.append(pa.table(columns | {"value": cells}).filter(claimed(cells)))
    return pa.concat_tables(parts), item, sources


def _items_and_sources(
    frame: Any, item: str | None, chosen: Sequence[str] | None, along: Sequence[str]
) -> tuple[pa.Table, pa.Array, str | None, list[str]]:
    index = getattr(frame, "index", None)
    table = arrow_table(frame)
    require(table, [*([] if item is None else [item]), *(chosen or ()), *along])
    if item is None:
        named = [name for name in table.column_names if fold_name(name) in SYNONYMS["entity"]]
        item = named[0] if len(named) == 1 else None
    sources = [
        name
        for name in table.column_names
        if name != item and name not in along and (chosen is None or name in chosen)
    ]
    if not sources:
        raise InputError("The wide table has no source columns: expected one column per source.")
    if item is not None:
        return table, as_text(table[item]), item, sources
    if index is not None and hasattr(index, "tolist"):
        return table, text_column(index.tolist()), None, sources
    return table, text_column(range(table.num_rows)), None, sources


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
