"""Values that change: a run with timelines, saved, opened, served and reported."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.service.running import client_of

from veracity import Attribute, discover, update
from veracity.data.output.write import TableFormat
from veracity.datasets.synthetic import example_shops
from veracity.workflow import open_run

CHANGING = {"address": Attribute(truth="changing")}


def made(folder: Path, format: TableFormat = "parquet", report: bool = False) -> Path:
    run = discover(example_shops(20).claims, attributes=CHANGING)
    return run.save(folder / format, format=format, report=report)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("shops"), report=True)


def test_a_saved_run_judges_as_before(folder: Path) -> None:
    saved = open_run(folder)
    assert saved.timelines is not None
    judged = saved.model.predict(saved.claims)
    assert judged["valid_from"].to_pylist() == saved.truths["valid_from"].to_pylist()
    assert isinstance(saved.timelines["valid_to"].to_pylist()[0], date | None)
    assert {"freshness", "lag"} <= set(saved.sources.column_names)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_timelines_are_read_in_every_format(
    folder: Path, tmp_path: Path, format: TableFormat
) -> None:
    one, two = open_run(folder).timelines, open_run(made(tmp_path, format)).timelines
    assert one is not None
    assert two is not None
    assert one["value"].to_pylist() == two["value"].to_pylist()
    assert [str(day)[:10] for day in one["valid_from"].to_pylist()] == [
        str(day)[:10] for day in two["valid_from"].to_pylist()
    ]


def test_the_page_of_an_item_has_its_timeline(folder: Path) -> None:
    table = open_run(folder).timelines
    assert table is not None
    changed = next(row for row in table.to_pylist() if row["valid_from"] is not None)
    with client_of(folder) as client:
        rows = client.get("/api/v1/items", params={"limit": 50}).json()["items"]
        item = next(row["id"] for row in rows if row["entity"] == changed["entity"])
        page = client.get(f"/items/{item}").text
        assert f'data-src="/items/{item}/timeline"' in page
        assert "has been believed since" in page
        chart = client.get(f"/items/{item}/timeline").json()
    assert chart["usermeta"]["name"] == "timeline"
    assert len(chart["data"]["values"]) == 20
    spells = chart["layer"][2]["data"]["values"]
    assert [spell["from"] <= spell["to"] for spell in spells] == [True] * len(spells)
    assert len(chart["layer"][0]["data"]["values"]) == len(spells) - 1


def test_items_that_do_not_change_have_none(tmp_path: Path) -> None:
    run = discover(example_shops(5).claims, model="vote").save(tmp_path / "out", report=False)
    with client_of(run) as client:
        assert "timeline" not in client.get("/items/0").text
        assert client.get("/items/0/timeline").status_code == 404


def test_the_report_has_a_section_with_timelines(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="timelines"' in page
    assert "The latest changes" in page
    assert (folder / "charts" / "timeline-1.json").is_file()


def test_an_updated_run_keeps_its_dates(tmp_path: Path) -> None:
    claims = example_shops(12).claims.sort_by("date")
    folder = discover(claims.slice(0, 150), attributes=CHANGING).save(
        tmp_path / "out", report=False
    )
    update(folder, claims.slice(150))
    table = open_run(folder).timelines
    assert table is not None
    days = [day for day in table["valid_from"].to_pylist() if day is not None]
    assert days
    assert all(isinstance(day, date) for day in days)
