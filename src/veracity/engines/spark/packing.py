"""Objects as rows of bytes, so that a Spark DataFrame can hold them.

An object is pickled with its arrays apart, so that they are copied once on the way out and once on
the way in. Its bytes are cut into pieces that neither Arrow nor the JVM finds too large.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

#: A row for each piece of an object; ``part`` is the shard of a sum that was cut, else 0.
SCHEMA = pa.schema(
    {"part": pa.int32(), "block": pa.int32(), "piece": pa.int32(), "bytes": pa.binary()}
)
SPARK_SCHEMA = "part int, block int, piece int, bytes binary"
#: Spark holds a few copies of a row while it keeps it, so that large ones fill a small executor.
PIECE = 1 << 20
ALIGNED = 64


def packed(held: Any, block: int, part: int = 0) -> Iterator[pa.RecordBatch]:
    """Write an object as rows, one batch for each."""
    buffers: list[pickle.PickleBuffer] = []
    described = pickle.dumps(held, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    head = pickle.dumps((described, [view.nbytes for view in views]), protocol=5)
    whole = bytearray(len(head).to_bytes(8, "little"))
    whole += head
    for view in views:
        whole += bytes(-len(whole) % ALIGNED)
        whole += view
    sight = memoryview(whole)
    for piece, first in enumerate(range(0, len(whole), PIECE)):
        columns = [
            pa.array([part], pa.int32()),
            pa.array([block], pa.int32()),
            pa.array([piece], pa.int32()),
            pa.array([sight[first : first + PIECE]], pa.binary()),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def signed(table: pa.Table) -> pa.Table:
    """Return a table whose whole numbers have a sign, since Spark has no others."""
    for place, field in enumerate(table.schema):
        if field.type == pa.uint8():
            table = table.set_column(place, field.name, table[field.name].cast(pa.int16()))
    return table


def drained(table: pa.Table) -> Iterator[pa.RecordBatch]:
    """Return the batches of a table that nobody else has; the memory of each goes with it."""
    batches = deque(table.to_batches())
    del table
    while batches:
        yield batches.popleft()


def unpacked(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, Any]]:
    """Read objects back from their rows, with the number of their part and block."""
    for part, block, whole in gathered(batches):
        yield part, block, object_of(memoryview(whole))


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, bytearray]]:
    """Put the pieces of objects together, with the number of their part and block."""
    whole, owner = bytearray(), None
    for batch in batches:
        columns = (batch.column(name) for name in SCHEMA.names)
        for part, block, _, piece in zip(*columns, strict=True):
            came = (part.as_py(), block.as_py())
            if owner is not None and came != owner:
                yield (*owner, whole)
                whole = bytearray()
            owner = came
            whole += memoryview(piece.as_buffer())
    if owner is not None:
        yield (*owner, whole)


def object_of(whole: memoryview) -> Any:
    """Return the object that was written as these bytes, in which its arrays stay."""
    # Arrays can be written to, as compiled code expects of them.
    end = 8 + int.from_bytes(whole[:8], "little")
    described, sizes = pickle.loads(whole[8:end])  # noqa: S301 - packed by our own driver
    views, at = [], end
    for size in sizes:
        at += -at % ALIGNED
        views.append(whole[at : at + size])
        at += size
    return pickle.loads(described, buffers=views)  # noqa: S301 - as above
