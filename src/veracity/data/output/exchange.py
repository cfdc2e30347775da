"""One folder in the place of another, so that there is always one, the old or the new."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from veracity.data.output.locks import is_held

#: Hidden folders beside the target: one that is being written, and one that is being replaced.
PART, OLD = ".part", ".old"

#: A folder that is made just now may not be held yet; in seconds.
YOUNG = 60.0

#: Of renameat2 on Linux and renamex_np on macOS: let the two change places.
_SWAP = 2
_HERE = -100  # paths start where this process is
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def take_place(scratch: Path, target: Path) -> None:
    """Put a folder in the place of another, which goes.

    Where the system can, both change places at one stroke. Elsewhere the old folder stands aside
    for a moment; should the process be killed just then, `recover` puts it back.
    """
    if not target.exists():
        os.replace(scratch, target)
    elif exchange(scratch, target):
        shutil.rmtree(scratch, ignore_errors=True)
    else:
        _take_place_in_two_steps(scratch, target)


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change places at one stroke; say whether the system can."""
    library = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(one), os.fsencode(other)
    if hasattr(library, "renameat2"):
        failed = library.renameat2(_HERE, paths[0], _HERE, paths[1], _SWAP)
    elif sys.platform == "darwin":
        failed = library.renamex_np(*paths, _SWAP)
    else:
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _take_place_in_two_steps(scratch: Path, target: Path) -> None:
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=OLD, dir=target.parent))
    try:
        os.replace(target, old)  # which is empty
        os.replace(scratch, target)
    except BaseException:
        if not target.exists():
            os.replace(old, target)  # should even this fail, `recover` does it later
        elif not any(old.iterdir()):
            old.rmdir()
        raise
    shutil.rmtree(old, ignore_errors=True)


def recover(target: Path) -> None:
    """Put right what a process left behind that was killed while it wrote a folder.

    A folder that stood aside goes back if nothing took its place. What is in use is left alone.
    """
    target = target.resolve()
    try:
        if not target.exists():
            for old in _left(target, (OLD,)):
                if any(old.iterdir()):
                    os.replace(old, target)
                    break
        kinds = (OLD, PART) if target.exists() else (PART,)
        for rest in _left(target, kinds):
            if time.time() - rest.stat().st_mtime > YOUNG:
                shutil.rmtree(rest, ignore_errors=True)
    except OSError:  # somebody else was faster, or may write here and we may not
        return


def _left(target: Path, kinds: Iterable[str]) -> list[Path]:
    """Return what is left of writing a folder by processes that are no more."""
    if not target.parent.is_dir():
        return []
    beside = (path for path in target.parent.iterdir() if path.name.startswith(f".{target.name}."))
    return [path for path in beside if path.suffix in kinds and not is_held(path)]
