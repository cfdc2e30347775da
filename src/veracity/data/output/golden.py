"""Golden records: the verdicts of a run as one row per entity, and where each cell comes from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Indices
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.decisions import WORDS
from veracity.data.output.standing import Standing
from veracity.data.read.records import Records
from veracity.data.read.schema import repeated_names
from veracity.errors import InvalidParameter, listing

#: What a cell has beside its value, in columns named after the attribute.
BESIDE = ("plausibility", "decision")


def column_names(key: str, attributes: Sequence[str], values_only: bool) -> list[str]:
    """Return the columns of a golden table, or refuse names that would come twice."""
    beside = [] if values_only else [f"{name}_{end}" for name in attributes for end in BESIDE]
    names = [key, *attributes, *beside]
    folded = set(repeated_names(name.casefold() for name in names))
    if twice := sorted({name for name in names if name.casefold() in folded}):
        raise InvalidParameter(
            f"The golden table would have several columns called {listing(twice)}; databases do "
            "not tell upper from lower case. Rename such columns, leave some out with "
            "--attributes, or write no plausibilities and decisions with --values-only."
        )
    return names


def golden_table(
    truths: pa.Table, matrix: ClaimMatrix, records: Records, key: str, values_only: bool = False
) -> pa.Table:
    """Return one row per entity, in the order of the records.

    First come the key and the value of each attribute, then the plausibility and the decision of
    each. Of an attribute that may have several true values, a cell is a list of those believed, and
    has the plausibility and the decision of the least certain of them.
    """
    names = column_names(key, records.attributes, values_only)
    entities = _all_entities(truths, records)
    several = {profile.name for profile in matrix.profiles if profile.kind == "multiple"}
    columns = {key: _typed(entities, records.types.get(key))}
    beside: dict[str, pa.Array] = {}
    for name in records.attributes:
        rows = truths.filter(pc.equal(truths["attribute"], name))
        place = _places(rows["entity"], entities)
        take = _listed if name in several else _one_each
        value, plausibility, decision = take(rows, place, len(entities))
        columns[name] = _typed(value, records.types.get(name))
        beside |= {f"{name}_plausibility": plausibility, f"{name}_decision": decision}
    table = pa.table(columns | beside)
    return table.select(names)


def lineage_table(truths: pa.Table, matrix: ClaimMatrix, records: Records) -> pa.Table:
    """Return where each value of a golden table comes from, by entity and attribute.

    The columns are entity, attribute, value, plausibility, decision, and lists of the sources that
    support the value, of those that deny it, and of the records that it comes from.
    """
    truths = truths.filter(pc.is_in(truths["attribute"], pa.array(records.attributes, pa.string())))
    entity = _places(truths["entity"], _all_entities(truths, records))
    attribute = _places(truths["attribute"], pa.array(records.attributes, pa.string()))
    truths = truths.take(to_arrow(np.lexsort((attribute, entity))))
    standing = Standing.of(truths, matrix)
    columns = ("entity", "attribute", "value", "plausibility", "decision")
    return pa.table(
        {
            **{name: truths[name] for name in columns},
            "supporting_sources": standing.supporting_sources(matrix),
            "denying_sources": standing.denying_sources(matrix),
            "records": standing.records(matrix, records.record, records.ids),
        }
    )


def _all_entities(truths: pa.Table, records: Records) -> pa.StringArray:
    """Return the entities of the records, then those that only known truth is about."""
    seen = truths["entity"].cast(pa.string()).combine_chunks()
    return pc.unique(pa.concat_arrays([records.entities.cast(pa.string()), seen]))


def _places(column: pa.ChunkedArray, labels: pa.StringArray) -> Indices:
    return to_numpy(pc.index_in(column.cast(pa.string()), value_set=labels)).astype(np.int64)


def _one_each(
    rows: pa.Table, place: Indices, n_entities: int
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return the value of each entity, its plausibility and its decision; null where none is."""
    at = np.full(n_entities, -1)
    at[place] = np.arange(len(place))
    index = pa.array(at, mask=at < 0)
    taken = rows.take(index)
    return tuple(taken[name].combine_chunks() for name in ("value", *BESIDE))


def _listed(rows: pa.Table, place: Indices, n_entities: int) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return the values of each entity, and the plausibility and decision of the least certain."""
    order = np.argsort(place, kind="stable")
    rows, place = rows.take(to_arrow(order)), place[order]
    start = np.searchsorted(place, np.arange(n_entities + 1)).astype(np.int32)
    is_empty = np.diff(start) == 0
    values = rows["value"].cast(pa.string()).combine_chunks()
    lists = pa.ListArray.from_arrays(pa.array(start), values, mask=pa.array(is_empty))
    least, worst = np.ones(n_entities), np.zeros(n_entities, np.int64)
    np.minimum.at(least, place, to_numpy(rows["plausibility"]))
    codes = pc.index_in(rows["decision"], value_set=pa.array(WORDS.tolist()))
    np.maximum.at(worst, place, to_numpy(codes).astype(np.int64))
    decision = pa.array(WORDS[worst].tolist(), pa.string(), mask=is_empty)
    return lists, pa.array(least, mask=is_empty), decision


def _typed(column: pa.Array, kind: pa.DataType | None) -> pa.Array:
    """Give values the type that they had in the records, if all of them can have it."""
    if kind is None:
        return column
    target = pa.list_(kind) if pa.types.is_list(column.type) else kind
    try:
        return column.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column
