"""The feature columns of single rows, without decoding a whole column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from veracity.data.buffers import to_numpy
from veracity.data.labels.lookup import Labels, bits

Reader = Callable[[int], Any]


class FeatureCells:
    """The feature columns of claims, row by row; what is missing is None."""

    def __init__(self, features: pa.Table) -> None:
        self._readers = [(field.name, _reader(features[field.name])) for field in features.schema]

    def of(self, row: int) -> dict[str, Any]:
        """Return the features of a row of the input."""
        return {name: read(row) for name, read in self._readers}


def _reader(column: pa.ChunkedArray) -> Reader:
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(array, pa.DictionaryArray):
        return _category(array)
    if pa.types.is_boolean(array.type):
        valid, yes = bits(array.is_valid()), bits(array.fill_null(False))
        return lambda row: bool(yes[row]) if valid[row] else None
    if array.type == pa.float64():
        numbers = to_numpy(array)
        return lambda row: _number(float(numbers[row]))
    return lambda row: array[row].as_py()


def _category(array: pa.DictionaryArray) -> Reader:
    codes = to_numpy(array.indices.fill_null(-1))
    words = Labels(array.dictionary.cast(pa.string()))
    return lambda row: words[int(codes[row])] if codes[row] >= 0 else None


def _number(value: float) -> float | None:
    return value if value == value else None  # not NaN
