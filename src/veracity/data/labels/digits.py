"""Labels that differ in digits alone, told apart and put in order by a table and no hashing.

Names of sources and entities are mostly a word and a number: ``task-194981``. Their digits make a
small number, of which a table holds those that occur.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Indices
from veracity.data.labels.short import WIDTH, Numbers, ShortLabels

#: As many numbers are looked at together: they stay in the caches of the processor.
AT_ONCE = 12_000
#: A table has at most so many places for each label.
ROOM = 4

Codes = npt.NDArray[np.int32]


def _each_byte(byte: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([byte]) * WIDTH))


_ONE, _TOP, _ABOVE_TEN = _each_byte(0x01), _each_byte(0x80), _each_byte(0x80 - 11)
#: Of each 2, 4 and 8 digits: how far the first half is away, what keeps the second, and the weight.
_HALVES = tuple(
    (np.uint64(bits), np.uint64(mask), np.uint64(11 ** (bits // 8)))
    for bits, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0xFFFFFFFF))
)


def by_digits(labels: ShortLabels) -> tuple[Codes, ShortLabels] | None:
    """Return the place of each label among the distinct ones, in order, and those.

    None if they differ in more than digits, or in too many.
    """
    places = digit_places(labels.numbers)
    found = None if places is None else by_table(places)
    if found is None:
        return None
    codes, distinct = found
    numbers = np.empty(len(distinct), np.uint64)
    numbers[codes] = labels.numbers
    return codes, ShortLabels(labels.shared, numbers)


def by_table(places: Indices) -> tuple[Codes, Indices] | None:
    """Return the place of each number among the distinct ones, in order, and those.

    None if they are too far apart for a table.
    """
    low, high, room = int(places.min()), int(places.max()), ROOM * len(places)
    if high - low >= room:
        return None
    if low < 0 or high >= room:
        places = places - low
    else:
        low = 0
    size = high - low + 1
    occurs = np.zeros(size, np.bool_)
    occurs[places] = True
    codes = np.cumsum(occurs, dtype=np.int32)
    codes -= 1
    return codes[places], np.flatnonzero(occurs) + low


def digit_places(numbers: Numbers) -> Indices | None:
    """Return numbers of bytes as small ones in the same order; None if they are not digits.

    A byte is 0 after the end of a label, and a digit is one more than it says: so there are eleven.
    """
    every = int(np.bitwise_or.reduce(numbers))
    differ = every ^ int(np.bitwise_and.reduce(numbers))
    # Bytes that all begin with, and those after the longest, tell nothing.
    n_after = (every & -every).bit_length() // 8 if every else WIDTH
    n_differ = -(-(differ >> 8 * n_after).bit_length() // 8)
    shift, kept = np.uint64(8 * n_after % 64), np.uint64((1 << 8 * n_differ) - 1)
    places = np.empty(len(numbers), np.int64)
    for first in range(0, len(numbers), AT_ONCE):
        some = _eleven_to_a_byte((numbers[first : first + AT_ONCE] >> shift) & kept, n_differ)
        if some is None:
            return None
        places[first : first + AT_ONCE] = some
    return places


def _eleven_to_a_byte(signs: Numbers, n_bytes: int) -> Numbers | None:
    """Read each of the last bytes as a digit to the base of eleven; None if some is no digit."""
    filled = (signs >> np.uint64(4)) & (signs >> np.uint64(5)) & _ONE  # from "0" on
    found = signs - filled * np.uint64(ord("0") - 1)
    others = signs & ~(filled * np.uint64(0xFF))
    too_large = (found | (found + _ABOVE_TEN)) & _TOP
    if (others | too_large).any():
        return None
    for bits, mask, weight in _HALVES[: (n_bytes - 1).bit_length()]:
        found = ((found >> bits) & mask) * weight + (found & mask)
    return found
