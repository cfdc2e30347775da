"""``python trial.py ACTION HOW MOST``: an action, again and again, failing at each of its changes.

HOW is ``error``, ``full`` (as on a full disk) or ``kill``. No more than MOST places are tried,
evenly spread. It prints what was found, as JSON.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from veracity import Claims, discover, open_run
from veracity.cli.app import run as command
from veracity.data.output.exchange import recover
from veracity.errors import VeracityError
from veracity.workflow import update
from veracity.workflow.marks import MarkBook
from veracity.workflow.verification import verify

ROWS = [
    ("ann", "sky", "blue"),
    ("bob", "sky", "green"),
    ("cat", "sky", "blue"),
    ("cat", "sea", "x"),
]
MORE = [("dan", "sky", "green"), ("dan", "moon", "grey")]
HOW = {"error": (errno.EIO, 0), "full": (errno.ENOSPC, 1), "kill": (0, 0)}
KILLED, FAILED = 77, 3


@cache
def fault() -> Any:
    """Return the library that was loaded before all others."""
    library = ctypes.CDLL(None)
    library.fault_seen.restype = ctypes.c_long
    library.fault_set.argtypes = (ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int)
    return library


@cache
def run_of(which: str) -> Any:
    rows = ROWS + MORE if which == "new" else ROWS
    return discover(Claims.from_triples(rows), model="vote")


def save(out: Path) -> None:
    run_of("new").save(out, report=False)


def overwrite(out: Path) -> None:
    run_of("new").save(out, overwrite=True, report=False)


def add(out: Path) -> None:
    update(out, Claims.from_triples(MORE), refit=False, threads=1)


def report(out: Path) -> None:
    if command(["report", str(out), "-q"]):
        raise VeracityError("the report failed")


def mark(out: Path) -> None:
    MarkBook(out).put("sky", "value", ["green"])


ACTIONS: dict[str, Callable[[Path], None]] = {
    "discover": save,
    "overwrite": overwrite,
    "update": add,
    "report": report,
    "marks": mark,
}


def prepared(place: Path, action: str) -> Path:
    """Return the folder of a run as it is before the action."""
    out = place / "out"
    if action != "discover":
        run_of("old").save(out, report=action == "report")
        update(out, Claims.from_triples([("eve", "sea", "x")]), refit=False, threads=1)
        MarkBook(out).put("sea", "value", ["x"])
    return out


def state(out: Path) -> Any:
    """Return what anybody can see of a run, once it is opened; None if there is none."""
    recover(out)
    if not out.exists():
        return None
    found = verify(out)
    assert found.problems == [], found.problems
    run = open_run(out)
    tables = [table.to_arrow().to_pylist() for table in (run.truths, run.statements, run.sources)]
    marks = [(mark.entity, mark.values) for mark in MarkBook(out).read()]
    charts = sorted(path.name for path in out.glob("charts/*"))
    return json.loads(json.dumps([tables, len(run.claims), sorted(marks), charts]))


def attempt(action: str, out: Path, n: int, how: str) -> int:
    """Do the action in a process of its own, failing at the n-th change; return its exit code."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            fault().fault_set(str(out.parent).encode(), n, *HOW[how])
            try:
                ACTIONS[action](out)
                code = 0
            except VeracityError:
                code = FAILED
            seen = fault().fault_seen()
            fault().fault_set(b"", 0, 0, 0)
            if n == 0:
                (out.parent / "seen").write_text(str(seen))
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(action: str, how: str, most: int) -> None:
    warnings.simplefilter("ignore")
    problems: list[str] = []
    run_of("old"), run_of("new")  # once, before anything fails
    with tempfile.TemporaryDirectory() as name:
        first = Path(name) / "first"
        first.mkdir()
        prepared(first, action)
        copies = iter(range(10**9))

        def copy() -> Path:
            place = Path(name) / str(next(copies))
            shutil.copytree(first, place)
            return place / "out"

        old = state(copy())
        whole = copy()
        assert attempt(action, whole, 0, how) == 0
        changes = int((whole.parent / "seen").read_text())
        new = state(whole)
        assert old != new or action == "report", "the action changes nothing"
        step = max(1, -(-changes // most))
        tried = range(1, changes + 1, step)
        for n in tried:
            out = copy()
            code = attempt(action, out, n, how)
            try:
                found = state(out)
                if found not in (old, new):
                    problems.append(f"{n}: neither the old nor the new state")
                elif code == 0 and found != new:
                    problems.append(f"{n}: said to be done, and is not")
                elif code == FAILED and found != old and action != "marks":
                    # A mark may have reached the disk although the disk said that it did not.
                    problems.append(f"{n}: said to have failed, and is kept")
                elif code not in (0, FAILED, KILLED):
                    problems.append(f"{n}: exit code {code}")
            except Exception as error:
                problems.append(f"{n}: {type(error).__name__}: {error}"[:300])
            shutil.rmtree(out.parent)
    print(json.dumps({"changes": changes, "tried": len(tried), "problems": problems}))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
