"""Charts of ordered items: levels in their order, with claims and plausibilities."""

from __future__ import annotations

import pytest
from tests.subjects import subject_of

from veracity import GRBM, Attribute, Claims
from veracity.datasets import incidents
from veracity.models.forms.ordered.said import Said
from veracity.report.charts.answers import answers
from veracity.report.charts.confusion import confusion
from veracity.report.charts.levels import CLAIMS, PLAUSIBILITY, beliefs_in_levels, levels_chart
from veracity.report.contested import contested_items
from veracity.workflow.discovery import discover

ORDER = ("low", "medium", "high", "critical")
VALUES = [
    {"value": "high", "plausibility": 0.2, "supporters": 2},
    {"value": "low", "plausibility": 0.1, "supporters": 1},
]


def test_levels_are_drawn_from_low_to_high() -> None:
    chart = levels_chart(ORDER, VALUES, "e", "severity", {"medium": 0.65, "critical": 0.05})
    claims = {row["level"]: row for row in chart.records if row["measure"] == CLAIMS}
    believed = {row["level"]: row["share"] for row in chart.records if row["measure"] != CLAIMS}
    assert list(claims) == list(ORDER)
    assert claims["high"]["share"] == pytest.approx(2 / 3, abs=1e-4)
    assert claims["medium"]["shown"] == "0"
    assert believed == {"low": 0.1, "medium": 0.65, "high": 0.2, "critical": 0.05}
    assert "medium is the most plausible level, though nobody claims it" in chart.title
    assert chart.spec["encoding"]["y"]["sort"] == list(ORDER)


def test_levels_that_nothing_is_known_of_have_no_bar() -> None:
    chart = levels_chart(ORDER, VALUES, "e", "severity", {})
    shown = [row["level"] for row in chart.records if row["measure"] == PLAUSIBILITY]
    assert shown == ["low", "high"]
    assert "high is the most plausible level" in chart.title


def test_beliefs_are_those_of_the_model() -> None:
    claims = Claims.from_frame(
        incidents.claims(), attributes={"severity": Attribute(values="ordered")}
    )
    model = GRBM().fit(claims)
    rows = [row for row in incidents.claims().to_pylist() if row["entity"] == "INC-007"]
    found = beliefs_in_levels(
        model, "severity", [Said(row["source"], row["value"]) for row in rows]
    )
    assert list(found) == list(ORDER)
    statements = [row for row in model.statements_.to_pylist() if row["entity"] == "INC-007"]
    for row in statements:
        assert found[row["value"]] == pytest.approx(row["plausibility"])
    assert beliefs_in_levels(GRBM(), "severity", []) == {}


def test_the_report_keeps_the_order() -> None:
    run = discover(
        incidents.claims(),
        truth=incidents.truth(),
        attributes={"severity": Attribute(values="ordered")},
    )
    subject = subject_of(run)
    charts = contested_items(subject)
    assert all(item.levels is not None for item in charts)
    matrices = [*answers(subject), *confusion(subject)]
    assert matrices
    for chart in matrices:
        assert chart.spec["encoding"]["y"]["sort"] == list(ORDER)
