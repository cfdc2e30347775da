"""Reading claims into blocks on the executors of a Spark cluster."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from veracity.data.blocks import Reading, code_part
from veracity.data.read.ingest import settle
from veracity.data.read.partition import INDEXED, chosen_columns, survey
from veracity.data.read.settings import Options, Settings
from veracity.data.read.tables import FileOptions, Ragged, RawTable
from veracity.engines.assembly import assemble, check_settings, reading_of
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.spark.blocks import SparkBlocks
from veracity.engines.spark.packing import SPARK_SCHEMA, packed
from veracity.engines.spark.relations import SparkRelations
from veracity.engines.spark.session import start
from veracity.engines.spark.tables import FilesOnCluster, open_frame, open_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from veracity.data.blocks import ClaimBlock

#: How large blocks are, about: a Python worker needs some 1,000 bytes for a claim.
CLAIMS_PER_BLOCK = 500_000
#: Spark collects batches of so many rows, however large these are.
PIECES_PER_BATCH = 8
#: Up to so many sources, their numbers are sent to all executors rather than joined by shuffling.
SENT_SOURCES = 2_000_000


def read(
    where: str,
    master: str | None = None,
    *,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    ragged: Ragged = "strict",
    table: str | None = None,
    query: str | None = None,
    hive: bool = False,
    **options: Unpack[Options],
) -> ClaimsInBlocks:
    """Read claims to a cluster, as `Claims.read` does to this machine."""
    files = FileOptions(encoding, delimiter, ragged, table, query, hive)
    settings = Settings.of(options)
    check_settings(settings)
    return read_path(start(master), where, files, settings)


def read_path(
    session: SparkSession,
    where: str,
    files: FileOptions,
    settings: Settings,
    claims_per_block: int = CLAIMS_PER_BLOCK,
) -> ClaimsInBlocks:
    """Read claims from CSV or Parquet files at a path that Spark can read.

    Parameters
    ----------
    session
        A session on the cluster.
    where
        A file, folder or pattern; of HDFS, S3 or whatever else the cluster reads.
    files, settings
        How to read it.
    claims_per_block
        How large blocks are, about.
    """
    check_settings(settings)
    with SparkRelations(session) as relations:
        found = FilesOnCluster.at(relations, where)
        raw = open_path(relations, found, files)
        return _read(relations, raw, settings, claims_per_block, found, files)


def read_frame(
    frame: DataFrame, settings: Settings, claims_per_block: int = CLAIMS_PER_BLOCK
) -> ClaimsInBlocks:
    """Take claims from a Spark DataFrame."""
    check_settings(settings)
    with SparkRelations(frame.sparkSession) as relations:
        raw = open_frame(relations, frame)
        return _read(relations, raw, settings, claims_per_block)


def _read(
    relations: SparkRelations,
    raw: RawTable,
    settings: Settings,
    claims_per_block: int,
    origin: FilesOnCluster | None = None,
    files: FileOptions | None = None,
) -> ClaimsInBlocks:
    settled = settle(relations, raw, settings)
    known = survey(relations, settled.columns)
    n_parts = math.ceil(settled.n_rows / claims_per_block)
    n_parts = max(n_parts, relations.session.sparkContext.defaultParallelism)
    hint = "/*+ BROADCAST(attributes) */"
    if len(known.sources) <= SENT_SOURCES:
        hint = "/*+ BROADCAST(attributes), BROADCAST(sources) */"
    claims = relations.session.sql(
        f"SELECT {hint} {', '.join(chosen_columns(settled))} FROM {INDEXED}"
    )
    reading = reading_of(known, settled)
    # All claims about an item are in one partition, which becomes one block.
    parts = claims.repartition(n_parts, "attribute", "entity")
    coded: SparkBlocks[ClaimBlock] = SparkBlocks(
        parts.mapInArrow(_Coding(reading), SPARK_SCHEMA), n_parts
    )
    # From here on, rows are pieces of blocks, of which few make a batch that is large enough.
    relations.session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", PIECES_PER_BATCH)
    made = assemble(coded, known, settled, origin, files)
    coded.release()
    return made


class _Coding:
    """Make a coded block of the claims of a partition."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        came = [batch for batch in batches if batch.num_rows]
        context: Any = TaskContext.get()
        if came:
            yield from packed(
                code_part(_part(came, self._reading), self._reading), context.partitionId()
            )


def _part(batches: list[pa.RecordBatch], reading: Reading) -> pa.Table:
    """Return the claims of a part as DuckDB would leave them."""
    part = pa.Table.from_batches(batches)
    if "asserts" in part.column_names:
        at = part.column_names.index("asserts")
        part = part.set_column(at, "asserts", part["asserts"].cast(pa.uint8()))
    own = part.column_names[: part.num_columns - len(reading.features)]
    return part.rename_columns([*own, *reading.features])
