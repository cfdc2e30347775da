"""Locations: the format and the files of the table at a path or URI."""

from __future__ import annotations

import glob
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from veracity.errors import InputError, listing

Format = Literal["csv", "parquet", "jsonl", "arrow", "sqlite", "duckdb", "postgres"]

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
#: Endings of spreadsheets, which have to be saved as something else first.
SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
COMPRESSIBLE: tuple[Format, ...] = ("csv", "jsonl")
WILDCARDS = "*?["


@dataclass(frozen=True)
class Location:
    """A table that can be read: its format and its files, or the address of its database."""

    format: Format
    paths: tuple[Path, ...] = ()
    uri: str | None = None

    def __post_init__(self) -> None:
        for path in self.paths:
            if any("\ud800" <= sign <= "\udfff" for sign in str(path)):
                raise InputError(
                    f"The name of the file {str(path)!r} is not UTF-8. Rename the file."
                )

    def describe(self) -> list[dict[str, object]]:
        """List the inputs with their sizes and hashes, for ``run.json``."""
        if self.uri is not None:
            return [{"uri": without_password(self.uri)}]
        return [
            {"path": str(path), "bytes": path.stat().st_size, "sha256": _sha256(path)}
            for path in self.paths
        ]


def locate(where: str | Path) -> Location:
    """Find out what ``where`` names: a file, a folder or a pattern of files, or a database."""
    text = str(where)
    if not text:
        raise InputError("The path is empty. Expected a file, a folder, a pattern or a database.")
    scheme = urlsplit(text).scheme.lower() if "://" in text else ""
    if scheme in ("postgresql", "postgres"):
        return Location("postgres", uri=text)
    if scheme in ("sqlite", "duckdb", "file"):
        rest = unquote(text.split("://", 1)[1])
        # As in SQLAlchemy: three slashes for a relative path, four for an absolute one.
        path = Path(rest if scheme == "file" else rest.removeprefix("/"))
        if scheme == "file":
            return _locate_path(path)
        return Location("sqlite" if scheme == "sqlite" else "duckdb", (_existing(path),))
    if scheme:
        raise InputError(
            f"{scheme}:// addresses cannot be read. Expected a file, a folder, a pattern such as "
            "'claims/*.parquet', or a database at postgresql://, sqlite:// or duckdb://. "
            "Copy the data to a local file first."
        )
    return _locate_path(Path(text).expanduser())


def without_password(uri: str) -> str:
    """Hide the password of a database address."""
    parts = urlsplit(uri)
    if parts.password is None:
        return uri
    return parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", ":***@")).geturl()


def _locate_path(path: Path) -> Location:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if _is_table_file(file))
        if not files:
            raise InputError(
                f"The folder {path} has no table in it. Expected files ending in "
                f"{listing(SUFFIXES, limit=20)}."
            )
        return _same_format(path, files)
    if not path.exists() and any(sign in str(path) for sign in WILDCARDS):
        files = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
        if not files:
            raise InputError(f"No file matches the pattern {path}.")
        return _same_format(path, files)
    _existing(path)
    return Location(_format_of(path), (path,))


def _existing(path: Path) -> Path:
    if path.exists():
        return path
    near = _similar_files(path)
    hint = f" Beside it are: {listing(near)}." if near else ""
    raise InputError(f"There is no file {path}.{hint}")


def _similar_files(path: Path) -> list[str]:
    folder = path.parent
    if not folder.is_dir():
        return []
    return sorted(file.name for file in folder.iterdir() if _is_table_file(file))[:5]


def _is_table_file(path: Path) -> bool:
    if path.name.startswith((".", "_")) or not path.is_file():
        return False
    return _suffix(path) in SUFFIXES


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _format_of(path: Path) -> Format:
    found = SUFFIXES.get(_suffix(path))
    if found is None:
        found = _format_by_content(path)
    if found is None and _suffix(path) in SPREADSHEETS:
        raise InputError(
            f"{path} is a spreadsheet, which cannot be read. Save its sheet as CSV (in Python: "
            "read it with pandas, and give the table)."
        )
    if found is None:
        raise InputError(
            f"The format of {path} is not known by its name. Expected an ending among "
            f"{listing(SUFFIXES, limit=20)}, with .gz or .zst after it where it is compressed text."
        )
    if compression_of(path) and found not in COMPRESSIBLE:
        raise InputError(f"{path}: a compressed {found} file cannot be read; decompress it first.")
    return found


def _format_by_content(path: Path) -> Format | None:
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"ARROW1"):
        return "arrow"
    if start.startswith(b"SQLite format 3"):
        return "sqlite"
    return "duckdb" if start[8:12] == b"DUCK" else None


def compression_of(path: Path) -> str | None:
    """Return how a file is compressed, by its last suffix."""
    return COMPRESSIONS.get(path.suffix.lower())


def _same_format(where: Path, files: list[Path]) -> Location:
    formats = {_format_of(file) for file in files}
    if len(formats) > 1:
        raise InputError(
            f"{where} holds tables of several formats ({listing(sorted(formats))}). "
            "Name one kind, for example with a pattern such as '*.parquet'."
        )
    return Location(formats.pop(), tuple(files))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
