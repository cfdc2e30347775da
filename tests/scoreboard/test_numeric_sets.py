"""Sets whose truth is numbers: ranked by error, apart from accuracy."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv as csv
from tests.thermometers import thermometers

from veracity.scoreboard.cells import Cell
from veracity.scoreboard.comparison import compare
from veracity.scoreboard.report import Reasons, grids
from veracity.scoreboard.summary import summarise

CELLS = [
    Cell("towns", "vote", 0, accuracy=0.7, log_loss=0.5),
    Cell("towns", "default", 0, accuracy=0.9, log_loss=0.3),
    Cell("warmth", "vote", 0, absolute_error=2.0, against_best_source=4.0),
    Cell("warmth", "default", 0, absolute_error=0.5, against_best_source=1.0, coverage=0.9),
    Cell("warmth", "median", 0, absolute_error=0.7, against_best_source=1.4, coverage=0.4),
    Cell("towns", "median", 0, error="no numbers", outcome="refused"),
]


def test_errors_rank_where_the_truth_is_numbers() -> None:
    summary = summarise(CELLS)
    by_model = {found.model: found for found in summary.models}
    assert summary.models[0].model == "default"
    assert by_model["default"].rank == 1.0
    assert by_model["default"].accuracy == 0.9
    assert by_model["median"].n_sets == 1
    assert by_model["vote"].worst_set == "towns"
    (warmth,) = [found for found in summary.sets if found.dataset == "warmth"]
    assert warmth.numeric
    assert (warmth.vote, warmth.best, warmth.best_models) == (2.0, 0.5, ("default",))


def test_tables_keep_errors_and_accuracies_apart() -> None:
    found = {grid.title: grid for grid in grids(CELLS, Reasons())}
    assert found["Accuracy"].header == ["model", "towns"]
    assert found["Mean absolute error"].header == ["model", "warmth"]
    assert found["Coverage"].header == ["model", "warmth"]
    (row,) = [row for row in found["Coverage"].rows if row[0] == "vote"]
    assert row[1] == "\N{EN DASH}"
    assert "Precision" not in found


def test_compare_measures_numbers(tmp_path: Path) -> None:
    claims, truth = thermometers()
    csv.write_csv(claims, tmp_path / "claims.csv")
    csv.write_csv(truth, tmp_path / "truth.csv")
    found = compare(
        tmp_path / "claims.csv", tmp_path / "truth.csv", models=["median", "vote"], seeds=1
    )
    table = found.grid(Reasons())
    assert table.header[1:4] == ["error", "vs best source", "coverage"]
    assert {row[0] for row in table.rows} == {"median", "vote"}
    cells = {cell.model: cell for cell in found.cells}
    assert cells["median"].absolute_error is not None
    assert cells["median"].accuracy is None
    assert cells["vote"].coverage is None
