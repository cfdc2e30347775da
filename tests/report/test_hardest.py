"""The hardest items, in the report and in the summary of a run; and the caution at the top."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.panels import panel
from tests.report.html import parse
from tests.subjects import subject, subject_of
from tests.worlds import CLOSED

from veracity import discover
from veracity.data.output.hardest import hardest
from veracity.report.contents import contents_of
from veracity.report.files import Report
from veracity.report.hardest import hardest_items
from veracity.report.subject import Subject


@pytest.fixture(scope="module")
def panel_subject() -> Subject:
    return subject_of(discover(panel(), attributes={"value": CLOSED}))


def test_the_hardest_come_first_and_others_not_at_all() -> None:
    truths = pa.table(
        {
            "entity": ["d", "c", "b", "a", "e"],
            "attribute": ["x"] * 5,
            "hardness": [0.5, 0.7, None, 0.5, -0.1],
        }
    )
    assert hardest(truths, 10)["entity"].to_pylist() == ["c", "a", "d"]
    assert hardest(truths, 1)["entity"].to_pylist() == ["c"]
    assert hardest(truths.drop_columns("hardness"), 10).num_rows == 0


def test_the_report_lists_ten_with_their_values(panel_subject: Subject) -> None:
    (part,) = hardest_items(panel_subject)
    assert len(part.rows) == 10
    shown = [float(row[2]) for row in part.rows]
    assert shown == sorted(shown, reverse=True)
    first = hardest(panel_subject.truths.to_arrow(), 1).to_pylist()[0]
    assert part.rows[0][0] == first["entity"]
    own = [row for row in panel_subject.statements.to_pylist() if row["entity"] == first["entity"]]
    for row in own:
        assert f"{row['value']} ({row['supporters']})" in part.rows[0][-1]


def test_it_stands_among_contested_items(panel_subject: Subject) -> None:
    sections = {section.name: section for section in contents_of(panel_subject).sections}
    assert [part.caption for part in sections["contested"].tables] == ["Hardest items"]


def test_a_model_that_does_not_say_lists_none() -> None:
    assert hardest_items(subject(panel(), "vote")) == []


def test_reasons_to_doubt_stand_at_the_top_of_the_page() -> None:
    spam = subject(panel(), "grbm-paper")
    doubt = {"subject": "trust", "text": "It is odd. Look again.", "short": "it is odd"}
    spam.description["notes"].insert(0, doubt)
    contents = contents_of(spam)
    assert contents.warnings[0].texts[0] == doubt["text"]
    assert "it is odd" in contents.findings.trust
    (box,) = parse(Report(spam).page).find("details", "warnings")
    assert box.text.startswith("Before you trust it: ")
    assert contents_of(subject(panel(), "vote")).warnings == []
