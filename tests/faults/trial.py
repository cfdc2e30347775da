"""``python -m tests.faults.trial``: actions again and again, failing at each of their changes.

It reads lines ``ACTION HOW MOST`` and answers each with what was found, as JSON. HOW is ``error``,
``full`` (as on a full disk) or ``kill``. No more than MOST places are tried, evenly spread. With
``time``, the process is killed at MOST random moments instead.

All is loaded and done once at first. Every trial is a fork of that, which costs a few milliseconds.
"""

from __future__ import annotations

import ctypes
import errno
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from tests.faults.actions import ACTIONS, GIVEN, Action, litter, seen

from veracity.data.output import atomic, exchange
from veracity.data.read import scratch, workbench
from veracity.errors import VeracityError

HOW = {"error": (errno.EIO, 0), "full": (errno.ENOSPC, 1), "kill": (0, 0)}
KILLED, FAILED = 77, 2
#: In memory, where files need not wait for a disk.
FAST = Path("/dev/shm")


@cache
def fault() -> Any:
    """Return the library that was loaded before all others."""
    library = ctypes.CDLL(None)
    library.fault_seen.restype = ctypes.c_long
    library.fault_set.argtypes = (ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int)
    return library


def in_child(work: Callable[[], int], said: Path, seconds: float | None = None) -> int:
    """Do something in a process of its own; return its exit code.

    After so many seconds it is killed, if it is still at work.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            output = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            try:
                code = work()
            except (VeracityError, OSError):  # as the command line does
                code = FAILED
            workbench.close_shared()  # as when a process ends
        except Exception as error:
            os.write(2, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def given_in(folder: Path) -> None:
    """Put the given tables into a folder."""
    given = folder / "given"
    given.mkdir()
    for name, text in GIVEN.items():
        (given / name).write_text(text)


def prepare(place: Path, action: Action) -> int:
    """Make a place as it is before an action."""
    (place / "tmp").mkdir(parents=True)
    tempfile.tempdir = str(place / "tmp")
    codes = [step(place) for step in action.before]
    assert not any(codes), codes
    return 0


@cache
def warm_up(name: str) -> None:
    """Do an action once, so that forks need not load anything."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        place, action = Path(folder, "place"), ACTIONS[name]
        given_in(Path(folder))
        prepare(place, action)
        action.do(place)
        seen(place)
    tempfile.tempdir = None


class Trials:
    """Trials of an action, in copies of one place."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.action = folder, ACTIONS[name]
        self.said = folder / "said"
        self.first = folder / "first"
        given_in(folder)
        code = in_child(lambda: prepare(self.first, self.action), self.said)
        assert code == 0, self.said.read_text()
        whole = self.copy()
        self.n_changes = self.attempt(whole, 0, "error", folder / "changes")
        self.new, left = self.look(whole)
        assert not left, left
        self.old, _ = self.look(self.copy())
        assert (self.old != self.new) != self.action.changes_nothing

    def copy(self) -> Path:
        place = self.folder / "copy"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.first, place)
        return place

    def attempt(self, place: Path, n: int, how: str, changes: Path | None = None) -> int:
        """Do the action, failing at the n-th change; return its exit code."""

        def work() -> int:
            tempfile.tempdir = str(place / "tmp")
            fault().fault_set(os.fsencode(place), n, *HOW[how])
            code = self.action.do(place)
            counted = fault().fault_seen()
            fault().fault_set(b"", 0, 0, 0)
            if changes is not None:
                changes.write_text(str(counted))
            return code

        code = in_child(work, self.said)
        if changes is None:
            return code
        assert code == 0, self.said.read_text()
        return int(changes.read_text())

    def attempt_for(self, place: Path, seconds: float | None) -> int:
        """Do the action until it is killed; return its exit code."""

        def work() -> int:
            tempfile.tempdir = str(place / "tmp")
            return self.action.do(place)

        code = in_child(work, self.said, seconds)
        return KILLED if code == -signal.SIGKILL else code

    def look(self, place: Path, next_run: bool = False) -> tuple[Any, list[str]]:
        """Return what is seen of a place, and what is left of work, also after the next run."""
        answer = self.folder / "answer.json"
        # Readers leave it to the next who writes.
        tidying = ACTIONS["report"] if self.action.changes_nothing else self.action

        def work() -> int:
            tempfile.tempdir = str(place / "tmp")
            atomic.YOUNG = exchange.YOUNG = scratch.YOUNG = -1.0  # nobody else is at work
            found = seen(place)
            code = tidying.do(place) if next_run else 0
            workbench.close_shared()
            left = [f"the next run ends with {code}"] if code else litter(place)
            answer.write_text(json.dumps([found, left]))
            return 0

        code = in_child(work, self.folder / "look")
        assert code == 0, (self.folder / "look").read_text()
        found, left = json.loads(answer.read_text())
        return found, left

    def may_be_kept(self) -> bool:
        """Say whether those who were told of a failure know that the new state may be there."""
        says = self.action.says_if_kept
        return says is not None and says in " ".join(self.said.read_text().split())

    def problem(self, at: float, how: str) -> str:
        """Return what is wrong after the n-th change failed, or after a time; else nothing."""
        place = self.copy()
        code = self.attempt_for(place, at) if how == "time" else self.attempt(place, int(at), how)
        try:
            found, left = self.look(place, next_run=how in ("kill", "time"))
        except AssertionError as error:
            return str(error)
        if found not in (self.old, self.new):
            return "neither the old nor the new state"
        if code == 0 and found != self.new:
            return "said to be done, and is not"
        if code == FAILED and found != self.old and not self.may_be_kept():
            return f"said to have failed, and is kept: {self.said.read_text()}"
        if code not in (0, FAILED, KILLED):
            return f"exit code {code}: {self.said.read_text()}"
        # What could not be removed is left, until the next run.
        return f"left: {left}" if left and how != "error" else ""


def tried(action: str, how: str, most: int) -> dict[str, Any]:
    """Return how many changes an action makes, how many were tried, and what is wrong."""
    fast = FAST if os.access(FAST, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=fast) as name:
        trials = Trials(Path(name), action)
        places: Sequence[float]
        if how == "time":
            started = time.monotonic()
            assert trials.attempt_for(trials.copy(), None) == 0
            whole = time.monotonic() - started
            places = [random.uniform(0.0, whole) for _ in range(most)]
        else:
            step = max(1, -(-trials.n_changes // most))
            places = range(1, trials.n_changes + 1, step)
        found = {n: trials.problem(n, how) for n in places}
    problems = [f"{n}: {text}"[:500] for n, text in found.items() if text]
    return {"changes": trials.n_changes, "tried": len(places), "problems": problems}


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        action, how, most = line.split()
        warm_up(action)
        print(json.dumps(tried(action, how, int(most))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
