"""The benchmark of crowd methods draws what it says, and runs at a tiny size."""

from __future__ import annotations

import pytest
from crowd import METHODS, compare, frame, ours


def test_claims_are_drawn_as_said() -> None:
    drawn = frame(2_000, 4)
    assert len(drawn) == 2_000
    assert not drawn.duplicated(["worker", "task"]).any()
    assert drawn["label"].nunique() == 4
    assert drawn["task"].nunique() <= 400


@pytest.mark.parametrize("name", METHODS)
def test_our_methods_run(name: str) -> None:
    found = ours(name, 2_000, 2, 3)()()
    assert found == {"n_iter": 3, "converged": True}


def test_rows_have_both_figures() -> None:
    pytest.importorskip("crowdkit")
    iteration, whole = compare("OneCoin", 2_000, 2, 1)
    assert iteration.startswith("| OneCoin, K = 2, 2,000 claims: an iteration |")
    assert [row.count("|") for row in (iteration, whole)] == [9, 9]
    assert "| 0.2 |" in iteration
    assert "| 0.5 |" in whole
