"""Compiled functions: the loops over claims, kept on disk once they are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function, keep it on disk, and let it run free of the interpreter's lock.

    It is kept beside its module or, where that cannot be written to, in the user's own cache.
    """
    try:
        fast: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # there is no place to keep it, so each process compiles it anew
        fast = numba.njit(nogil=True, error_model="numpy")(function)
    return fast
