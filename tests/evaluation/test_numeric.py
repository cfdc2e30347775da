"""Numbers against known truth."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from veracity import Attribute, Claims, GroundTruth, MajorityVote, Mean, discover
from veracity.evaluation.metrics import Evaluation, evaluate

ROWS = [("a", "x", "10"), ("b", "x", "13"), ("a", "y", "100"), ("a", "z", "7"), ("b", "z", "7")]


def judge(truth: dict[str, Any], tolerance: float | str | None = None) -> Evaluation:
    """Take means and compare them: 11.5 for x, 100 for y, and 7 for z."""
    settings = {"*": Attribute("single", values="number", tolerance=tolerance)}
    claims = Claims.from_triples(ROWS, attributes=settings)
    known = {"entity": list(truth), "value": list(truth.values())}
    return evaluate(Mean().fit(claims).truths_, GroundTruth.from_frame(known), claims)


def test_errors_over_items_whose_truth_is_a_number() -> None:
    found = judge({"x": "12.5", "y": "98", "z": "seven", "nobody": "1"})
    assert (found.n_items, found.n_right) == (3, 0)
    assert found.mean_absolute_error == pytest.approx((1 + 2) / 2)
    assert found.root_mean_squared_error == pytest.approx(sqrt((1 + 4) / 2))
    assert found.as_dict()["mean_absolute_error"] == found.mean_absolute_error


@pytest.mark.parametrize(
    ("truth", "tolerance", "right"),
    [
        ({"x": "11.5", "y": "1e2"}, None, 2),
        ({"y": "100.000000001", "x": "11.50000001"}, None, 1),  # to nine digits, and to eight
        ({"x": "12.5", "y": "98.9"}, 1, 1),
        ({"x": "12.5", "y": "98.9"}, "2%", 1),
        ({"x": "12.5", "y": "98.9"}, "10%", 2),
    ],
)
def test_a_number_close_to_the_truth_is_right(
    truth: dict[str, Any], tolerance: float | str | None, right: int
) -> None:
    assert judge(truth, tolerance).n_right == right


def test_the_nearest_of_several_true_numbers_counts() -> None:
    settings = {"*": Attribute("single", tolerance=1)}
    claims = Claims.from_triples(ROWS, attributes=settings)
    known = GroundTruth.from_frame({"entity": ["y", "y", "y"], "value": ["98", "100.5", "101"]})
    found = evaluate(MajorityVote().fit(claims).truths_, known, claims)
    assert (found.n_items, found.n_right, found.mean_absolute_error) == (1, 1, 0.5)


def test_text_has_no_errors() -> None:
    claims = Claims.from_triples(ROWS)
    known = GroundTruth.from_frame({"entity": ["y"], "value": ["100"]})
    found = evaluate(MajorityVote().fit(claims).truths_, known, claims)
    assert found == Evaluation(1, 1, 1, 1.0)
    assert found.mean_absolute_error is None


def test_errors_are_kept_with_the_run(tmp_path: Path) -> None:
    columns = {
        name: [row[i] for row in ROWS] for i, name in enumerate(("source", "entity", "value"))
    }
    settings = {"value": Attribute("single", values="number")}
    truth = {"entity": ["x", "y"], "value": ["12", "100"]}
    run = discover(columns, model="mean", truth=truth, attributes=settings)
    assert run.describe()["evaluation"]["mean_absolute_error"] == pytest.approx(0.25)
