"""Tables written to a database in one transaction: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import duckdb
import pyarrow as pa

from veracity.data.output.atomic import check_target
from veracity.data.read.formats import without_password
from veracity.data.read.workbench import quoted_name
from veracity.errors import InvalidParameter, OutputError, needs

#: What the addresses of databases begin with.
POSTGRES = ("postgresql", "postgres")
DUCKDB_ENDINGS = (".duckdb", ".ddb")


class Database(Protocol):
    """A database that tables are written to."""

    def open(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction, which is kept at the end if all went well."""


class Transaction(Protocol):
    """What has to be done in a transaction."""

    def has(self, table: Sequence[str]) -> bool:
        """Say whether there is a table or view; its name may have a schema before it."""

    def drop(self, table: Sequence[str]) -> None:
        """Remove a table."""

    def create(self, table: Sequence[str], content: pa.Table) -> None:
        """Make a table and fill it."""


def check_database(where: str, names: Sequence[str], overwrite: bool) -> None:
    """Refuse a database that cannot be written to, before any work is done for it."""
    with find_database(where).open() as transaction:
        _check_names(transaction, where, names, overwrite)


@contextmanager
def writing_tables(where: str, tables: Mapping[str, pa.Table], overwrite: bool) -> Iterator[None]:
    """Write tables to a database; they are there when the block ends, if all went well.

    Parameters
    ----------
    where
        The address of a PostgreSQL database, or the path of a DuckDB file.
    tables
        The tables by name; a name may have a schema before it, as in ``crm.golden``.
    overwrite
        Replace tables that are there already.
    """
    with find_database(where).open() as transaction:
        _check_names(transaction, where, list(tables), overwrite)
        for name, table in tables.items():
            if transaction.has(_parts(name)):
                transaction.drop(_parts(name))
            transaction.create(_parts(name), table)
        yield


def find_database(where: str) -> Database:
    """Return the database at an address."""
    scheme = urlsplit(where).scheme.lower() if "://" in where else ""
    if scheme in POSTGRES:
        return PostgresDatabase(where)
    if scheme == "duckdb":
        # As in SQLAlchemy: three slashes for a relative path, four for an absolute one.
        return DuckDatabase(Path(unquote(where.split("://", 1)[1]).removeprefix("/")))
    path = where.removeprefix("duckdb:")
    if not scheme and (path != where or path.lower().endswith(DUCKDB_ENDINGS)) and path:
        return DuckDatabase(Path(path).expanduser())
    raise InvalidParameter(
        "Tables are written to a database such as postgresql://user@host/name, or to a DuckDB "
        f"file such as golden.duckdb. Got {without_password(where)!r} instead."
    )


def _parts(name: str) -> list[str]:
    """Split the name of a table from the schema before it."""
    parts = name.split(".")
    if len(parts) > 2 or not all(parts):
        raise InvalidParameter(f"A table is named TABLE or SCHEMA.TABLE. Got {name!r} instead.")
    return parts


def _check_names(
    transaction: Transaction, where: str, names: Sequence[str], overwrite: bool
) -> None:
    for name in names:
        if transaction.has(_parts(name)) and not overwrite:
            raise OutputError(
                f"{without_password(where)} has a table {name!r} already. Name another with "
                "--to-table, or replace it with --overwrite (in Python: table=..., "
                "overwrite=True)."
            )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


@contextmanager
def _committing(where: str, failure: type[Exception]) -> Iterator[None]:
    """Say of a transaction that fails at its very end that it may have been kept."""
    try:
        yield
    except failure as error:
        raise OutputError(
            f"{where} reported a failure at the end: {_first_line(error)} Its tables are the old "
            "ones or the new ones, all of them; write them again with --overwrite (in Python: "
            "overwrite=True)."
        ) from error


class PostgresDatabase:
    """A PostgreSQL database."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    @contextmanager
    def open(self) -> Iterator[Transaction]:
        """Begin a transaction, which is kept at the end if all went well."""
        try:
            from adbc_driver_postgresql import dbapi
        except ImportError as error:
            raise needs("adbc-driver-postgresql", "Writing to PostgreSQL") from error
        shown = without_password(self._uri)
        try:
            with dbapi.connect(self._uri) as connection, connection.cursor() as cursor:
                yield _PostgresTransaction(cursor)
                with _committing(shown, dbapi.Error):
                    connection.commit()
        except dbapi.Error as error:
            raise OutputError(f"{shown} could not be written to: {_first_line(error)}") from error


class _PostgresTransaction:
    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def has(self, table: Sequence[str]) -> bool:
        self._cursor.execute("SELECT to_regclass($1) IS NOT NULL", (quoted_name(table),))
        return bool(self._cursor.fetchone()[0])

    def drop(self, table: Sequence[str]) -> None:
        self._cursor.execute(f"DROP TABLE {quoted_name(table)}")

    def create(self, table: Sequence[str], content: pa.Table) -> None:
        schema = table[0] if len(table) > 1 else None
        self._cursor.adbc_ingest(table[-1], content, mode="create", db_schema_name=schema)


class DuckDatabase:
    """A DuckDB file, made if it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def open(self) -> Iterator[Transaction]:
        """Begin a transaction, which is kept at the end if all went well."""
        check_target(self._path)
        is_new = not self._path.exists()
        kept = False
        try:
            with duckdb.connect(self._path) as connection:
                connection.begin()
                transaction = _DuckTransaction(connection)
                yield transaction
                with _committing(str(self._path), duckdb.Error):
                    connection.commit()
                kept = transaction.wrote
        except duckdb.Error as error:
            text = f"{self._path} could not be written to: {_first_line(error)}"
            raise OutputError(text) from error
        finally:
            if is_new and not kept:
                with suppress(OSError):
                    self._path.unlink(missing_ok=True)


class _DuckTransaction:
    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.wrote = False

    def has(self, table: Sequence[str]) -> bool:
        schema = "current_schema()" if len(table) == 1 else "?"
        found = self._connection.execute(
            "SELECT 1 FROM information_schema.tables WHERE table_catalog = current_database() "
            f"AND lower(table_schema) = lower({schema}) AND lower(table_name) = lower(?)",
            list(table),
        )
        return found.fetchone() is not None

    def drop(self, table: Sequence[str]) -> None:
        self._connection.execute(f"DROP TABLE {quoted_name(table)}")

    def create(self, table: Sequence[str], content: pa.Table) -> None:
        if len(table) > 1:
            self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted_name(table[:1])}")
        self._connection.register("veracity_content", content)
        name = quoted_name(table)
        self._connection.execute(f"CREATE TABLE {name} AS SELECT * FROM veracity_content")
        self._connection.unregister("veracity_content")
        self.wrote = True
