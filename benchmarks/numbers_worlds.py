"""Drawn sensors: claims about numbers whose truth is known, with one thing wrong in each world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask

Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class NumberSet:
    """Claimed numbers, and the truth of items, NaN where it is not known.

    ``item`` and ``source`` are numbers of the items and sources of each claim.
    """

    name: str
    item: Indices
    source: Indices
    value: Floats
    truth: Floats

    @property
    def judged(self) -> Mask:
        """Items with truth."""
        return ~np.isnan(self.truth)


@dataclass(frozen=True)
class Size:
    """How many items, sources and claims: each source speaks about a share of the items."""

    n_items: int = 200
    n_sources: int = 12
    share: float = 0.7


def _sensors(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Return truths, and what sensors of different precision read; (n_sources, n_items)."""
    truth = rng.normal(20.0, 6.0, size.n_items)
    deviation = rng.lognormal(0.0, 0.6, size.n_sources)
    noise = rng.standard_normal((size.n_sources, size.n_items))
    return truth, truth + deviation[:, None] * noise


def sensors(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Sensors of different precision."""
    return _sensors(rng, size)


def alike(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Sensors of one precision."""
    truth = rng.normal(20.0, 6.0, size.n_items)
    return truth, truth + rng.standard_normal((size.n_sources, size.n_items))


def heavy(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Sensors with heavy tails and one precision."""
    truth = rng.normal(20.0, 6.0, size.n_items)
    return truth, truth + rng.standard_t(2, (size.n_sources, size.n_items))


def biased(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Every third sensor has a bias."""
    truth, read = _sensors(rng, size)
    read[::3] += rng.normal(0.0, 3.0, len(read[::3]))[:, None]
    return truth, read


def drifting(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Every third sensor drifts from item to item."""
    truth, read = _sensors(rng, size)
    read[::3] += rng.normal(0.0, 4.0, len(read[::3]))[:, None] * np.linspace(0, 1, size.n_items)
    return truth, read


def stuck(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Every fourth sensor is stuck at one reading."""
    truth, read = _sensors(rng, size)
    read[::4] = rng.normal(20.0, 3.0, len(read[::4]))[:, None] + 0.1 * read[::4]
    return truth, read


def gross(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """One reading in ten is off by anything."""
    truth, read = _sensors(rng, size)
    wrong = rng.random(read.shape) < 0.1
    return truth, np.where(wrong, rng.normal(0.0, 1000.0, read.shape), read)


def units(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Every fourth sensor reports in another unit half of the time, or slips a decimal."""
    truth = rng.lognormal(4.0, 1.0, size.n_items)
    read = truth * np.exp(0.1 * rng.standard_normal((size.n_sources, size.n_items)))
    slip = rng.random(read.shape) < 0.5
    slip[np.arange(size.n_sources) % 4 > 0] = False
    factor = np.where(np.arange(size.n_sources) % 8 == 0, 1000.0, 2.2046)[:, None]
    return truth, np.where(slip, read * factor, read)


def one_good(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """One sensor is ten times as precise as all others."""
    truth = rng.normal(20.0, 6.0, size.n_items)
    deviation = np.where(np.arange(size.n_sources) == 1, 0.3, 3.0)
    return truth, truth + deviation[:, None] * rng.standard_normal((size.n_sources, size.n_items))


def copies(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """A third of the sensors repeat a bad one, with small errors of their own."""
    truth, read = _sensors(rng, size)
    n_copies = size.n_sources // 3
    bad = truth + 2.0 * rng.standard_normal(size.n_items)
    read[:n_copies] = bad + 0.1 * rng.standard_normal((n_copies, size.n_items))
    return truth, read


def shared(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """All sensors share an error, as large as their own."""
    truth, read = _sensors(rng, size)
    return truth, read + rng.standard_normal(size.n_items)


def camp(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """All sensors but a quarter share an error; the others are less precise by themselves."""
    truth = rng.normal(20.0, 6.0, size.n_items)
    apart = np.arange(size.n_sources) % 4 == 0
    own = rng.standard_normal((size.n_sources, size.n_items))
    common = 2.0 * rng.standard_normal(size.n_items)
    return truth, truth + np.where(apart[:, None], 2.0 * own, common + own)


def ratings(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Ratings from 0 to 100, mostly at tens and fives."""
    truth = rng.uniform(20.0, 80.0, size.n_items)
    rated = truth + rng.normal(0.0, 15.0, (size.n_sources, size.n_items))
    grid = rng.choice([1.0, 5.0, 10.0], (size.n_sources, 1), p=[0.2, 0.3, 0.5])
    return truth, np.clip(np.round(rated / grid) * grid, 0, 100)


def exact(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Times in minutes: a source knows the time exactly or reports an older one."""
    truth = np.round(rng.uniform(0.0, 1440.0, size.n_items))
    planned = truth - np.round(rng.exponential(15.0, size.n_items))
    knows = rng.uniform(0.2, 0.95, (size.n_sources, 1))
    off = np.round(rng.normal(0.0, 6.0, (size.n_sources, size.n_items)))
    late = np.where(rng.random(off.shape) < 0.5, planned, truth + off)
    return truth, np.where(rng.random(off.shape) < knows, truth, late)


def wide(rng: Rng, size: Size) -> tuple[Floats, Floats]:
    """Amounts over many orders of magnitude, with relative errors."""
    truth = rng.lognormal(6.0, 2.0, size.n_items)
    deviation = rng.lognormal(-2.0, 0.6, size.n_sources)
    noise = rng.standard_normal((size.n_sources, size.n_items))
    return truth, truth * np.exp(deviation[:, None] * noise)


WORLDS: dict[str, Callable[[Rng, Size], tuple[Floats, Floats]]] = {
    world.__name__: world
    for world in (
        sensors,
        alike,
        heavy,
        biased,
        drifting,
        stuck,
        gross,
        units,
        one_good,
        copies,
        shared,
        camp,
        ratings,
        exact,
        wide,
    )
}


def draw(name: str, seed: int, size: Size | None = None) -> NumberSet:
    """Draw a world."""
    rng = np.random.default_rng([seed, *name.encode()])
    size = size or Size()
    truth, read = WORLDS[name](rng, size)
    speaks = rng.random(read.shape) < size.share
    speaks[rng.integers(0, size.n_sources, size.n_items), np.arange(size.n_items)] = True
    source, item = np.nonzero(speaks)
    return NumberSet(name, item, source, read[source, item], truth)
