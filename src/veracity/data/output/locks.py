"""Locks on folders: who may write into one, and who may put another in its place.

The operating system holds the lock on the folder itself, so that nothing is left behind when a
process is killed, and none of it is seen in the folder. Everybody who writes into a folder holds it
together with others; who replaces it as a whole holds it alone.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from veracity.errors import OutputError

#: How long to wait for others, in seconds.
PATIENCE = 60.0
#: How long to wait between two looks.
_PAUSE = 0.01
#: The file that who changes the files of a folder holds.
LOCK = ".veracity-lock"
#: Who wants a folder is in line at this file of it, and holds that only until it has the folder. So
#: nobody waits for ever on others who come and go.
GATE = "run.json"


class Unwritable(OutputError):
    """The files of a folder cannot be changed: by this user, or while somebody else writes them."""


@contextmanager
def held(path: Path, *, alone: bool = False, patience: float | None = None) -> Iterator[None]:
    """Hold a folder or file where it is, with others or alone; wait for those who hold it.

    Should the path be given to another folder meanwhile, that one is held instead. On file systems
    without locks nothing is held.
    """
    handle = _taken(path, alone, PATIENCE if patience is None else patience)
    try:
        yield
    finally:
        _let_go(handle)


@contextmanager
def writing_into(folder: Path, patience: float | None = None) -> Iterator[None]:
    """Lock a folder, so that only this process changes its files."""
    wait = PATIENCE if patience is None else patience
    lock = folder / LOCK
    with held(folder, patience=wait):
        try:
            handle = _taken(lock, True, wait, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise Unwritable(f"{folder} cannot be changed: {error.strerror}.") from error
        try:
            yield
        finally:
            with suppress(OSError):  # what was done is done
                lock.unlink(missing_ok=True)  # who waits for it finds that out
            _let_go(handle)


def is_held(path: Path) -> bool:
    """Whether anybody holds a folder now, as far as can be told."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        _let_go(handle)


def _taken(path: Path, alone: bool, patience: float, flags: int = os.O_RDONLY) -> int:
    """Return the handle of what is held; whoever has it holds the lock."""
    deadline = time.monotonic() + patience
    kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    while True:
        gate = _opened(path / GATE)
        try:
            if gate is not None:
                _wait(gate, kind, path, deadline)
            handle = os.open(path, flags, 0o644)
            try:
                _wait(handle, kind, path, deadline)
                if _is_at(handle, path):
                    return handle
            except BaseException:
                _let_go(handle)
                raise
            _let_go(handle)
        finally:
            if gate is not None:
                _let_go(gate)


def _opened(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None


def _wait(handle: int, kind: int, path: Path, deadline: float) -> None:
    """Take a lock as soon as others let go of it."""
    while not _try(handle, kind):
        if time.monotonic() >= deadline:
            raise Unwritable(
                f"{path.parent if path.name == LOCK else path} is being written by another "
                "process, such as an update, which takes long. Try again when it has ended."
            )
        time.sleep(_PAUSE)


def _try(handle: int, kind: int) -> bool:
    """Take a lock, and say whether that went well."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        return error.errno != errno.EINTR  # then it is a file system without locks
    return True


def _is_at(handle: int, path: Path) -> bool:
    """Whether what is open is still what the path names."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _let_go(handle: int) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_UN)
    except OSError:  # a file system without locks
        pass
    finally:
        os.close(handle)
