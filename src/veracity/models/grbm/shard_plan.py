"""Which shard owns which of the parameters that move.

Sources are cut into runs of neighbours, one for each shard. A shard owns everything that belongs to
its sources: their deviations first, then their habits and confusions. What all sources share, the
head, stays with the driver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.moving import Marks
from veracity.models.grbm.parameters import DOT

#: The number of the head among shards.
HEAD = -1
#: About so many numbers are a shard: two megabytes of each vector.
NUMBERS_OF_A_SHARD = 1 << 18


def n_shards(n_moving: int) -> int:
    """Return into how many shards so many numbers are divided."""
    return -(-n_moving // NUMBERS_OF_A_SHARD)


@dataclass(frozen=True, eq=False)
class ShardPlan:
    """Runs of neighbours among the parameters that move, each owned by one shard.

    Attributes
    ----------
    first, stop
        Where each run begins and ends among those that move; rising, none empty.
    shard
        Who owns it.
    at
        Where it begins within the shard.
    sizes
        How many numbers each shard has.
    n_deviations
        How many of these, the first, are deviations of sources.
    head_size
        How many numbers the head has.
    """

    first: Indices
    stop: Indices
    shard: Indices
    at: Indices
    sizes: Indices
    n_deviations: Indices
    head_size: int

    @classmethod
    def of(cls, spec: ModelSpec, marks: Marks, shards: int) -> ShardPlan:
        """Divide what moves into so many shards."""
        sources = np.linspace(0, spec.n_sources, shards + 1).astype(np.int64)
        sizes, n_deviations = np.zeros(shards + 1, np.int64), np.zeros(shards, np.int64)
        runs = []
        for name, owners, ends in _pieces(spec, marks, sources):
            for shard, first, stop in zip(owners, ends[:-1], ends[1:], strict=True):
                if first < stop:
                    runs.append((first, stop, shard, sizes[shard]))  # HEAD is the last
                    sizes[shard] += stop - first
            if name == "source":
                n_deviations = np.diff(ends)
        where = np.array(sorted(runs), np.int64).reshape(-1, 4)
        return cls(
            where[:, 0],
            where[:, 1],
            where[:, 2],
            where[:, 3],
            sizes[:-1],
            n_deviations,
            int(sizes[HEAD]),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    def size(self, shard: int) -> int:
        """Return the number of parameters in a shard, or in the head."""
        return self.head_size if shard == HEAD else int(self.sizes[shard])

    def locate(self, place: Indices) -> tuple[Indices, Indices]:
        """Return the shard of parameters, given by their places, and where they are in it."""
        run = np.searchsorted(self.first, place, "right") - 1
        return self.shard[run], self.at[run] + place - self.first[run]

    def runs(self, shard: int) -> Iterator[tuple[slice, int]]:
        """Yield the runs of a shard, or of the head, and where each begins within it."""
        for run in np.flatnonzero(self.shard == shard):
            yield slice(int(self.first[run]), int(self.stop[run])), int(self.at[run])

    def taken(self, numbers: Floats, shard: int) -> Floats:
        """Return the numbers of a shard, or of the head, out of all."""
        return np.concatenate([np.empty(0), *(numbers[run] for run, _ in self.runs(shard))])

    def put(self, numbers: Floats, shard: int, own: Floats) -> None:
        """Set the numbers of a shard, or of the head, among all."""
        for run, at in self.runs(shard):
            numbers[run] = own[at : at + run.stop - run.start]


def _pieces(
    spec: ModelSpec, marks: Marks, sources: Indices
) -> Iterator[tuple[str, range | tuple[int], list[int]]]:
    """Yield the arrays of parameters: who owns the pieces, and where these end."""
    for name, part in spec.names.slices.items():
        axes, owners = spec.names.axes[name], range(len(sources) - 1)
        entries = _entries(spec, axes[0], sources) if axes else None
        if entries is None:
            yield name, (HEAD,), marks.before(np.array([part.start, part.stop])).tolist()
            continue
        n_entries = max(spec.names.sizes[axes[0]], 1)
        width = (part.stop - part.start) // n_entries
        yield name, owners, marks.before(part.start + entries * width).tolist()


def _entries(spec: ModelSpec, axis: str, sources: Indices) -> Indices | None:
    """Return where sources are along an axis; None if it is not one of sources."""
    group, _, own = axis.rpartition(DOT)
    if own not in ("source", "confused source"):
        return None
    if not group:
        return sources
    attribute = spec.attributes[int(group)]
    speakers = attribute.sources
    if own == "confused source":
        speakers = speakers[attribute.has_confusion]
    return np.searchsorted(speakers, sources)
