"""Relational steps on a Spark cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from veracity.data.read.dictionaries import Cells, LabelSql, no_cells
from veracity.data.read.relations import ROWS_SQL, counts_sql, filled_sql
from veracity.engines.spark.failures import clear_errors
from veracity.engines.spark.session import beside
from veracity.engines.spark.sql import SparkDialect, type_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Rows of a partition are numbered from the number of the partition, shifted by this.
PARTITION_BITS = 33


class SparkRelations:
    """Runs named SQL steps as temporary views of a session of its own."""

    sql = SparkDialect()

    def __init__(self, session: SparkSession) -> None:
        self.session = beside(session)
        self._kept: list[DataFrame] = []

    def step(self, name: str, sql: str) -> None:
        """Run a query and keep its result under a name."""
        self.keep(self.session.sql(sql)).createOrReplaceTempView(name)

    def keep_claims(
        self,
        labels: Mapping[str, LabelSql],
        others: Sequence[str],
        relation: str,
        cells: Cells = no_cells,
    ) -> None:
        """Keep the labels of claims by role, and other columns, as the step ``typed``."""
        chosen = [f"{label.text} AS {role}" for role, label in labels.items()]
        columns = ", ".join((*self.sql.carried, *chosen, *others))
        self.step("typed", f"SELECT {columns} FROM ({relation})")

    def n_rows(self) -> int:
        """Return how many rows ``typed`` has."""
        return int(self.row(ROWS_SQL)[0])

    def n_filled(self, roles: Sequence[str]) -> tuple[int, ...]:
        """Return how many rows of ``typed`` have a label of each role."""
        return self.row(filled_sql(roles))

    def count_claims(self, name: str, roles: Sequence[str]) -> None:
        """Keep how many claims have the same labels of some roles, as ``n_claims`` of a step."""
        self.step(name, counts_sql(roles))

    def view(self, name: str, sql: str) -> None:
        """Give a query a name without running it."""
        self.session.sql(sql).createOrReplaceTempView(name)

    def number(self, name: str, column: str, labels: str) -> None:
        """Number the rows of a query by the order of a column: ``column`` and ``column_index``."""
        ordered = self.session.sql(f"SELECT {column} FROM ({labels}) ORDER BY {column}")
        numbered = self.numbered(ordered, f"{column}_index", ())
        numbered = numbered.selectExpr(column, f"CAST({column}_index AS INT) AS {column}_index")
        self.keep(numbered).createOrReplaceTempView(name)

    def transform(
        self,
        name: str,
        sql: str,
        function: Callable[[pa.RecordBatch], pa.RecordBatch],
        schema: pa.Schema,
    ) -> None:
        """Apply a function to the rows of a query in batches; keep the result under a name."""
        from pyspark.sql.pandas.types import from_arrow_schema

        made = self.session.sql(sql).mapInArrow(_EachBatch(function), from_arrow_schema(schema))
        self.keep(made).createOrReplaceTempView(name)

    def types(self, relation: str) -> list[str]:
        """Return the type of each column of a query, as DuckDB calls it, without parameters."""
        fields = self.session.sql(relation).schema.fields
        kinds = {field.name: type_name(field.dataType.simpleString()) for field in fields}
        return [kind for name, kind in kinds.items() if name not in self.sql.carried]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small query."""
        with clear_errors(reading=True):
            return [tuple(row) for row in self.session.sql(sql).collect()]

    def row(self, sql: str) -> tuple[Any, ...]:
        """Return the only row of a query."""
        return self.rows(sql)[0]

    def arrow(self, sql: str) -> pa.Table:
        """Return the result of a query as an Arrow table."""
        with clear_errors(reading=True):
            return self.session.sql(sql).toArrow()

    def keep(self, frame: DataFrame) -> DataFrame:
        """Keep the rows of a frame on the executors until the end."""
        from pyspark import StorageLevel

        self._kept.append(frame.persist(StorageLevel.MEMORY_AND_DISK))
        return frame

    def numbered(self, frame: DataFrame, name: str, places: Sequence[str]) -> DataFrame:
        """Number the rows of a frame from 0 on, in a new column.

        The order is that of `places`, such as file and position in it, then of partitions, then of
        the rows within. Numbers are given where the rows are: only the sizes of groups that come
        one after the other pass through the driver.
        """
        from pyspark.sql import functions as f

        own = self.keep(
            frame.select("*", f.monotonically_increasing_id().alias("own")).withColumn(
                "shard", f.shiftright("own", PARTITION_BITS)
            )
        )
        keys = [*places, "shard"]
        sizes = own.groupBy(*keys).agg(f.min("own").alias("first"), f.count("*").alias("size"))
        with clear_errors(reading=True):
            groups = [tuple(row) for row in sizes.collect()]
        groups.sort(key=lambda group: group[: len(keys)])
        shifts, before = [], 0
        for *key, first, size in groups:
            shifts.append((*key, before - first))
            before += size
        kinds = [f"{place} {own.schema[place].dataType.simpleString()}" for place in keys]
        shift = self.session.createDataFrame(shifts, ", ".join([*kinds, "shift bigint"]))
        numbered = own.join(f.broadcast(shift), keys)
        return numbered.withColumn(name, f.col("own") + f.col("shift")).drop(*keys, "own", "shift")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for frame in self._kept:
            frame.unpersist()


class _EachBatch:
    """Call a function on each batch of a partition."""

    def __init__(self, function: Callable[[pa.RecordBatch], pa.RecordBatch]) -> None:
        self._function = function

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return map(self._function, batches)
