"""Several indices in one number of 64 bits, which sorts much faster than they do side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Ordered = npt.NDArray[Any]
Packed = npt.NDArray[np.int64]

#: All but the sign.
BITS = 63
#: As many rows are looked at together.
AT_ONCE = 1 << 15
#: Rows that step back no more often than this are put in order by merging.
FEW_STEPS_BACK = 64


@dataclass(frozen=True)
class Packing:
    """How columns of indices share the bits of a number; the first column comes first in order."""

    bits: dict[str, int]

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> Self:
        """Give each column the bits that indices below its size need."""
        return cls({name: (size - 1).bit_length() for name, size in sizes.items()})

    @property
    def fits(self) -> bool:
        """Whether one number has room for all columns."""
        return sum(self.bits.values()) <= BITS

    @property
    def stop(self) -> int:
        """What no number reaches."""
        return 1 << sum(self.bits.values())

    def sort(self, columns: Mapping[str, npt.NDArray[np.integer]]) -> dict[str, Ordered]:
        """Sort rows by their columns, the first comes first; all but ``row`` take 32 bits."""
        if not self.fits:
            order = np.lexsort([columns[name] for name in reversed(self.bits)])
            return {name: columns[name][order] for name in self.bits}
        packed = self.pack(columns)
        _sort(packed)
        return {
            name: self._column(name, packed, np.int64 if name == "row" else np.int32)
            for name in self.bits
        }

    def pack(self, columns: Mapping[str, npt.NDArray[np.integer]]) -> Packed:
        """Put the columns together."""
        first, *rest = [name for name, bits in self.bits.items() if bits] or list(self.bits)
        packed = np.empty(len(columns[first]), np.int64)
        for some in _pieces(len(packed)):
            part = packed[some]
            part[:] = columns[first][some]
            for name in rest:
                part <<= self.bits[name]
                part |= columns[name][some]
        return packed

    def unpack(self, packed: Packed) -> Iterator[tuple[str, Ordered]]:
        """Take the columns apart again, one by one; those that need no more take 32 bits."""
        for name, bits in self.bits.items():
            yield name, self._column(name, packed, np.int32 if bits < 32 else np.int64)

    def _column(self, name: str, packed: Packed, kind: type[np.signedinteger[Any]]) -> Ordered:
        """Take one column out."""
        names = list(self.bits)
        shift = sum(self.bits[later] for later in names[names.index(name) + 1 :])
        if not self.bits[name]:
            return np.zeros(len(packed), kind)
        column = np.empty(len(packed), kind)
        for some in _pieces(len(packed)):
            part = packed[some] >> shift
            part &= (1 << self.bits[name]) - 1
            column[some] = part
        return column


def _pieces(n_rows: int) -> Iterator[slice]:
    """Cut rows into pieces that stay in the caches of the processor."""
    return (slice(first, first + AT_ONCE) for first in range(0, n_rows, AT_ONCE))


def _sort(packed: Packed) -> None:
    """Sort numbers in place; those that are in order but for a few steps back are merged."""
    n_back = np.count_nonzero(packed[1:] < packed[:-1])
    packed.sort(kind="stable" if n_back <= FEW_STEPS_BACK else "quicksort")
