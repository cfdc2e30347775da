"""Blocks in files of the executor that works on them.

Spark hands every task its rows through a pipe, which for a block takes longer than a pass over it.
So the bytes of blocks that are passed over again and again are also written to a file by the task
that got them first, in the folder that Spark removes when the executor ends. Later tasks map that
file into memory. A file may be missing, such as where an executor helps out another: the rows are
still there.
"""

from __future__ import annotations

import mmap
import os
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import Any

from veracity.engines.spark.packing import object_of

FOLDER, ENDING = "veracity", ".block"


class BlockFiles:
    """The files of some blocks, on whichever executor this is asked."""

    def __init__(self) -> None:
        self.key = uuid.uuid4().hex

    def put(self, block: int, whole: bytearray) -> None:
        """Write the bytes of a block, unless they are there."""
        path = self._path(block)
        if path.exists():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")  # a task may run twice at a time
        part.write_bytes(whole)
        part.replace(path)

    def get(self, block: int) -> Any | None:
        """Return a block, its arrays mapped into memory; None if it is not here."""
        try:
            with open(self._path(block), "rb") as file:
                # Private to this process: compiled code wants arrays that could be written to.
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        except FileNotFoundError:
            return None
        return object_of(memoryview(mapped))

    def _path(self, block: int) -> Path:
        return _folder() / f"{self.key}-{block}{ENDING}"


def remove(keys: Collection[str]) -> None:
    """Remove the files of blocks that nobody needs any more from this executor."""
    for path in _folder().glob(f"*{ENDING}"):
        if path.name.partition("-")[0] in keys:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    """Return a folder of this executor, which goes when it ends."""
    return Path(os.environ["SPARK_LOCAL_DIRS"].split(",")[0]) / FOLDER
