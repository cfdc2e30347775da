"""Formats in a run: found, noted, saved, opened again, shown, and reconciled on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.formats import PLANTED, planted_rows

from veracity import discover
from veracity.cli.app import run as run_command
from veracity.errors import InvalidParameter
from veracity.report.heat_map import MAX_SOURCES, heat_map
from veracity.service.pages.heat import heat_context
from veracity.workflow import Run, open_run

TWO = ("month first", "prefix")


def table() -> pa.Table:
    """Return claims about two attributes, each with a format of its own for one source."""
    rows = [
        (source, entity, kind, value)
        for kind in TWO
        for source, entity, _, value in planted_rows(PLANTED[kind])
    ]
    names = ("source", "entity", "attribute", "value")
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def agreement_of(source: str, run: Run) -> float:
    rows = run.model.sources_.to_pylist()
    return next(float(row["agreement"]) for row in rows if row["source"] == source)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a run with two clashes, with its report."""
    return discover(table(), model="vote").save(tmp_path_factory.mktemp("formats") / "run")


def test_clashes_are_noted_first_and_saved(folder: Path) -> None:
    notes = json.loads((folder / "run.json").read_text())["notes"]
    assert [note["subject"] for note in notes[:2]] == ["format", "format"]
    saved = open_run(folder)
    assert saved.clashes is not None
    assert set(saved.clashes["attribute"].to_pylist()) == set(TWO)
    assert set(saved.clashes["source"].to_pylist()) == {"odd"}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_clashes_are_read_again_from_any_format(form: Any, tmp_path: Path) -> None:
    run = discover(table(), model="vote")
    assert run.clashes is not None
    folder = run.save(tmp_path / "run", format=form, report=False)
    assert open_run(folder).clashes.to_pylist() == run.clashes.to_pylist()  # type: ignore[union-attr]


def test_a_run_without_clashes_has_no_such_table(tmp_path: Path) -> None:
    run = discover(table().slice(0, 4), model="vote")
    folder = run.save(tmp_path / "run", report=False)
    assert not list(folder.glob("clashes.*"))
    assert open_run(folder).clashes is None


def test_reconcile_brings_the_source_to_the_others(tmp_path: Path) -> None:
    before, after = (discover(table(), model="vote", reconcile=asked) for asked in (False, True))
    agreement = [agreement_of("odd", run) for run in (before, after)]
    assert agreement[0] < 0.1
    assert agreement[1] > 0.8
    subjects = [note.subject for note in after.notes]
    assert subjects.count("reconciled") == 2
    assert "format" not in subjects
    folder = after.save(tmp_path / "run", report=False)
    assert set(open_run(folder).claims.matrix.values.to_pylist()) == set(
        after.claims.matrix.values.to_pylist()
    )


def test_claims_in_blocks_are_compared_too(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "claims.parquet")
    run = discover(tmp_path / "claims.parquet", model="vote", memory="1GB")
    assert run.in_blocks
    assert [note.subject for note in run.notes[:2]] == ["format", "format"]


def test_reconcile_is_refused_where_claims_are_not_in_memory() -> None:
    with pytest.raises(InvalidParameter, match="reconcile needs all claims in memory"):
        discover(table(), model="vote", reconcile=True, memory="1GB")


def test_report_shows_the_heat_map_and_the_transformations(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert "figure-by-attribute" in page
    assert "Sources in another format" in page
    assert "m/d/Y -&gt; Y-m-d" in page


def test_heat_map_shows_the_largest_sources_and_says_so() -> None:
    rows = [
        (f"s{source:02}", entity, attribute, "v")
        for source in range(MAX_SOURCES + 5)
        for entity in ("x", "y")
        for attribute in ("a", "b")
    ]
    names = ("source", "entity", "attribute", "value")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    run = discover(pa.table(columns), model="vote")
    matrix = run.claims.matrix
    found = heat_map(matrix, run.model.plausibility_, run.clashes)
    assert found is not None
    assert len(found.sources) == MAX_SOURCES
    assert found.cut == "Shown are the 40 sources with most claims, of 45."
    assert (found.agreement == 1).all()
    context = heat_context(found)
    assert context is not None
    assert context["rows"][0]["cells"][0]["shade"] == "few"


def test_heat_map_needs_two_attributes() -> None:
    one = discover(table().filter(pa.compute.equal(table()["attribute"], TWO[0])), model="vote")
    assert heat_map(one.claims.matrix, one.model.plausibility_, one.clashes) is None


def test_inspect_and_discover_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = tmp_path / "claims.parquet"
    pq.write_table(table(), claims)
    assert run_command(["inspect", str(claims)]) == 0
    assert "In 'prefix', 'odd' adds the prefix 'SKU-'" in capsys.readouterr().out
    output = ["-o", str(tmp_path / "run"), "--model", "vote", "--no-report"]
    assert run_command(["discover", str(claims), *output, "--reconcile"]) == 0
    assert "Rewrote 60 values of 'odd' in 'prefix'" in capsys.readouterr().out
