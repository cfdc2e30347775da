"""The results of the benchmark of unseen data: one table of cells, in a file that is committed."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from unseen_cells import Case, Cell

VOTE = "vote"
#: Points under the vote that are reported as a loss.
LOSSES = (1.0, 2.0)
CASE = tuple(field.name for field in fields(Case))
#: What is written of a cell, and with how many digits.
FIGURES = {
    **{"accuracy": ".4f", "log_loss": ".4f", "ece": ".4f", "seconds": ".2f"},
    **{"n_claims": "d", "n_items": "d", "oracle": ".4f", "error": ""},
}
TYPES = {"n_claims": int, "n_items": int, "error": str}


class Results:
    """Cells by case and method."""

    def __init__(self, cells: Mapping[tuple[Case, str], Cell] | None = None) -> None:
        self._cells = dict(cells or {})

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read what `write` wrote; nothing if there is no such file."""
        if not path.is_file():
            return cls()
        with path.open(encoding="utf-8", newline="") as file:
            return cls(dict(map(_parsed, csv.DictReader(file))))

    def write(self, path: Path) -> None:
        """Write all cells, sorted, so that a change shows where it is."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*CASE, "method", *FIGURES])
            for case, method in sorted(self._cells, key=str):
                cell = asdict(self._cells[case, method])
                shown = [_shown(cell[name], form) for name, form in FIGURES.items()]
                writer.writerow([*asdict(case).values(), method, *shown])

    def add(self, case: Case, method: str, cell: Cell) -> None:
        """Add a cell, or replace it."""
        self._cells[case, method] = cell

    def part(self, part: str, kind: str | None = None, name: str | None = None) -> Results:
        """Return the cells of a part, perhaps only those of a kind or a name."""
        return Results(
            {
                (case, method): cell
                for (case, method), cell in self._cells.items()
                if case.part == part and kind in (None, case.kind) and name in (None, case.name)
            }
        )

    @property
    def cases(self) -> list[Case]:
        """All cases, in order."""
        return sorted({case for case, _ in self._cells}, key=str)

    @property
    def methods(self) -> list[str]:
        """All methods with a figure, those with the best mean accuracy first."""
        found = {method for (_, method), cell in self._cells.items() if cell.accuracy is not None}
        return sorted(found, key=lambda name: (-(mean(self.values(name, "accuracy")) or 0), name))

    def __bool__(self) -> bool:
        return any(cell.accuracy is not None for cell in self._cells.values())

    def get(self, case: Case, method: str) -> Cell:
        """Return a cell, an empty one where nothing was run."""
        return self._cells.get((case, method), Cell())

    def done(self, *methods: str) -> list[Case]:
        """Return the cases that all of some methods have figures of."""
        return [
            case
            for case in self.cases
            if all(self.get(case, method).accuracy is not None for method in methods)
        ]

    def values(self, method: str, figure: str, cases: Iterable[Case] | None = None) -> list[float]:
        """Return a figure of a method for each case that has it."""
        found = (
            getattr(self.get(case, method), figure)
            for case in (self.cases if cases is None else cases)
        )
        return [value for value in found if value is not None]

    def points(self, method: str, other: str = VOTE) -> dict[Case, float]:
        """Return how many points a method is above another, by case."""
        return {
            case: 100
            * (
                self.values(method, "accuracy", [case])[0]
                - self.values(other, "accuracy", [case])[0]
            )
            for case in self.done(method, other)
        }

    def failures(self) -> Iterator[tuple[Case, str, str]]:
        """Yield the cells without figures, and why."""
        for case, method in sorted(self._cells, key=str):
            if error := self._cells[case, method].error:
                yield case, method, error


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, None of nothing."""
    return statistics.fmean(values) if values else None


def _shown(value: Any, form: str) -> str:
    return "" if value is None else format(value, form)


def _parsed(row: dict[str, str]) -> tuple[tuple[Case, str], Cell]:
    figures = {name: TYPES.get(name, float)(row[name]) for name in FIGURES if row[name]}
    case = Case(row["part"], row["name"], row["kind"], int(row["number"]))
    return (case, row["method"]), Cell(**figures)
