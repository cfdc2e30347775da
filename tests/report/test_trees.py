"""Trees of items in the report: values below those they lie within."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from veracity import Attribute, discover
from veracity.datasets import synthetic
from veracity.report.charts.trees import MAX_ITEMS
from veracity.workflow.run import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("places")
    synthetic.example_places(folder)
    said = {"born_in": Attribute(hierarchy=str(folder / "places.csv"))}
    return discover(folder / "born.csv", attributes=said)


def test_a_report_has_a_section_with_trees(run: Run, tmp_path: Path) -> None:
    folder = run.save(tmp_path / "out")
    assert "Values within values" in (folder / "report.html").read_text(encoding="utf-8")
    drawn = sorted((folder / "charts").glob("tree-*.json"))
    assert len(drawn) == MAX_ITEMS
    for path in drawn:
        chart = json.loads(path.read_text(encoding="utf-8"))
        rows = chart["data"]["values"]
        assert [row["state"] for row in rows].count("believed") == 1
        assert any(row["place"].startswith("· ") for row in rows)
        assert all(0 <= row["plausibility"] <= 1 for row in rows)


def test_levels_are_written_beside_the_other_tables(run: Run, tmp_path: Path) -> None:
    folder = run.save(tmp_path / "out")
    assert (folder / "levels.parquet").exists()
    described = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert ["Bern", "Switzerland"] in described["attributes"][0]["hierarchy"]["pairs"]


def test_without_a_hierarchy_there_is_no_such_section(tmp_path: Path) -> None:
    synthetic.example_places(tmp_path)
    folder = discover(tmp_path / "born.csv", model="vote").save(tmp_path / "out")
    assert "Values within values" not in (folder / "report.html").read_text(encoding="utf-8")
