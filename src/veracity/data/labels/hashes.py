"""Hashes of labels that are the same on every machine, for choices that must be reproducible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.buffers import take_labels

Hashes = npt.NDArray[np.uint64]

_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def label_hash(labels: pa.StringArray, seed: int) -> Hashes:
    """Hash labels to 64 bits: a polynomial in their bytes, then mixed with the seed."""
    labels = labels.cast(pa.large_string())
    _, offsets_buffer, bytes_buffer = labels.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int64)[labels.offset :][: len(labels) + 1]
    text = np.frombuffer(bytes_buffer or b"", np.uint8)[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    position = np.arange(len(text)) - np.repeat(offsets[:-1] - offsets[0], lengths)
    power = np.full(int(lengths.max(initial=0)) + 1, _BASE)
    power[0] = 1
    power = np.multiply.accumulate(power)
    terms = (text.astype(np.uint64) + np.uint64(1)) * power[position]
    sums = np.zeros(len(labels), np.uint64)
    filled = lengths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(terms, (offsets[:-1] - offsets[0])[filled])
    start = np.array([seed % 2**64], np.uint64) * _BASE  # an array: scalars warn when they wrap
    return mix(sums + start)


def hash_at(labels: pa.StringArray, index: npt.NDArray[np.integer], seed: int) -> Hashes:
    """Hash the labels at the given places, each label once where that is less work."""
    if len(index) < len(labels):
        return label_hash(take_labels(labels, index), seed)
    return np.asarray(label_hash(labels, seed)[index])


def mix(hashes: Hashes) -> Hashes:
    """Scatter the bits of hashes (the finisher of splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * _MIX[0]
    hashes = (hashes ^ (hashes >> np.uint64(27))) * _MIX[1]
    return hashes ^ (hashes >> np.uint64(31))
