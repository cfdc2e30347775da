"""The cells of plain CSV files, cut out in two thirds of the time that DuckDB takes.

A file is plain if each delimiter ends a cell and each line break a row. Quotation marks, if there
are any, stand around whole cells that would not need them. What is not plain, or has any fault, is
left to DuckDB, which reads it or says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.buffers import to_arrow
from veracity.data.labels.short import WIDTH, Numbers, ShortLabels, Texts
from veracity.data.read.formats import compression_of
from veracity.data.threads import one_ahead

#: As many bytes are cut up together: they stay in the caches of the processor.
AT_ONCE = 1 << 20
#: Files of so many bytes are cut up by a thread of its own.
LARGE = 1 << 22
QUOTE, NEWLINE, RETURN, ZERO = b'"', b"\n", b"\r", b"\0"
DIGITS = b"0123456789"
#: Labels may become longer by so many digits and still be short.
MORE_DIGITS = 2


class NotPlain(Exception):
    """A file has to be read by DuckDB."""


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

    @cached_property
    def have_zeros(self) -> bool:
        """Whether there is a byte that would be taken for the end of a short label."""
        return ZERO in self.text

    def after_header(self) -> Self:
        """Return the rows after the first."""
        return replace(self, first=self.first[self.n_columns :], stop=self.stop[self.n_columns :])

    def __len__(self) -> int:
        return len(self.first) // self.n_columns

    def texts(self, place: int) -> Texts:
        """Return the cells of a column as they stand among all."""
        first, stop = self.first[place :: self.n_columns], self.stop[place :: self.n_columns]
        return Texts(np.frombuffer(self.text, np.uint8), first, stop - first)

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


class _Column:
    """A column while it is read: labels are kept as numbers as long as they are short."""

    def __init__(self, place: int) -> None:
        self._place = place
        self._shared: bytes | None = None
        self._numbers: list[Numbers] = []
        self._texts: list[pa.StringArray] = []

    def add(self, rows: Rows) -> None:
        """Add the cells of some rows."""
        if not self._texts and self._add_numbers(rows):
            return
        self._texts += [short.labels() for short in self._short()]
        self._numbers.clear()
        self._texts.append(rows.column(self._place))

    def _add_numbers(self, rows: Rows) -> bool:
        """Add cells as numbers; return whether they are short enough."""
        if rows.have_zeros:
            return False
        texts = rows.texts(self._place)
        if self._shared is None:
            self._shared = _shared(texts)
        numbers = np.empty(len(texts.first), np.uint64)
        fits = texts.write_numbers(self._shared, numbers)
        if fits:
            self._numbers.append(numbers)
        return fits

    def _short(self) -> list[ShortLabels]:
        return [ShortLabels(self._shared or b"", numbers) for numbers in self._numbers]

    def labels(self) -> ShortLabels | pa.ChunkedArray:
        """Return all cells."""
        if self._numbers:
            return ShortLabels(self._shared or b"", np.concatenate(self._numbers))
        return pa.chunked_array(self._texts, pa.string())


def _shared(texts: Texts) -> bytes:
    """Return bytes with which all labels of a column may begin, by the first of them.

    Labels to come may have a longer number at their end, or another one.
    """
    n_shared = int(texts.length.max()) - WIDTH
    if n_shared <= 0:
        return b""
    few = texts.few()
    pairs = enumerate(zip(min(few), max(few), strict=False))
    n_alike = next((place for place, (one, other) in pairs if one != other), n_shared)
    word = few[0][:n_alike].rstrip(DIGITS)
    return few[0][: max(n_shared, min(len(word), n_shared + MORE_DIGITS))]


def read_plain(
    paths: Sequence[Path], names: Sequence[str], delimiter: str, wanted: Sequence[str]
) -> dict[str, ShortLabels | pa.ChunkedArray] | None:
    """Read columns, called c0, c1, ..., of plain files as text; None if some file is not plain."""
    if len(names) < 2 or not delimiter.isascii() or delimiter in '"\r\n':
        return None
    if any(sign in name for name in names for sign in (delimiter, "\n")):
        return None  # a quotation mark in the header keeps it together
    columns = {name: _Column(int(name[1:])) for name in wanted}
    try:
        is_large = sum(path.stat().st_size for path in paths) >= LARGE
        for rows in one_ahead(_rows(paths, len(names), delimiter.encode()), is_large):
            for column in columns.values():
                column.add(rows)
    except (NotPlain, OSError, pa.ArrowException):
        return None
    return {name: column.labels() for name, column in columns.items()}


def _rows(paths: Sequence[Path], n_columns: int, delimiter: bytes) -> Iterator[Rows]:
    """Cut files up, some lines at a time, without their headers."""
    for path in paths:
        for place, text in enumerate(_lines(path)):
            rows = _cut_up(text, n_columns, delimiter)
            rows = rows if place else rows.after_header()
            if len(rows):
                yield rows


def _lines(path: Path) -> Iterator[bytes]:
    """Read a file, some whole lines at a time; each ends with a line break."""
    rest = b""
    with pa.input_stream(str(path), compression=compression_of(path)) as stream:
        while chunk := stream.read(max(AT_ONCE, len(rest))):
            end = chunk.rfind(NEWLINE) + 1
            if end:
                yield b"".join([rest, memoryview(chunk)[:end]])
                rest = chunk[end:]
            else:
                rest += chunk
    if rest:
        yield rest + NEWLINE


def _cut_up(text: bytes, n_columns: int, delimiter: bytes) -> Rows:
    """Cut up lines, empty ones aside."""
    if RETURN in text or not _is_text(text):
        raise NotPlain
    rows = Rows.of(text, n_columns, delimiter)
    if rows is None:
        filled = [line + NEWLINE for line in text.split(NEWLINE) if line]
        rows = Rows.of(b"".join(filled), n_columns, delimiter)
    if rows is None:
        raise NotPlain
    return rows


def _is_text(text: bytes) -> bool:
    """Whether bytes are text in UTF-8."""
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False
