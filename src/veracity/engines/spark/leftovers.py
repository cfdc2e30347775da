"""What executors hold and nobody needs any more.

Python may notice that nobody refers to something in the midst of a call to the JVM, which is no
moment for another call. So it is noted here, and freed when something is made next.
"""

from __future__ import annotations

from collections import deque
from typing import Any

#: Frames, shards and broadcasts that nobody refers to any more.
_unused: deque[Any] = deque()


def note_unused(*held: Any) -> None:
    """Note that something is needed no more."""
    _unused.extend(held)


def release_unused() -> None:
    """Free what nobody needs any more."""
    while _unused:
        held = _unused.popleft()
        # Frames and broadcasts have the one, RDDs the other; other objects are held for others.
        context = getattr(held, "_sc", None) or getattr(held, "ctx", None)
        if context is not None and context._jsc is not None:  # else the cluster is gone
            held.unpersist()
