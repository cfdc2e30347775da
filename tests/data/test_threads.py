"""How many threads there are, and pieces of work at once."""

from __future__ import annotations

import os
import threading

import pytest

from veracity.data.threads import default_threads, together, use_threads
from veracity.errors import InvalidParameter


def test_chosen_threads() -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert default_threads() == cores
    with use_threads(3):
        assert default_threads() == 3
        with use_threads(None):
            assert default_threads() == 3
    assert default_threads() == cores
    with pytest.raises(InvalidParameter, match="1 or more"), use_threads(0):
        pass


def test_works_are_done_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=20)

    def meet() -> int:
        both.wait()  # would break if one came after the other
        return threading.get_ident()

    with use_threads(2):
        assert len(set(together([meet, meet]))) == 2


@pytest.mark.parametrize(("threads", "at_once"), [(1, True), (3, False)])
def test_works_are_done_here_where_no_threads_are_wanted(threads: int, at_once: bool) -> None:
    with use_threads(threads):
        found = together([threading.get_ident] * 3, at_once)
    assert found == [threading.get_ident()] * 3


def test_who_is_done_first_does_what_is_left() -> None:
    last_is_done = threading.Event()

    def finish() -> bool:
        last_is_done.set()
        return True

    with use_threads(2):
        assert together([lambda: True, lambda: last_is_done.wait(20), finish]) == [True] * 3


def test_results_are_in_order_and_failures_are_heard() -> None:
    def fail() -> int:
        raise ValueError("so what")

    with use_threads(2):
        assert together([lambda: 1, lambda: 2, lambda: 3]) == [1, 2, 3]
        with pytest.raises(ValueError, match="so what"):
            together([lambda: 1, fail])
