"""Compiled functions: the loops over claims, kept on disk once they are compiled.

They divide as numpy does: a check for division by zero in an innermost loop would keep the compiler
from working on several numbers at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

#: Where kept code was seen to find all it calls before the compiler is ready: the system, and the
#: release of numba. Elsewhere numba goes its own way.
SEEN = ("linux", "0.68.")


class _Kept(FunctionCache):
    """The compiled code of a function on disk, which is run without the compiler being made ready.

    Numba first makes itself ready to compile, which takes longer than a small fit does, and only
    then looks whether there is anything to compile.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for types of arguments, None if there is none yet."""
        kept: Any = super()
        rtsys.initialize(target_context)  # code that makes arrays needs it
        with kept._guard_against_spurious_io_errors():
            found = kept._load_overload(sig, target_context)
        return found or kept.load_overload(sig, target_context)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function, keep it on disk, and let it run free of the interpreter's lock.

    It is kept beside its module or, where that cannot be written to, in the user's own cache. It
    should work with numbers, arrays and tuples. Texts, dicts and sets need parts of the compiler at
    run time, and so do `sum`, `max` and whole-array arithmetic, which take a tenth of a second to
    load.
    """
    fast: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if fast is not function:  # it is if NUMBA_DISABLE_JIT is set
        _keep(fast, function)
    made: Callable[..., Any] = fast
    return made


def _keep(fast: Any, function: Callable[..., Any]) -> None:
    """Keep what is compiled of a function on disk."""
    with suppress(RuntimeError):  # there is no place to keep it: each process compiles it anew
        fast.enable_caching()
        if (sys.platform, numba.__version__[: len(SEEN[1])]) == SEEN:
            keep: Any = _Kept
            fast._cache = keep(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a part of the compiled functions of its module that call it.

    There the compiler knows that the arrays it is given do not overlap, which it must know to work
    on several numbers at a time.
    """
    fast: Callable[..., Any] = numba.njit(inline="always", error_model="numpy")(function)
    return fast
