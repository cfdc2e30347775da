"""Claims of any shape and number, written chunk by chunk so that they need not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CHUNK = 1_000_000


@dataclass(frozen=True)
class World:
    """How many claims there are, and of what kind.

    Attributes
    ----------
    claims, sources
        Numbers of them; few sources say much, most say little.
    per_item
        Claims about an item.
    values
        Values that are possible for an item.
    features
        Columns of numbers that say a little about how good a source is.
    is_open
        Whether every item has values of its own.
    """

    claims: int
    sources: int = 5_000
    per_item: int = 5
    values: int = 4
    features: int = 0
    is_open: bool = False


def write_claims(path: Path, world: World, seed: int = 0) -> None:
    """Write claims of sources of which some are better than others."""
    parts = _parts(world, np.random.default_rng(seed))
    first = next(parts)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_table(first)
        for part in parts:
            writer.write_table(part)


def _parts(world: World, rng: np.random.Generator) -> Iterator[pa.Table]:
    quality = rng.normal(2.3, 1.0, world.sources)
    names = pa.array([f"worker-{number}" for number in range(world.sources)])
    told = np.round(quality[:, None] + rng.normal(0, 2.0, (world.sources, world.features)), 1)
    for first in range(0, world.claims, CHUNK):
        size = min(CHUNK, world.claims - first)
        item = (first + np.arange(size)) // world.per_item
        source = (world.sources * rng.random(size) ** 2).astype(np.int64)
        right = rng.random(size) < 1 / (1 + np.exp(-quality[source]))
        wrong = rng.integers(0, world.values, size)
        tasks = pa.array(item).cast(pa.string())
        labels = pa.array(np.where(right, item % world.values, wrong)).cast(pa.string())
        if world.is_open:
            labels = pa.compute.binary_join_element_wise(tasks, labels, "-")
        columns = {"source": names.take(pa.array(source)), "entity": tasks, "value": labels}
        columns |= {
            f"source_number_{number}": pa.array(told[source, number])
            for number in range(world.features)
        }
        yield pa.table(columns).take(pa.array(rng.permutation(size)))
