"""Between numpy and Arrow without copying, and without the import of pandas that pyarrow does.

``pyarrow.array`` and ``to_numpy`` import pandas wherever it is installed, which takes longer than
reading a small table does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_ARROW_TYPES: dict[np.dtype[Any], pa.DataType] = {
    np.dtype(np.uint8): pa.uint8(),
    np.dtype(np.int32): pa.int32(),
    np.dtype(np.int64): pa.int64(),
    np.dtype(np.uint64): pa.uint64(),
    np.dtype(np.float64): pa.float64(),
}
_NUMPY_TYPES: dict[pa.DataType, np.dtype[Any]] = {
    arrow: dtype for dtype, arrow in _ARROW_TYPES.items()
}


def to_numpy(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """View a column of numbers as a numpy array; nulls, of floats only, become NaN."""
    array = column
    if isinstance(column, pa.ChunkedArray):
        array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if array.null_count:
        missing = pc.is_valid(array)
        array = pc.if_else(missing, array, _nan())
    values = np.frombuffer(memoryview(array.buffers()[1]), _NUMPY_TYPES[array.type])
    return np.asarray(values[array.offset : array.offset + len(array)])


def to_arrow(array: npt.NDArray[Any], nan_is_null: bool = False) -> pa.Array:
    """View a numpy array as an Arrow one; booleans are packed into bits."""
    if array.dtype == np.bool_:
        bits = pa.py_buffer(np.packbits(array, bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), len(array), [None, bits])
    array = np.ascontiguousarray(array)
    validity = None
    if nan_is_null and np.isnan(array).any():
        validity = pa.py_buffer(np.packbits(~np.isnan(array), bitorder="little"))
    kind = _ARROW_TYPES[array.dtype]
    return pa.Array.from_buffers(kind, len(array), [validity, pa.py_buffer(array)])


def text_array(texts: Sequence[str]) -> pa.StringArray:
    """Make an Arrow array of a few texts."""
    signs = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, signs)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(signs))]
    return pa.Array.from_buffers(pa.string(), len(signs), buffers)


class _NoPandas(MetaPathFinder):
    """Finds modules as if pandas were not installed."""

    @classmethod
    def find_spec(cls, fullname: str, path: object, target: object = None) -> None:
        """Refuse pandas, and leave the others to those who find them."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)


def keep_pandas_out() -> None:
    """Let pyarrow find no pandas where it looks for it first, and remembers.

    pyarrow imports pandas for the first scalar that it makes, to tell whether it is one of pandas.
    Only for a program that holds none of those; what needs pandas, such as `to_pandas`, looks for
    it again.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas)
        try:
            pa.scalar(True)
        finally:
            sys.meta_path.remove(_NoPandas)


def take_labels(labels: pa.StringArray, index: npt.NDArray[np.integer]) -> pa.StringArray:
    """Return the labels at the given places."""
    return labels.take(to_arrow(np.asarray(index)))


def _nan() -> pa.Array:
    return to_arrow(np.array([np.nan]))[0]
