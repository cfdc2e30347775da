"""The hash of every file of a run, in ``run.json``, so that damage is seen and not believed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

from veracity.data.output.write import HISTORY_FILE, MARKS_FILE
from veracity.errors import InputError

RUN_FILE = "run.json"
#: The keys of ``run.json``: the hash of each other file, and that of everything else it says.
FILES, OWN = "files", "sha256"


def sealed(
    description: Mapping[str, Any],
    written: Path,
    before: Mapping[str, str] | None = None,
    gone: Iterable[str] = (),
) -> str:
    """Return the text of ``run.json`` with the hashes of files.

    Parameters
    ----------
    description
        What it says.
    written
        The folder of the files that were just written.
    before
        The hashes of files that stay as they were written earlier.
    gone
        Files that are there no more.
    """
    hashes = dict(before or {})
    for name in gone:
        hashes.pop(name, None)
    hashes |= hashes_of(written)
    whole = dict(description) | {FILES: dict(sorted(hashes.items()))}
    whole[OWN] = _own_hash(whole)
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def hashes_of(folder: Path) -> dict[str, str]:
    """Return the hash of each file of a run that stays as it is once it is written."""
    return {
        name: _hash(folder / name)
        for name in names_in(folder)
        if not name.startswith((MARKS_FILE, HISTORY_FILE))
    }


def names_in(folder: Path) -> list[str]:
    """Return the files in a folder and those in it, but for the description and hidden ones."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    seen = (path for path in paths if not any(part.startswith(".") for part in path.parts))
    return sorted(path.as_posix() for path in seen if path.as_posix() != RUN_FILE)


def check_description(description: Mapping[str, Any], path: Path) -> None:
    """Refuse a description that is not as it was written."""
    own = description.get(OWN)
    if own is not None and own != _own_hash(description):
        raise InputError(f"{path} is damaged: it is not what was written. {AGAIN}")


def checked(folder: Path, name: str, description: Mapping[str, Any]) -> Path:
    """Return the path of a file of a run; refuse one that is not as it was written."""
    path = folder / name
    with path.open("rb") as file:
        check_content(file, path, name, description)
    return path


def check_content(
    file: BufferedReader, path: Path, name: str, description: Mapping[str, Any]
) -> None:
    """Refuse an open file that is not as it was written; leave it at its beginning."""
    expected = description.get(FILES, {}).get(name)
    if expected is not None and hashlib.file_digest(file, "sha256").hexdigest() != expected:
        raise InputError(f"{path} is damaged: it is not what was written. {AGAIN}")
    file.seek(0)


#: What to do about damage.
AGAIN = "Make the run again, or restore the folder from a copy; `veracity verify` checks all files."


def _own_hash(description: Mapping[str, Any]) -> str:
    rest = {name: content for name, content in description.items() if name != OWN}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
