"""Marks: the true values that people gave, kept in the run's folder and safe against a crash."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from veracity.data.output.write import MARKS_FILE
from veracity.errors import InvalidParameter
from veracity.workflow.marks_file import MarksFile
from veracity.workflow.marks_file import MarksUnavailable as MarksUnavailable

#: Entity and attribute.
Labels = tuple[str, str]
#: A change of the history: entity, attribute, value or nothing, when, and whether it is a skip.
_Change = tuple[str, str, str | None, str, bool]


@dataclass(frozen=True)
class Mark:
    """The values of an item that a person marked as true, in the order of their text, and when.

    An attribute with one true value has one.
    """

    entity: str
    attribute: str
    values: tuple[str, ...]
    updated: str


@dataclass(frozen=True)
class Draw:
    """The items that were drawn for an audit: by their labels, numbered from 1 as drawn.

    `seed` is None if nothing is drawn yet.
    """

    seed: int | None
    numbers: Mapping[Labels, int]


class MarkBook:
    """The marks of a run: one for each item, by its labels, so that they outlive a refit.

    An item can be skipped instead, if nobody can tell what is true. The last writer wins. Every
    change stays in the history: a row for each value, all with the time of the change, and a skip
    or removal as a change to nothing. The file is made with the first mark or draw, and holds the
    audit draw, too.
    """

    def __init__(self, folder: Path) -> None:
        self._file = MarksFile(folder / MARKS_FILE)
        self.path = self._file.path

    def is_writable(self) -> bool:
        """Whether marks can be kept, as far as can be seen without writing."""
        return self._file.is_writable()

    def stamp(self) -> tuple[object, ...] | None:
        """Return what changes with `version`, but costs no query; None just after a change."""
        return self._file.stamp()

    def version(self) -> tuple[int, int]:
        """Return numbers that change with every mark, skip and draw."""
        changes = self._file.rows("history", "SELECT ifnull(max(number), 0) FROM history")
        drawn = self._file.rows("draw", "SELECT count(*) FROM draw")
        return (changes[0][0] if changes else 0), (drawn[0][0] if drawn else 0)

    def read(self) -> list[Mark]:
        """Return all marks, the latest first."""
        rows = self._file.rows(
            "marks",
            "SELECT entity, attribute, updated, value FROM marks "
            "ORDER BY updated DESC, entity, attribute, value",
        )
        return [
            Mark(entity, attribute, tuple(row[3] for row in of_item), updated)
            for (entity, attribute, updated), of_item in groupby(rows, key=lambda row: row[:3])
        ]

    def ever_marked(self) -> set[Labels]:
        """Return the items that have a mark or had one, so that marks decide what is known."""
        query = "SELECT DISTINCT entity, attribute FROM history WHERE value IS NOT NULL"
        return set(self._file.rows("history", query))

    def skipped(self) -> dict[Labels, str]:
        """Return the items that were skipped, the latest first, and when."""
        query = "SELECT entity, attribute, updated FROM skips ORDER BY updated DESC, 1, 2"
        rows = self._file.rows("skips", query)
        return {(entity, attribute): updated for entity, attribute, updated in rows}

    def put(self, entity: str, attribute: str, values: Iterable[str]) -> Mark:
        """Mark the values of an item; when this returns, the mark is on disk."""
        (mark,) = self.put_all({(entity, attribute): values})
        return mark

    def skip(self, entity: str, attribute: str) -> None:
        """Note that nobody can tell what is true of an item; a mark of it is taken away."""
        self.put_all({}, [(entity, attribute)])

    def put_all(
        self, marks: Mapping[Labels, Iterable[str]], skips: Sequence[Labels] = ()
    ) -> list[Mark]:
        """Mark some items and skip others: all of them, or none if anything goes wrong."""
        now = _now()
        made = [Mark(*item, tuple(sorted(set(values))), now) for item, values in marks.items()]
        with self._file.writing() as connection:
            for mark in made:
                item = (mark.entity, mark.attribute)
                _delete(connection, item)
                rows = [(*item, value, now) for value in mark.values]
                connection.executemany("INSERT INTO marks VALUES (?, ?, ?, ?)", rows)
                _record(connection, [(*row, False) for row in rows])
            for item in skips:
                _delete(connection, item)
                connection.execute("INSERT INTO skips VALUES (?, ?, ?)", (*item, now))
                _record(connection, [(*item, None, now, True)])
        return made

    def remove(self, entity: str, attribute: str) -> bool:
        """Take the mark or skip of an item away; say whether there was one."""
        if not self.path.exists():
            return False
        with self._file.writing() as connection:
            gone = _delete(connection, (entity, attribute))
            if gone:
                _record(connection, [(entity, attribute, None, _now(), False)])
        return gone

    def check(self) -> None:
        """Refuse a file whose pages do not fit together, or whose marks are not as they came."""
        said = self._file.rows("marks", "PRAGMA integrity_check")
        if said and said != [("ok",)]:
            raise MarksUnavailable(f"{self.path} is damaged: {said[0][0]}.")
        changes = self._file.rows(
            "history", "SELECT entity, attribute, value, updated FROM history ORDER BY number"
        )
        last = {(entity, attribute): when for entity, attribute, _, when in changes}
        come = {row[:3] for row in changes if row[2] is not None and last[row[:2]] == row[3]}
        marks = [mark for mark in self.read() if (mark.entity, mark.attribute) in last]
        if come != {(mark.entity, mark.attribute, word) for mark in marks for word in mark.values}:
            raise MarksUnavailable(
                f"{self.path} is damaged: its marks are not what its history of changes says."
            )

    # The audit

    def draw(self) -> Draw:
        """Return what was drawn for the audit."""
        rows = self._file.rows("draw", "SELECT * FROM draw ORDER BY number")
        return _draw_of(rows)

    def extend_draw(self, seed: int, items: Iterable[Labels]) -> Draw:
        """Add items to the draw, in their order; those that it has stay as they are."""
        with self._file.writing() as connection:
            before = _draw_of(connection.execute("SELECT * FROM draw").fetchall())
            check_seed(seed, before)
            added = [item for item in dict.fromkeys(items) if item not in before.numbers]
            first, now = len(before.numbers) + 1, _now()
            rows = [(number, *item, seed, now) for number, item in enumerate(added, first)]
            connection.executemany("INSERT INTO draw VALUES (?, ?, ?, ?, ?)", rows)
        numbers = {item: number for number, item in enumerate(added, first)}
        return Draw(seed, {**before.numbers, **numbers})


def check_seed(seed: int, draw: Draw) -> None:
    """Refuse a seed that cannot be kept, or other than that of what is drawn already."""
    if not 0 <= seed < 2**63:
        raise InvalidParameter(f"seed must be from 0 to 2^63 - 1. Got {seed!r} instead.")
    if draw.seed is not None and draw.seed != seed:
        raise InvalidParameter(
            f"The audit was drawn with seed {draw.seed}, and one sample cannot follow two seeds. "
            f"Got seed {seed} instead. Leave the seed out to go on with the sample."
        )


def marks_table(marks: list[Mark]) -> pa.Table:
    """Return marks as a truth table: a row for each value, in the order of their labels."""
    ordered = sorted(marks, key=lambda mark: (mark.attribute, mark.entity))
    rows = [(mark.entity, mark.attribute, value) for mark in ordered for value in mark.values]
    names = ("entity", "attribute", "value")
    return pa.table(
        {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)}
    )


def _draw_of(rows: Sequence[tuple[Any, ...]]) -> Draw:
    """Return the draw that rows of its table hold."""
    numbers = {(entity, attribute): number for number, entity, attribute, *_ in rows}
    return Draw(rows[0][3] if rows else None, numbers)


def _delete(connection: sqlite3.Connection, item: Labels) -> bool:
    """Take the mark or skip of an item away; say whether there was one."""
    tables = ("marks", "skips")
    clause = "WHERE entity = ? AND attribute = ?"
    found = [connection.execute(f"DELETE FROM {table} {clause}", item) for table in tables]
    return any(cursor.rowcount > 0 for cursor in found)


def _record(connection: sqlite3.Connection, changes: Iterable[_Change]) -> None:
    """Write changes to the history."""
    connection.executemany(
        "INSERT INTO history (entity, attribute, value, updated, skipped) VALUES (?, ?, ?, ?, ?)",
        changes,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
