"""The section on known truth: who is right about it, beside what the model expects."""

from __future__ import annotations

from typing import Any

import pytest
from tests import subjects
from tests.report.html import parse

from veracity.report.charts.labelled import labelled
from veracity.report.contents import contents_of
from veracity.report.files import Report
from veracity.report.parts import Section
from veracity.report.subject import Subject

#: Three sources that agree, and one that is right about all that is known.
ODD: dict[str, list[str]] = {
    "source": [source for _ in range(40) for source in ("ann", "bob", "cat", "dan")],
    "entity": [f"e{entity:02d}" for entity in range(40) for _ in range(4)],
    "attribute": [("colour", "shape")[entity % 2] for entity in range(40) for _ in range(4)],
    "value": [value for _ in range(40) for value in ("red", "red", "red", "blue")],
}


def told(value: str, count: int = 8, **options: Any) -> Subject:
    known = {
        "entity": [f"e{entity:02d}" for entity in range(count)],
        "attribute": [("colour", "shape")[entity % 2] for entity in range(count)],
        "value": [value] * count,
    }
    return subjects.subject(ODD, known_truth=known, **options)


def section(subject: Subject) -> Section:
    (found,) = (one for one in contents_of(subject).sections if one.name == "labels")
    return found


@pytest.fixture(scope="module")
def contradicted() -> Subject:
    # Held to be reliable by the many claims of which nothing is known.
    return told("blue", model="accu")


def test_a_run_without_known_truth_has_no_section() -> None:
    subject = subjects.subject(ODD)
    assert labelled(subject) is None
    assert "labels" not in [one.name for one in contents_of(subject).sections]


def test_what_is_known_is_counted(contradicted: Subject) -> None:
    facts = {fact.name: fact.value for fact in section(contradicted).facts}
    assert facts == {
        "claims about known truth": "32",
        "of them right": "8",
        "sources that make them": "4",
        "sources flagged": "4",
    }


def test_flagged_sources_are_named_in_the_headline(contradicted: Subject) -> None:
    (chart,) = section(contradicted).charts
    assert "of its claims about known truth, not in the expected" in chart.title
    assert chart.title.endswith("3 more sources are flagged")
    assert {record["finding"] for record in chart.records} == {"not as expected"}
    assert chart.records[0]["source"] == "dan"
    assert chart.to_svg().startswith("<svg")


def test_a_headline_needs_more_than_chance() -> None:
    (chart,) = section(told("red", 4)).charts
    assert chart.title == (
        "On known truth, none of 4 sources differs from what the model expects by more than chance "
        "explains"
    )
    assert {record["finding"] for record in chart.records} == {"as expected"}


def test_tables_show_sources_and_attributes(contradicted: Subject) -> None:
    sources, by_attribute = section(contradicted).tables
    rows = {row[0]: row[1:] for row in sources.rows}
    assert rows["dan"][:3] == ["8", "0", "1.000"]
    assert rows["dan"][-1] == "better than expected"
    assert rows["ann"][-1] == "worse than expected"
    assert len(by_attribute.rows) == 8
    assert {row[1] for row in by_attribute.rows} == {"colour", "shape"}


def test_one_attribute_needs_no_table_of_its_own() -> None:
    claims = ODD | {"attribute": ["colour"] * 160}
    known = {"entity": ["e00"], "attribute": ["colour"], "value": ["red"]}
    assert len(section(subjects.subject(claims, known_truth=known)).tables) == 1


def test_many_sources_are_cut_and_the_page_says_so() -> None:
    claims = [(f"s{source:02d}", f"e{item}", f"v{(source * item) % 3}") for source in range(60)
              for item in range(6)]  # fmt: skip
    columns = dict(zip(("source", "entity", "value"), zip(*claims, strict=True), strict=True))
    table = {name: list(column) for name, column in columns.items()}
    known = {"entity": ["e1", "e2"], "value": ["v1", "v2"]}
    found = section(subjects.subject(table, model="one-coin", known_truth=known))
    assert len(found.charts[0].records) == 40
    assert "40 sources with the most such claims, of 60" in found.charts[0].reading
    assert found.tables[0].remark == "45 more sources not shown."


def test_the_page_has_the_section_in_its_contents(contradicted: Subject) -> None:
    root = parse(Report(contradicted).page)
    titles = [one.find("h2")[0].text for one in root.find("section")]
    assert titles[3] == "Sources on known truth"
    links = [link.attributes["href"] for link in root.find("nav")[0].find("a")]
    assert links[3] == "#labels"


def test_hostile_labels_stay_text() -> None:
    entities = [f"e{i}" for i in range(8)]
    claims = {
        "source": [name for name in subjects.HOSTILE for _ in entities],
        "entity": entities * len(subjects.HOSTILE),
        "attribute": [subjects.HOSTILE[0]] * (8 * len(subjects.HOSTILE)),
        "value": ["a", "b"] * (4 * len(subjects.HOSTILE)),
    }
    known = {"entity": entities, "attribute": [subjects.HOSTILE[0]] * 8, "value": ["a"] * 8}
    page = Report(subjects.subject(claims, known_truth=known)).page
    assert "<script>alert" not in page
