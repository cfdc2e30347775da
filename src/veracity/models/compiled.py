"""Compiled functions: the loops over claims, kept on disk once they are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function, keep it on disk, and let it run free of the interpreter's lock."""
    fast: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    return fast
