"""Loops over items, divided among threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

from veracity.data.arrays import Indices
from veracity.data.threads import default_threads

#: Below this many claims a second thread costs more than it brings.
CLAIMS_PER_THREAD = 50_000

Result = TypeVar("Result")


def over_threads(
    work: Callable[[int, int], Result],
    claim_start: Indices,
    threads: int | None = None,
    first_item: int = 0,
    last_item: int | None = None,
    lightness: int = 1,
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
    lightness
        How many times as many claims a thread needs to be worth it, if little is done with each.
    """
    last_item = len(claim_start) - 1 if last_item is None else last_item
    first, last = int(claim_start[first_item]), int(claim_start[last_item])
    enough = lightness * CLAIMS_PER_THREAD
    threads = min(threads or default_threads(), 1 + (last - first) // enough)
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
