"""Folders for what does not fit in memory; they go when they are no longer needed.

Whoever uses one holds a lock on a file in it. A process that is killed leaves its folder behind,
but not the lock: the next one that makes a folder in the same place removes those without.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import duckdb

from veracity.data.read.workbench import DISK_IS_FULL
from veracity.errors import OutputError

PREFIX = "veracity-scratch-"
LOCK = "lock"


class Scratch:
    """A folder that goes with this object, at the latest when the process ends."""

    def __init__(self, parent: Path | None = None) -> None:
        place = Path(tempfile.gettempdir()) if parent is None else parent
        remove_stale(place)
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        lock = open(self.folder / LOCK, "w", encoding="utf-8")  # noqa: SIM115  held on purpose
        _take(lock)
        self.close = weakref.finalize(self, _remove, self.folder, lock)

    def folder_of(self, name: str) -> Path:
        """Return a folder inside, made if it is not there."""
        inside = self.folder / name
        inside.mkdir(exist_ok=True)
        return inside

    def size(self) -> int:
        """Return how many bytes the files inside have."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Say so if there is no room for what is written to a place within a scratch folder."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if DISK_IS_FULL not in str(error):
            raise
        raise OutputError(
            f"The disk is full: {place.parent.parent} has no room for claims that do not fit in "
            "memory. Free some space, or let TMPDIR name a folder on another disk."
        ) from error


def remove_stale(place: Path) -> None:
    """Remove the scratch folders of processes that ended without doing so."""
    for folder in place.glob(f"{PREFIX}*"):
        try:
            with open(folder / LOCK, "r+", encoding="utf-8") as lock:
                _take(lock)
        except OSError:  # in use, being made or removed, or somebody else's
            continue
        shutil.rmtree(folder, ignore_errors=True)


def _remove(folder: Path, lock: IO[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.close()


def _take(lock: IO[str]) -> None:
    """Lock a file, or raise OSError if another process has."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
