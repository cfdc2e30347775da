"""`model.plot` gives the charts of a fitted model, and says why where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from tests.subjects import TRUTH

import veracity
from veracity import GRBM, MajorityVote, datasets
from veracity.errors import InputError, InvalidParameter, NotFitted
from veracity.report.chart import Chart
from veracity.report.plots import SHOWN, Plots


@pytest.fixture(scope="module")
def model() -> GRBM:
    return GRBM(features="always").fit(datasets.example.path())


@pytest.mark.parametrize("name", ["sources", "training", "agreement", "plausibility"])
def test_charts_that_need_nothing_else(model: GRBM, name: str) -> None:
    chart = getattr(model.plot, name)()
    assert isinstance(chart, Chart)
    assert chart.name == name
    assert chart.records


def test_the_evidence_of_an_item(model: GRBM) -> None:
    row = next(row for row in model.truths_.to_pylist() if row["attribute"] == "opened")
    chart = model.plot.item(row["entity"], "opened")
    assert chart.title == (
        f"opened of {row['entity']}: {row['value']} has plausibility {row['plausibility']:.2f}"
    )
    others = [
        other["value"]
        for other in model.statements_.to_pylist()
        if (other["entity"], other["attribute"]) == (row["entity"], "opened")
    ]
    for value in others:
        assert f": {value} has" in model.plot.item(row["entity"], "opened", value).title
    with pytest.raises(InputError, match="Nobody claims '1'"):
        model.plot.item(row["entity"], "opened", "1")
    with pytest.raises(InputError, match="No claim is about 'nowhere'"):
        model.plot.item("nowhere")


def test_the_reliability_function(model: GRBM) -> None:
    one = model.plot.reliability(
        "claim_age_days" if "claim_age_days" in used(model) else "entity_reviews"
    )
    assert {record["part"] for record in one.records} == {"rates", "claims"}
    two = model.plot.reliability("source_kind", "entity_reviews")
    assert {"x", "y", "reliability", "claims"} <= set(two.records[0])
    with pytest.raises(
        InvalidParameter, match=r"'source_kinds' in use\. Did you mean 'source_kind'"
    ):
        model.plot.reliability("source_kinds")
    with pytest.raises(InvalidParameter, match="two different"):
        model.plot.reliability("source_kind", "source_kind")


def used(model: GRBM) -> list[str]:
    return [choice.name for choice in model.feature_choices_ if choice.used]


def test_a_model_without_features_says_why() -> None:
    plain = GRBM(features="never").fit(datasets.example.path())
    with pytest.raises(InvalidParameter, match="uses no features"):
        plain.plot.reliability("source_kind")


def test_calibration_takes_truth_in_any_form(model: GRBM) -> None:
    chart = model.plot.calibration(TRUTH)
    assert sum(record["verdicts"] for record in chart.records) == 1063
    again = model.plot.calibration(veracity.GroundTruth.read(TRUTH))
    assert again.records == chart.records


def test_a_model_that_cannot_say_so() -> None:
    vote = MajorityVote().fit(datasets.example.path())
    assert vote.plot.sources().records
    with pytest.raises(InvalidParameter, match="MajorityVote cannot explain its verdicts"):
        vote.plot.item("Winsome", "opened")
    with pytest.raises(InvalidParameter, match="its fit does not iterate"):
        vote.plot.training()
    with pytest.raises(InvalidParameter, match="uses no features"):
        vote.plot.reliability("source_kind")


def test_before_the_fit_there_is_nothing_to_plot() -> None:
    with pytest.raises(NotFitted, match=r"GRBM\.plot\.sources needs a fitted model"):
        GRBM().plot.sources()


def test_a_loaded_model_says_that_its_results_are_elsewhere(model: GRBM, tmp_path: Path) -> None:
    loaded: Any = veracity.load(model.save(tmp_path / "model"))
    with pytest.raises(NotFitted, match="was loaded"):
        loaded.plot.sources()


def test_what_a_report_needs_is_kept_with_the_model(model: GRBM, tmp_path: Path) -> None:
    loaded: Any = veracity.load(model.save(tmp_path / "model"))
    assert len(model.dependence_) > 0
    assert loaded.dependence_.to_arrow().equals(model.dependence_.to_arrow())
    assert loaded.feature_choices_ == model.feature_choices_
    tried = GRBM().fit(datasets.example.path())
    assert tried.feature_trials_
    kept: Any = veracity.load(tried.save(tmp_path / "tried"))
    assert kept.feature_trials_ == tried.feature_trials_


def test_plots_list_what_there_is(model: GRBM) -> None:
    assert isinstance(model.plot, Plots)
    assert repr(model.plot).startswith("Charts of GRBM: sources(), item(")
    public = {name for name in dir(Plots) if not name.startswith("_")}
    assert public == {call.split("(")[0] for call in SHOWN}
    assert public <= set(dir(model.plot))


def test_fitting_imports_no_charts() -> None:
    code = (
        "import sys; from veracity import MajorityVote, datasets; "
        "MajorityVote().fit(datasets.example.path()); "
        "print([name for name in sys.modules if name.startswith('veracity.report')])"
    )
    found = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
