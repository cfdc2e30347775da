"""Array types that every module shares, and the sum over an index."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def sum_by(index: npt.NDArray[np.integer], values: Floats, size: int) -> Floats:
    """Add up values that share an index; (size,)."""
    return np.asarray(np.bincount(index, values, minlength=size), np.float64)
