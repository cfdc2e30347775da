"""How many threads to use, and how to do several pieces of work at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from veracity.errors import InvalidParameter

Result = TypeVar("Result")

_chosen: ContextVar[int | None] = ContextVar("threads", default=None)


def default_threads() -> int:
    """Return how many threads to use: as many as were chosen, else one for each core."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def use_threads(count: int | None) -> Iterator[None]:
    """Limit the work within to so many threads; None leaves the number as it is."""
    if count is not None and count < 1:
        raise InvalidParameter(f"threads must be 1 or more. Got {count!r} instead.")
    token = _chosen.set(default_threads() if count is None else count)
    try:
        yield
    finally:
        _chosen.reset(token)


def together(works: Sequence[Callable[[], Result]], at_once: bool = True) -> list[Result]:
    """Do pieces of work that do not depend on each other; return their results in order.

    They are done one after another if there are no threads for them, or not `at_once`.
    """
    others = min(len(works), default_threads()) - 1
    if others < 1 or not at_once:
        return [work() for work in works]
    waiting, done = iter(list(enumerate(works))), dict[int, Result]()

    def take_part() -> None:
        for place, work in waiting:
            done[place] = work()

    with ThreadPoolExecutor(others) as pool:  # this thread does its part too
        begun = [pool.submit(take_part) for _ in range(others)]
        take_part()
        for part in begun:
            part.result()
    return [done[place] for place in range(len(works))]
