"""Folders that take the place of others, whoever else looks, writes or is killed meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path
from threading import Thread

import pytest

from veracity.data.output import exchange as exchanging
from veracity.data.output import locks
from veracity.data.output.exchange import exchange, recover, take_place
from veracity.data.output.locks import held, is_held
from veracity.data.output.write import whole_folder
from veracity.errors import OutputError
from veracity.workflow.files import check_run_folder

MARKS = ("run.json",)


def folder_of(place: Path, text: str) -> Path:
    place.mkdir()
    (place / "run.json").write_text(text)
    return place


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_two_folders_change_places_at_one_stroke(tmp_path: Path) -> None:
    one, other = folder_of(tmp_path / "one", "1"), folder_of(tmp_path / "other", "2")
    if not exchange(one, other):
        pytest.skip("this system has no exchange")
    assert ((one / "run.json").read_text(), (other / "run.json").read_text()) == ("2", "1")


def test_an_error_of_the_exchange_is_told(tmp_path: Path) -> None:
    one = folder_of(tmp_path / "one", "1")
    with pytest.raises(OSError, match="No such file"):
        exchange(one, tmp_path / "nothing")


def test_the_folder_is_never_gone_while_it_is_replaced(tmp_path: Path) -> None:
    target = folder_of(tmp_path / "out", "0")
    if not exchange(folder_of(tmp_path / "a", ""), folder_of(tmp_path / "b", "")):
        pytest.skip("this system has no exchange")
    missing: list[Exception] = []
    done: list[bool] = []

    def look() -> None:
        while not done:
            try:
                (target / "run.json").read_text()
            except FileNotFoundError as error:
                missing.append(error)

    watcher = Thread(target=look)
    watcher.start()
    for number in range(100):
        with whole_folder(target, overwrite=True, marks=MARKS) as scratch:
            (scratch / "run.json").write_text(str(number))
    done.append(True)
    watcher.join()
    assert not missing
    assert names(target) == ["run.json"]


@pytest.mark.parametrize("content", ["thesis.tex", "run.json"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_appears_meanwhile_stays(
    tmp_path: Path, content: str, overwrite: bool
) -> None:
    target = tmp_path / "out"

    def write() -> None:
        with whole_folder(target, overwrite=overwrite, marks=MARKS) as scratch:
            (scratch / "run.json").write_text("new")
            target.mkdir()
            (target / content).write_text("years of work")

    with pytest.raises(OutputError, match=r"appeared while.*out-1"):
        write()
    assert (target / content).read_text() == "years of work"
    assert (tmp_path / "out-1" / "run.json").read_text() == "new"
    assert names(tmp_path) == ["out", "out-1"]


def test_a_file_that_is_put_into_the_replaced_folder_meanwhile_stays(tmp_path: Path) -> None:
    target = folder_of(tmp_path / "out", "old")

    def write() -> None:
        with whole_folder(target, overwrite=True, marks=MARKS) as scratch:
            (scratch / "run.json").write_text("new")
            (target / "thesis.tex").write_text("years of work")

    with pytest.raises(OutputError, match="did not write"):
        write()
    assert names(target) == ["run.json", "thesis.tex"]
    assert (target / "run.json").read_text() == "old"


def replace_and_be_killed(scratch: Path, target: Path) -> None:
    replace, calls = os.replace, []

    def killed(one: Path, other: Path) -> None:
        calls.append(one)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(one, other)

    os.replace = killed  # type: ignore[assignment]
    exchanging.exchange = lambda one, other: False
    with held(target, alone=True):
        take_place(scratch, target)


def test_a_kill_between_two_renames_is_put_right_by_who_comes_next(tmp_path: Path) -> None:
    target = folder_of(tmp_path / "out", "old")
    scratch = folder_of(tmp_path / ".out.x.part", "new")
    process = multiprocessing.get_context("fork").Process(
        target=replace_and_be_killed, args=(scratch, target)
    )
    process.start()
    process.join()
    assert not target.exists()
    check_run_folder(target)
    assert (target / "run.json").read_text() == "old"


def test_a_folder_that_stands_aside_is_left_to_who_put_it_there(tmp_path: Path) -> None:
    old = folder_of(tmp_path / ".out.x.old", "old")
    with held(old, alone=True):
        recover(tmp_path / "out")
        assert names(tmp_path) == [".out.x.old"]
    recover(tmp_path / "out")
    assert names(tmp_path) == ["out"]


def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    target = folder_of(tmp_path / "out", "old")
    for name in (".out.x.part", ".out.y.old", ".out.z.part"):
        os.utime(folder_of(tmp_path / name, ""), (0, 0))
    with held(tmp_path / ".out.z.part", alone=True):
        recover(target)
    assert names(tmp_path) == [".out.z.part", "out"]


def test_who_holds_a_folder_alone_waits_for_the_others(tmp_path: Path) -> None:
    with held(tmp_path), held(tmp_path, patience=0):
        assert is_held(tmp_path)
        with (
            pytest.raises(OutputError, match="another process"),
            held(tmp_path, alone=True, patience=0),
        ):
            pass
    assert not is_held(tmp_path)
    with held(tmp_path, alone=True, patience=0):
        assert is_held(tmp_path)


def test_who_waited_holds_what_is_there_then(tmp_path: Path) -> None:
    target, other = folder_of(tmp_path / "out", "old"), folder_of(tmp_path / "new", "new")
    seen: list[str] = []

    def wait() -> None:
        with held(target):
            seen.append((target / "run.json").read_text())
            seen.append(str(locks.is_held(target)))

    with held(target, alone=True):
        waiting = Thread(target=wait)
        waiting.start()
        time.sleep(0.05)
        take_place(other, target)
    waiting.join()
    assert seen == ["new", "True"]
