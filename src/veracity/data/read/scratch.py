"""Temporary folders, as for what does not fit in memory; they go when no longer needed.

Whoever uses one holds a lock on a file in it. A process that is killed leaves its folder behind,
but not the lock: the next one that makes a folder in the same place removes those without.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO

import duckdb

from veracity.errors import OutputError

#: What the operating system says when there is no room.
DISK_IS_FULL = "No space left on device"

PREFIX = "veracity-scratch-"
LOCK = "lock"
#: A folder that is made just now may have no lock yet; in seconds.
YOUNG = 60.0


class Scratch:
    """A folder that goes with this object or its block, at the latest when the process ends.

    Only this user can enter it, and nobody can foresee its name.
    """

    def __init__(self, parent: Path | None = None) -> None:
        place = Path(tempfile.gettempdir()) if parent is None else parent
        remove_stale(place)
        try:
            self.folder, lock = _made(place)
        except OSError as error:
            raise OutputError(
                f"No temporary folder can be made in {place}: {error.strerror or error}. Free some "
                "space there, or let TMPDIR name another folder."
            ) from error
        self.close = weakref.finalize(self, _remove, self.folder, lock)

    def __enter__(self) -> Path:
        return self.folder

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

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
    """Say so if a place for temporary files has no room for what is written there."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if DISK_IS_FULL not in str(error):
            raise
        raise OutputError(
            f"The disk is full: {place} has no room for what does not fit in memory. Free "
            "some space, or let TMPDIR name a folder on another disk."
        ) from error


def remove_stale(place: Path) -> None:
    """Remove the scratch folders of processes that ended without doing so."""
    for folder in place.glob(f"{PREFIX}*"):
        try:
            with open(folder / LOCK, "r+", encoding="utf-8") as lock:
                _take(lock)
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:  # being made, or left by a process killed just then
            _remove_unlocked(folder)
        except OSError:  # in use, or somebody else's
            continue


def _remove_unlocked(folder: Path) -> None:
    """Remove a folder without a lock, unless it is young or there is something in it."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime > YOUNG:
            folder.rmdir()


def _made(place: Path) -> tuple[Path, IO[str]]:
    """Return a new folder and its lock, which is held."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        try:
            lock = open(folder / LOCK, "w", encoding="utf-8")  # noqa: SIM115  held on purpose
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        with suppress(OSError):  # somebody took it for a remnant
            _take(lock)
            if (folder / LOCK).exists():
                return folder, lock
        lock.close()


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
