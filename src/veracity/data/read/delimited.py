"""CSV and its kin: header, delimiter, encoding and ragged rows, checked before anything is read."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import IO, Any

import pyarrow as pa

from veracity.data.notes import Note, plural
from veracity.data.read.dictionaries import Cells, Column
from veracity.data.read.engine_errors import first_line
from veracity.data.read.formats import compression_of
from veracity.data.read.plain_cells import read_plain
from veracity.data.read.schema import repeated_names
from veracity.data.read.workbench import Workbench, quoted, quoted_path
from veracity.errors import InputError, InvalidParameter, listing

DELIMITERS = (",", "\t", ";", "|")
HEADER_BYTES = 1 << 20
CHUNK_BYTES = 1 << 16
LONGEST_ROW = 16_000_000
LINE_END = re.compile(rb"[\r\n]")
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
ROWS_SHOWN = 3
TEXT_SHOWN = 80


def open_delimited(
    workbench: Workbench,
    paths: Sequence[Path],
    encoding: str,
    delimiter: str | None,
    ragged: str,
) -> tuple[tuple[str, ...], str, Callable[[], list[Note]], Cells]:
    """Open delimited files; return their column names, the SQL that reads them and a check.

    The check is to be made once they were read: it raises, or notes which rows were left out. What
    comes last reads columns of plain files without SQL.
    """
    given = paths
    if not _is_utf8(encoding):
        paths = [_transcoded(workbench, path, encoding) for path in paths]
    headers = [
        read_header(_first_bytes(path), delimiter, name)
        for path, name in zip(paths, given, strict=True)
    ]
    for path, name in zip(paths, given, strict=True):
        _check_lines(path, name)
    names, separator = headers[0]
    for path, (other, _) in zip(given, headers, strict=True):
        if other != names:
            raise InputError(
                f"{path} has the columns {listing(other)}, but {given[0]} has {listing(names)}. "
                "Files that are read together need the same header."
            )
    is_plain = False

    def cells(columns: Sequence[str]) -> Mapping[str, Column] | None:
        nonlocal is_plain
        found = read_plain(paths, names, separator, columns)
        is_plain = found is not None
        return found

    def check() -> list[Note]:
        return [] if is_plain else _check_rejects(workbench, len(names), encoding, ragged)

    return names, _scan(paths, len(names), separator), check, cells


def _scan(paths: Sequence[Path], n_columns: int, delimiter: str) -> str:
    files = ", ".join(quoted_path(path) for path in paths)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    return (
        f"SELECT * FROM read_csv([{files}], auto_detect = false, header = true, "
        f"delim = {quoted(delimiter)}, quote = '\"', escape = '\"', columns = {{{columns}}}, "
        f"compression = {quoted(_compression(paths))}, "
        # Room for long rows; the buffer holds several, so that threads share the work.
        f"max_line_size = {LONGEST_ROW}, buffer_size = {2 * LONGEST_ROW}, "
        "store_rejects = true, rejects_limit = 0, hive_partitioning = false)"
    )


def _compression(paths: Sequence[Path]) -> str:
    kinds = {compression_of(path) or "none" for path in paths}
    if len(kinds) > 1:
        raise InputError("Compressed and plain files cannot be read together.")
    return kinds.pop()


def read_header(
    start: bytes, delimiter: str | None, given: PurePath
) -> tuple[tuple[str, ...], str]:
    """Return the column names and the delimiter of a file by its first bytes.

    `given` is how the user knows the file.
    """
    if len(start) >= HEADER_BYTES and not any(sign in start for sign in b"\n\r"):
        raise InputError(
            f"{given}: the first line is longer than 1 MB. Expected the names of the columns."
        )
    if not start.strip():
        raise InputError(f"{given} is empty. Expected a header line and one claim per line.")
    if start.startswith((b"\n", b"\r")):
        raise InputError(
            f"{given} begins with an empty line. Expected the header; remove the line."
        )
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut at the end of the sample is no fault of the file.
        if not error.start or (error.start < len(start) - 4 and b"\n" not in start[: error.start]):
            raise _not_utf8(given, 1, start, error) from error
        text = start[: error.start].decode("utf-8")
    text = text.removeprefix("\ufeff")
    separator = delimiter or _guess_delimiter(given, text)
    if len(separator) != 1:
        raise InvalidParameter(f"delimiter must be one character. Got {delimiter!r} instead.")
    try:
        lines = (line.group() for line in LINE.finditer(text))
        cells = next(csv.reader(lines, delimiter=separator))
    except csv.Error as error:
        raise InputError(f"{given}: the header could not be read: {error}.") from error
    names = tuple(cell.strip() for cell in cells)
    if "" in names:
        raise InputError(
            f"{given}: column {names.index('') + 1} of the header has no name. Give it one, or "
            "take the column out."
        )
    if repeated := repeated_names(names):
        raise InputError(f"{given} has several columns named {listing(repeated)}. Rename them.")
    return names, separator


def _first_bytes(path: Path) -> bytes:
    try:
        with pa.input_stream(str(path), compression=compression_of(path)) as stream:
            start = bytes(stream.read(HEADER_BYTES))
            while not _has_header(start) and (more := bytes(stream.read(len(start)))):
                start += more
                if len(start) > LONGEST_ROW:
                    raise InputError(
                        f"{path}: the header is longer than 16 MB. Perhaps a quotation mark is "
                        "never closed. Expected a line with the names of the columns; take out "
                        "columns that are no claims or features."
                    )
            return start
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{path} could not be read: {first_line(error)}") from error


def _check_lines(path: Path, given: Path) -> None:
    """Refuse a line that is too long: the engine would leave it out without a word."""
    begun = _long_line(path) if compression_of(path) is None else _long_packed_line(path, given)
    if begun is not None:
        raise InputError(
            f"{given}: the row after the first {begun:,} bytes is longer than 16 MB. "
            "Perhaps a quotation mark is never closed; longer rows can be read from "
            "Parquet or JSON lines."
        )


def _long_line(path: Path) -> int | None:
    """Return where the first line that is too long begins, None if there is none.

    Looks no further than for the last end of a line that each 16 MB have.
    """
    size, begun = path.stat().st_size, 0
    with path.open("rb") as file:
        while size - begun > LONGEST_ROW:
            end = _last_end(file, begun, begun + LONGEST_ROW + 1)
            if end is None:
                return begun
            begun = end
    return None


def _last_end(file: IO[bytes], first: int, stop: int) -> int | None:
    """Return the place after the last end of a line within some bytes of a file."""
    while stop > first:
        start = max(first, stop - CHUNK_BYTES)
        file.seek(start)
        chunk = file.read(stop - start)
        place = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        if place >= 0:
            return start + place + 1
        stop = start
    return None


def _long_packed_line(path: Path, given: Path) -> int | None:
    """Return where the first line that is too long begins in a compressed file."""
    seen = begun = 0  # bytes so far, and those before the line that is open
    with pa.input_stream(str(path), compression=compression_of(path)) as stream:
        while chunk := _next_bytes(given, stream):
            ends = [place for sign in b"\n\r" if (place := chunk.find(sign)) >= 0]
            if seen + min(ends, default=len(chunk)) - begun > LONGEST_ROW:
                return begun
            if ends:
                begun = seen + max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            seen += len(chunk)
    return None


def _has_header(start: bytes) -> bool:
    """Whether the first line ends within these bytes; line breaks in quotes do not count."""
    n_quotes, seen = 0, 0
    for end in LINE_END.finditer(start):
        n_quotes += start.count(b'"', seen, end.start())
        seen = end.start()
        if n_quotes % 2 == 0:
            return True
    return False


def _guess_delimiter(path: PurePath, text: str) -> str:
    if ".tsv" in path.suffixes or ".tab" in path.suffixes:
        return "\t"
    header = re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    counts = {mark: header.count(mark) for mark in DELIMITERS}
    best = max(DELIMITERS, key=lambda mark: counts[mark])
    return best if counts[best] else ","


def _check_rejects(workbench: Workbench, n_columns: int, encoding: str, ragged: str) -> list[Note]:
    """Turn the lines that the reader refused into an error or, if they may be skipped, a note."""
    rejects = (
        "(SELECT scan_id, file_id, line, any_value(error_type) AS error_type, "
        "any_value(error_message) AS error_message, any_value(csv_line) AS csv_line "
        "FROM reject_errors GROUP BY scan_id, file_id, line)"
    )
    (count,) = workbench.row(f"SELECT count(*) FROM {rejects}")
    if not count:
        return []
    rows = workbench.rows(
        f"SELECT file_path, line, error_type, error_message, csv_line FROM {rejects} "
        "JOIN (SELECT DISTINCT scan_id, file_id, file_path FROM reject_scans) "
        "USING (scan_id, file_id) "
        "ORDER BY error_type NOT IN ('INVALID ENCODING', 'LINE SIZE OVER MAXIMUM'), "
        "file_path, line "
        f"LIMIT {ROWS_SHOWN}"
    )
    path, line, kind, _, text = rows[0]
    if kind == "INVALID ENCODING":
        raise InputError(
            f"{path}, line {line}: bytes that are not {encoding} text ({text!r}). "
            "Say how the file is encoded, for example with --encoding latin-1 "
            '(in Python: encoding="latin-1").'
        )
    if kind == "LINE SIZE OVER MAXIMUM":
        raise InputError(
            f"{path}, line {line}: the row is longer than 16 MB. Perhaps a quotation mark is never "
            "closed; longer rows can be read from Parquet or JSON lines."
        )
    shown = "; ".join(f"{_name(path)} line {line}: {_cut(text)!r}" for path, line, *_, text in rows)
    what = f"{plural(count, 'row')} without exactly {n_columns} cells ({shown})"
    if ragged == "skip":
        return [Note("ragged", f"Left out {what}.", count)]
    raise InputError(
        f"{what[0].upper()}{what[1:]}. Correct them, quote cells that contain the delimiter, or "
        'leave such rows out with --ragged skip (in Python: ragged="skip").'
    )


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else text[:TEXT_SHOWN] + "…"


def _name(path: str) -> str:
    return Path(path).name


def _not_utf8(path: PurePath, line: int, text: bytes, error: UnicodeDecodeError) -> InputError:
    likely = "utf-16" if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "latin-1"
    return InputError(
        f"{path}, line {line}: byte {text[error.start]:#04x} at position {error.start} is not "
        f"UTF-8 text. Say how the file is encoded, for example with --encoding {likely} "
        f'(in Python: encoding="{likely}").'
    )


def _is_utf8(encoding: str) -> bool:
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)  # some codecs, such as hex, turn bytes into bytes
    except (LookupError, ValueError) as error:
        raise InvalidParameter(
            f"There is no encoding {encoding!r} of text. Expected a name such as utf-8, latin-1, "
            "cp1252 or utf-16."
        ) from error
    return found.name in ("utf-8", "utf-8-sig", "ascii")


def _transcoded(workbench: Workbench, path: Path, encoding: str) -> Path:
    """Write the file anew in UTF-8, in a scratch folder that goes with the workbench."""
    folder = workbench.scratch() / str(len(list(workbench.scratch().iterdir())))
    folder.mkdir()
    target = folder / (path.stem if compression_of(path) else path.name)
    decoder = codecs.getincrementaldecoder(encoding)()
    with (
        pa.input_stream(str(path), compression=compression_of(path)) as source,
        target.open("w", encoding="utf-8", newline="") as sink,
    ):
        _copy_decoded(path, source, sink, decoder, encoding)
    return target


def _next_bytes(path: Path, source: Any) -> bytes:
    try:
        return bytes(source.read(CHUNK_BYTES))
    except OSError as error:
        raise InputError(f"{path} could not be read: {first_line(error)}") from error


def _copy_decoded(path: Path, source: Any, sink: IO[str], decoder: Any, encoding: str) -> None:
    read = 0
    while True:
        chunk = _next_bytes(path, source)
        try:
            sink.write(decoder.decode(chunk, final=not chunk))
        except UnicodeError as error:
            place = read + getattr(error, "start", 0)  # UTF-16 without its mark has none
            raise InputError(
                f"{path}: the bytes near position {place} are not {encoding} text. "
                "Choose another --encoding."
            ) from error
        if not chunk:
            return
        read += len(chunk)
