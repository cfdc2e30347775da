"""Compiled functions: the loops over claims, kept on disk once they are compiled.

They divide as numpy does: a check for division by zero in an innermost loop would keep the compiler
from working on several numbers at a time.
"""

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


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a part of the compiled functions of its module that call it.

    There the compiler knows that the arrays it is given do not overlap, which it must know to work
    on several numbers at a time.
    """
    fast: Callable[..., Any] = numba.njit(inline="always", error_model="numpy")(function)
    return fast
