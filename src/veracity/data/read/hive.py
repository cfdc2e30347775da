"""Hive folders: columns that are written into the names of folders, as in ``year=2020/``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from veracity.data.notes import Note
from veracity.errors import InputError, listing


def hive_columns(paths: Sequence[Path], own: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that folders add to files whose own columns are `own`.

    A folder never takes the place of a column in the files.
    """
    found = {path: _folder_names(path) for path in paths}
    first, names = next(iter(found.items()))
    for path, others in found.items():
        if set(others) != set(names):
            raise InputError(
                f"The folders of {path} name {_shown(others)}, but those of {first} name "
                f"{_shown(names)}. Files that are read together need the same Hive columns."
            )
    if not names:
        raise InputError(
            f"No folder of {first} is called NAME=VALUE, so there are no Hive columns. Leave out "
            "--hive (in Python: hive)."
        )
    folded = {name.casefold() for name in own}
    if clashing := [name for name in names if name.casefold() in folded]:
        raise InputError(
            f"Folders name {_shown(clashing)}, which the files in them have as well. Leave out "
            "--hive (in Python: hive) to read the files as they are, or rename the folders."
        )
    return tuple(names)


def hive_note(names: Sequence[str]) -> Note:
    """Say which columns were taken from the names of folders."""
    return Note(
        "columns", f"Columns taken from the names of folders: {listing(names)}.", len(names)
    )


def _folder_names(path: Path) -> list[str]:
    parts = (part.partition("=") for part in path.parts[:-1])
    return list(dict.fromkeys(name for name, sign, value in parts if name and sign and value))


def _shown(names: Sequence[str]) -> str:
    return listing(map(repr, names)) or "no column"
