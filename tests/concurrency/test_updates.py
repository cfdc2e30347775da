"""Updates beside updates, and readers beside both."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from veracity import Claims, discover, open_run
from veracity.data.output import locks
from veracity.data.output.locks import writing_into
from veracity.data.output.together import COMMITTED, Together
from veracity.errors import OutputError
from veracity.workflow import update
from veracity.workflow.verification import verify

FIRST = [("ann", "sky", "blue"), ("bob", "sky", "green"), ("cat", "sky", "blue")]
fork = multiprocessing.get_context("fork")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    run = discover(Claims.from_triples(FIRST), model="vote")
    return run.save(tmp_path / "out", report=False)


def claims_of(name: str, number: int) -> Claims:
    return Claims.from_triples([(name, f"{name}-{number}", "grey"), (name, "sky", "blue")])


def together(works: list[Callable[[], None]]) -> list[str]:
    """Do things at the same time, each in a process; return what went wrong."""
    said: Any = fork.Queue()

    def attempt(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            said.put(repr(error))

    processes = [fork.Process(target=attempt, args=(work,)) for work in works]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    found = []
    while not said.empty():
        found.append(said.get())
    return found


def test_updates_at_the_same_time_all_count(out: Path) -> None:
    def updating(name: str) -> Callable[[], None]:
        def work() -> None:
            for number in range(4):
                update(out, claims_of(name, number), refit=False, threads=1)

        return work

    names = ["dan", "eve", "fay"]
    assert together([updating(name) for name in names]) == []
    run = open_run(out)
    assert run.description["updates"]["number"] == 12
    assert set(run.sources["source"].to_pylist()) == {"ann", "bob", "cat", *names}
    items = {f"{name}-{number}" for name in names for number in range(4)}
    assert set(run.truths["entity"].to_pylist()) == {"sky", *items}
    assert run.description["counts"]["n_claims"] == len(FIRST) + 4 * 3 + 3
    assert verify(out).problems == []


def test_readers_see_one_state_of_a_run_that_is_updated(out: Path) -> None:
    def write() -> None:
        for number in range(12):
            update(out, claims_of("dan", number), refit=False, threads=1)

    def read() -> None:
        for _ in range(25):
            run = open_run(out)
            n_items = run.description["counts"]["n_items"]
            assert run.claims.matrix.n_items == n_items
            time.sleep(0.002)
            assert len(run.truths) == n_items
            assert sum(run.sources["n_claims"].to_pylist()) == len(run.claims)

    assert together([write, read, read]) == []
    assert verify(out).problems == []


def test_readers_at_the_same_time_bring_tables_up_to_date(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between an update and its tables."""
    with monkeypatch.context() as patch:
        patch.setattr("veracity.workflow.updates.put_in_place", lambda folder, files: None)
        update(out, claims_of("dan", 0), refit=False)

    def read() -> None:
        open_run(out)

    assert together([read] * 6) == []
    assert len(open_run(out).truths) == 2
    assert verify(out).problems == []
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_an_update_waits_for_its_turn_and_says_so_if_that_is_too_long(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    with (
        writing_into(out),
        pytest.raises(OutputError, match=r"another process, such as an update.*Try again"),
    ):
        update(out, claims_of("dan", 0), refit=False)
    update(out, claims_of("dan", 0), refit=False)
    assert len(open_run(out).truths) == 2


def test_a_reader_does_not_wait_for_an_update(out: Path) -> None:
    update(out, claims_of("dan", 0), refit=False)
    with writing_into(out):
        started = time.monotonic()
        assert len(open_run(out).truths) == 2
        assert time.monotonic() - started < locks.PATIENCE / 2


def test_an_update_that_fails_is_not_kept(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("veracity.workflow.publication.write_parts", full)
        with pytest.raises(OutputError, match="Nothing was changed"):
            update(out, claims_of("dan", 0), refit=False)
    assert len(open_run(out).truths) == 1
    assert update(out, claims_of("dan", 0), refit=False).number == 1


def test_who_opens_a_run_that_is_half_moved_moves_the_rest(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(files: Together) -> None:
        files.place.rename(out / COMMITTED)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Together, "commit", killed)
        patch.setattr("veracity.data.output.together.GONE", "run.gone")
        with pytest.raises(KeyboardInterrupt):
            update(out, claims_of("dan", 0), refit=False)
    (out / COMMITTED / ".gone.json").write_text("[]")
    (out / COMMITTED / "truths.parquet").rename(out / "truths.parquet")
    assert len(open_run(out).truths) == 2
    assert not (out / COMMITTED).exists()
    assert verify(out).problems == []


def test_an_opened_run_stays_what_it_was(out: Path) -> None:
    run = open_run(out)
    update(out, claims_of("dan", 0), refit=False)
    assert len(run.truths) == 1
    assert len(open_run(out).truths) == 2


def test_overwriting_waits_for_an_update(out: Path) -> None:
    run = discover(Claims.from_triples(FIRST), model="vote")
    with writing_into(out):
        saving = Thread(target=lambda: run.save(out, overwrite=True, report=False))
        saving.start()
        time.sleep(0.2)
        assert saving.is_alive()
    saving.join()
    assert verify(out).problems == []
