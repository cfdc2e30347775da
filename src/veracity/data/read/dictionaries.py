"""Labels as dictionaries: each distinct text once and, for each row, which of them it has.

What has to be done with labels is then done once for each text, and not for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Indices
from veracity.data.buffers import text_array, to_arrow, to_numpy
from veracity.data.labels.digits import by_digits, by_table
from veracity.data.labels.short import ShortLabels
from veracity.data.read.coded_column import CodedColumn
from veracity.data.read.schema import ONLY_ATTRIBUTE
from veracity.data.threads import together

#: As many rows are looked at, to find out whether texts are many: so many of them are different.
LOOKED_AT, MANY_SHARE = 16_384, 0.9
#: The columns of so many rows are looked at at the same time.
MANY_ROWS = 100_000


#: A column in memory. Text that is read from a large file comes with codes.
Column: TypeAlias = pa.ChunkedArray | CodedColumn
#: Returns columns c0, c1, ... of a table if it is in memory, or quickly brought there.
Cells = Callable[[Sequence[str]], Mapping[str, Column] | None]


def no_cells(columns: Sequence[str]) -> None:
    """Return nothing: SQL has to read the table."""


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
    cells: Cells,
    arrow: Callable[[str, pa.Table | None], pa.Table],
) -> dict[str, pa.DictionaryArray]:
    """Read the labels of all roles.

    Parameters
    ----------
    labels
        By role.
    relation
        SQL for the rows.
    cells
        The columns, where they are in memory.
    arrow
        Runs a query, which finds the table that it is given as ``cells``.
    """
    found: dict[str, pa.DictionaryArray] = {}
    columns = [label.cell for label in labels.values() if label.cell is not None]
    frame = cells(list(dict.fromkeys(columns)))
    if frame is not None:
        plain = {
            role: frame[label.cell]
            for role, label in labels.items()
            if label.cell is not None and _are_plain(frame[label.cell].type)
        }
        works = [partial(_told_apart, column) for column in plain.values()]
        n_rows = max(map(len, plain.values()), default=0)
        told_apart = together(works, at_once=n_rows >= MANY_ROWS)
        for (role, column), cells_of in zip(plain.items(), told_apart, strict=True):
            texts_of = partial(_texts, labels[role], arrow)
            found[role] = _written(cells_of, column.type, texts_of)
    rest = [role for role in labels if role not in found and labels[role].cell is not None]
    if rest:
        chosen = ", ".join(f"{labels[role].text} AS {role}" for role in rest)
        read = arrow(f"SELECT {chosen} FROM ({relation})", None)
        found |= {role: as_dictionary(read[role]) for role in rest}
    n_rows = len(next(iter(found.values())))
    return {role: found.get(role) or _only_attribute(n_rows) for role in labels}


def as_dictionary(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of texts as a dictionary."""
    return _written(_told_apart(column), column.type, lambda texts: texts)


def _texts(
    label: LabelSql, arrow: Callable[[str, pa.Table | None], pa.Table], cells: pa.Array
) -> pa.Array:
    """Write distinct cells as text."""
    if pa.types.is_integer(cells.type):
        return cells.cast(pa.string())
    if label.is_cell:  # for a small table, a query takes longer than all else
        # Scalars of Arrow's own: for one of Python, pyarrow would import pandas.
        is_empty = pc.equal(cells, text_array([""])[0])
        return pc.if_else(is_empty, pa.nulls(1, cells.type)[0], cells)
    table = arrow(f"SELECT {label.text} AS text FROM cells", pa.table({label.cell: cells}))
    return table["text"].combine_chunks()


def _are_plain(kind: pa.DataType) -> bool:
    """Whether cells of a type are quickly told apart."""
    if pa.types.is_dictionary(kind):
        return _are_plain(kind.value_type)
    return bool(_are_text(kind) or pa.types.is_integer(kind))


def _are_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _written(
    cells: pa.DictionaryArray, kind: pa.DataType, texts_of: Callable[[pa.Array], pa.Array]
) -> pa.DictionaryArray:
    """Write the distinct cells of a column of some type as text."""
    given = pa.types.is_dictionary(kind)
    indices, texts = cells.indices.cast(pa.int32()), texts_of(cells.dictionary)
    ordered = cells.type.ordered and not given
    if given or texts.null_count:  # some may be missing, or the same
        again = texts.dictionary_encode()
        indices, texts = again.indices.take(indices), again.dictionary
    return _dictionary(indices, texts.cast(pa.string()), ordered)


def _told_apart(column: Column) -> pa.DictionaryArray:
    """Return a column as a dictionary of its cells; texts may be in order, and are said to be."""
    found = None
    if isinstance(column, CodedColumn):
        return column.cells()
    if pa.types.is_dictionary(column.type):
        return _whole(column.unify_dictionaries())
    if _are_text(column.type) and _are_many(column):
        short = ShortLabels.of(column.chunks)
        found = None if short is None else _by_number(short)
    elif column.type == pa.int64() and len(column) and not column.null_count:
        found = _by_place(to_numpy(column))
    return _whole(column.dictionary_encode()) if found is None else found


def _by_number(short: ShortLabels) -> pa.DictionaryArray:
    """Tell labels apart by the numbers that stand for them."""
    found = by_digits(short)
    if found is not None:
        codes, distinct = found
        return _dictionary(to_arrow(codes), distinct.labels(), ordered=True)
    numbers = to_arrow(short.numbers).dictionary_encode()
    distinct = ShortLabels(short.shared, to_numpy(numbers.dictionary))
    return _dictionary(numbers.indices, distinct.labels())


def _by_place(cells: Indices) -> pa.DictionaryArray | None:
    """Tell whole numbers apart by a table; None if they are too far apart for that."""
    found = by_table(cells)
    return None if found is None else _dictionary(to_arrow(found[0]), to_arrow(found[1]))


def _are_many(column: pa.ChunkedArray) -> bool:
    """Whether a column seems to have too many different texts for the caches of the processor."""
    if len(column) < LOOKED_AT:
        return False
    n_different = pc.count_distinct(column.slice(0, LOOKED_AT)).as_py()
    return bool(n_different >= MANY_SHARE * LOOKED_AT)


def _dictionary(indices: pa.Array, cells: pa.Array, ordered: bool = False) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(indices, cells, ordered=ordered, safe=False)


def _whole(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _only_attribute(n_rows: int) -> pa.DictionaryArray:
    """Return the attribute of tables that have none."""
    indices = pa.Array.from_buffers(pa.int8(), n_rows, [None, pa.py_buffer(bytes(n_rows))])
    names = text_array([ONLY_ATTRIBUTE])
    return _dictionary(indices, names)
