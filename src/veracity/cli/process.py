"""The process of a command: it starts and ends without looking for garbage among what it imports.

Importing a model makes 200,000 objects that stay. To look through them, again and again while they
are made and once more before they are freed, takes a quarter of the CPU time of a small run.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def collect_from_now() -> None:
    """Turn garbage collection on again, for objects that are made from now on."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


@contextmanager
def collecting_later(progress: Callable[[str], None]) -> Iterator[Callable[[str], None]]:
    """Collect garbage from the first stage on, and not what was imported before it.

    Yields what is to be called as each stage begins.
    """

    def begin(stage: str) -> None:
        collect_from_now()
        progress(stage)

    gc.disable()
    try:
        yield begin
    finally:
        gc.enable()
        gc.unfreeze()


def end_at_once(code: int) -> None:
    """End the process when all that waits for its end is done, and leave memory to the system.

    Returns where the process should end as usual: if its output cannot be written, or if
    VERACITY_DEBUG is set, as for a profiler that writes at the end.
    """
    if os.environ.get("VERACITY_DEBUG"):
        return
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does first
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):  # Python will say so
        return
    os._exit(code)
