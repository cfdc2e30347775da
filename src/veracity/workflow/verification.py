"""``veracity verify``: whether every file of a run is as it was written."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from veracity.data.output.write import HISTORY_FILE, MARKS_FILE
from veracity.errors import InputError
from veracity.streaming.history import History
from veracity.workflow.consistency import read_together
from veracity.workflow.manifest import FILES, RUN_FILE, checked, names_in
from veracity.workflow.marks import MarkBook


@dataclass
class Verified:
    """What was found in the folder of a run.

    Attributes
    ----------
    n_files
        Files that were checked.
    problems
        What is wrong, in sentences; nothing if all is well.
    unlisted
        Files that the run did not write, which nobody can vouch for.
    """

    n_files: int = 0
    problems: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "intact": not self.problems,
            "files": self.n_files,
            "problems": self.problems,
            "unlisted": self.unlisted,
        }


def verify(folder: str | Path) -> Verified:
    """Check every file of a run against the hash that ``run.json`` has of it.

    Marks and the claims of an updated run change by themselves: of these it is checked that their
    files are sound and agree with themselves and with the tables.
    """
    place = Path(folder)
    found = read_together(place, lambda description: _files_of(place, description))
    for name, check in ((MARKS_FILE, _check_marks), (HISTORY_FILE, _check_history)):
        if (place / name).is_file():
            found.n_files += 1
            try:
                check(place)
            except InputError as error:
                found.problems.append(str(error))
    return found


def _files_of(folder: Path, description: dict[str, Any]) -> Verified:
    hashes: dict[str, str] | None = description.get(FILES)
    if hashes is None:
        raise InputError(
            f"{folder / RUN_FILE} has no hashes: the run was written by an earlier version of "
            "veracity, or on a cluster. Make the run again to have them."
        )
    found = Verified(n_files=1)  # the description, which was checked when it was read
    for name in hashes:
        found.n_files += 1
        try:
            checked(folder, name, description)
        except FileNotFoundError:
            found.problems.append(f"{folder / name} is missing.")
        except (InputError, OSError) as error:
            found.problems.append(str(error))
    known = (*hashes, MARKS_FILE, HISTORY_FILE)
    found.unlisted = [name for name in names_in(folder) if not name.startswith(known)]
    return found


def _check_marks(folder: Path) -> None:
    MarkBook(folder).check()


def _check_history(folder: Path) -> None:
    with closing(History(folder / HISTORY_FILE)) as history:
        history.check()
        if history.is_empty:
            return

        def compare(description: dict[str, Any]) -> bool:
            updates = description.get("updates", {})
            behind = updates.get("written") != history["version"] or "sha256" not in updates
            return behind or updates["sha256"] == history.digest()

        if not read_together(folder, compare):
            raise InputError(
                f"{folder / HISTORY_FILE} is damaged: it is not what was written. The tables are "
                "not touched by that. Make the run again before the next update."
            )
