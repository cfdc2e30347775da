"""Marks: the true values that people gave, kept in the run's folder and safe against a crash."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from urllib.parse import quote

import pyarrow as pa

from veracity.data.writing import MARKS_FILE
from veracity.errors import InputError

#: How long to wait for another process that writes, in seconds.
PATIENCE = 5.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS marks (
    entity TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    updated TEXT NOT NULL,
    PRIMARY KEY (entity, attribute)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS history (
    number INTEGER PRIMARY KEY,
    entity TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT,
    updated TEXT NOT NULL
);
"""


class MarksUnavailable(InputError):
    """Marks cannot be kept, or not be read."""


@dataclass(frozen=True)
class Mark:
    """The value of an item that a person marked as true, and when."""

    entity: str
    attribute: str
    value: str
    updated: str


class MarkBook:
    """The marks of a run: one for each item, by its labels, so that they outlive a refit.

    The last writer wins; every change stays in the history, a removal as a change to nothing. The
    file is made with the first mark.
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
                "SELECT entity, attribute, value, updated FROM marks "
                "ORDER BY updated DESC, entity, attribute"
            ).fetchall()
        return [Mark(*row) for row in rows]

    def put(self, entity: str, attribute: str, value: str) -> Mark:
        """Mark the value of an item; when this returns, the mark is on disk."""
        mark = Mark(entity, attribute, value, _now())
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO marks VALUES (?, ?, ?, ?) ON CONFLICT (entity, attribute) "
                "DO UPDATE SET value = excluded.value, updated = excluded.updated",
                (mark.entity, mark.attribute, mark.value, mark.updated),
            )
            _record(connection, entity, attribute, value, mark.updated)
        return mark

    def remove(self, entity: str, attribute: str) -> bool:
        """Take the mark of an item away; say whether there was one."""
        if not self.path.exists():
            return False
        with self._writing() as connection:
            gone = connection.execute(
                "DELETE FROM marks WHERE entity = ? AND attribute = ?", (entity, attribute)
            ).rowcount
            if gone:
                _record(connection, entity, attribute, None, _now())
        return bool(gone)

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
                connection.executescript(_SCHEMA)
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    yield connection
        except sqlite3.Error as error:
            raise MarksUnavailable(_why(self.path, error)) from error

    def _connect(self, mode: str) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.absolute()))}?{mode}"
        return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)


def marks_table(marks: list[Mark]) -> pa.Table:
    """Return marks as a truth table: entity, attribute, value; in the order of their labels."""
    ordered = sorted(marks, key=lambda mark: (mark.attribute, mark.entity))
    return pa.table(
        {
            "entity": pa.array([mark.entity for mark in ordered], pa.string()),
            "attribute": pa.array([mark.attribute for mark in ordered], pa.string()),
            "value": pa.array([mark.value for mark in ordered], pa.string()),
        }
    )


def _record(
    connection: sqlite3.Connection, entity: str, attribute: str, value: str | None, when: str
) -> None:
    connection.execute(
        "INSERT INTO history (entity, attribute, value, updated) VALUES (?, ?, ?, ?)",
        (entity, attribute, value, when),
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
