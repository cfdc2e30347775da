"""The charts of runs of every kind can be drawn, say what the run found, and stay small."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests import subjects

from veracity.data.buffers import to_numpy
from veracity.datasets import synthetic
from veracity.report.chart import Chart
from veracity.report.charts.by_section import SECTIONS, charts_of
from veracity.report.sections import ORDER
from veracity.report.subject import Subject

#: Bytes of one chart, and of all of a run.
LARGEST, LARGEST_RUN = 150_000, 1_000_000
SPEC = synthetic.AttributeSpec

RUNS: dict[str, Callable[[], Subject]] = {
    "example": subjects.example,
    "boolean": lambda: subjects.drawn(attributes=[SPEC("b", "boolean", "closed")]),
    "multiple": lambda: subjects.drawn(attributes=[SPEC("m", "multiple", "closed")]),
    "closed": lambda: subjects.drawn(attributes=[SPEC("c", "single", "closed")]),
    "several": lambda: subjects.drawn(attributes=[SPEC("c", domain="closed"), SPEC("o")]),
    "numeric": subjects.numeric,
    "numbers worked out": lambda: subjects.numeric("gtm"),
    "one source": subjects.one_source,
    "one item": subjects.one_item,
    "vote": lambda: subjects.drawn(model="vote"),
    "paper": lambda: subjects.drawn(
        model="grbm-paper",
        features={"source_size": synthetic.normal(), "claim_kind": synthetic.category("a", "b")},
        parameters={"max_iter": 5, "patience": 1},
    ),
    "sampled": lambda: subjects.drawn(model="ltm"),
    "iterated": lambda: subjects.drawn(model="truthfinder"),
    "copiers": lambda: subjects.drawn(
        20, 300, sources=synthetic.SourceSpec(copiers=0.2, copy_probability=0.95)
    ),
    "hostile": subjects.hostile,
    "told": subjects.told,
}


@cache
def run(kind: str) -> Subject:
    return RUNS[kind]()


@cache
def charts(kind: str) -> dict[str, list[Chart]]:
    return charts_of(run(kind))


def flat(kind: str) -> list[Chart]:
    return [chart for section in charts(kind).values() for chart in section]


def chart(kind: str, name: str) -> Chart:
    return next(chart for chart in flat(kind) if chart.name == name)


@cache
def drawn(kind: str, name: str) -> str:
    return chart(kind, name).to_svg()


# Fits that end early say so; what they found is drawn all the same.
pytestmark = pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")


@pytest.mark.parametrize("kind", RUNS)
def test_every_chart_can_be_drawn_without_a_browser(kind: str) -> None:
    for made in flat(kind):
        svg = drawn(kind, made.name)
        assert svg.startswith("<svg"), made.name
        assert "NaN" not in svg, made.name
        assert "undefined" not in svg, made.name


@pytest.mark.parametrize("kind", RUNS)
def test_charts_are_plain_json_without_numbers_that_are_none(kind: str) -> None:
    for made in flat(kind):
        again = json.loads(made.to_json())  # NaN and infinities are refused on writing
        assert again["data"]["values"] == [dict(record) for record in made.records]


@pytest.mark.parametrize("kind", RUNS)
def test_charts_have_names_of_their_own_that_files_can_have(kind: str) -> None:
    names = [made.name for made in flat(kind)]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() and name.isascii() for name in names)


@pytest.mark.parametrize("kind", RUNS)
def test_charts_say_what_they_show_in_sentences(kind: str) -> None:
    for made in flat(kind):
        assert made.title, made.name
        assert not made.title.endswith("."), made.name
        assert made.reading.endswith("."), made.name
        assert made.alt.endswith("."), made.name
        assert "\n" not in made.title + made.reading + made.alt
        assert len(made.title) < 200, made.name
        assert made.records, made.name


@pytest.mark.parametrize("kind", RUNS)
def test_sections_come_in_the_order_of_the_page(kind: str) -> None:
    assert list(charts(kind)) == list(SECTIONS) == list(ORDER)


def test_the_default_run_has_all_there_is() -> None:
    names = {section: [made.name for made in found] for section, found in charts("example").items()}
    assert names["input"] == ["claims-per-source", "values-per-item", "attributes"]
    assert names["decisions"] == ["plausibility", "margin"]
    assert names["contested"] == ["contested"]
    assert names["sources"][:3] == ["sources", "rates", "source-sizes"]
    assert names["sources"][3:] == ["by-attribute", "agreement", "copying", "answers-1"]
    assert names["labels"] == []
    assert names["function"][0] == "reliability-strength"
    assert names["function"][-1] == "reliability-pair"
    assert names["training"] == ["training"]
    assert names["truth"] == ["calibration", "coverage", "confusion-believed", "confusion-claimed"]


def test_what_is_not_known_has_no_chart() -> None:
    vote = charts("vote")
    assert vote["function"] == []
    assert vote["training"] == []
    assert charts("one source")["truth"] == []
    assert [made.name for made in charts("one source")["sources"]] == ["sources", "rates"]
    assert "copying" not in [made.name for made in flat("closed")]


def test_a_model_without_intervals_says_so() -> None:
    made = chart("vote", "sources")
    assert "no interval" in made.reading
    assert all(record["low"] is None for record in made.records)


# Titles state the numbers of the run


def test_the_input_is_counted_as_in_the_run() -> None:
    found, counts = run("example"), run("example").description["counts"]
    contested = chart("example", "values-per-item")
    assert contested.title.startswith(f"{counts['n_contested']:,} of {counts['n_items']:,} items")
    assert sum(record["items"] for record in contested.records) == counts["n_items"]
    tail = chart("example", "claims-per-source")
    assert f"{counts['n_claims']:,} claims" in tail.title
    assert f"of {counts['n_sources']:,} make" in tail.title
    of_claims = [record["count"] for record in tail.records if record["of"] == "claims"]
    assert sum(of_claims) == counts["n_claims"]
    bars = chart("example", "attributes").records
    assert {bar["name"] for bar in bars} == {profile.name for profile in found.claims.attributes}
    assert sum(bar["items"] for bar in bars if bar["part"] == "contested") == counts["n_contested"]


def test_decisions_are_counted_as_in_the_table_of_truths() -> None:
    rows = run("example").truths.to_pylist()
    made = chart("example", "plausibility")
    for word in ("accept", "review", "undecided"):
        count = sum(row["decision"] == word for row in rows)
        assert sum(r["verdicts"] for r in made.records if r["decision"] == word) == count
        assert (
            word == "accept" or f"{count:,} {'are for ' * (word == 'review')}{word}" in made.title
        )
    close = sum(row["margin"] < 0.2 for row in rows)
    assert chart("example", "margin").title.startswith(f"{close:,} verdicts lead by less than 0.2")


def test_the_most_contested_item_comes_first() -> None:
    rows = [row for row in run("example").truths.to_pylist() if row["n_values"] > 1]
    made = chart("example", "contested")
    margins = [record["margin"] for record in made.records]
    assert margins == sorted(margins)
    assert margins[0] == pytest.approx(min(row["margin"] for row in rows), rel=1e-4, abs=1e-9)
    assert made.title.startswith(f"The {len(margins)} closest calls")


def test_sources_are_ranked_as_in_the_table_of_sources() -> None:
    rows = {row["source"]: row for row in run("example").sources.to_pylist()}
    made = chart("example", "sources")
    best = max(rows.values(), key=lambda row: row["reliability"])
    assert made.title.startswith(f"{best['source']} is the most reliable")
    assert f"({best['reliability']:.2f})" in made.title
    for record in made.records:
        row = rows[record["source"]]
        assert record["reliability"] == pytest.approx(row["reliability"], rel=1e-4)
        assert record["low"] == pytest.approx(row["reliability_low"], rel=1e-4)
        assert record["claims"] == row["n_claims"]
    rates = chart("example", "rates")
    above = sum(row["tpr"] > row["fpr"] for row in rows.values())
    assert above == len(rows)
    assert rates.title == f"How often {above} sources name true and false statements"


def test_the_title_of_the_training_says_whether_it_converged() -> None:
    model: Any = run("example").model
    made = chart("example", "training")
    how = "converged" if model.converged_ else "stopped"
    assert made.title == f"The fit {how} after {model.n_iter_} iterations"
    values = [record["objective"] for record in made.records]
    assert values[-1] == max(values) > values[0]
    stopped = subjects.drawn(parameters={"max_iter": 2})
    (short,) = charts_of(stopped)["training"]
    assert short.title == "The fit stopped after 2 iterations"


def test_the_measures_against_truth_are_those_of_the_evaluation() -> None:
    evaluation = run("example").description["evaluation"]
    coverage = chart("example", "coverage")
    assert coverage.records[-1]["accuracy"] == pytest.approx(evaluation["accuracy"], rel=1e-4)
    assert coverage.records[-1]["verdicts"] == evaluation["n_items"]
    assert f"{evaluation['n_items']:,} items" in coverage.title
    curve = chart("example", "calibration").records
    assert sum(record["verdicts"] for record in curve) == evaluation["n_items"]
    right = sum(record["verdicts"] * record["share_right"] for record in curve)
    assert right == pytest.approx(evaluation["n_right"], rel=1e-3)


def test_the_confusion_of_a_boolean_counts_all_claims() -> None:
    found = run("boolean")
    believed, claimed = charts("boolean")["truth"][-2:]
    assert sum(record["count"] for record in claimed.records) == found.claims.matrix.n_claims
    right = sum(r["count"] for r in believed.records if r["true"] == r["said"])
    assert right == found.description["evaluation"]["n_right"]


def test_copiers_are_named_with_what_was_expected_of_them() -> None:
    found = run("copiers")
    model: Any = found.model
    (first, *_) = model.dependence_.to_pylist()
    made = chart("copiers", "copying")
    assert first["source"] in made.title
    assert made.records[0]["agreement"] == pytest.approx(first["agreement"], rel=1e-4)
    assert all(record["agreement"] > record["expected"] for record in made.records)


def test_agreement_is_the_share_of_the_items_that_both_speak_about() -> None:
    matrix = run("closed").claims.matrix
    made = chart("closed", "agreement")
    labels = matrix.sources.to_pylist()
    said = np.full((matrix.n_sources, matrix.n_items), -1)
    said[matrix.source_index, matrix.item_of_claim] = matrix.value_index[matrix.statement_index]
    for record in made.records:
        one, other = (said[labels.index(record[side])] for side in ("source", "other"))
        both = (one >= 0) & (other >= 0)
        assert record["shared"] == both.sum()
        assert record["agreement"] == pytest.approx((one == other)[both].mean(), rel=1e-4)


# Labels that would do harm


def test_hostile_labels_are_one_line_of_text_that_fits() -> None:
    for made in flat("hostile"):
        for record in made.records:
            for cell in record.values():
                assert not isinstance(cell, str) or (len(cell) <= 160 and "\n" not in cell)
                assert not isinstance(cell, str) or "\u202e" not in cell
        assert "<script" not in drawn("hostile", made.name), made.name


def test_labels_that_look_alike_when_cut_are_kept_apart() -> None:
    from veracity.report.charts.records import short_labels

    labels = ["long " * 20 + str(number) for number in range(30)]
    short = short_labels(labels, 20)
    assert len(set(short)) == 30
    assert all(len(label) <= 20 for label in short)


# Large runs


def test_a_large_run_has_small_charts_that_count_everything() -> None:
    spec = [SPEC("a", domain="closed", n_values=12), SPEC("b")]
    large = subjects.drawn(
        6_000,
        12_500,
        attributes=spec,
        sources=synthetic.SourceSpec(tail=1.0),
        model="vote",
    )
    matrix = large.claims.matrix
    assert matrix.n_claims > 190_000
    found = [made for section in charts_of(large).values() for made in section]
    sizes = {made.name: len(made.to_json()) for made in found}
    assert max(sizes.values()) < LARGEST, sizes
    assert sum(sizes.values()) < LARGEST_RUN
    by_name = {made.name: made for made in found}
    cells = by_name["source-sizes"]
    assert "counted in cells" in cells.reading
    assert sum(record["sources"] for record in cells.records) == matrix.n_sources
    assert len(by_name["rates"].records) == 600
    assert f"of {matrix.n_sources:,} sources" in by_name["rates"].reading
    assert "The 40 largest of 6,000 sources are shown." in by_name["sources"].reading
    largest = np.sort(np.bincount(matrix.source_index))[::-1][:40]
    assert sorted(r["claims"] for r in by_name["sources"].records) == sorted(largest.tolist())
    again = [made for section in charts_of(large).values() for made in section]
    assert [made.to_json() for made in again] == [made.to_json() for made in found]


def test_plausibilities_of_a_run_are_all_in_the_histogram() -> None:
    for kind in ("multiple", "numeric", "hostile"):
        records = chart(kind, "plausibility").records
        assert sum(record["verdicts"] for record in records) == len(run(kind).truths)
        numbers = to_numpy(run(kind).truths["plausibility"])
        low = min(record["low"] for record in records)
        assert low <= numbers.min() <= low + 0.05 + 1e-9
