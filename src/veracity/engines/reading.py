"""Reading claims in blocks on this machine: what `Claims.read` does if memory is limited."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from veracity.data.attributes import (
    AttributeCounts,
    AttributeProfile,
    check_names,
    profile_attribute,
)
from veracity.data.blocks import (
    ClaimBlock,
    Reading,
    code_part,
    count_part,
    encode_block,
    repeats_in,
)
from veracity.data.encode import SpeaksTwice, repeats_notes
from veracity.data.engine import Workbench
from veracity.data.formats import Location
from veracity.data.ingest import settle
from veracity.data.partition import Parts, partition, read_part
from veracity.data.readers import FileOptions, open_location
from veracity.data.scratch import Scratch, writing
from veracity.data.settings import Settings
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.engines.local import InMemory, LocalBlocks, OnShelf, Place
from veracity.engines.shelf import Shelf
from veracity.engines.sums import Sums
from veracity.engines.threads import default_threads
from veracity.errors import InvalidParameter, listing

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
    _check_settings(settings)
    limit = bytes_of(memory)
    size = claims_per_block or int(limit / (threads or default_threads()) / BYTES_PER_CLAIM)
    scratch = Scratch()
    relations = scratch.folder_of("relations")
    work = Workbench(relations, int(RELATIONAL_SHARE * limit))
    with writing(relations), work as workbench:
        settled = settle(workbench, open_location(workbench, location, files), settings)
        n_parts = math.ceil(settled.n_rows / size)
        parts = partition(workbench, settled, scratch.folder / "parts", n_parts)
    shutil.rmtree(relations)
    columns = settled.columns
    plain = replace(settings, canonical=None)  # values have their spelling by now
    reading = Reading(parts.attributes, columns, plain, columns.features)
    shelf = None if in_memory else Shelf(scratch)
    on_disk = [Part(folder, columns.features, shelf) for folder in parts.folders]
    coded = LocalBlocks(on_disk, threads).prepare(code_part, reading)
    shutil.rmtree(scratch.folder / "parts")
    profiles = _profiles(parts, settings, coded)
    if settings.duplicates == "error":
        _refuse_repeats(coded, profiles)
    blocks = coded.prepare(encode_block, profiles)
    found = blocks.total(_notable)
    return ClaimsInBlocks(
        blocks,
        parts.sources,
        profiles,
        settings,
        columns,
        _feature_types(blocks),
        settled.n_rows,
        parts.n_entities,
        [*settled.notes, *repeats_notes(settings, found["n_repeated"], "time" in columns.roles)],
        location,
        files,
    )


class Part(Place[pa.Table]):
    """A part of the claims in files, of which a block is made."""

    def __init__(self, folder: Path, features: tuple[str, ...], shelf: Shelf | None) -> None:
        self._folder = folder
        self._features = features
        self._shelf = shelf

    def get(self) -> pa.Table:
        """Return its claims."""
        return read_part(self._folder, self._features)

    def keep(self, made: Made) -> Place[Made]:
        """Keep what was made of it."""
        if self._shelf is None:
            return InMemory(made)
        return OnShelf(self._shelf, made)


def _check_settings(settings: Settings) -> None:
    """Refuse what only claims in memory can have."""
    tolerant = [name for name, said in settings.attributes.items() if said.tolerance is not None]
    if tolerant:
        raise InvalidParameter(
            f"A tolerance (of {listing(tolerant)}) needs all claims in memory. Leave out the limit "
            "of memory, or round the numbers beforehand."
        )


def _profiles(
    parts: Parts, settings: Settings, coded: Blocks[ClaimBlock]
) -> tuple[AttributeProfile, ...]:
    check_names(settings, parts.attributes)
    counts = coded.total(count_part, len(parts.attributes))
    return tuple(
        profile_attribute(
            AttributeCounts(
                name,
                int(counts["n_items"][place]),
                parts.n_values[place],
                parts.values[place],
                int(counts["n_speakings"][place]),
                int(counts["n_several"][place]),
            ),
            settings.for_attribute(name),
        )
        for place, name in enumerate(parts.attributes)
    )


def _refuse_repeats(coded: Blocks[ClaimBlock], profiles: tuple[AttributeProfile, ...]) -> None:
    """Refuse claims of a source that speaks twice, naming the first of all blocks."""
    found = [repeats for part in coded.results(repeats_in, profiles) for repeats in part]
    if found:
        first = min(found, key=lambda repeats: repeats.row)
        raise SpeaksTwice(first._replace(n_claims=sum(repeats.n_claims for repeats in found)))


def _notable(block: ClaimBlock) -> Sums:
    """Return what of a block a note is to be made of."""
    return {"n_repeated": sum(note.count or 0 for note in block.claims.notes)}


def _feature_types(blocks: Blocks[ClaimBlock]) -> dict[str, str]:
    return next(blocks.results(_types_in))


def _types_in(block: ClaimBlock) -> dict[str, str]:
    return block.claims.feature_types
