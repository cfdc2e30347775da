"""Labels as dictionaries: each distinct text once and, for each row, which of them it has.

What has to be done with labels is then done once for each text, and not for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import text_array, to_arrow, to_numpy
from veracity.data.labels.short import ShortLabels
from veracity.data.read.schema import ONLY_ATTRIBUTE

#: As many rows are looked at, to find out whether texts are many: so many of them are different.
LOOKED_AT, MANY_SHARE = 16_384, 0.9


class LabelSql(NamedTuple):
    """SQL for the labels of a role: their column, if there is one, and the labels as text.

    `is_cell` says that labels are the cells as they are, and that empty ones are missing.
    """

    cell: str | None
    text: str
    is_cell: bool = False


def read_labels(
    labels: Mapping[str, LabelSql],
    relation: str,
    frame: pa.Table | None,
    arrow: Callable[[str, pa.Table | None], pa.Table],
) -> dict[str, pa.DictionaryArray]:
    """Read the labels of all roles.

    Parameters
    ----------
    labels
        By role.
    relation
        SQL for the rows.
    frame
        The rows, if they are in memory.
    arrow
        Runs a query, which finds the table that it is given as ``cells``.
    """
    found: dict[str, pa.DictionaryArray] = {}
    for role, label in labels.items():
        if frame is not None and label.cell is not None and _are_plain(frame[label.cell].type):
            found[role] = _by_cell(frame[label.cell], partial(_texts, label, arrow))
    rest = [role for role in labels if role not in found and labels[role].cell is not None]
    if rest:
        chosen = ", ".join(f"{labels[role].text} AS {role}" for role in rest)
        read = arrow(f"SELECT {chosen} FROM ({relation})", None)
        found |= {role: as_dictionary(read[role]) for role in rest}
    n_rows = len(next(iter(found.values())))
    return {role: found.get(role) or _only_attribute(n_rows) for role in labels}


def as_dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of texts as a dictionary."""
    return _by_cell(column, lambda texts: texts)


def _texts(
    label: LabelSql, arrow: Callable[[str, pa.Table | None], pa.Table], cells: pa.Array
) -> pa.Array:
    """Write distinct cells as text."""
    if label.is_cell:  # for a small table, a query takes longer than all else
        return pc.if_else(pc.equal(cells, ""), None, cells)
    table = arrow(f"SELECT {label.text} AS text FROM cells", pa.table({label.cell: cells}))
    return table["text"].combine_chunks()


def _are_plain(kind: pa.DataType) -> bool:
    """Whether cells of a type are quickly told apart."""
    if pa.types.is_dictionary(kind):
        return _are_plain(kind.value_type)
    return bool(_are_text(kind) or pa.types.is_integer(kind))


def _are_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _by_cell(
    column: pa.ChunkedArray, texts_of: Callable[[pa.Array], pa.Array]
) -> pa.DictionaryArray:
    """Return a column as a dictionary of texts, made of its distinct cells."""
    given = pa.types.is_dictionary(column.type)
    whole = _whole(column.unify_dictionaries()) if given else _told_apart(column)
    indices, texts = whole.indices.cast(pa.int32()), texts_of(whole.dictionary)
    if given or texts.null_count:  # some may be missing, or the same
        again = texts.dictionary_encode()
        indices, texts = again.indices.take(indices), again.dictionary
    return pa.DictionaryArray.from_arrays(indices, texts.cast(pa.string()), safe=False)


def _told_apart(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column as a dictionary of its cells, in the order in which they come."""
    short = ShortLabels.of(column.chunks) if _are_many(column) else None
    if short is None:
        return _whole(column.dictionary_encode())
    numbers = to_arrow(short.numbers).dictionary_encode()
    texts = ShortLabels(short.shared, to_numpy(numbers.dictionary)).labels()
    return pa.DictionaryArray.from_arrays(numbers.indices, texts, safe=False)


def _are_many(column: pa.ChunkedArray) -> bool:
    """Whether a column seems to have too many different texts for the caches of the processor."""
    if not _are_text(column.type) or len(column) < LOOKED_AT:
        return False
    n_different = pc.count_distinct(column.slice(0, LOOKED_AT)).as_py()
    return bool(n_different >= MANY_SHARE * LOOKED_AT)


def _whole(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _only_attribute(n_rows: int) -> pa.DictionaryArray:
    """Return the attribute of tables that have none."""
    indices = pa.Array.from_buffers(pa.int8(), n_rows, [None, pa.py_buffer(bytes(n_rows))])
    names = text_array([ONLY_ATTRIBUTE])
    return pa.DictionaryArray.from_arrays(indices, names, safe=False)
