"""The SQLite file of marks: its tables, the forms they had before, and safe writing."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from veracity.data.output.locks import held
from veracity.errors import InputError

#: How long to wait for another process that writes, in seconds.
PATIENCE = 5.0
#: So long after a change, another gives the file another time wherever it is kept, in nanoseconds.
SETTLED = 3_000_000_000

_MARKS = """
CREATE TABLE marks (
    entity TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    updated TEXT NOT NULL,
    PRIMARY KEY (entity, attribute, value)
) WITHOUT ROWID
"""
_HISTORY = """
CREATE TABLE IF NOT EXISTS history (
    number INTEGER PRIMARY KEY,
    entity TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT,
    updated TEXT NOT NULL
)
"""
_SKIPPED = "ALTER TABLE history ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0"
_SKIPS = """
CREATE TABLE skips (
    entity TEXT NOT NULL,
    attribute TEXT NOT NULL,
    updated TEXT NOT NULL,
    PRIMARY KEY (entity, attribute)
) WITHOUT ROWID
"""
_DRAW = """
CREATE TABLE draw (
    number INTEGER PRIMARY KEY,
    entity TEXT NOT NULL,
    attribute TEXT NOT NULL,
    seed INTEGER NOT NULL,
    drawn TEXT NOT NULL,
    UNIQUE (entity, attribute)
)
"""


class MarksUnavailable(InputError):
    """Marks cannot be kept, or not be read."""


class MarksFile:
    """A file of marks: read as it is, and brought up to date when it is written to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._name, self._folder, self._log = str(path), str(path.parent), f"{path}-wal"

    def is_writable(self) -> bool:
        """Whether marks can be kept, as far as can be seen without writing."""
        if not os.access(self._folder, os.W_OK):
            return False
        return os.access(self._name, os.W_OK) or not os.access(self._name, os.F_OK)

    def stamp(self) -> tuple[object, ...] | None:
        """Return what changes with every change of the file; looked at without opening it.

        It is None just after a change, when another might not show in the time of the file.
        """
        found, now = list[tuple[int, ...]](), time.time_ns()
        for name in (self._name, self._log):
            try:
                seen = os.stat(name)
            except OSError:
                break
            if not seen.st_size:  # reading leaves an empty log
                continue
            if now - seen.st_mtime_ns < SETTLED:
                return None
            found.append((seen.st_ino, seen.st_size, seen.st_mode, seen.st_mtime_ns))
        return tuple(found)

    def rows(self, table: str, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query about a table; none if the file has no such table yet."""
        if not self.path.exists():
            return []
        with self._reading() as connection:
            if not has_table(connection, table):
                return []
            return connection.execute(query).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            try:
                connection = self._connect("mode=ro")
                connection.execute("SELECT 1 FROM sqlite_master")
            except sqlite3.OperationalError:  # a folder that is read-only has no place for a log
                connection = self._connect("mode=ro&immutable=1")
            with closing(connection):
                yield connection
        except sqlite3.Error as error:
            raise MarksUnavailable(_why(self.path, error)) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose changes are on disk at the end, all of them or none."""
        try:
            with (
                self._lock,
                held(self.path.parent, patience=PATIENCE),  # the folder may be about to go
                closing(self._connect("mode=rwc")) as connection,
            ):
                # Each mark is on disk when its request is answered.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    _bring_up_to_date(connection, self.path)
                    yield connection
        except (sqlite3.Error, OSError) as error:
            raise MarksUnavailable(_why(self.path, error)) from error

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.absolute()))}?{mode}"
        return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether there is a table of that name."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,))
    return found.fetchone() is not None


def _to_version_1(connection: sqlite3.Connection) -> None:
    """Make the tables; before, a mark had but one value."""
    has_earlier = has_table(connection, "marks")
    if has_earlier:
        connection.execute("ALTER TABLE marks RENAME TO earlier_marks")
    connection.execute(_MARKS)
    connection.execute(_HISTORY)
    if has_earlier:
        columns = "entity, attribute, value, updated"
        connection.execute(f"INSERT INTO marks SELECT {columns} FROM earlier_marks")
        connection.execute("DROP TABLE earlier_marks")


def _to_version_2(connection: sqlite3.Connection) -> None:
    """Add the audit draw and the skips."""
    for statement in (_SKIPPED, _SKIPS, _DRAW):
        connection.execute(statement)


#: What leads from each version of the file to the next. The last is written into it.
STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_to_version_1, _to_version_2)
VERSION = len(STEPS)


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables, or bring those of an earlier version into the form of this one."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > VERSION:
        raise MarksUnavailable(
            f"Marks cannot be kept: {path.name} was written by a later version of veracity. "
            "Install that one."
        )
    for step in STEPS[found:]:
        step(connection)
    if found < VERSION:
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _why(path: Path, error: Exception) -> str:
    text = str(error)
    if isinstance(error, OSError):
        return f"Marks cannot be kept now: {text.removesuffix('.')}."
    if "readonly" in text or "unable to open" in text:
        return f"Marks cannot be kept: {path.parent} is read-only. Serve a copy you may write to."
    if "locked" in text:
        return f"Marks cannot be kept now: another program holds {path.name}. Try again."
    return f"Marks cannot be kept: {path.name} is damaged ({text}). Move it away to start anew."
