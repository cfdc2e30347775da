"""The figures of the benchmark of guarantees: one table, in a file that is committed."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import get_type_hints


@dataclass(frozen=True)
class Figures:
    """What repeated draws of so many audits gave.

    ``exceeded`` is the share of draws whose list had more errors than it promised, ``accepted`` the
    mean share of verdicts that were listed, ``hindsight`` the longest prefix that keeps the limit.
    """

    part: str
    case: str
    n_items: int
    accuracy: float
    n_audits: int
    error_rate: float
    confidence: float
    n_draws: int
    exceeded: float
    accepted: float
    hindsight: float

    @property
    def key(self) -> tuple[str, str, float, int]:
        """What the figures are of."""
        return self.part, self.case, self.error_rate, self.n_audits


def read(path: Path) -> list[Figures]:
    """Read what `write` wrote; nothing if there is no such file."""
    if not path.is_file():
        return []
    types = get_type_hints(Figures)
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [Figures(**{name: types[name](cell) for name, cell in row.items()}) for row in rows]


def write(found: Sequence[Figures], path: Path) -> None:
    """Write all figures."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Figures)])
        for figures in found:
            cells = asdict(figures).values()
            writer.writerow([f"{cell:.4f}" if isinstance(cell, float) else cell for cell in cells])
