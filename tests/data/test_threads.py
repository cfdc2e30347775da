"""How many threads there are, and pieces of work at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from veracity.data.threads import default_threads, one_ahead, together, use_threads
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


def test_the_next_part_is_made_while_one_is_worked_on() -> None:
    begun = [threading.Event() for _ in range(4)]

    def parts() -> Iterator[int]:
        for place, event in enumerate(begun):
            event.set()
            yield place

    with use_threads(2):
        found = []
        for place in one_ahead(parts()):
            assert all(event.wait(20) for event in begun[: place + 2])
            found.append(place)
    assert found == [0, 1, 2, 3]


@pytest.mark.parametrize(("threads", "at_once"), [(1, True), (3, False)])
def test_parts_are_made_here_where_no_threads_are_wanted(threads: int, at_once: bool) -> None:
    with use_threads(threads):
        found = list(one_ahead((threading.get_ident() for _ in range(3)), at_once))
    assert found == [threading.get_ident()] * 3


def test_a_part_that_fails_is_heard() -> None:
    with use_threads(2), pytest.raises(ZeroDivisionError):
        list(one_ahead(1 // number for number in (1, 0)))


def test_results_are_in_order_and_failures_are_heard() -> None:
    def fail() -> int:
        raise ValueError("so what")

    with use_threads(2):
        assert together([lambda: 1, lambda: 2, lambda: 3]) == [1, 2, 3]
        with pytest.raises(ValueError, match="so what"):
            together([lambda: 1, fail])
