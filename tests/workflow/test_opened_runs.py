"""Runs opened again: tables, notes, report, explanations; how they show themselves; `load`."""

from __future__ import annotations

from pathlib import Path

import pytest

import veracity
from veracity import Claims, datasets
from veracity.errors import InvalidParameter, NotFitted

TRIPLES = [("ann", "sky", "blue"), ("bob", "sky", "blue"), ("cat", "sky", "<green>")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the default model on the shipped example, with a report."""
    place = tmp_path_factory.mktemp("opened") / "run"
    return veracity.discover(datasets.example.path()).save(place)


def test_a_run_has_its_tables(folder: Path) -> None:
    run = veracity.open_run(folder)
    assert run.truths.column_names[:3] == ["entity", "attribute", "value"]
    assert run.statements.name == "statements"
    assert len(run.sources) == run.description["counts"]["n_sources"]
    assert [note.text for note in run.notes] == [row["text"] for row in run.description["notes"]]
    assert run.report == folder / "report.html"
    first = run.truths[0]
    told = run.explain(first["entity"], first["attribute"])
    assert told.statements[0].value == first["value"]


def test_runs_show_themselves_in_a_line_and_as_html(tmp_path: Path) -> None:
    made = veracity.discover(
        Claims.from_triples(TRIPLES), model="vote", truth={"entity": ["sky"], "value": ["blue"]}
    )
    line = "vote: 3 claims by 3 sources about 1 item, accuracy 1.0000)"
    assert repr(made) == f"Run({line}"
    opened = veracity.open_run(made.save(tmp_path / "run", report=False))
    assert repr(opened) == f"SavedRun({line}"
    assert opened.report is None
    assert made.truths is made.model.truths_
    for html in (made._repr_html_(), opened._repr_html_(), made.claims._repr_html_()):
        assert "<table>" in html
        assert "<green>" not in html
    assert len(made.claims.head(2)) == 2
    with pytest.raises(InvalidParameter, match="MajorityVote, which cannot explain"):
        opened.explain("sky")


def test_the_model_of_a_run_has_its_tables(folder: Path) -> None:
    model = veracity.load(folder)
    run = veracity.open_run(folder)
    for name in ("truths", "statements", "sources"):
        assert getattr(model, f"{name}_").to_arrow() == getattr(run, name).to_arrow()
    assert model.notes_ == run.notes
    assert model.crossfit_ is None
    assert len(model.predict(Claims.from_triples(TRIPLES))) == 1


def test_a_new_fit_replaces_the_tables(folder: Path) -> None:
    model = veracity.load(folder).fit(Claims.from_triples(TRIPLES))
    assert model.truths_["entity"].to_pylist() == ["sky"]


def test_a_model_that_was_saved_alone_has_no_tables(tmp_path: Path) -> None:
    veracity.MajorityVote().fit(Claims.from_triples(TRIPLES)).save(tmp_path / "model")
    model = veracity.load(tmp_path / "model")
    with pytest.raises(NotFitted):
        _ = model.truths_
