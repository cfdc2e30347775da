"""Models on one table of claims, with tests of whether their differences could be luck."""

from __future__ import annotations

import json as jsonlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.claims import Claims
from veracity.data.notes import plural
from veracity.data.output.atomic import check_target, write_whole
from veracity.data.truth.ground_truth import GroundTruth
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError
from veracity.evaluation.significance import PairedTest, paired_test
from veracity.evaluation.text_grid import Grid
from veracity.models import DEFAULT_ALIAS, DEFAULT_MODEL
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.journal import Journal, read_cells
from veracity.scoreboard.report import Reasons
from veracity.scoreboard.runs import Plan, Progress, fill
from veracity.scoreboard.scoreboard import Scoreboard
from veracity.scoreboard.sets import EvaluationSet
from veracity.scoreboard.summary import VOTE, Figures

Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """Cells of models on one table, and which items each is right about.

    Attributes
    ----------
    cells
        One for each model and seed.
    right
        By model and seed, whether each truth item with a claim is right.
    notes
        What a user should know about the truth.
    """

    cells: tuple[Cell, ...]
    right: dict[tuple[str, int], Bits]
    notes: tuple[str, ...] = ()

    @property
    def default(self) -> str | None:
        """The name under which the default model was run, if it was."""
        ran = {cell.model for cell in self.cells}
        return next((name for name in (DEFAULT_ALIAS, DEFAULT_MODEL) if name in ran), None)

    def test(self, model: str, reference: str | None, seed: int) -> PairedTest | None:
        """Test a model against another with the same seed; None where one of them failed."""
        first, second = self.right.get((model, seed)), self.right.get((reference or "", seed))
        return None if first is None or second is None else paired_test(first, second)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The cells as plain data, with tests against the vote and the default model."""
        rows = []
        for cell in self.cells:
            row = cell.as_dict()
            for name, reference in (("vote", VOTE), ("default", self.default)):
                test = self.test(cell.model, reference, cell.seed)
                for figure in ("better", "worse", "p"):
                    row[f"{figure}_vs_{name}"] = None if test is None else getattr(test, figure)
            rows.append(row)
        return rows

    def to_json(self) -> str:
        """Return the rows as JSON."""
        rows = ",\n".join(jsonlib.dumps(row, ensure_ascii=False) for row in self.rows)
        return f"[\n{rows}\n]\n"

    def headline(self) -> str:
        """Return what was measured against, as a sentence."""
        facts = next(cell for cell in self.cells if cell.n_items is not None)
        return (
            f"{plural(facts.n_claims or 0, 'claim')}, {plural(facts.n_items or 0, 'item')} with "
            f"known truth; the truth is claimed at all for {facts.ceiling:.1%} of them."
        )

    def grid(self, reasons: Reasons) -> Grid:
        """Return all models, the most accurate first."""
        figures = Figures(self.cells)
        (name,) = figures.sets
        seed = min(cell.seed for cell in self.cells)
        several = any(figures.values(name, model, "f1") for model in figures.models)
        shown = ["accuracy", *["f1"] * several, "log_loss", "brier", "ece"]
        if figures.is_numeric(name):
            shown = ["absolute_error", "against_best_source", "coverage"]
        shown += ["seconds", "peak_mb"]
        titles = {
            **{"f1": "F1", "log_loss": "log loss", "brier": "Brier", "ece": "ECE"},
            **{"absolute_error": "error", "against_best_source": "vs best source"},
            **{"seconds": "CPU s", "peak_mb": "MB"},
        }
        header = ["model", *(titles.get(figure, figure) for figure in shown)]
        header += ["vs vote (p)", "vs default (p)"]
        scores = {model: figures.score(name, model) for model in figures.models}
        order = sorted(
            scores, key=lambda model: -math.inf if (score := scores[model]) is None else score
        )[::-1]
        rows = []
        for model in order:
            row = [model, *(_shown(figures, name, model, figure) for figure in shown)]
            if scores[model] is None:
                row[1] = reasons.mark(figures.cells(name, model))
            for reference in (VOTE, self.default):
                row.append(_test_cell(model, reference, self.test(model, reference, seed)))
            rows.append(row)
        text = (
            "Accuracy is the mean over seeds, ± their standard deviation. vs vote, vs default: "
            "items that only this model is right about, and that only the other is, with "
            f"seed {seed}; p is of the exact sign test (McNemar), two-sided and for each pair by "
            "itself."
        )
        return Grid("Comparison", header, rows, text)

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        reasons = Reasons()
        parts = [
            "# Comparison",
            self.headline(),
            self.grid(reasons).markdown().partition("\n\n")[2],
        ]
        lines = [*self.notes, *reasons.lines()]
        parts += ["\n".join(f"- {line}" for line in lines)] if lines else []
        return "\n\n".join(parts) + "\n"

    def to_svg(self) -> str:
        """Return accuracy against CPU time as SVG; needs ``vl-convert-python``."""
        return Scoreboard(self.cells).to_svg()


def compare(
    claims: Any,
    truth: Any,
    *,
    models: Sequence[str] | None = None,
    seeds: int | Sequence[int] = 5,
    peers: bool = False,
    jobs: int = 1,
    time_limit: float | None = None,
    json: str | Path | None = None,
    progress: Progress = lambda done, total, last: None,
    **options: Any,
) -> Comparison:
    """Run models on one table of claims, and measure what they believe against the truth.

    Parameters
    ----------
    claims, truth
        `Claims` and `GroundTruth`, frames, or paths of files.
    models, seeds, peers, jobs, time_limit, progress
        See `run_scoreboard`.
    json
        A file for the rows, written at the end.
    options
        How to read the claims; see `Claims.read`.
    """
    plan = Plan(models, seeds, peers, jobs, time_limit)
    target = None if json is None else Path(json)
    if target is not None:
        check_target(target)
        if target.exists():
            read_cells(target)  # refuses a file that is none of ours
    read = Claims.of(claims, **options)
    known = GroundTruth.beside(truth, options)
    notes = tuple(str(note) for note in check_truth(known, read).notes)
    name = Path(claims).name.partition(".")[0] if isinstance(claims, str | Path) else "claims"
    right: dict[tuple[str, int], Bits] = {}

    def listen(cell: Cell, bits: list[int]) -> None:
        if cell.outcome == "done":
            right[cell.model, cell.seed] = np.array(bits, np.bool_)

    data = EvaluationSet(name or "claims", "", lambda: (read, known))
    found = Comparison(tuple(fill([data], plan, Journal(), progress, listen)), right, notes)
    if all(cell.n_items is None for cell in found.cells):
        raise InputError(found.cells[0].error or "")  # the tables, not a model, are at fault
    if target is not None:
        write_whole(target, found.to_json())
    return found


def _shown(figures: Figures, dataset: str, model: str, figure: str) -> str:
    value = figures.mean(dataset, model, figure)
    if value is None:
        return ""
    spread = figures.spread(dataset, model, figure)
    if figure == "absolute_error":
        return f"{value:,.4g}"
    decimals = {"seconds": 2, "peak_mb": 0}.get(figure, 4 if figure == "accuracy" else 3)
    shown = f"{value:,.{decimals}f}"
    return f"{shown} ±{spread:.4f}" if figure == "accuracy" and spread else shown


def _test_cell(model: str, reference: str | None, test: PairedTest | None) -> str:
    if test is None or model == reference:
        return ""
    p = f"{test.p:.3f}" if test.p >= 0.0005 else f"{test.p:.0e}"
    return f"+{test.better} -{test.worse} ({p})"
