"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from glob import escape
from pathlib import Path

from veracity.errors import OutputError

#: The ending of a file that is being written.
UNFINISHED = ".veracity-part"
#: One that nobody has written to for so long was left by a process that was killed; in seconds.
YOUNG = 60.0


def check_target(path: Path) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    if path.is_dir():
        raise OutputError(f"{path} is a folder. Name a file to write to.")
    parent = path.absolute().parent
    if not parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no folder {parent}.")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"{path} cannot be written: you may not write to {parent}.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there as a whole, the old one or the new one, at any time."""
    whole = content if isinstance(content, bytes) else content.encode("utf-8")
    target = path.resolve()
    _remove_stale(target)
    try:
        handle, scratch = tempfile.mkstemp(UNFINISHED, f".{target.name}.", target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(whole)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(scratch, 0o644)
            os.replace(scratch, target)
        except BaseException:
            os.unlink(scratch)
            raise
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}.") from error


def _remove_stale(target: Path) -> None:
    """Remove what killed processes left of their attempts to write a file."""
    for rest in target.parent.glob(f".{escape(target.name)}.*{UNFINISHED}"):
        with suppress(OSError):
            if time.time() - rest.stat().st_mtime > YOUNG:
                rest.unlink()


def on_disk(folder: Path) -> None:
    """Wait until all files below a folder are on disk, as far as the system tells."""
    for place, _, names in os.walk(folder):
        for path in (*(os.path.join(place, name) for name in names), place):
            _sync(path)


def _sync(path: str) -> None:
    if os.path.islink(path):
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
