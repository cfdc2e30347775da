"""Labels as plain arrays, to be kept beside other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_numpy


def labels_to_arrays(labels: pa.StringArray) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the bytes of labels, and where each begins."""
    encoded = [str(label).encode() for label in labels.to_pylist()]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), np.uint8), offsets


def arrays_to_labels(text: npt.NDArray[Any], offsets: npt.NDArray[Any]) -> pa.StringArray:
    """Return the labels that `labels_to_arrays` took apart."""
    whole = bytes(np.asarray(text, np.uint8))
    pairs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return pa.array([whole[first:last].decode() for first, last in pairs], pa.string())


def places_among(labels: pa.StringArray, among: pa.StringArray) -> npt.NDArray[np.int64]:
    """Return the place of each label among others, -1 where it is none of them."""
    if labels is among:
        return np.arange(len(labels))
    found = pc.fill_null(pc.index_in(labels, value_set=among), -1)
    return to_numpy(found).astype(np.int64)
