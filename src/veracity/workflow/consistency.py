"""Reading several files of a run that belong together, while others write it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from veracity.data.output.together import is_unfinished
from veracity.errors import InputError, VeracityError
from veracity.workflow.files import RUN_FILE, check_run_folder, read_description
from veracity.workflow.publication import bring_up_to_date

Made = TypeVar("Made")

#: How long to try again while others keep writing, and how long to wait in between, in seconds.
PATIENCE, PAUSE = 60.0, 0.01


def read_together(folder: Path, read: Callable[[dict[str, Any]], Made]) -> Made:
    """Read files of a run with a function of its description; again if they changed meanwhile.

    So nobody who reads has to wait for who writes, or the other way round.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        bring_up_to_date(folder)
        before = _stamp(folder)
        failed: Exception | None = None
        try:
            made = read(read_description(folder))
        except (VeracityError, OSError) as error:
            failed = error
        # What is moved to its place counts before, and the description comes last: so if neither
        # is seen now, nothing was moved.
        settled = not is_unfinished(folder) and _stamp(folder) == before
        if settled and failed is None:
            return made
        if settled or time.monotonic() > deadline:
            raise failed or InputError(f"{folder} is being written all the time. Try again later.")
        time.sleep(PAUSE)


def _stamp(folder: Path) -> bytes:
    """Return what changes with every change of a run."""
    check_run_folder(folder)
    try:
        return (folder / RUN_FILE).read_bytes()
    except OSError:
        return b""
