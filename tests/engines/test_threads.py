"""How items are shared out among threads."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import numpy as np
import pytest

from veracity.data.arrays import Indices
from veracity.data.threads import use_threads
from veracity.engines.threads import over_threads


@pytest.fixture
def claim_start(monkeypatch: pytest.MonkeyPatch) -> Indices:
    """Return where the claims of 200 items begin, of which some have many; split even few."""
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 1)
    n_claims = np.random.default_rng(0).geometric(0.1, 200)
    return np.append(0, np.cumsum(n_claims))


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 500])
@pytest.mark.parametrize(("first", "last"), [(0, None), (0, 200), (13, 150), (40, 41), (5, 5)])
def test_every_item_is_in_one_run(
    claim_start: Indices, threads: int, first: int, last: int | None
) -> None:
    runs = over_threads(lambda *run: run, claim_start, threads, first, last)
    assert [item for run in runs for item in range(*run)] == list(range(first, last or 200))
    assert len(runs) <= threads


def test_runs_have_about_equally_many_claims(claim_start: Indices) -> None:
    runs = over_threads(lambda *run: int(np.diff(claim_start[list(run)])[0]), claim_start, 4)
    largest = int(np.diff(claim_start).max())
    assert len(runs) == 4
    assert max(runs) - min(runs) <= 2 * largest


def test_few_claims_are_not_split() -> None:
    with use_threads(4):
        assert over_threads(lambda *run: run, np.arange(101)) == [(0, 100)]


def test_light_work_is_split_later(claim_start: Indices) -> None:
    n_claims = int(claim_start[-1])
    for lightness, n_runs in ((1, 4), (n_claims // 2, 3), (n_claims, 2), (n_claims + 1, 1)):
        runs = over_threads(lambda *run: run, claim_start, 4, lightness=lightness)
        assert len(runs) == n_runs


def test_runs_are_worked_on_at_the_same_time(claim_start: Indices) -> None:
    both = threading.Barrier(2, timeout=20)

    def meet(first: int, last: int) -> int:
        both.wait()  # would break if one thread did it all
        return threading.get_ident()

    with use_threads(2):
        assert len(set(over_threads(meet, claim_start))) == 2


def test_a_failure_in_a_run_is_heard(claim_start: Indices) -> None:
    def fail(first: int, last: int) -> None:
        if first:
            raise ValueError("later items")

    with pytest.raises(ValueError, match="later items"):
        over_threads(fail, claim_start, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own(claim_start: Indices) -> None:
    before = over_threads(lambda *run: run, claim_start, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # to fork while threads run
        child = os.fork()
    if child == 0:  # pragma: no cover, since it is another process
        signal.alarm(30)  # rather than wait forever for threads that it does not have
        os._exit(0 if over_threads(lambda *run: run, claim_start, 3) == before else 1)
    assert os.waitpid(child, 0)[1] == 0
