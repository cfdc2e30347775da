"""The waterfall of a statement adds up to the plausibility that is shown."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from tests import subjects

from veracity import GRBM, BinaryGRBM, datasets
from veracity.models.explanation import Adjustment, StatementEvidence, Term
from veracity.report.charts.evidence import CERTAIN, MAX_CLAIMS, waterfall


def term(log_odds: float, source: str = "ann", *, claims: bool = True) -> Term:
    return Term(source, "blue", claims, log_odds, 0.8, 0.2, {"age": 3, "kind": None}, claim=0)


def log_odds(plausibility: float) -> float:
    return math.log(plausibility / (1 - plausibility))


def evidence(*terms: Term, **changes: Any) -> StatementEvidence:
    return StatementEvidence("blue", -0.5, terms, **changes)


def test_every_bar_begins_where_the_one_before_ended() -> None:
    found = evidence(term(0.5), term(-2.0, "bob", claims=False), term(1.0, "cat"))
    rows = waterfall(found, "sky", "colour").records
    assert [row["label"] for row in rows] == [
        "before anybody speaks",
        "bob: blue",
        "cat",
        "ann",
        "total",
    ]
    assert [row["part"] for row in rows[1:]] == ["against", "for", "for", "total"]
    for one, following in pairwise(rows[:-1]):
        assert following["from"] == one["to"]
    assert rows[-1]["from"] == 0.0
    assert rows[-1]["to"] == pytest.approx(rows[-2]["to"], abs=1e-4)
    assert rows[-1]["to"] == pytest.approx(log_odds(found.plausibility), rel=1e-4)


def test_details_of_a_claim_are_for_hovering() -> None:
    row = waterfall(evidence(term(1.0)), "sky", "colour").records[1]
    assert (row["source"], row["says"], row["tpr"], row["fpr"]) == ("ann", "blue", 0.8, 0.2)
    assert row["features"] == "age: 3"


def test_adjustments_lead_to_the_plausibility_shown() -> None:
    steps = (Adjustment("claims err together", -0.4),)
    found = evidence(term(1.0), believed=1 / (1 + math.exp(-0.1)), adjustments=steps)
    rows = waterfall(found, "sky", "colour").records
    assert [row["label"] for row in rows[2:]] == ["claims err together", "total"]
    assert rows[-1]["to"] == pytest.approx(0.1, abs=1e-4)


def test_what_is_left_has_a_bar_of_its_own() -> None:
    rows = waterfall(evidence(term(1.0), believed=0.9), "sky", "colour").records
    assert rows[2]["label"] == "what is known besides"
    assert rows[2]["to"] == pytest.approx(log_odds(0.9), rel=1e-4)


def test_many_claims_share_a_bar() -> None:
    found = evidence(*(term(1.0 / (place + 1), f"s{place}") for place in range(40)))
    chart = waterfall(found, "sky", "colour")
    assert chart.records[-2]["label"] == f"and {40 - MAX_CLAIMS} more claims"
    assert len(chart.records) == MAX_CLAIMS + 3
    assert chart.records[-2]["to"] == pytest.approx(found.log_odds, rel=1e-3)
    assert "26 small claims are drawn as one." in chart.reading
    one_more = evidence(*(term(1.0, f"s{place}") for place in range(MAX_CLAIMS + 1)))
    assert len(waterfall(one_more, "sky", "colour").records) == MAX_CLAIMS + 3


@pytest.mark.parametrize(("believed", "end"), [(1.0, CERTAIN), (0.0, -CERTAIN)])
def test_certainty_has_an_end(believed: float, end: float) -> None:
    found = StatementEvidence("blue", -math.inf, (term(math.inf), term(math.nan)), believed)
    chart = waterfall(found, "sky", "colour")
    assert chart.records[-1]["to"] == end
    assert chart.to_svg().startswith("<svg")
    assert chart.to_json()


def test_the_same_source_twice_has_two_bars() -> None:
    rows = waterfall(evidence(term(1.0), term(1.0)), "sky", "colour").records
    assert len({row["step"] for row in rows}) == len(rows) == 4


@pytest.mark.parametrize("model", [GRBM(), BinaryGRBM(max_iter=20)], ids=["GRBM", "BinaryGRBM"])
@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
def test_waterfalls_of_a_model_close_in_every_form(model: Any) -> None:
    model.fit(datasets.example.path())
    statements = {
        (row["entity"], row["attribute"], row["value"]): row["plausibility"]
        for row in model.statements_.to_pylist()
    }
    first = {row["attribute"]: row for row in model.truths_.to_pylist() if row["n_values"] > 1}
    assert len(first) == 5  # open, closed, boolean, several values
    for row in first.values():
        for found in model.explain(row["entity"], row["attribute"]).statements:
            chart = waterfall(found, row["entity"], row["attribute"])
            shown = statements[row["entity"], row["attribute"], found.value]
            assert chart.records[-1]["to"] == pytest.approx(log_odds(shown), rel=1e-3, abs=1e-3)
            assert chart.records[-2]["to"] == pytest.approx(log_odds(shown), rel=1e-3, abs=6e-3)
            labels = [record["label"] for record in chart.records]
            assert "what is known besides" not in labels
            assert f"plausibility {shown:.2f}" in chart.title


def test_hostile_labels_stay_text() -> None:
    found = subjects.hostile()
    model: Any = found.model
    row = next(row for row in found.truths.to_pylist() if row["n_values"] > 1)
    (first, *_) = model.explain(row["entity"], row["attribute"]).statements
    chart = waterfall(first, row["entity"], row["attribute"])
    assert "\n" not in chart.title
    assert len(chart.title) < 350
    assert "<script" not in chart.to_svg()
    assert len(chart.to_json()) < 20_000
