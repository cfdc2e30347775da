"""The scoreboard: every model on every data set with known truth, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veracity.scoreboard.cells import Cell
from veracity.scoreboard.journal import Journal, read_cells, to_json
from veracity.scoreboard.report import Reasons, grids
from veracity.scoreboard.runs import Plan, Progress, fill
from veracity.scoreboard.sets import find_sets
from veracity.scoreboard.summary import Summary, summarise


@dataclass(frozen=True)
class Scoreboard:
    """Cells of models by data sets, and what they come to.

    Attributes
    ----------
    cells
        One for each data set, model and seed.
    notes
        What was left out.
    """

    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def read(cls, path: str | Path) -> Scoreboard:
        """Read the JSON file of an earlier run."""
        return cls(tuple(read_cells(Path(path))))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The cells as plain data."""
        return [cell.as_dict() for cell in self.cells]

    def summary(self) -> Summary:
        """Return means, ranks, wins and worst losses."""
        return summarise(self.cells)

    def to_json(self) -> str:
        """Return the rows as JSON."""
        return to_json(self.cells)

    def to_markdown(self) -> str:
        """Return all tables as Markdown."""
        reasons = Reasons()
        parts = ["# Scoreboard", *(grid.markdown() for grid in grids(self.cells, reasons))]
        if reasons.lines():
            parts += ["## Why there is no figure", "\n".join(f"- {x}" for x in reasons.lines())]
        parts += ["\n".join(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n\n".join(parts) + "\n"

    def picture(self) -> dict[str, Any]:
        """Return a Vega-Lite specification: mean ranks, and accuracy against CPU time."""
        from veracity.scoreboard.picture import specification

        return specification(self.summary())

    def to_svg(self) -> str:
        """Return the picture as SVG; needs ``vl-convert-python``."""
        from veracity.scoreboard.picture import to_svg

        return to_svg(self.picture())


def run_scoreboard(
    data: str | Path,
    *,
    models: Sequence[str] | None = None,
    sets: Sequence[str] | None = None,
    seeds: int | Sequence[int] = 5,
    peers: bool = False,
    jobs: int = 1,
    time_limit: float | None = None,
    json: str | Path | None = None,
    progress: Progress = lambda done, total, last: None,
) -> Scoreboard:
    """Run models on data sets, and measure what they believe against the truth.

    Every model runs in a process of its own, so that its memory is its own and that it can be
    stopped. The truth plays no part in any fit.

    Parameters
    ----------
    data
        A folder that holds a folder for each data set, or that is one; see
        `veracity.datasets.load`.
    models
        Names of models; all if not given.
    sets
        Names of data sets; all that have truth if not given.
    seeds
        How many seeds, from 0, or which: they break ties and start what is random.
    peers
        Whether to run crowd-kit's methods as well.
    jobs
        How many processes work at the same time.
    time_limit
        Seconds by the clock that a fit may take; none if not given.
    json
        A file for the rows, written anew after every cell. Cells that it holds already, of the
        same data and the same version, are not run again.
    progress
        Called with the number of finished cells, of all cells, and what was finished last.

    Examples
    --------
    >>> from veracity.datasets import example
    >>> board = run_scoreboard(example.path().parent, models=["vote"], seeds=1)
    >>> [(row["dataset"], row["model"], row["error"]) for row in board.rows]
    [('example', 'vote', None)]
    """
    plan = Plan(models, seeds, peers, jobs, time_limit)
    found, notes = find_sets(Path(data), sets)
    journal = Journal(None if json is None else Path(json))
    return Scoreboard(tuple(fill(found, plan, journal, progress)), tuple(notes))
