"""The parameters that move in a fit by the default: only these are held, sent and added up.

With millions of sources, a vector of all parameters is large, and a search needs a dozen of them.
Most sources say too little to have parameters that move. So vectors have the moving ones only, and
blocks are told which these are by a bit for each of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask
from veracity.engines.parts import place_in
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.parameters import ParameterVector

#: How many bits are set in each byte, and the bits below each of its eight.
N_SET = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)
BELOW = ((1 << np.arange(8)) - 1).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Marks:
    """Which of all parameters move.

    Attributes
    ----------
    bits
        A bit for each parameter, eight in a byte, the lowest first.
    size
        Number of all parameters.
    """

    bits: npt.NDArray[np.uint8]
    size: int

    @classmethod
    def of(cls, is_free: Mask) -> Marks:
        """Pack a mask."""
        return cls(np.packbits(is_free, bitorder="little"), len(is_free))

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the bits alone."""
        return Marks, (self.bits, self.size)

    @cached_property
    def _before(self) -> npt.NDArray[np.int32]:
        """How many move before each byte, and in all; counted where it is asked for."""
        found = np.zeros(len(self.bits) + 1, np.int32)
        np.cumsum(N_SET[self.bits], out=found[1:])
        return found

    def __len__(self) -> int:
        return int(self._before[-1])

    def among(self, index: Indices) -> tuple[Mask, Indices]:
        """Mark the parameters that move, given by their places; return where those come."""
        byte, bit = index >> 3, (index & 7).astype(np.uint8)
        held = self.bits[byte]
        moves = ((held >> bit) & 1).astype(np.bool_)
        before = self._before[byte] + N_SET[held & BELOW[bit]]
        return moves, before[moves]

    def before(self, index: Indices) -> Indices:
        """Return how many move before each of some parameters, given by their places."""
        byte, bit = index >> 3, index & 7
        held = np.append(self.bits, np.uint8(0))[byte]
        return np.asarray(self._before[byte] + N_SET[held & BELOW[bit]], np.int64)

    def part(self, part: slice) -> slice:
        """Return where the moving ones of neighbouring parameters come."""
        return slice(*self.before(np.array([part.start, part.stop])).tolist())

    def mask(self) -> Mask:
        """Return a mark for each of all parameters."""
        return np.unpackbits(self.bits, count=self.size, bitorder="little").view(np.bool_)


@dataclass(frozen=True, eq=False)
class Moving:
    """All parameters, as they are sent to blocks.

    Attributes
    ----------
    marks
        Which of them move.
    x
        Those that move.
    place, value
        The others that are not 0, and where they are; few.
    of_only_block
        Where those that move are among the parameters of the only block, if claims are in memory:
        they come in its order. None if there are several blocks.
    """

    marks: Marks
    x: Floats
    place: Indices
    value: Floats
    of_only_block: Indices | None = None

    def own(self, block: BlockObjective) -> tuple[ParameterVector, Mask | Indices, Indices | None]:
        """Return the parameters of a block, which of them move, and where these come.

        None if they come in order.
        """
        own = ParameterVector(block.names, np.zeros(block.names.size))
        if self.of_only_block is not None:
            own.values[self.place] = self.value
            own.values[self.of_only_block] = self.x
            return own, self.of_only_block, None
        index = block.places
        moves, place = self.marks.among(index)
        own.values[moves] = self.x[place]
        if len(self.place):
            stays, at = place_in(self.place, index)
            own.values[stays] = self.value[at]
        return own, moves, place

    def whole(self) -> Floats:
        """Return all parameters."""
        found = np.zeros(self.marks.size)
        found[self.place] = self.value
        found[self.marks.mask()] = self.x
        return found
