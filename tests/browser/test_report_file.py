"""The report as a file: opened from a disk, without a network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.browser.conftest import PHONE, Visit, Visits
from tests.browser.hostile import hostile_claims

from veracity import discover

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('figure.chart')].every((f) => f.querySelector('svg'))"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def opened(visits: Visits, folder: Path, **options: object) -> Visit:
    """Open the report of a run, and wait for its charts."""
    visit = visits("file:", offline=True, **options)
    visit.page.goto((folder / "report.html").resolve().as_uri())
    visit.page.wait_for_function(DRAWN)
    return visit


@pytest.mark.parametrize("options", [{}, {"viewport": {**PHONE, "width": 360}}])
def test_every_chart_is_drawn_and_described(
    visits: Visits, run_folder: Path, options: dict[str, object]
) -> None:
    page = opened(visits, run_folder, **options).page
    names = set(json.loads((run_folder / "charts" / "index.json").read_text(encoding="utf-8")))
    assert page.locator("figure.chart svg").count() == len(names)
    assert page.locator(".chart-error").count() == 0
    for name in names:
        spec = json.loads((run_folder / "charts" / f"{name}.json").read_text(encoding="utf-8"))
        view = page.locator(f"#figure-{name} .chart-view")
        assert view.get_attribute("aria-label") == spec["description"]
    assert page.evaluate(OVERFLOW) == 0


def test_the_data_of_a_chart_can_be_kept(visits: Visits, run_folder: Path, tmp_path: Path) -> None:
    page = opened(visits, run_folder).page
    chart = (run_folder / "charts" / "sources.json").read_text(encoding="utf-8")
    records = json.loads(chart)["data"]["values"]
    figure = page.locator("#figure-sources")
    with page.expect_download() as kept:
        figure.get_by_role("button", name="JSON").click()
    kept.value.save_as(tmp_path / "sources.json")
    assert json.loads((tmp_path / "sources.json").read_text(encoding="utf-8")) == records
    with page.expect_download() as kept:
        figure.get_by_role("button", name="CSV").click()
    assert kept.value.suggested_filename == "sources.csv"
    kept.value.save_as(tmp_path / "sources.csv")
    lines = (tmp_path / "sources.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",") == list(records[0])
    assert len(lines) == 1 + len(records)


def test_colours_can_be_chosen_and_paper_is_light(visits: Visits, run_folder: Path) -> None:
    page = opened(visits, run_folder, color_scheme="dark").page
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    ink = "getComputedStyle(document.querySelector('figure.chart svg text')).fill"
    dark, words = page.evaluate(ground), page.evaluate(ink)
    page.get_by_role("button", name="Light colours").click()
    page.wait_for_function(DRAWN)
    assert page.evaluate(ground) != dark
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(ground) == dark
    page.wait_for_function(DRAWN)
    page.emulate_media(media="print")
    assert page.evaluate(ink) != words


def test_hovering_shows_labels_as_text(visits: Visits, tmp_path: Path) -> None:
    folder = discover(hostile_claims(), model="vote").save(tmp_path / "run")
    page = opened(visits, folder).page
    page.locator("#figure-contested svg .mark-symbol path").first.hover()
    tooltip = page.locator(".chart-tooltip")
    tooltip.wait_for()
    assert "kind" in tooltip.inner_text()
    assert tooltip.locator("i, b, img, script").count() == 0
    assert page.locator("main img, main i, main u").count() == 0


def test_what_is_closed_is_open_on_paper(visits: Visits, run_folder: Path) -> None:
    page = opened(visits, run_folder).page
    closed = page.locator("details:not([open])")
    count = closed.count()
    assert count > 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert closed.count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == count
