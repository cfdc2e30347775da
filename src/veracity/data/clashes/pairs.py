"""Pairs: what a source says of items, beside what the others say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Array, Floats, Indices, Mask


@dataclass(frozen=True, eq=False)
class Pairs:
    """Values of one source, each beside that of the others.

    Attributes
    ----------
    own, others
        What the source says of each item, and what the others say.
    numbers
        What the others say as numbers, if the attribute has numbers; NaN where they do not agree.
    spread
        How far apart sources that agree are, in `numbers`.
    common
        What the others say of any of the items.
    usual
        Values of the source that at least half of the other sources use, of whatever item.
    """

    own: Sequence[str]
    others: Sequence[str]
    common: frozenset[str]
    usual: frozenset[str] = frozenset()
    numbers: Floats | None = None
    spread: Spread | None = None

    def __len__(self) -> int:
        return len(self.own)

    def at(self, places: Indices) -> Pairs:
        """Return some of the pairs."""
        return Pairs(
            [self.own[place] for place in places],
            [self.others[place] for place in places],
            self.common,
            self.usual,
            None if self.numbers is None else self.numbers[places],
            self.spread,
        )


@dataclass(frozen=True)
class Spread:
    """How far apart two numbers may be and still agree: so much, or such a part of their size."""

    size: float
    is_relative: bool

    def close(self, numbers: Floats, others: Floats, rounding: Floats | float = 0.0) -> Mask:
        """Mark the numbers that agree with those of the others, rounding allowed for."""
        reach = self.size * np.abs(others) if self.is_relative else np.full(len(others), self.size)
        reach = np.maximum(reach, rounding) * (1 + 1e-9) + 1e-12 * np.abs(others)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(numbers - others) <= reach)


@dataclass(frozen=True, eq=False)
class Matching:
    """Which pairs agree before and after a transformation, and how to pair them differently.

    `left` and `right` are the transformed values and those of the others, and `equal` marks the
    places at which two such arrays agree. `tells_apart` says whether different values of the others
    stay different.
    """

    before: Mask
    left: Array
    right: Array
    equal: Callable[[Array, Array], Mask]
    tells_apart: bool = True

    def after(self, shift: int = 0) -> Mask:
        """Mark the pairs that agree; with a shift, each value meets the others' of another item."""
        right = np.roll(self.right, shift, axis=0) if shift else self.right
        return np.asarray(self.equal(self.left, right))
