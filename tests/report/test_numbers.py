"""Numbers in the report: claims around what is believed, and sources by how far off they are."""

from __future__ import annotations

import math

import pytest
from tests.subjects import subject_of
from tests.thermometers import thermometers, with_colours

from veracity import discover
from veracity.report.charts.numbers import (
    MAX_CLAIMS,
    Believed,
    SaidNumber,
    believed_number,
    claims_around,
    source_errors,
)
from veracity.report.contents import contents_of
from veracity.report.contested import contested_items
from veracity.workflow import Run


@pytest.fixture(scope="module")
def run() -> Run:
    claims, truth = thermometers()
    return discover(with_colours(claims), truth=truth)


def said(*values: float) -> list[SaidNumber]:
    return [SaidNumber(f"s{place}", value) for place, value in enumerate(values)]


def test_a_gross_error_is_drawn_at_the_edge() -> None:
    chart = claims_around("e", "a", said(9.8, 10.0, 10.1, 10.3, 1000.0), Believed(10.0, 9.7, 10.3))
    far = [row for row in chart.records if row["place"] == "far"]
    assert [row["says"] for row in far] == [1000.0]
    assert far[0]["at"] < 20
    assert "1 claim is too far off" in chart.reading
    assert chart.title == "a of e: believed is 10.00 (spread of the sources: 9.70 to 10.30)"


def test_an_interval_is_a_promise_only_if_labels_calibrated_it() -> None:
    calibrated = believed_number(
        {"value": "10", "low": 9.0, "high": 11.0, "interval": "calibrated"}
    )
    assert calibrated is not None
    assert "calibrated by labels" in str(calibrated)
    spread = believed_number({"value": "10", "low": 9.0, "high": 11.0})
    assert spread is not None
    assert "spread of the sources" in str(spread)
    assert believed_number({"value": "out of order"}) is None


def test_without_an_interval_there_is_no_band() -> None:
    chart = claims_around("e", "a", said(1.0, 1.0), Believed(1.0, math.nan, math.nan))
    assert "band" not in chart.reading
    assert chart.to_svg().startswith("<svg")


def test_many_claims_are_thinned_by_value() -> None:
    chart = claims_around("e", "a", said(*range(500)), Believed(250.0, 240.0, 260.0))
    assert len(chart.records) == MAX_CLAIMS
    assert {0.0, 499.0} <= {row["says"] for row in chart.records}
    assert f"{MAX_CLAIMS} of 500 claims are shown" in chart.reading


def test_sources_by_how_far_off_they_are(run: Run) -> None:
    (chart,) = source_errors(subject_of(run))
    by_source = {row["source"]: row for row in chart.records}
    assert chart.records[0]["source"] == "airport"
    assert 1.5 < by_source["harbour"]["off"] < 3.5
    assert by_source["airport"]["spread"] < by_source["cellar"]["spread"]
    assert "ann" not in by_source
    assert chart.to_svg().startswith("<svg")


def test_the_section_says_what_is_judged_so_and_what_intervals_are(run: Run) -> None:
    contents = contents_of(subject_of(run))
    (section,) = [one for one in contents.sections if one.name == "numbers"]
    assert any("warm (60 items) is judged as a number" in text for text in section.paragraphs)
    assert any("spread of the sources" in text for text in section.paragraphs)
    (widest,) = section.tables
    assert len(widest.rows) == 12
    assert all(row[1] == "warm" for row in widest.rows)


def test_contested_numbers_have_their_own_chart(run: Run) -> None:
    shown = contested_items(subject_of(run))
    numbers = [item for item in shown if item.title.startswith("warm")]
    others = [item for item in shown if item.title.startswith("sky")]
    assert numbers or others
    assert all("spread of the sources" in item.verdict for item in numbers)
    assert all("plausibility" in item.verdict for item in others)


def test_a_run_without_numbers_has_no_section() -> None:
    claims, _ = thermometers()
    plain = discover(with_colours(claims), attributes={"warm": "multiple"})
    assert "numbers" not in [one.name for one in contents_of(subject_of(plain)).sections]
