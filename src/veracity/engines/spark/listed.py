"""The blocks of a partition as one list, so that they can be zipped with what they were sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from veracity.engines.spark.files import BlockFiles
from veracity.engines.spark.packing import unpacked

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame

#: Returns the blocks of a list of rows, with their numbers; None for one that is not there.
Read = Callable[[list[Any]], Iterator[tuple[int, Any]]]


@dataclass(frozen=True, eq=False)
class Listed:
    """The blocks of each partition.

    Attributes
    ----------
    rdd
        A list of rows for each partition.
    read
        How blocks are read from such a list.
    """

    rdd: RDD[list[Any]]
    read: Read

    @classmethod
    def of(cls, frame: DataFrame, read: Read) -> Listed:
        """List the rows of a frame."""
        return cls(frame.rdd.mapPartitions(_all), read)


class FromFiles:
    """Read blocks from files of the executor."""

    def __init__(self, files: BlockFiles) -> None:
        self._files = files

    def __call__(self, rows: list[Any]) -> Iterator[tuple[int, Any]]:
        return ((row.block, self._files.get(row.block)) for row in rows)


class FromRows:
    """Read blocks from all of their bytes."""

    def __call__(self, rows: list[Any]) -> Iterator[tuple[int, Any]]:
        return ((block, held) for _, block, held in unpacked(map(batch_of, rows)))


def batch_of(row: Any) -> pa.RecordBatch:
    """Return a row of bytes as it was before Spark kept it."""
    columns = [pa.array([cell]) for cell in (row.part, row.block, row.piece)]
    columns = [column.cast(pa.int32()) for column in columns]
    return pa.RecordBatch.from_arrays(
        [*columns, pa.array([row.bytes], pa.binary())], names=["part", "block", "piece", "bytes"]
    )


def _all(rows: Iterable[Any]) -> Iterator[list[Any]]:
    yield list(rows)
