"""Array types that every module shares, the sum over an index, and single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
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


def freeze(holder: Any) -> None:
    """Let nobody write to the arrays of a dataclass.

    A loop is compiled once for arrays that can be written to, and once for those that cannot, such
    as those that come from a file; frozen, they are all of one kind.
    """
    for field in fields(holder):
        value = getattr(holder, field.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False


def numbers_of(array: Array) -> Sequence[Any]:
    """View an array as Python's own numbers: to take one of them is twice as quick."""
    view: Any = array
    return memoryview(view)
