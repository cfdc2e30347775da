"""The cells of a run in a JSON file: whole at any time, and taken up again by the next run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path

from veracity.data.output.atomic import check_target, write_whole
from veracity.errors import InputError, OutputError
from veracity.scoreboard.cells import Cell

Key = tuple[str, str, int]


class Journal:
    """Cells in a file, or only in memory where no file is given.

    The file is a JSON list with a row for each cell, and is replaced as a whole whenever a cell is
    added, so that a run that is stopped loses nothing that was finished.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._cells: dict[Key, Cell] = {}
        if path is not None:
            check_target(path)
            self._cells = {cell.key: cell for cell in read_cells(path)} if path.exists() else {}

    def keep(self, fingerprints: dict[str, str], version: str) -> None:
        """Forget the cells of data sets, or of a version, that are no longer what they were."""
        self._cells = {
            key: cell
            for key, cell in self._cells.items()
            if cell.version == version
            and fingerprints.get(cell.dataset, cell.fingerprint) == cell.fingerprint
        }

    def get(self, key: Key) -> Cell | None:
        """Return a finished cell."""
        return self._cells.get(key)

    def add(self, cells: Iterable[Cell]) -> None:
        """Add finished cells, and write the file anew."""
        self._cells |= {cell.key: cell for cell in cells}
        self.write()

    def write(self) -> None:
        """Write the file anew."""
        if self._path is not None:
            write_whole(self._path, to_json(self._cells.values()))

    def chosen(self, keys: Collection[Key]) -> list[Cell]:
        """Return cells in the order of their keys."""
        return [self._cells[key] for key in keys if key in self._cells]


def to_json(cells: Iterable[Cell]) -> str:
    """Write cells as a JSON list, one row a line."""
    rows = ",\n".join(json.dumps(cell.as_dict(), ensure_ascii=False) for cell in cells)
    return f"[\n{rows}\n]\n" if rows else "[]\n"


def read_cells(path: Path) -> list[Cell]:
    """Read the cells that an earlier run wrote."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        return [Cell.from_dict(row) for row in rows]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise OutputError(
            f"{path} exists and is not the JSON file of an earlier run, so it is not replaced. "
            "Name another file."
        ) from error
