"""What small and odd runs draw: no chart that is nearly empty, no headline that chance explains."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests import subjects

from veracity import Attribute, Claims
from veracity.report.chart import Chart
from veracity.report.charts.by_section import charts_of
from veracity.report.charts.enough import is_enough
from veracity.report.charts.ranks import rank_correlation
from veracity.report.contents import contents_of
from veracity.report.parts import Contents
from veracity.report.subject import Subject


def claims(n_sources: int, n_items: int, n_values: int = 3, right: float = 0.8) -> dict[str, Any]:
    """Draw claims of sources that are all equally good."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_values, n_items)
    wrong = (truth + rng.integers(1, n_values, (n_sources, n_items))) % n_values
    said = np.where(rng.random((n_sources, n_items)) < right, truth, wrong)
    return {
        "source": np.repeat([f"s{i}" for i in range(n_sources)], n_items).tolist(),
        "entity": [f"e{i}" for i in range(n_items)] * n_sources,
        "value": [f"v{value}" for value in said.ravel()],
    }


@cache
def run(kind: str) -> Subject:
    if kind == "one source":
        return subjects.subject(claims(1, 5))
    if kind == "two sources":
        return subjects.subject(claims(2, 20))
    if kind == "three items":
        return subjects.subject(claims(4, 3))
    if kind == "all agree":
        return subjects.subject(claims(6, 30, right=1.0))
    if kind == "five sources":
        return subjects.subject(claims(5, 40))
    if kind == "vote":
        return subjects.subject(claims(5, 40), model="vote")
    return subjects.numeric("gtm")


RUNS = ("one source", "two sources", "three items", "all agree", "five sources", "vote", "numbers")


@cache
def contents(kind: str) -> Contents:
    return contents_of(run(kind))


def drawn(kind: str) -> dict[str, Chart]:
    return {chart.name: chart for chart in contents(kind).charts}


@pytest.mark.parametrize("kind", RUNS)
def test_no_chart_is_nearly_empty(kind: str) -> None:
    for name, chart in drawn(kind).items():
        assert len(chart.records) >= 3 or name.startswith("evidence"), name
        assert is_enough(chart)


@pytest.mark.parametrize("kind", RUNS)
def test_equal_sources_are_not_ranked_by_a_headline(kind: str) -> None:
    for chart in contents(kind).charts:
        for words in ("most reliable", "more reliable", "less reliable", "agree most"):
            assert words not in chart.title or kind == "numbers", chart.title


def test_five_sources_show_no_trend_over_their_size() -> None:
    assert "source-sizes" not in drawn("five sources")
    made = {one.name: one for one in charts_of(run("five sources"))["sources"]}
    assert made["source-sizes"].title.endswith("no clear trend")


def test_one_source_leaves_tables_and_sentences() -> None:
    assert not [name for name in drawn("one source") if not name.startswith("evidence")]
    sections = {section.name: section for section in contents("one source").sections}
    assert sections["sources"].paragraphs == ("Reliability of 1 source: about 0.69.",)
    assert len(sections["sources"].tables[0].rows) == 1


def test_agreement_of_all_is_a_sentence() -> None:
    assert "agreement" not in drawn("all agree")
    (section,) = [one for one in contents("all agree").sections if one.name == "sources"]
    assert any("agree on every item" in text for text in section.paragraphs)


def test_a_clear_pair_is_named() -> None:
    table = claims(6, 60)
    table = {
        "source": [*table["source"], *["copy"] * 60],
        "entity": [*table["entity"], *table["entity"][:60]],
        "value": [*table["value"], *table["value"][:60]],
    }
    made = {one.name: one for one in charts_of(subjects.subject(table))["sources"]}
    assert "agree most: on 100 % of 60 items" in made["agreement"].title
    assert "copy" in made["agreement"].title


def test_a_trend_is_stated_where_there_is_one() -> None:
    x = np.arange(40)
    assert rank_correlation(x, x**2) == pytest.approx(np.sqrt(39))
    assert rank_correlation(x, -x) == pytest.approx(-np.sqrt(39))
    assert rank_correlation(x, np.zeros(40)) == 0.0
    assert abs(rank_correlation(x, np.random.default_rng(0).random(40))) < 3.0


def test_numbers_are_drawn_without_sources_that_agree_by_chance() -> None:
    declared = {"*": Attribute("single", values="number")}
    rng = np.random.default_rng(1)
    table = claims(6, 30) | {"value": [f"{value:.1f}" for value in 300 + rng.normal(0, 30, 180)]}
    made = charts_of(subjects.subject(Claims.from_frame(table, attributes=declared), "gtm"))
    assert not [one for one in made["sources"] if "agree most" in one.title]
