"""Work in several processes of one thread each, which do not get in each other's way."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def in_processes(
    work: Callable[[Task], Result], tasks: Iterable[Task], jobs: int
) -> Iterator[tuple[Task, Result]]:
    """Yield each task with its result, as soon as there is one."""
    os.environ.update(dict.fromkeys(THREADS, "1"))  # read by each new process when it starts
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        started = {pool.submit(work, task): task for task in tasks}
        for done in as_completed(started):
            yield started[done], done.result()
