"""Relational work as named SQL steps, wherever it runs, and the little SQL that depends on where.

The steps that lead from a raw table to claims are written once (`ingest`, `checks`,
`feature_columns`, `spellings`, `partition`), in SQL that DuckDB and Spark both understand and take
to mean the same. What they do not have in common has a name in `Dialect`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pyarrow as pa

from veracity.data.read.dictionaries import Cells, LabelSql, no_cells
from veracity.data.read.schema import LABELLED


class Dialect(Protocol):
    """The SQL that one engine writes in another way than the next."""

    @property
    def carried(self) -> tuple[str, ...]:
        """Columns to be chosen with all others, so that rows keep their number, ``rowid``."""

    @property
    def tiny(self) -> str:
        """The type of a number that is 0 or 1."""

    def literal(self, text: str) -> str:
        """Write text as a literal."""

    def constant(self, text: str) -> str:
        """Return a label that all rows have."""

    def number(self, cell: str) -> str:
        """Return a cell as a double, null where it is no number."""

    def matches(self, cell: str, pattern: str) -> str:
        """Return the condition that a text matches a regular expression."""

    def seconds(self, cell: str) -> str:
        """Return the seconds since 1970 of a time in ISO 8601, null where it is none."""

    def seconds_as(self, cell: str, form: str) -> str:
        """Return the seconds since 1970 of a time written in the form that the user gave."""


class Relations(Protocol):
    """Runs named SQL steps, each of which can be looked at, and joined, by that name."""

    @property
    def sql(self) -> Dialect:
        """How SQL is written here."""

    def step(self, name: str, sql: str) -> None:
        """Run a query and keep its result under a name."""

    def keep_claims(
        self,
        labels: Mapping[str, LabelSql],
        others: Sequence[str],
        relation: str,
        cells: Cells = no_cells,
    ) -> None:
        """Keep the labels of claims by role, and other columns, as the step ``typed``.

        `relation` is SQL for the rows; `cells` has them where they are in memory.
        """

    def n_rows(self) -> int:
        """Return how many rows ``typed`` has."""

    def n_filled(self, roles: Sequence[str]) -> tuple[int, ...]:
        """Return how many rows of ``typed`` have a label of each role."""

    def count_claims(self, name: str, roles: Sequence[str]) -> int | None:
        """Keep how many claims have the same labels of some roles, as ``n_claims`` of a step.

        Rows of ``typed`` that lack a label of any role do not count. Returns how many rows the step
        has, None where it would take long to find out.
        """

    def view(self, name: str, sql: str) -> None:
        """Give a query a name without running it."""

    def number(self, name: str, column: str, labels: str) -> None:
        """Number the rows of a query by the order of a column: ``column`` and ``column_index``."""

    def transform(
        self,
        name: str,
        sql: str,
        function: Callable[[pa.RecordBatch], pa.RecordBatch],
        schema: pa.Schema,
    ) -> None:
        """Apply a function to the rows of a query in batches; keep the result under a name."""

    def types(self, relation: str) -> list[str]:
        """Return the type of each column of a query, as DuckDB calls it, without parameters."""

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small query."""

    def row(self, sql: str) -> tuple[Any, ...]:
        """Return the only row of a query."""

    def arrow(self, sql: str) -> pa.Table:
        """Return the result of a query as an Arrow table."""


#: The query for `Relations.n_rows`.
ROWS_SQL = "SELECT count(*) FROM typed"


def filled_sql(roles: Sequence[str]) -> str:
    """Return the query for `Relations.n_filled`."""
    return f"SELECT {', '.join(f'count({role})' for role in roles)} FROM typed"


def counts_sql(roles: Sequence[str]) -> str:
    """Return the query for `Relations.count_claims`."""
    chosen = ", ".join(roles)
    return f"SELECT {chosen}, count(*) AS n_claims FROM typed WHERE {complete()} GROUP BY {chosen}"


def complete(prefix: str = "") -> str:
    """Return the SQL condition that a row has every label."""
    return " AND ".join(f"{prefix}{role} IS NOT NULL" for role in LABELLED)


#: The largest double, as both engines read it; NaN is larger still for both.
INFINITY = "CAST('inf' AS DOUBLE)"


def is_finite(cell: str) -> str:
    """Return the condition that a double is neither infinite nor NaN."""
    return f"abs({cell}) < {INFINITY}"


def is_infinite(cell: str) -> str:
    """Return the condition that a double is infinite."""
    return f"abs({cell}) = {INFINITY}"
