"""The lines of plain files, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from veracity.data.read.formats import compression_of

#: As many bytes are cut up together: they stay in the caches of the processor.
AT_ONCE = 1 << 18
NEWLINE = b"\n"


class NotPlain(Exception):
    """A file has to be read by DuckDB."""


class Lines(NamedTuple):
    """Whole lines of a file, and what ends each of them."""

    text: bytes
    ending: bytes


def lines_of(path: Path, after: bytes = b"") -> Iterator[Lines]:
    """Read a file, some whole lines at a time; the header comes first, by itself.

    `after` is put behind the lines, where their reader needs something to stop at.
    """
    ending, rest = b"", b""
    with pa.input_stream(str(path), compression=compression_of(path)) as stream:
        while chunk := stream.read(max(AT_ONCE, len(rest))):
            stop = chunk.rfind(NEWLINE) + 1
            if not stop:
                rest += chunk
                continue
            text, rest = b"".join([rest, memoryview(chunk)[:stop], after]), chunk[stop:]
            if not ending:
                begin = text.index(NEWLINE) + 1
                ending = b"\r\n" if text[:begin].endswith(b"\r\n") else NEWLINE
                yield _checked(text[:begin] + after, ending)
                text = text[begin:]
            yield _checked(text, ending)
    if rest:
        ending = ending or NEWLINE
        yield _checked(rest + ending + after, ending)


def _checked(text: bytes, ending: bytes) -> Lines:
    """Return lines of UTF-8 text; raise `NotPlain` for others, so that DuckDB reports the place."""
    try:
        if not text.isascii():
            text.decode()
    except UnicodeDecodeError as error:
        raise NotPlain from error
    return Lines(text, ending)
