"""The cells of plain CSV files, without DuckDB.

A file is plain if each delimiter ends a cell and each line break a row. Quotation marks, if there
are any, stand around whole cells. What is not plain, or has any fault, is left to DuckDB, which
reads it or says what is wrong with it. Small files are cut up by numpy, since the compiler takes
longer to load than they take to read; there, quoted cells may not need their quotation marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.buffers import to_arrow
from veracity.data.read.coded_column import CodedColumn
from veracity.data.read.file_lines import NEWLINE, Lines, NotPlain, lines_of

#: Files of so many bytes are cut up and coded by compiled loops.
LARGE = 1 << 23
QUOTE, RETURN, RETURN_NEWLINE = b'"', b"\r", b"\r\n"


@dataclass(frozen=True, eq=False)
class Rows:
    """Whole lines of a file, cut into cells.

    Attributes
    ----------
    text
        The lines; each ends with a line break.
    n_columns
        How many cells each has.
    first, stop
        Where cells begin and end, quotation marks aside, row by row; (n_cells,).
    """

    text: bytes
    n_columns: int
    first: Indices
    stop: Indices

    @classmethod
    def of(cls, text: bytes, n_columns: int, delimiter: bytes) -> Self | None:
        """Cut up lines; None if they are not plain, or a line is empty."""
        signs = np.frombuffer(text, np.uint8)
        ends = signs == ord(NEWLINE)
        n_rows = int(np.count_nonzero(ends))
        ends |= signs == ord(delimiter)
        stop = np.flatnonzero(ends)
        last = stop[n_columns - 1 :: n_columns]
        if len(stop) != n_rows * n_columns or (signs[last] != ord(NEWLINE)).any():
            return None
        first = np.zeros_like(stop)
        np.add(stop[:-1], 1, out=first[1:])
        if QUOTE in text and not _take_off_quotes(signs, first, stop):
            return None
        return cls(text, n_columns, first, stop)

    def __len__(self) -> int:
        return len(self.first) // self.n_columns

    def column(self, place: int) -> pa.StringArray:
        """Return the cells of a column one after another."""
        bounds = np.empty(2 * len(self.first), np.int32)
        bounds[::2], bounds[1::2] = self.first, self.stop
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(self.text)]
        # Every second text stands between two cells.
        texts = pa.Array.from_buffers(pa.string(), len(bounds) - 1, buffers)
        wanted = np.arange(2 * place, len(bounds) - 1, 2 * self.n_columns)
        return texts.take(to_arrow(wanted))


def _take_off_quotes(signs: Any, first: Indices, stop: Indices) -> bool:
    """Leave out the quotation marks around whole cells; return whether there are no others."""
    opening = signs[first] == ord(QUOTE)
    closing = signs[stop - 1] == ord(QUOTE)
    n_quotes = np.count_nonzero(signs == ord(QUOTE))
    if n_quotes != 2 * np.count_nonzero(opening) or (opening != closing).any():
        return False
    first += opening
    stop -= closing
    return not (first > stop).any()


def read_plain(
    paths: Sequence[Path], names: Sequence[str], delimiter: str, wanted: Sequence[str]
) -> dict[str, pa.ChunkedArray] | dict[str, CodedColumn] | None:
    """Read columns, called c0, c1, ..., of plain files as text; None if some file is not plain."""
    if len(names) < 2 or not delimiter.isascii() or delimiter in '"\r\n':
        return None
    if any(sign in name for name in names for sign in (delimiter, "\n")):
        return None  # a quotation mark in the header keeps it together
    places = {name: int(name[1:]) for name in wanted}
    try:
        if sum(path.stat().st_size for path in paths) < LARGE:
            return _read_small(paths, len(names), delimiter.encode(), places)
        from veracity.data.read.cell_tables import code_cells  # brings a compiler with it

        coded = code_cells(paths, len(names), ord(delimiter), list(places.values()))
    except (NotPlain, OSError, pa.ArrowException):
        return None
    return {name: coded[place] for name, place in places.items()}


def _read_small(
    paths: Sequence[Path], n_columns: int, delimiter: bytes, places: dict[str, int]
) -> dict[str, pa.ChunkedArray]:
    """Read columns of small files, by their place."""
    rows = list(_rows(paths, n_columns, delimiter))
    return {
        name: pa.chunked_array([some.column(place) for some in rows], pa.string())
        for name, place in places.items()
    }


def _rows(paths: Sequence[Path], n_columns: int, delimiter: bytes) -> Iterator[Rows]:
    """Cut files up, some lines at a time, without their headers."""
    for path in paths:
        for place, lines in enumerate(lines_of(path)):
            rows = _cut_up(lines, n_columns, delimiter)
            if place and len(rows):
                yield rows


def _cut_up(lines: Lines, n_columns: int, delimiter: bytes) -> Rows:
    """Cut up lines, empty ones aside."""
    text = _with_newlines(lines)
    rows = Rows.of(text, n_columns, delimiter)
    if rows is None:
        filled = [line + NEWLINE for line in text.split(NEWLINE) if line]
        rows = Rows.of(b"".join(filled), n_columns, delimiter)
    if rows is None:
        raise NotPlain
    return rows


def _with_newlines(lines: Lines) -> bytes:
    """Return lines that end with a newline each, whatever they end with in the file."""
    text = lines.text
    n_returns = text.count(RETURN)
    if not n_returns and lines.ending == NEWLINE:
        return text
    both = text.count(RETURN_NEWLINE)
    if lines.ending == NEWLINE or not both == n_returns == text.count(NEWLINE):
        raise NotPlain
    return text.replace(RETURN_NEWLINE, NEWLINE)
