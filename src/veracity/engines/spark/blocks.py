"""Blocks on the executors of a Spark cluster.

Blocks are the rows of a DataFrame that Spark keeps in the memory and on the disks of its executors
(`veracity.engines.spark.packing`). What is made of blocks is another such DataFrame, and Spark
remembers of what: the blocks of a lost executor are made again by another.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from veracity.data.threads import use_threads
from veracity.engines.base import Blocks, name_of
from veracity.engines.shards import Exchange, Route
from veracity.engines.spark.failures import clear_errors
from veracity.engines.spark.files import BlockFiles, remove
from veracity.engines.spark.leftovers import note_unused, release_unused
from veracity.engines.spark.listed import FromFiles, FromRows, Listed, batch_of
from veracity.engines.spark.packing import SPARK_SCHEMA, drained, gathered, packed, signed, unpacked
from veracity.engines.spark.sharding import cut, joined, n_shards
from veracity.engines.spark.workers import spare_modules
from veracity.engines.sums import Sums, add

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession

Held = TypeVar("Held")
Made = TypeVar("Made")

#: The part of a sum that a task returns in place of it where the file of a block is missing.
MISSING = -1
#: Sums of so many blocks are added by the driver; of more, by the executors first.
DIRECTLY = 32


class SparkBlocks(Blocks[Held]):
    """Blocks that executors hold, one to a partition."""

    def __init__(
        self,
        frame: DataFrame,
        n_partitions: int,
        needed: tuple[Any, ...] = (),
        directly: int = DIRECTLY,
    ) -> None:
        """Hold the blocks of a frame.

        Parameters
        ----------
        frame
            The rows of the blocks.
        n_partitions
            How many partitions it has; some may be empty.
        needed
            What must stay as long as the blocks do, since they may have to be made again.
        directly
            The sums of how many blocks the driver may add up by itself.
        """
        from pyspark import StorageLevel

        release_unused()
        self._kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self._n_partitions = n_partitions
        self._needed = needed
        self._directly = directly
        self._files, self._is_used = BlockFiles(), False
        weakref.finalize(self, note_unused, self._kept, *needed)
        with clear_errors():
            self._frame = _planned(self._kept)

    def __len__(self) -> int:
        with clear_errors():
            return int(self._frame.select("block").distinct().count())

    def prepare(self, make: Callable[..., Made | None], *shared: Any) -> SparkBlocks[Made]:
        """Make something of each block, and keep it where the block is; None is left out."""
        sent = self._context.broadcast(shared)
        frame = self._frame.mapInArrow(_Preparing(make, sent), SPARK_SCHEMA)
        # The blocks of which these are made stay, too.
        return SparkBlocks(frame, self._n_partitions, (sent, self), self._directly)

    def release(self) -> None:
        """Let Spark forget the blocks; it makes them again should they be needed."""
        self._kept.unpersist()
        if "_marks" in vars(self):
            self._drop_files()
            del self._marks
            self._files = BlockFiles()

    def results(self, function: Callable[..., Made], *shared: Any) -> Iterator[Made]:
        """Call a function on each block; yield what it returns, in the order of the blocks."""
        with clear_errors(), self._sent(function, shared) as sent:
            made = self._frame.mapInArrow(_Making(function, sent), SPARK_SCHEMA).persist()
            try:
                made.count()  # all at once; then they come one by one
                rows = made.toLocalIterator()
                for _, _, held in unpacked(map(batch_of, rows)):
                    yield held
            finally:
                made.unpersist()

    def total(self, function: Callable[..., Sums], *shared: Any) -> Sums:
        """Call a function on each block, and add up what it returns, in the order of the blocks."""
        with clear_errors(), self._sent(function, shared) as sent:
            found = None
            if self._is_used:  # once is often all; from then on, files pay
                found = self._sums(
                    self._marks, _SummingFiles(function, sent, self._shards, self._files)
                )
            self._is_used = True
            if found is None:
                found = self._sums(self._frame, _Summing(function, sent, self._shards))
        assert found is not None
        return found

    def _sums(self, frame: DataFrame, summing: _Summing) -> Sums | None:
        """Add up what a function returns of blocks; None if the file of one is missing."""
        shards = self._shards
        partial = frame.mapInArrow(summing, SPARK_SCHEMA)
        if shards > 1:
            partial = (
                partial.repartition(shards, "part")
                .sortWithinPartitions("part", "block", "piece")
                .mapInArrow(_add_shards, SPARK_SCHEMA)
            )
        found = list(unpacked(drained(partial.toArrow())))
        if any(part == MISSING for part, _, _ in found):
            return None
        if shards == 1:
            total: Sums = reduce(add, (sums for _, _, sums in found))
            return total
        found.sort(key=lambda came: came[0])
        return joined([sums for _, _, sums in found])

    @property
    def _shards(self) -> int:
        """Into how many shards sums are cut."""
        return 1 if self._n_partitions <= self._directly else n_shards(self._n_partitions)

    @cached_property
    def _marks(self) -> DataFrame:
        """A row for each block where its file is. If the executor is lost, both are made again."""
        marks = self._frame.mapInArrow(_Filing(self._files, tuple(_gone)), SPARK_SCHEMA)
        kept = marks.persist()
        self._drop_files = weakref.finalize(self, _drop, kept, self._files.key)
        return _planned(kept)

    exchanges = True

    def exchange(self, route: Callable[..., Route], shards: int, *shared: Any) -> Exchange:
        """Agree upon what each block needs of so many shards."""
        from veracity.engines.spark.exchange import SparkExchange

        return SparkExchange(self, self.prepare(route, *shared), shards)

    def listed(self, *, in_files: bool) -> Listed:
        """List the blocks of each partition, by their files or by all of their bytes."""
        if in_files:
            return Listed.of(self._marks.select("block"), FromFiles(self._files))
        return Listed.of(self._frame, FromRows())

    def frame(self, function: Callable[..., pa.Table], *shared: Any) -> DataFrame:
        """Apply a function to each block; return the resulting tables as one DataFrame."""
        from pyspark.sql.pandas.types import from_arrow_schema

        schema = self._one(_schema_of, function, shared)
        sent = self._context.broadcast(shared)
        frame = self._frame.mapInArrow(_Tabling(function, sent), from_arrow_schema(schema))
        weakref.finalize(frame, note_unused, sent, self)
        return frame

    def _one(self, function: Callable[..., Made], *shared: Any) -> Made:
        """Call a function on the first block only."""
        with clear_errors(), self._sent(function, shared) as sent:
            first = self._frame.select("block").first()
            assert first is not None  # there are no claims without a block
            own = self._frame.where(self._frame["block"] == first.block)
            made = own.mapInArrow(_Making(function, sent), SPARK_SCHEMA).toArrow()
        ((_, _, held),) = unpacked(made.to_batches())
        answer: Made = held
        return answer

    @property
    def session(self) -> SparkSession:
        """The session in which the blocks are known."""
        return self._frame.sparkSession

    @property
    def _context(self) -> Any:
        return self.session.sparkContext

    @contextmanager
    def _sent(self, function: Callable[..., Any], shared: tuple[Any, ...]) -> Iterator[Any]:
        """Send what is shared to the executors for as long as it is needed."""
        self._context.setJobDescription(f"veracity: {name_of(function)}")
        sent = self._context.broadcast(shared)
        try:
            yield sent
        finally:
            sent.destroy()
            self._context.setJobDescription(None)


def _planned(frame: DataFrame) -> DataFrame:
    """Return the same rows as a frame whose plan is done with.

    Spark plans every query anew, down to the files, and compares it with all that it keeps. Of
    blocks made of blocks, that takes longer than a pass over a million claims. Where rows are lost,
    they are made again as before: that is remembered apart from the plan.
    """
    from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

    known: Any = frame
    rows = known._jdf.queryExecution().toRdd()
    session: Any = frame.sparkSession
    made = session._jsparkSession.internalCreateDataFrame(rows, known._jdf.schema(), False)
    return ClassicFrame(made, session)


#: The keys of files that nobody needs any more. Executors remove them when they write others.
_gone: deque[str] = deque(maxlen=1_000)


def _drop(marks: DataFrame, key: str) -> None:
    """Note that files, and the marks of them, are needed no more."""
    note_unused(marks)
    _gone.append(key)


# What executors are told to do


class _Making:
    """Call a function on the blocks of a partition, and write what it returns as blocks."""

    def __init__(self, make: Callable[..., Any], shared: Broadcast[tuple[Any, ...]]) -> None:
        self._make, self._shared = make, shared

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_modules()
        for _, block, held in unpacked(batches):
            with use_threads(1):
                made = self._make(held, *self._shared.value)
            yield from packed(made, block)


class _Preparing(_Making):
    """As `_Making`, but leave out the blocks of which nothing is made."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_modules()
        for _, block, held in unpacked(batches):
            with use_threads(1):
                made = self._make(held, *self._shared.value)
            if made is not None:
                yield from packed(made, block)


class _Summing:
    """Add up what a function returns of the blocks of a partition, cut into shards."""

    def __init__(
        self, function: Callable[..., Sums], shared: Broadcast[tuple[Any, ...]], shards: int
    ) -> None:
        self._function, self._shared, self._shards = function, shared, shards

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_modules()
        total: Sums | None = None
        first = 0
        for block, held in self._blocks(batches):
            if held is None:
                yield from packed({}, block, MISSING)
                return
            with use_threads(1):
                sums = self._function(held, *self._shared.value)
            first, total = (block, sums) if total is None else (first, add(total, sums))
        if total is None:
            return
        shards = [total] if self._shards == 1 else cut(total, self._shards)
        for part, sums in enumerate(shards):
            yield from packed(sums, first, part)

    def _blocks(self, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, Any]]:
        """Return the blocks of a partition; None for one that is not here."""
        return ((block, held) for _, block, held in unpacked(batches))


class _SummingFiles(_Summing):
    """As `_Summing`, but take the blocks from files of the executor."""

    def __init__(
        self,
        function: Callable[..., Sums],
        shared: Broadcast[tuple[Any, ...]],
        shards: int,
        files: BlockFiles,
    ) -> None:
        super().__init__(function, shared, shards)
        self._files = files

    def _blocks(self, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, Any]]:
        # All rows are read first: a worker that leaves some is not used again.
        marks = [block for _, block, _ in gathered(batches)]
        return ((block, self._files.get(block)) for block in marks)


class _Filing:
    """Write the blocks of a partition to files of the executor, and leave a mark for each."""

    def __init__(self, files: BlockFiles, gone: tuple[str, ...]) -> None:
        self._files, self._gone = files, gone

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        remove(self._gone)
        for _, block, whole in gathered(batches):
            self._files.put(block, whole)
            yield from packed(None, block)


def _add_shards(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add up the sums of each shard, which come in the order of their blocks."""
    total: Sums = {}
    current: int | None = None
    for part, _, sums in unpacked(batches):
        if part == current:
            total = add(total, sums)
            continue
        if current is not None:
            yield from packed(total, 0, current)
        current, total = part, sums
    if current is not None:
        yield from packed(total, 0, current)


class _Tabling:
    """Call a function on the blocks of a partition that makes a table of each."""

    def __init__(
        self, function: Callable[..., pa.Table], shared: Broadcast[tuple[Any, ...]]
    ) -> None:
        self._function, self._shared = function, shared

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_modules()
        for _, _, held in unpacked(batches):
            with use_threads(1):
                table = self._function(held, *self._shared.value)
            yield from signed(table).to_batches()


def _schema_of(held: Any, function: Callable[..., pa.Table], shared: tuple[Any, ...]) -> pa.Schema:
    return signed(function(held, *shared)).schema
