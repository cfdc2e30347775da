"""Claims of every kind, as a file, and ways to hold them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from veracity import Claims
from veracity.data.read.formats import locate
from veracity.data.read.settings import Options, Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.read import read_in_blocks

BLOCK = 900
#: Where claims may be on this machine, other than side by side in memory.
HERE: dict[str, dict[str, Any]] = {
    "blocks in memory": {"threads": 1, "in_memory": True},
    "blocks on disk": {"threads": 1},
    "two threads": {"threads": 2},
}
EXECUTORS = "two executors"


def in_place(path: Path, place: str, size: int = BLOCK, **options: Any) -> ClaimsInBlocks:
    """Read claims to blocks in one of the places; a cluster has to be running."""
    if place == EXECUTORS:
        return on_executors(path, size)
    settings = Settings.of(Options(**options))  # type: ignore[typeddict-item]
    return read_in_blocks(
        locate(path), FileOptions(), settings, "1GB", claims_per_block=size, **HERE[place]
    )


@lru_cache(maxsize=2)
def on_executors(path: Path, size: int = BLOCK) -> ClaimsInBlocks:
    """Read claims to the cluster that is running, once for several tests."""
    from veracity.engines.spark.read import read_path
    from veracity.engines.spark.session import start

    return read_path(start(), str(path), FileOptions(), Settings(), size)


def write_world(path: Path, seed: int = 0) -> Path:
    """Write claims about open, closed, boolean and multi-valued attributes, with features.

    Some sources copy, some deny, some speak twice.
    """
    random = np.random.default_rng(seed)
    n_sources, n_entities = 30, 110
    skill = random.beta(6, 2, n_sources)
    rows: list[tuple[object, ...]] = []
    draws: dict[str, Callable[[int], str]] = {
        "town": lambda entity: f"town {entity} {random.integers(4)}",
        "colour": lambda entity: str(random.choice(["blue", "green", "red"])),
        "open": lambda entity: str(random.choice(["yes", "no"])),
        "author": lambda entity: f"author {random.integers(12)}",
    }
    for attribute, draw in draws.items():
        for entity in range(n_entities):
            truth = draw(entity)
            speakers = random.choice(n_sources, random.integers(2, 12), replace=False)
            for source in speakers:
                sure = random.random()
                right = random.random() < skill[source] * (0.7 + 0.3 * sure)
                said = [truth if right else draw(entity)]
                if attribute == "author" and random.random() < 0.6:
                    said.append(draw(entity))
                for value in dict.fromkeys(said):
                    when = float(random.integers(100))
                    denies = attribute != "open" and random.random() < 0.03
                    asserts = 0 if denies else 1
                    row = (source, entity, attribute, value, asserts, when, round(sure, 2))
                    rows.append((*row, "abc"[source % 3]))
    again = rows[:: len(rows) // 40]  # some say the same later
    rows += [(*row[:5], 200.0, *row[6:]) for row in again]
    names = [
        "source",
        "entity",
        "attribute",
        "value",
        "asserts",
        "time",
        "claim_sure",
        "source_kind",
    ]
    columns = {
        name: pa.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    columns["source"] = pa.array([f"source {number}" for number in columns["source"].to_pylist()])
    pq.write_table(pa.table(columns).take(pa.array(random.permutation(len(rows)))), path)
    return path


def in_memory(path: Path, **options: Any) -> Claims:
    """Read claims side by side in memory."""
    claims: Claims = Claims.read(path, **options)
    return claims
