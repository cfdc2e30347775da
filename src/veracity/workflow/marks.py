"""Marks: the true values that people gave, kept in the run's folder and safe against a crash."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from threading import Lock
from urllib.parse import quote

import pyarrow as pa

from veracity.data.output.write import MARKS_FILE
from veracity.errors import InputError

#: How long to wait for another process that writes, in seconds.
PATIENCE = 5.0

#: Written into the file. Version 0, in which a mark had but one value, has the same columns.
VERSION = 1
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


class MarksUnavailable(InputError):
    """Marks cannot be kept, or not be read."""


@dataclass(frozen=True)
class Mark:
    """The values of an item that a person marked as true, in the order of their text, and when.

    An attribute with one true value has one.
    """

    entity: str
    attribute: str
    values: tuple[str, ...]
    updated: str


class MarkBook:
    """The marks of a run: one for each item, by its labels, so that they outlive a refit.

    The last writer wins. Every change stays in the history: a row for each value, all with the time
    of the change, and a removal as a change to nothing. The file is made with the first mark.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / MARKS_FILE
        self._lock = Lock()

    def read(self) -> list[Mark]:
        """Return all marks, the latest first."""
        if not self.path.exists():
            return []
        with self._reading() as connection:
            if not connection.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'marks'"
            ).fetchone():
                return []  # made, and left, before the first mark was
            rows = connection.execute(
                "SELECT entity, attribute, updated, value FROM marks "
                "ORDER BY updated DESC, entity, attribute, value"
            ).fetchall()
        return [
            Mark(entity, attribute, tuple(row[3] for row in of_item), updated)
            for (entity, attribute, updated), of_item in groupby(rows, key=lambda row: row[:3])
        ]

    def put(self, entity: str, attribute: str, values: Iterable[str]) -> Mark:
        """Mark the values of an item; when this returns, the mark is on disk."""
        mark = Mark(entity, attribute, tuple(sorted(set(values))), _now())
        rows = [(entity, attribute, value, mark.updated) for value in mark.values]
        with self._writing() as connection:
            _delete(connection, entity, attribute)
            connection.executemany("INSERT INTO marks VALUES (?, ?, ?, ?)", rows)
            _record(connection, rows)
        return mark

    def remove(self, entity: str, attribute: str) -> bool:
        """Take the mark of an item away; say whether there was one."""
        if not self.path.exists():
            return False
        with self._writing() as connection:
            gone = _delete(connection, entity, attribute)
            if gone:
                _record(connection, [(entity, attribute, None, _now())])
        return gone

    def is_writable(self) -> bool:
        """Whether marks can be kept, as far as can be seen without writing."""
        place = self.path if self.path.exists() else self.path.parent
        return os.access(self.path.parent, os.W_OK) and os.access(place, os.W_OK)

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
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock, closing(self._connect("mode=rwc")) as connection:
                # Each mark is on disk when its request is answered.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    _prepare(connection)
                    yield connection
        except sqlite3.Error as error:
            raise MarksUnavailable(_why(self.path, error)) from error

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.absolute()))}?{mode}"
        return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)


def marks_table(marks: list[Mark]) -> pa.Table:
    """Return marks as a truth table: a row for each value, in the order of their labels."""
    ordered = sorted(marks, key=lambda mark: (mark.attribute, mark.entity))
    rows = [(mark.entity, mark.attribute, value) for mark in ordered for value in mark.values]
    names = ("entity", "attribute", "value")
    return pa.table(
        {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)}
    )


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, or bring those of an earlier version into the form of this one."""
    if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
        return
    found = "SELECT 1 FROM sqlite_master WHERE name = 'marks'"
    has_earlier = connection.execute(found).fetchone() is not None
    if has_earlier:
        connection.execute("ALTER TABLE marks RENAME TO earlier_marks")
    connection.execute(_MARKS)
    connection.execute(_HISTORY)
    if has_earlier:
        columns = "entity, attribute, value, updated"
        connection.execute(f"INSERT INTO marks SELECT {columns} FROM earlier_marks")
        connection.execute("DROP TABLE earlier_marks")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _delete(connection: sqlite3.Connection, entity: str, attribute: str) -> bool:
    """Take the mark of an item away; say whether there was one."""
    key = (entity, attribute)
    found = connection.execute("DELETE FROM marks WHERE entity = ? AND attribute = ?", key)
    return found.rowcount > 0


def _record(
    connection: sqlite3.Connection, changes: Iterable[tuple[str, str, str | None, str]]
) -> None:
    """Write changes to the history: entity, attribute, value or nothing, and when."""
    connection.executemany(
        "INSERT INTO history (entity, attribute, value, updated) VALUES (?, ?, ?, ?)", changes
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _why(path: Path, error: sqlite3.Error) -> str:
    text = str(error)
    if "readonly" in text or "unable to open" in text:
        return f"Marks cannot be kept: {path.parent} is read-only. Serve a copy you may write to."
    if "locked" in text:
        return f"Marks cannot be kept now: another program holds {path.name}. Try again."
    return f"Marks cannot be kept: {path.name} is damaged ({text}). Move it away to start anew."
