"""Reading claims in blocks on this machine: what `Claims.read` does if memory is limited."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from veracity.data.blocks import code_part
from veracity.data.read.formats import Location
from veracity.data.read.ingest import settle
from veracity.data.read.partition import partition, read_part, survey
from veracity.data.read.scratch import Scratch, writing
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions, open_location
from veracity.data.read.workbench import Workbench
from veracity.data.threads import default_threads
from veracity.engines.assembly import assemble, check_settings, reading_of
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.local import InMemory, LocalBlocks, Place, Spilled
from veracity.engines.spill import Spill
from veracity.errors import InvalidParameter

Made = TypeVar("Made")

#: What a claim takes while its block is made and worked on, in bytes; measured.
BYTES_PER_CLAIM = 1_000
#: The share of the memory that the relational steps may take.
RELATIONAL_SHARE = 0.5
SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
LEAST_MEMORY = 256 * 2**20


def bytes_of(memory: str | int) -> int:
    """Read an amount of memory, such as ``2GB`` or ``500 MiB``."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?", str(memory).strip().upper())
    if found is None:
        raise InvalidParameter(
            f"memory must be an amount such as 2GB or 500MB. Got {memory!r} instead."
        )
    size = int(float(found[1]) * SIZES[found[2]])
    if size < LEAST_MEMORY:
        raise InvalidParameter(
            f"memory must be {LEAST_MEMORY // 2**20} MB or more: that much is needed before the "
            f"first claim is read. Got {memory!r} instead."
        )
    return size


def read_in_blocks(
    location: Location,
    files: FileOptions,
    settings: Settings,
    memory: str | int,
    threads: int | None = None,
    *,
    claims_per_block: int | None = None,
    in_memory: bool = False,
) -> ClaimsInBlocks:
    """Read claims from files or a database into blocks on disk.

    Parameters
    ----------
    location, files, settings
        What to read, and how.
    memory
        How much of it to use at most, about.
    threads
        How many blocks to work on at a time; None for as many as there are cores.
    claims_per_block
        How large blocks are, about; as the memory allows if it is not said.
    in_memory
        Keep the blocks in memory, however large they are.
    """
    check_settings(settings)
    limit = bytes_of(memory)
    size = claims_per_block or int(limit / (threads or default_threads()) / BYTES_PER_CLAIM)
    scratch = Scratch()
    relations = scratch.folder_of("relations")
    work = Workbench(relations, int(RELATIONAL_SHARE * limit))
    with writing(relations.parent.parent), work as workbench:
        settled = settle(workbench, open_location(workbench, location, files), settings)
        known = survey(workbench, settled.columns)
        n_parts = math.ceil(settled.n_rows / size)
        parts = partition(workbench, settled, scratch.folder / "parts", n_parts)
    shutil.rmtree(relations)
    spill = None if in_memory else Spill(scratch)
    on_disk = [Part(folder, settled.columns.features, spill) for folder in parts]
    coded = LocalBlocks(on_disk, threads).prepare(code_part, reading_of(known, settled))
    shutil.rmtree(scratch.folder / "parts")
    return assemble(coded, known, settled, location, files)


class Part(Place[pa.Table]):
    """A part of the claims in files, of which a block is made."""

    def __init__(self, folder: Path, features: tuple[str, ...], spill: Spill | None) -> None:
        self._folder = folder
        self._features = features
        self._spill = spill

    def get(self) -> pa.Table:
        """Return its claims."""
        return read_part(self._folder, self._features)

    def keep(self, made: Made) -> Place[Made]:
        """Keep what was made of it."""
        if self._spill is None:
            return InMemory(made)
        return Spilled(self._spill, made)
