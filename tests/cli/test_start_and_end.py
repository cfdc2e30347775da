"""How the process of a command starts and ends."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest

from veracity.cli.process import collecting_later

#: Says what is done at its end, and "freed" only if Python looks through all objects then.
PROGRAM = """
import atexit, sys, threading, time
from veracity.cli.process import end_at_once

class Ring:
    def __init__(self):
        self.me = self
    def __del__(self):
        print("freed")

ring = Ring()
atexit.register(print, "handled")
{before}
print("said", end=" ")
end_at_once(3)
print("as usual")
sys.exit(4)
"""


def _ended(before: str = "", **settings: str) -> tuple[int, list[str]]:
    environment = {name: value for name, value in os.environ.items() if name != "VERACITY_DEBUG"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(before=before)],
        env=environment | settings,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout.split()


def test_a_process_ends_once_its_handlers_ran_and_its_output_is_out() -> None:
    assert _ended() == (3, ["said", "handled"])


def test_a_process_under_inspection_ends_as_usual() -> None:
    expected = (4, ["said", "as", "usual", "handled", "freed"])
    assert _ended(VERACITY_DEBUG="1") == expected


def test_other_threads_finish_first() -> None:
    thread = "threading.Thread(target=lambda: (time.sleep(0.5), print('threaded'))).start()"
    assert _ended(thread) == (3, ["said", "threaded", "handled"])


def test_helpers_that_wait_for_work_are_sent_home() -> None:
    pool = "import concurrent.futures as c; p = c.ThreadPoolExecutor(1); p.submit(int).result()"
    assert _ended(pool) == (3, ["said", "handled"])


def test_output_that_cannot_be_written_is_left_to_python() -> None:
    assert _ended("sys.stderr.close()") == (4, ["said", "handled", "as", "usual", "freed"])


def test_garbage_is_collected_from_the_first_stage_on() -> None:
    begun: list[str] = []
    with collecting_later(begun.append) as progress:
        assert not gc.isenabled()
        progress("reading")
        assert gc.isenabled()
        n_frozen = gc.get_freeze_count()
        assert n_frozen > 0
        progress("writing")
        assert gc.get_freeze_count() <= n_frozen
    assert begun == ["reading", "writing"]
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_garbage_is_collected_after_a_failed_start() -> None:
    with pytest.raises(ValueError, match="no such model"), collecting_later(print):
        raise ValueError("no such model")
    assert gc.isenabled()
