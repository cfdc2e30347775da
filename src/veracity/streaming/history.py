"""History: claims in use and what was made of them, by item, in one SQLite database.

A stream of claims needs three things of it: the claims and results of a few items without a look at
the others, which an index gives; changes that are there as a whole or not at all, which a
transaction gives; and all of it, in order, when tables are to be written.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.read.frames import plain_text
from veracity.errors import InputError, OutputError, VeracityError
from veracity.streaming.history_rows import (
    CLAIM_COLUMNS,
    FEATURE_TYPES,
    LOOKED_UP,
    SCHEMA,
    STATEMENT_COLUMNS,
    TRUTH_COLUMNS,
    items_in,
    parts_of,
    table_of,
)

FORMAT = 3
#: The tables, and the columns that order them.
_ORDERS = {
    "facts": "name",
    "items": "item",
    "claims": "claim",
    "truths": "item, place",
    "statements": "item, place",
}
IN_MEMORY = ":memory:"
#: How long to wait for another process that reads or writes, in seconds.
PATIENCE = 60.0


class History:
    """Claims in use and what was made of them; see the module.

    Parameters
    ----------
    place
        The path of the database, or ``":memory:"``.
    """

    def __init__(self, place: str | Path = IN_MEMORY, content: bytes | None = None) -> None:
        self.place = str(place)
        try:
            self._connection = sqlite3.connect(
                self.place, isolation_level=None, timeout=PATIENCE, check_same_thread=False
            )
        except sqlite3.OperationalError as error:
            raise OutputError(f"{self.place} cannot be opened: {error}.") from error
        self._is_unchanged = False
        if content is not None:
            self._connection.deserialize(content)
        try:
            self._connection.execute("PRAGMA temp_store = MEMORY")
            # Else a large change would keep readers out long before it is done.
            self._connection.execute("PRAGMA cache_spill = OFF")
            self._connection.execute("CREATE TEMP TABLE touched (item INTEGER PRIMARY KEY)")
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise InputError(f"{self.place} is damaged: {error}.") from error

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"content": self._connection.serialize()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(content=state["content"])  # type: ignore[misc]

    @contextmanager
    def change(self) -> Iterator[None]:
        """Make changes that are kept as a whole if all goes well, and not at all if not."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            raise OutputError(
                f"{self.place} cannot be changed: {error}. If another update is running, wait "
                "until it ends."
            ) from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.place} is damaged: {error}.") from error
        self._is_unchanged = False
        try:
            yield
            connection.execute("ROLLBACK" if self._is_unchanged else "COMMIT")
        except BaseException as error:
            self._take_back()
            if isinstance(error, sqlite3.DatabaseError):
                raise self._why(error) from error
            raise

    def _take_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:  # then whoever opens the file next does it
            return

    def _why(self, error: sqlite3.DatabaseError) -> VeracityError:
        if "full" in str(error):
            return OutputError(
                f"The disk is full, so {self.place} was not changed. Free some space and run it "
                "again."
            )
        if isinstance(error, sqlite3.OperationalError):
            return OutputError(f"{self.place} was not changed: {error}. Try again.")
        return InputError(f"{self.place} is damaged: {error}.")

    def leave_unchanged(self) -> None:
        """Let the change that is under way change nothing."""
        self._is_unchanged = True

    def digest(self) -> str:
        """Return a hash of all that is here, but for what says how far the tables are behind."""
        found = hashlib.sha256()
        for table, order in _ORDERS.items():
            for row in self._connection.execute(f"SELECT * FROM {table} ORDER BY {order}"):
                if row[0] != "n_changed":
                    found.update(repr(row).encode("utf-8", "surrogatepass"))
        return found.hexdigest()

    def check(self) -> None:
        """Refuse a file whose pages do not fit together."""
        try:
            ((said, *_), *_) = self._connection.execute("PRAGMA integrity_check").fetchall()
        except sqlite3.DatabaseError as error:
            said = str(error)
        if said != "ok":
            raise InputError(f"{self.place} is damaged: {said}.")

    # Facts: small things by name

    @property
    def is_empty(self) -> bool:
        """Whether nothing was kept yet."""
        try:
            found = self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'facts'")
            if found.fetchone() is None:
                return True
            version = self["format"]
        except (sqlite3.DatabaseError, KeyError) as error:
            raise InputError(f"{self.place} is damaged: {error}.") from error
        if version > FORMAT:
            raise InputError(
                f"{self.place} has format {version}, but this version of veracity reads up to "
                f"{FORMAT}. Use the version that wrote it, or a newer one."
            )
        if version < FORMAT:
            raise InputError(
                f"{self.place} was written by an earlier version of veracity. Make the run again "
                "with all claims."
            )
        return False

    def make(
        self, roles: dict[str, bool], features: dict[str, str], recorded: Sequence[str]
    ) -> None:
        """Make the tables.

        Parameters
        ----------
        roles
            Whether claims have a ``time`` and a ``weight``.
        features
            The type of each feature column: number, boolean or category.
        recorded
            What is recorded of each claim.
        """
        for statement in SCHEMA.split(";"):
            self._connection.execute(statement)
        self["format"] = FORMAT
        self["recorded"] = list(recorded)
        self["features"], self["roles"] = {}, dict(roles)
        self.add_features(features)

    def __getitem__(self, name: str) -> Any:
        row = self._connection.execute(
            "SELECT content FROM facts WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            raise KeyError(name)
        try:
            return row[0] if isinstance(row[0], bytes) else json.loads(row[0])
        except ValueError as error:
            raise InputError(f"{self.place} is damaged: its {name} cannot be read.") from error

    def get(self, name: str, default: Any) -> Any:
        """Return a fact, or the default if there is none."""
        return self[name] if name in self else default  # noqa: SIM401  this is what it is for

    def __setitem__(self, name: str, fact: Any) -> None:
        content = fact if isinstance(fact, bytes) else json.dumps(fact)
        self._connection.execute("REPLACE INTO facts VALUES (?, ?)", (name, content))

    def __contains__(self, name: str) -> bool:
        try:
            self[name]
        except KeyError:
            return False
        return True

    def add_features(self, features: dict[str, str]) -> None:
        """Make room for feature columns that are not there yet."""
        known: dict[str, str] = self["features"]
        for name, kind in features.items():
            if name not in known:
                # Names of features may differ in case alone, which columns may not.
                self._connection.execute(f"ALTER TABLE claims ADD COLUMN feature_{len(known)}")
                known[name] = kind
        self["features"] = known

    # Some items

    @contextmanager
    def _touching(self, items: npt.NDArray[np.int64]) -> Iterator[None]:
        execute = self._connection.execute
        execute("DELETE FROM touched")
        self._connection.executemany(
            "INSERT OR IGNORE INTO touched VALUES (?)", zip(items.tolist(), strict=True)
        )
        yield
        execute("DELETE FROM touched")

    def items_of(
        self, attributes: Sequence[str], entities: Sequence[str], add: bool = False
    ) -> npt.NDArray[np.int64]:
        """Return the number of each item, -1 where it is not there; or add those that are not."""
        pairs = list(zip(attributes, entities, strict=True))
        if add:
            self._connection.executemany(
                "INSERT OR IGNORE INTO items (attribute, entity) VALUES (?, ?)", pairs
            )
        query = "SELECT item FROM items WHERE attribute = ? AND entity = ?"
        found = (self._connection.execute(query, pair).fetchone() for pair in pairs)
        return np.array([-1 if row is None else row[0] for row in found], np.int64)

    def claims_about(self, items: npt.NDArray[np.int64]) -> tuple[pa.Table, dict[str, Any]]:
        """Return the claims about items in the order that they came in, and what was recorded.

        The first column, ``claim``, numbers them.
        """
        with self._touching(items):
            rows = self._connection.execute(
                f"SELECT claim, recorded, {self._claim_names()} FROM touched "
                f"{LOOKED_UP.format('claims')} ORDER BY claim"
            ).fetchall()
        table = self._claims_table(rows)
        return table, self._recorded(rows)

    def plausibility_of(self, items: npt.NDArray[np.int64]) -> pa.Table:
        """Return value and plausibility of the statements of items, by attribute and entity."""
        with self._touching(items):
            rows = self._connection.execute(
                "SELECT value, plausibility FROM touched "
                f"{LOOKED_UP.format('statements')} ORDER BY attribute, entity, place"
            ).fetchall()
        return table_of(rows, {"value": pa.string(), "plausibility": pa.float64()})

    def truths_about(self, items: npt.NDArray[np.int64]) -> pa.Table:
        """Return the truths of items."""
        with self._touching(items):
            rows = self._connection.execute(
                f"SELECT entity, attribute, {', '.join(TRUTH_COLUMNS)} FROM touched "
                f"{LOOKED_UP.format('truths')} ORDER BY attribute, entity, place"
            ).fetchall()
        return table_of(rows, {"entity": pa.string(), "attribute": pa.string(), **TRUTH_COLUMNS})

    def replace(
        self,
        items: npt.NDArray[np.int64] | None,
        claims: pa.Table,
        recorded: dict[str, npt.NDArray[np.float64]],
        results: dict[str, pa.Table],
    ) -> None:
        """Put claims and results about items in place of those that are there.

        Parameters
        ----------
        items
            Which; None for all.
        claims
            As `claims_about` returns them; ``claim`` is null for new ones.
        recorded
            What is to be recorded of each claim.
        results
            The tables ``truths`` and ``statements``, the rows of an item side by side.
        """
        execute = self._connection.execute
        if items is None:
            for table in ("claims", "truths", "statements"):
                execute(f"DELETE FROM {table}")
        else:
            with self._touching(items):
                for table in ("claims", "truths", "statements"):
                    execute(f"DELETE FROM {table} WHERE item IN (SELECT item FROM touched)")
        claims = plain_text(claims)
        pairs = list(dict.fromkeys(items_in(claims)))
        numbers = self.items_of([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        number = dict(zip(pairs, numbers.tolist(), strict=True))
        self._insert_claims(claims, number, recorded)
        for name, columns in (("truths", TRUTH_COLUMNS), ("statements", STATEMENT_COLUMNS)):
            self._insert_results(name, results[name], number, list(columns))

    def _insert_claims(
        self,
        claims: pa.Table,
        number: dict[tuple[str, str], int],
        recorded: dict[str, npt.NDArray[np.float64]],
    ) -> None:
        item = [number[pair] for pair in items_in(claims)]
        names: list[str] = self["recorded"]
        notes = np.empty((claims.num_rows, len(names)))
        for column, name in enumerate(names):
            notes[:, column] = recorded[name]
        cells = [claims["claim"].to_pylist() if "claim" in claims.column_names else repeat(None)]
        cells += [item, *(self._cells(claims, name) for name in CLAIM_COLUMNS)]
        cells += [map(bytes, notes), *(self._cells(claims, name) for name in self["features"])]
        marks = ", ".join("?" * len(cells))
        self._connection.executemany(
            f"INSERT INTO claims VALUES ({marks})", zip(*cells, strict=False)
        )

    def _cells(self, claims: pa.Table, name: str) -> Any:
        if name in claims.column_names:
            return claims[name].to_pylist()
        return repeat(1 if name == "asserts" else None, claims.num_rows)

    def _insert_results(
        self, name: str, table: pa.Table, number: dict[tuple[str, str], int], columns: list[str]
    ) -> None:
        item = np.array([number[pair] for pair in items_in(table)], np.int64)
        first = np.flatnonzero(np.append(True, item[1:] != item[:-1])) if len(item) else item
        place = np.arange(len(item)) - np.repeat(first, np.diff(np.append(first, len(item))))
        cells = [item.tolist(), place.tolist(), *(self._cells(table, column) for column in columns)]
        marks = ", ".join("?" * len(cells))
        self._connection.executemany(
            f"INSERT INTO {name} VALUES ({marks})", zip(*cells, strict=True)
        )

    # Everything

    def count(self, what: str) -> int:
        """Count claims, items, truths or statements; a pass over an index."""
        return int(self._connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])

    def all_claims(self) -> Iterator[pa.Table]:
        """Return all claims in the order that they came in, part by part."""
        cursor = self._connection.execute(
            f"SELECT claim, recorded, {self._claim_names()} FROM claims JOIN items USING (item) "
            "ORDER BY claim"
        )
        for rows in parts_of(cursor):
            yield self._claims_table(rows).drop_columns(["claim"])

    def all_results(self, name: str) -> Iterator[pa.Table]:
        """Return all truths or statements by attribute and entity, part by part."""
        columns = TRUTH_COLUMNS if name == "truths" else STATEMENT_COLUMNS
        cursor = self._connection.execute(
            f"SELECT entity, attribute, {', '.join(columns)} FROM items "
            f"JOIN {name} USING (item) ORDER BY attribute, entity, place"
        )
        for rows in parts_of(cursor):
            yield table_of(rows, {"entity": pa.string(), "attribute": pa.string(), **columns})

    def summary(self) -> dict[str, Any]:
        """Count what is here by passes over it."""
        queries = {
            "n_entities": "SELECT count(DISTINCT entity) FROM items",
            "n_attributes": "SELECT count(DISTINCT attribute) FROM items",
            "n_items": "SELECT count(*) FROM items",
            "n_statements": "SELECT count(*) FROM statements",
            "n_contested": "SELECT count(*) FROM truths WHERE place = 0 AND n_values > 1",
            "n_denials": "SELECT count(*) FROM claims WHERE asserts = 0",
            "n_one_source_items": "SELECT count(*) FROM truths WHERE place = 0 AND n_sources = 1",
        }
        found = {name: self._connection.execute(q).fetchone()[0] for name, q in queries.items()}
        spoken = self._connection.execute("SELECT n_sources FROM truths WHERE place = 0").fetchall()
        return {**found, "median_sources_per_item": float(np.median(spoken))}

    def values_by_attribute(self) -> dict[str, tuple[int, int]]:
        """Return how many items and how many distinct values each attribute has."""
        rows = self._connection.execute(
            "SELECT attribute, count(DISTINCT item), count(DISTINCT value) FROM items "
            "JOIN claims USING (item) GROUP BY attribute"
        )
        return {name: (items, values) for name, items, values in rows}

    # Rows and tables

    def _claim_names(self) -> str:
        features = (f"feature_{number}" for number in range(len(self["features"])))
        return ", ".join(["entity", "attribute", *CLAIM_COLUMNS, *features])

    def _claims_table(self, rows: list[tuple[Any, ...]]) -> pa.Table:
        features = {name: FEATURE_TYPES[kind] for name, kind in self["features"].items()}
        types = {"entity": pa.string(), "attribute": pa.string(), **CLAIM_COLUMNS, **features}
        bare = [(row[0], *row[2:]) for row in rows]
        table = table_of(bare, {"claim": pa.int64(), **types})
        absent = [name for name in ("time", "weight") if not self["roles"].get(name)]
        return table.drop_columns(absent)

    def _recorded(self, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
        names: list[str] = self["recorded"]
        together = np.frombuffer(b"".join(row[1] for row in rows), np.float64)
        return dict(zip(names, together.reshape(len(rows), len(names)).T, strict=True))
