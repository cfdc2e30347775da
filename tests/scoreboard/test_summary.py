"""Ranks, wins and worst losses, on cells made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from veracity.evaluation.text_grid import Grid
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.scoreboard import Scoreboard
from veracity.scoreboard.summary import ModelSummary, summarise


def cell(dataset: str, model: str, accuracy: float | None, seed: int = 0, **more: Any) -> Cell:
    """Make a cell; without accuracy, one that was refused."""
    if accuracy is None:
        more = {"outcome": "refused", "error": "It takes no such data.", **more}
    return Cell(dataset, model, seed, accuracy=accuracy, n_items=10, n_claims=50, **more)


#:          one         two          three
#: vote     0.5 (3)     0.8 (1.5)    0.6 (2)
#: a        0.9 (1)     0.8 (1.5)    - (3)
#: b        0.7 (2)     0.6 (3)      0.7 (1)
CELLS = [
    cell("one", "vote", 0.4, 0),
    cell("one", "vote", 0.6, 1),
    cell("two", "vote", 0.8),
    cell("three", "vote", 0.6),
    cell("one", "a", 0.9, seconds=1.0),
    cell("two", "a", 0.8, seconds=3.0),
    cell("three", "a", None),
    cell("one", "b", 0.7),
    cell("two", "b", 0.6),
    cell("three", "b", 0.7),
    cell("one", "never", None),
]


def of(model: str) -> ModelSummary:
    """Return what the cells say of a model."""
    return next(found for found in summarise(CELLS).models if found.model == model)


def test_mean_rank_shares_equals_and_puts_the_unfinished_last() -> None:
    assert of("vote").rank == pytest.approx((3 + 1.5 + 2) / 3)
    assert of("a").rank == pytest.approx((1 + 1.5 + 3) / 3)
    assert of("b").rank == pytest.approx((2 + 3 + 1) / 3)
    assert [found.model for found in summarise(CELLS).models] == ["a", "b", "vote", "never"]


def test_mean_accuracy_is_over_what_was_finished() -> None:
    assert of("vote").accuracy == pytest.approx((0.5 + 0.8 + 0.6) / 3)
    assert of("a").accuracy == pytest.approx(0.85)
    assert (of("a").n_sets, of("b").n_sets) == (2, 3)
    assert of("a").seconds == pytest.approx(2.0)


def test_wins_are_shared_by_equals() -> None:
    assert [of(model).wins for model in ("vote", "a", "b")] == [1, 2, 1]


def test_worst_loss_against_the_vote() -> None:
    assert of("b").worst == pytest.approx(-0.2)
    assert of("b").worst_set == "two"
    assert of("a").worst == pytest.approx(0.0)
    assert of("vote").worst == 0


def test_a_model_that_finished_nothing_has_no_rank() -> None:
    never = of("never")
    assert (never.rank, never.accuracy, never.worst, never.wins, never.n_sets) == (
        *(None, None, None),
        *(0, 0),
    )


def test_sets_know_their_best_and_their_vote() -> None:
    two = summarise(CELLS).sets[1]
    assert (two.dataset, two.vote, two.best, two.best_models) == ("two", 0.8, 0.8, ("vote", "a"))


def test_without_a_vote_there_is_no_loss() -> None:
    assert summarise([cell("one", "a", 0.5)]).models[0].worst is None


def test_markdown_gives_reasons_instead_of_gaps() -> None:
    late = cell("two", "late", None, outcome="timeout", error="over the limit", time_limit=2.5)
    text = Scoreboard((*CELLS, late), ("Left out: four.",)).to_markdown()
    assert "| a | 0.900 | 0.800 | n/a [1] |" in text
    assert "| vote | 0.500 ±0.141 | 0.800 | 0.600 |" in text
    assert "| late | not run | > 2.5 s | not run |" in text
    assert "- [1] It takes no such data." in text
    assert "- Left out: four." in text
    assert "## F1" not in text


def test_the_paper_stands_beside_sets_of_its_names() -> None:
    cells = (cell("quiz", "grbm", 0.9321), cell("quiz", "vote", 0.9))
    text = Scoreboard(cells).to_markdown()
    assert "| grbm | 0.9085 | 0.9321 |" in text
    assert "| mle | 0.2910 | not run |" in text
    assert "confidence and answering time" in text
    assert "Beside the paper" not in Scoreboard(tuple(CELLS)).to_markdown()


def test_wide_tables_go_on_below() -> None:
    grid = Grid("t", ["model", "aaaa", "bbbb"], [["x", "1", "2"]])
    assert grid.lines(12) == ["model  aaaa", "x         1", "", "model  bbbb", "x         2"]
    assert grid.lines(20) == ["model  aaaa  bbbb", "x         1     2"]
