"""Blocks of whole items, wherever they are: in memory, on disk or on a cluster.

A model that learns from blocks is a loop around two verbs. `Blocks.prepare` makes something of each
block and keeps it where the block is; `Blocks.total` calls a function on each and adds up what it
returns. What is shared, such as parameters, goes to the blocks with the call, and only sums come
back. An engine says where the calls run; the functions know nothing of it. They are plain functions
of a module, and what they take and return can be pickled, since some engines send it elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import reduce
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from veracity.data.blocks import ClaimBlock
from veracity.data.clean.values import ValueForms
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.read.frames import plain_text
from veracity.data.read.schema import Columns
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.shards import Exchange, Route
from veracity.engines.sums import Sums, add
from veracity.errors import InvalidParameter

Held = TypeVar("Held")
Made = TypeVar("Made")


class Blocks(ABC, Generic[Held]):
    """Something that every block of items has: at first its claims, then what was made of them.

    Attributes
    ----------
    only
        That of the only block, where it holds all claims in memory; else None.
    exchanges
        Whether blocks can exchange numbers with owners of shards.
    """

    only: Held | None = None
    exchanges: bool = False

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of blocks."""

    @abstractmethod
    def prepare(self, make: Callable[..., Made | None], *shared: Any) -> Blocks[Made]:
        """Make something of each block, and keep it where the block is.

        A block of which nothing is made, None, is left out. There must be one that is not.
        """

    @abstractmethod
    def results(self, function: Callable[..., Made], *shared: Any) -> Iterator[Made]:
        """Call a function on each block; yield what it returns, in the order of the blocks."""

    def total(self, function: Callable[..., Sums], *shared: Any) -> Sums:
        """Call a function on each block, and add up what it returns, in the order of the blocks."""
        return reduce(add, self.results(function, *shared))

    def exchange(self, route: Callable[..., Route], shards: int, *shared: Any) -> Exchange:
        """Settle once which numbers each block needs of each shard."""
        raise NotImplementedError


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function with that of its module."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__.strip('_')}"


class Origin(Protocol):
    """Where claims were read from."""

    def describe(self) -> list[dict[str, object]]:
        """List the inputs with their sizes, for ``run.json``."""


@dataclass(frozen=True, eq=False)
class ClaimsInBlocks:
    """A validated table of claims in blocks of whole items, with what all blocks share.

    Attributes
    ----------
    blocks
        The claims.
    sources
        The labels of all sources, in order; a block knows the place of its own among them.
    attributes
        Kind and domain of each attribute.
    settings, columns, feature_types
        How the claims were read, which column plays which role, and the type of each feature.
    n_rows, n_entities
        Rows of the table, and entities that they are about.
    notes
        What was noticed, merged or left out on reading.
    origin, files
        The files or the database that the claims were read from, and how they were opened.
    """

    blocks: Blocks[ClaimBlock]
    sources: pa.StringArray
    attributes: tuple[AttributeProfile, ...]
    settings: Settings
    columns: Columns
    feature_types: dict[str, str]
    n_rows: int
    n_entities: int
    notes: list[Note] = field(default_factory=list)
    origin: Origin | None = None
    files: FileOptions | None = None

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return len(self.sources)

    @property
    def on_spark(self) -> bool:
        """Whether the blocks are on a Spark cluster."""
        return hasattr(self.blocks, "session")

    def __len__(self) -> int:
        return self.n_rows

    @property
    def matrix(self) -> ClaimMatrix:
        """The claims as integer arrays, where they are one block in memory."""
        if self.blocks.only is not None:
            return self.blocks.only.matrix
        raise InvalidParameter(
            "This needs claims in memory, but these are in blocks on disk or on a cluster. Read "
            "the claims in question without a memory limit, and pass those."
        )

    @property
    def forms(self) -> ValueForms:
        """When two values are the same."""
        return ValueForms(self.settings)

    def in_use(self) -> Iterator[pa.Table]:
        """Return the claims that count, block by block; see `Claims.in_use`."""
        return self.blocks.results(claims_in_use)

    def describe_origin(self) -> list[dict[str, object]]:
        """List the files or the database that the claims were read from."""
        return [] if self.origin is None else self.origin.describe()

    def describe_settings(self) -> dict[str, object]:
        """List the options with which the claims were read, enough to read them again."""
        files = {} if self.files is None else asdict(self.files)
        return {**self.settings.as_dict(), **files}

    def __repr__(self) -> str:
        return (
            f"ClaimsInBlocks({self.n_rows:,} claims, {self.n_sources:,} sources, "
            f"{len(self.blocks):,} blocks)"
        )


def claims_in_use(block: ClaimBlock) -> pa.Table:
    """Return the claims of a block that count."""
    return plain_text(block.claims.in_use())
