"""Several files of a folder that take their places together, or not at all.

They are written to a hidden folder inside. When all of them are on disk, it gets another name, and
from then on they count: whoever opens the folder next moves what a killed process has not.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from veracity.data.output.atomic import on_disk
from veracity.data.output.locks import writing_into

#: The hidden folder while it is written, and when it counts.
NEW, COMMITTED = ".veracity-new-", ".veracity-committed"
#: In it: the files that are to go.
GONE = ".gone.json"


class Together:
    """Files for a folder; who makes one holds `writing_into` until they are in place.

    Attributes
    ----------
    place
        Where to write them, by the names that they will have in the folder.
    gone
        The names of files that are to go.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = Path(tempfile.mkdtemp(prefix=NEW, dir=folder))
        self.gone: list[str] = []

    def commit(self) -> None:
        """Put the files in their places."""
        (self.place / GONE).write_text(json.dumps(self.gone), encoding="utf-8")
        on_disk(self.place)
        os.replace(self.place, self._folder / COMMITTED)
        with suppress(OSError):  # they count; whoever opens the folder next moves the rest
            finish(self._folder)

    def close(self) -> None:
        """Forget the files, unless they count already."""
        shutil.rmtree(self.place, ignore_errors=True)


@contextmanager
def together(folder: Path) -> Iterator[Together]:
    """Give a place for files, which are in the folder at the end if all went well."""
    made = Together(folder)
    try:
        yield made
        made.commit()
    finally:
        made.close()


def is_unfinished(folder: Path) -> bool:
    """Whether files count that are not in their places yet."""
    return (folder / COMMITTED).is_dir()


def put_right(folder: Path) -> None:
    """Finish what a killed process began, if there is something of that kind."""
    if is_unfinished(folder):
        with writing_into(folder):
            finish(folder)


def finish(folder: Path) -> None:
    """Move files that count to their places, and forget those that do not.

    To be called by who holds `writing_into`.
    """
    committed = folder / COMMITTED
    if committed.is_dir():
        for name in _gone(committed):
            (folder / name).unlink(missing_ok=True)
        for path in _last_things_last(committed):
            target = folder / path.relative_to(committed)
            target.parent.mkdir(exist_ok=True)
            os.replace(path, target)
        # It goes bit by bit, so first it must not count any more.
        os.replace(committed, folder / f"{NEW}{uuid4().hex}")
    for rest in folder.glob(f"{NEW}*"):
        shutil.rmtree(rest, ignore_errors=True)


def _gone(committed: Path) -> list[str]:
    names: list[str] = json.loads((committed / GONE).read_text(encoding="utf-8"))
    return names


def _last_things_last(committed: Path) -> Iterable[Path]:
    """Return the files; the description of the others comes last, by which readers go."""
    files = [path for path in committed.rglob("*") if path.is_file() and path.name != GONE]
    return sorted(files, key=lambda path: (path.name == "run.json", path))
