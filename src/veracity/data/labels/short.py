"""Short labels as whole numbers, which are told apart and sorted several times faster than text.

Names of sources and entities often have a beginning in common, and differ in a few bytes after it:
``task-194981``. Up to eight bytes make one number of 64 bits. The first byte counts most, and
shorter labels are filled up with zeros, so numbers are in the order of the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Indices
from veracity.data.buffers import take_labels, to_numpy

#: Bytes of a number.
WIDTH = 8
#: By a number of bytes: all bits of so many first ones.
FIRST_BYTES = np.array([2**64 - 2 ** (64 - 8 * n_bytes) for n_bytes in range(9)], np.uint64)
#: So many labels tell whether it is worth to look at all.
FEW = 100
#: As many labels are looked at together.
AT_ONCE = 12_000
#: Fewer labels are sorted as fast as they are.
MANY = 1_000
#: Labels that share more bytes stay text: each shared byte is compared in a step of its own.
MOST_SHARED = 250

Numbers = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class ShortLabels:
    """Labels as numbers.

    Attributes
    ----------
    shared
        The bytes with which all labels begin, as far as they are not part of the numbers.
    numbers
        The bytes after that, as a number; (n_labels,).
    """

    shared: bytes
    numbers: Numbers

    @classmethod
    def of(cls, chunks: Sequence[pa.Array]) -> Self | None:
        """Return labels as numbers, None if some are missing or too long for that."""
        chunks = [chunk for chunk in chunks if len(chunk)]
        if not chunks or any(chunk.null_count for chunk in chunks):
            return None
        texts = [Texts.of(some) for chunk in chunks for some in _cut(chunk)]
        n_shared = max(max(int(text.length.max()) for text in texts) - WIDTH, 0)
        shared = texts[0].few(1)[0][:n_shared]
        if not all(label.startswith(shared) for label in texts[0].few()):
            return None
        if not all(text.have_no_zeros for text in texts):
            return None
        numbers = np.empty(sum(map(len, chunks)), np.uint64)
        end = 0
        for text in texts:
            begin, end = end, end + len(text.first)
            if not text.write_numbers(shared, numbers[begin:end]):
                return None
        return cls(shared, numbers)

    #: The type of the labels.
    type = pa.string()

    def __len__(self) -> int:
        return len(self.numbers)

    def labels(self) -> pa.StringArray:
        """Return the labels as text again."""
        n_shared, n_labels = len(self.shared), len(self.numbers)
        signs = np.empty((n_labels, n_shared + WIDTH), np.uint8)
        signs[:, :n_shared] = np.frombuffer(self.shared, np.uint8)
        signs[:, n_shared:] = self.numbers.astype(">u8").view(np.uint8).reshape(-1, WIDTH)
        offsets = np.zeros(n_labels + 1, np.int64)
        np.cumsum(n_shared + self._n_bytes(), out=offsets[1:])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(signs[signs != 0])]
        return pa.Array.from_buffers(pa.large_string(), n_labels, buffers).cast(pa.string())

    def _n_bytes(self) -> npt.NDArray[np.int64]:
        """Return how many bytes each number stands for: those that are not zero."""
        n_bytes = np.zeros(len(self.numbers), np.int64)
        for shift in range(0, 8 * WIDTH, 8):
            n_bytes += (self.numbers & np.uint64(0xFF << shift)) != 0
        return n_bytes


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts among bytes: where each begins, one after another, and how long it is; (n_texts,)."""

    signs: npt.NDArray[np.uint8]
    first: npt.NDArray[Any]
    length: npt.NDArray[Any]

    @classmethod
    def of(cls, texts: pa.Array) -> Self:
        """Take the texts of an Arrow array."""
        kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
        _, offsets, text = texts.buffers()
        bounds = np.frombuffer(offsets, kind)[texts.offset : texts.offset + len(texts) + 1]
        signs = np.frombuffer(text or b"", np.uint8)[bounds[0] : bounds[-1]]
        return cls(signs, bounds[:-1] - bounds[0], np.diff(bounds))

    def every(self, step: int) -> Texts:
        """Return every `step`-th text."""
        return Texts(self.signs, self.first[::step], self.length[::step])

    @property
    def have_no_zeros(self) -> bool:
        """Whether no text has a byte that would be taken for the end of it."""
        return bool(self.signs.min(initial=1))

    def few(self, n_texts: int = FEW) -> list[bytes]:
        """Return the first texts."""
        bounds = zip(self.first[:n_texts].tolist(), self.length[:n_texts].tolist(), strict=True)
        return [self.signs[first : first + length].tobytes() for first, length in bounds]

    def write_numbers(self, shared: bytes, numbers: Numbers) -> bool:
        """Write the bytes of each text as a number, without the first ones, which all share.

        Returns whether they do, are not too many, and the others fit.
        """
        n_shared = len(shared)
        if n_shared > MOST_SHARED:
            return False
        if self.length.min() < n_shared or self.length.max() > n_shared + WIDTH:
            return False
        first = self.first.astype(np.intp)
        for sign in shared:
            if (self.signs[first] != sign).any():
                return False
            first += 1
        self._write_windows(first, self.length - n_shared, numbers)
        return True

    def first_numbers(self) -> Numbers:
        """Return the first bytes in which texts differ, as numbers in the order of the texts.

        Zeros fill up what is shorter, so different texts may have the same number.
        """
        return self._numbers_after(self._n_shared())

    def _n_shared(self) -> int:
        """Return how many bytes all texts begin with."""
        least = int(self.length.min())
        for n_before in range(0, least, WIDTH):
            numbers = self._numbers_after(n_before)
            differing = int(np.bitwise_or.reduce(numbers ^ numbers[0]))
            if differing:
                return min(n_before + WIDTH - (differing.bit_length() + 7) // 8, least)
        return least

    def _numbers_after(self, n_before: int) -> Numbers:
        """Return eight bytes of each text, from a place on, as a number; no text ends before it."""
        numbers = np.empty(len(self.first), np.uint64)
        first = self.first.astype(np.intp) + n_before
        self._write_windows(first, np.minimum(self.length - n_before, WIDTH), numbers)
        return numbers

    def _write_windows(self, first: Indices, length: Indices, numbers: Numbers) -> None:
        """Write the bytes from each place on as a number; the places rise."""
        # The last texts have no whole number after them, so they are read from a longer copy.
        n_early = int(np.searchsorted(first, len(self.signs) - WIDTH, side="right"))
        end = int(first[n_early]) if n_early < len(first) else len(self.signs)
        late = np.append(self.signs[end:], np.zeros(WIDTH, np.uint8))
        numbers[:n_early] = _windows(self.signs)[first[:n_early]]
        numbers[n_early:] = _windows(late)[first[n_early:] - end]
        numbers &= FIRST_BYTES.take(length)


def _windows(signs: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
    """View the eight bytes from each place on as a number."""
    return np.ndarray((max(len(signs) - WIDTH + 1, 0),), ">u8", signs, strides=(1,))


def _cut(chunk: pa.Array) -> list[pa.Array]:
    """Cut a chunk into pieces that stay in the caches of the processor."""
    return [chunk.slice(first, AT_ONCE) for first in range(0, len(chunk), AT_ONCE)]


def label_order(labels: pa.StringArray, step: int = 1) -> Indices:
    """Return the places of every `step`-th label, sorted by the labels, which are distinct."""
    own = np.arange(0, len(labels), step)
    if len(own) < MANY:
        return own[_text_order(take_labels(labels, own))]
    numbers = Texts.of(labels).every(step).first_numbers()
    order = np.argsort(numbers)
    ordered = numbers[order]
    order *= step
    alike = ordered[1:] == ordered[:-1]
    if alike.any():  # then the rest of the text decides
        places = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        tied = order[places]
        order[places] = tied[_text_order(take_labels(labels, tied))]
    return order


def _text_order(labels: pa.StringArray) -> Indices:
    return to_numpy(pc.array_sort_indices(labels).cast(pa.int64()))
