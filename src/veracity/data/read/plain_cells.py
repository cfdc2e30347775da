"""The cells of plain CSV files, cut out by Arrow in half the time that DuckDB takes.

A file is plain if each delimiter ends a cell and each line break a row. Quotation marks, if there
are any, stand around whole cells that would not need them. What is not plain, or has any fault, is
left to DuckDB, which reads it or says what is wrong with it.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from veracity.data.read.formats import compression_of
from veracity.data.threads import together

#: As many bytes are looked at together: they stay in the caches of the processor.
AT_ONCE = 1 << 17
#: A file of so many bytes is looked at and cut up at the same time.
LARGE = 1 << 22
#: A longer last cell is not looked at.
LAST_CELL = 1 << 10
QUOTE, NEWLINE = b'"', b"\n"


@dataclass
class Signs:
    """What the bytes of a file tell about its cells.

    Attributes
    ----------
    are_text, have_returns
        Whether the bytes are text in UTF-8, and whether one is a carriage return.
    n_quotes, n_opening, n_closing
        How many quotation marks there are, before them and after them the end of a cell.
    n_ends
        How many delimiters and ends of lines there are.
    end_is_open
        Whether the last cell may begin with a quotation mark that is never closed.
    """

    are_text: bool = True
    have_returns: bool = False
    n_quotes: int = 0
    n_opening: int = 0
    n_closing: int = 0
    n_ends: int = 0
    end_is_open: bool = False

    @classmethod
    def of(cls, path: Path, delimiter: bytes) -> Signs:
        """Look at all bytes of a file; no further than to a carriage return or what is no text."""
        signs, last, decoder = cls(), NEWLINE, codecs.getincrementaldecoder("utf-8")()
        with pa.input_stream(str(path), compression=compression_of(path)) as stream:
            while signs.are_text and not signs.have_returns and (chunk := stream.read(AT_ONCE)):
                signs.are_text = _goes_on(decoder, chunk)
                signs.have_returns = b"\r" in chunk
                signs._count(last[-1:], chunk, delimiter)
                last = (last + chunk[-LAST_CELL:])[-LAST_CELL:]
        signs.are_text = signs.are_text and _goes_on(decoder, b"", final=True)
        signs.n_ends += not last.endswith(NEWLINE)
        signs.end_is_open = _is_open(last.removesuffix(NEWLINE), delimiter)
        return signs

    def _count(self, before: bytes, chunk: bytes, delimiter: bytes) -> None:
        """Count in a chunk, given the byte before it."""
        signs = np.frombuffer(chunk, np.uint8)
        is_end = signs == ord(delimiter)
        is_end |= signs == ord(NEWLINE)
        self.n_ends += int(np.count_nonzero(is_end))
        if QUOTE in chunk:
            is_quote = signs == ord(QUOTE)
            self.n_quotes += int(np.count_nonzero(is_quote))
            self.n_opening += int(np.count_nonzero(is_quote[1:] & is_end[:-1]))
            self.n_closing += int(np.count_nonzero(is_quote[:-1] & is_end[1:]))
        # Where chunks meet.
        self.n_opening += chunk[:1] == QUOTE and before in (delimiter, NEWLINE)
        self.n_closing += before == QUOTE and chunk[:1] in (delimiter, NEWLINE)

    def are_plain(self, n_rows: int, n_columns: int) -> bool:
        """Whether quotation marks stand around whole cells, without a delimiter in them.

        With as many ends of cells as there are cells, none is within quotation marks. Then each
        mark is before or after a whole cell, and as many are before one as after.
        """
        if not self.n_quotes:
            return True
        return (
            self.n_ends == n_rows * n_columns
            and not self.end_is_open
            and self.n_opening == self.n_closing
            and self.n_opening + self.n_closing == self.n_quotes
        )


def _goes_on(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    """Whether text goes on with a chunk, which may end within a character."""
    if chunk.isascii() and not decoder.getstate()[0] and not final:
        return True
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _is_open(last: bytes, delimiter: bytes) -> bool:
    """Whether the last cell may begin with a quotation mark that is never closed."""
    end = max(last.rfind(delimiter), last.rfind(NEWLINE))
    cell = last[end + 1 :]
    is_closed = len(cell) > 1 and cell.endswith(QUOTE)
    return end < 0 or (cell.startswith(QUOTE) and not is_closed)


def read_plain(
    paths: Sequence[Path], names: Sequence[str], delimiter: str, wanted: Sequence[str]
) -> pa.Table | None:
    """Read columns, called c0, c1, ..., of plain files as text; None if some file is not plain."""
    if len(names) < 2 or not delimiter.isascii() or delimiter in '"\r\n':
        return None
    if any(sign in name for name in names for sign in (delimiter, "\n")):
        return None  # a quotation mark in the header keeps it together
    tables = []
    for path in paths:
        table = _read_one(path, len(names), delimiter, wanted)
        if table is None:
            return None
        tables.append(table)
    return pa.concat_tables(tables)


def _read_one(path: Path, n_columns: int, delimiter: str, wanted: Sequence[str]) -> pa.Table | None:
    try:
        if _begins_with_return(path):
            return None
        signs, table = together(
            [
                partial(Signs.of, path, delimiter.encode()),
                partial(_cut_out, path, n_columns, delimiter, wanted),
            ],
            at_once=path.stat().st_size >= LARGE,
        )
    except (OSError, pa.ArrowException):
        return None
    is_plain = signs.are_text and not signs.have_returns
    return table if is_plain and signs.are_plain(len(table) + 1, n_columns) else None


def _begins_with_return(path: Path) -> bool:
    """Whether a carriage return is among the first bytes, as in files from Windows."""
    with pa.input_stream(str(path), compression=compression_of(path)) as stream:
        return b"\r" in stream.read(AT_ONCE)


def _cut_out(path: Path, n_columns: int, delimiter: str, wanted: Sequence[str]) -> pa.Table:
    """Read the rows after the first."""
    every = [f"c{place}" for place in range(n_columns)]
    options: dict[str, Any] = {
        # Threads would wait for memory more than they save.
        "read_options": pa.csv.ReadOptions(column_names=every, skip_rows=1, use_threads=False),
        "parse_options": pa.csv.ParseOptions(delimiter=delimiter, double_quote=False),
        "convert_options": pa.csv.ConvertOptions(
            check_utf8=False,
            column_types=dict.fromkeys(every, pa.string()),
            include_columns=list(wanted),
        ),
    }
    with pa.input_stream(str(path), compression=compression_of(path)) as stream:
        return pa.csv.read_csv(stream, **options)
