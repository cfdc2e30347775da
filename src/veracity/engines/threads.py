"""How many threads work may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from veracity.errors import InvalidParameter

_chosen: ContextVar[int | None] = ContextVar("threads", default=None)


def default_threads() -> int:
    """Return how many threads to use: as many as were chosen, else one for each core."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def use_threads(count: int | None) -> Iterator[None]:
    """Let the work within use so many threads; None changes nothing."""
    if count is not None and count < 1:
        raise InvalidParameter(f"threads must be 1 or more. Got {count!r} instead.")
    token = _chosen.set(default_threads() if count is None else count)
    try:
        yield
    finally:
        _chosen.reset(token)
