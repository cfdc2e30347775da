"""Models on one table, and tests of their differences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from veracity.data.claims import Claims
from veracity.errors import InputError, InvalidParameter
from veracity.scoreboard.cells import Cell
from veracity.scoreboard.comparison import Comparison, compare
from veracity.scoreboard.report import Reasons

CLAIMS = {
    "source": ["a", "b", "c", "a", "b", "a"],
    "entity": ["x", "x", "x", "y", "y", "z"],
    "value": ["1", "1", "2", "3", "3", "4"],
}
TRUTH = {"entity": ["x", "y", "z", "q"], "value": ["1", "9", "4", "7"]}


def test_tables_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    found = compare(CLAIMS, TRUTH, models=["vote", "default"], seeds=[3], json=file)
    vote, default = found.rows
    assert (vote["accuracy"], vote["n_items"], vote["n_truth_items"]) == (2 / 3, 3, 4)
    assert (vote["seed"], vote["ceiling"]) == (3, 2 / 3)
    assert (default["better_vs_vote"], default["worse_vs_vote"], default["p_vs_vote"]) == (0, 0, 1)
    assert json.loads(file.read_text()) == found.rows
    assert found.headline().startswith("6 claims, 3 items with known truth; ")


def hand_made() -> Comparison:
    right = {
        ("vote", 0): np.array([True, False, False, False, False, False, True]),
        ("grbm", 0): np.array([False, True, True, True, True, True, True]),
    }
    cells = tuple(
        Cell("t", model, 0, accuracy=float(bits.mean()), n_items=7, n_claims=9, ceiling=1.0)
        for (model, _), bits in right.items()
    )
    slow = Cell("t", "slow", 0, error="late", outcome="timeout", time_limit=1.0)
    return Comparison((*cells, slow), right)


def test_differences_are_tested_pair_by_pair() -> None:
    found = hand_made()
    assert found.default == "grbm"
    vote, grbm, slow = found.rows
    # Five of six items on which they differ: 2 * (1 + 6) / 64.
    assert grbm["p_vs_vote"] == vote["p_vs_default"] == pytest.approx(14 / 64)
    assert (grbm["better_vs_vote"], grbm["worse_vs_vote"]) == (5, 1)
    assert slow["p_vs_vote"] is None


def test_the_table_gives_the_best_first_and_reasons() -> None:
    grid = hand_made().grid(Reasons())
    assert [row[0] for row in grid.rows] == ["grbm", "vote", "slow"]
    assert grid.rows[0][-2:] == ["+5 -1 (0.219)", ""]
    assert grid.rows[2][1] == "> 1 s"
    assert "| grbm | 0.8571 |" in hand_made().to_markdown()


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="shares no item"):
        compare(CLAIMS, {"entity": ["moon"], "value": ["1"]}, models=["vote"], seeds=1)
    with pytest.raises(InputError, match="In the truth"):
        compare(CLAIMS, {"thing": ["moon"]}, models=["vote"], seeds=1)


def test_claims_that_cannot_be_sent_are_refused() -> None:
    claims = Claims.from_frame(CLAIMS, canonical=lambda text: text.strip())
    with pytest.raises(InputError, match="cannot be sent to another process"):
        compare(claims, TRUTH, models=["vote"], seeds=1)
    with pytest.raises(InvalidParameter, match="There is no model"):
        compare(claims, TRUTH, models=["nothing"], seeds=1)
