"""Threads: how many to use, and loops over items divided among them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import numpy as np

from veracity.data.arrays import Indices
from veracity.errors import InvalidParameter

#: Below this many claims a second thread costs more than it brings.
CLAIMS_PER_THREAD = 50_000

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
    """Let the work within use so many threads; None changes nothing."""
    if count is not None and count < 1:
        raise InvalidParameter(f"threads must be 1 or more. Got {count!r} instead.")
    token = _chosen.set(default_threads() if count is None else count)
    try:
        yield
    finally:
        _chosen.reset(token)


def over_threads(
    work: Callable[[int, int], Result],
    claim_start: Indices,
    threads: int | None = None,
    first_item: int = 0,
    last_item: int | None = None,
) -> list[Result]:
    """Split a range of items into runs of about equally many claims, one for each thread.

    Returns the results of ``work(first, last)`` for each run, in the order of the items: the same
    number of threads gives the same result to the bit. Few claims are not split.

    Parameters
    ----------
    work
        What to do with the items from the first to before the last.
    claim_start
        Where the claims of each item begin; (n_items + 1,).
    threads
        How many to use at most; None for `default_threads`.
    first_item, last_item
        The range; all items by default.
    """
    last_item = len(claim_start) - 1 if last_item is None else last_item
    first, last = int(claim_start[first_item]), int(claim_start[last_item])
    threads = min(threads or default_threads(), 1 + (last - first) // CLAIMS_PER_THREAD)
    if threads <= 1:
        return [work(first_item, last_item)]
    bounds = np.searchsorted(claim_start, np.linspace(first, last, threads + 1))
    bounds[0], bounds[-1] = first_item, last_item
    runs = list(itertools.pairwise(bounds.tolist()))
    others = [_pool(threads - 1).submit(work, *run) for run in runs[1:]]
    try:
        mine = work(*runs[0])  # this thread does its part too
    finally:
        wait(others)
    return [mine, *(other.result() for other in others)]


#: The threads that help, by how many there are; they stay for the next time.
_pools: dict[int, ThreadPoolExecutor] = {}


def _pool(size: int) -> ThreadPoolExecutor:
    """Return a pool of so many threads. What it is given to do must not ask for a pool itself."""
    pool = _pools.get(size)
    return pool or _pools.setdefault(size, ThreadPoolExecutor(size))


# A process that is forked has none of these threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)
