"""Labels to look up and to search, without a Python object for each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Mask


class Labels:
    """Labels by their index; a few are decoded at a time."""

    def __init__(self, labels: pa.StringArray) -> None:
        self._labels = labels
        text = labels.buffers()[2]
        self._text = memoryview(b"" if text is None else text)
        wide = pa.types.is_large_string(labels.type)
        # Where texts begin, as a view that gives Python's own numbers: numpy's take twice as long.
        offsets = memoryview(labels.buffers()[1] or bytes(8)).cast("q" if wide else "i")
        self._offsets = offsets[labels.offset : labels.offset + len(labels) + 1]

    def __len__(self) -> int:
        return len(self._labels)

    def __getitem__(self, index: int) -> str:
        first, last = self._offsets[index], self._offsets[index + 1]
        return str(self._text[first:last], "utf-8")

    @cached_property
    def _folded(self) -> pa.StringArray:
        return pc.utf8_lower(self._labels)

    def prepare(self) -> None:
        """Make ready for searches."""
        self._folded  # noqa: B018

    def contain(self, text: str) -> Mask:
        """Mark the labels that contain a text, whatever its case; nothing in it is a pattern."""
        wanted = pc.utf8_lower(pa.scalar(text, pa.string())).as_py()
        return bits(pc.match_substring(self._folded, wanted))

    def places_of(self, labels: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the index of each label, -1 where there is none; those that are held are in order.

        Each is searched by halves, which for a few among many takes less than to hash all.
        """
        labels = list(labels)
        place = {label: self._place_of(label) for label in set(labels)}
        return np.array([place[label] for label in labels], np.int64)

    def _place_of(self, label: str) -> int:
        place = bisect_left(self, label)
        return place if place < len(self) and self[place] == label else -1

    def index_of(self, label: str) -> int:
        """Return the index of a label, -1 if there is none."""
        return int(pc.index(self._labels, pa.scalar(label, self._labels.type)).as_py())


def bits(column: pa.BooleanArray) -> Mask:
    """Unpack a column of truth values."""
    packed: Any = np.frombuffer(column.buffers()[1], np.uint8)
    first = column.offset
    unpacked = np.unpackbits(packed, bitorder="little")[first : first + len(column)]
    return unpacked.view(np.bool_)
