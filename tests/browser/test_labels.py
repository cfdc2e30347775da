"""Sources on labels, in light and dark colours and on a phone; marks change what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.serving import running_service
from tests.browser.test_looks import CONTRAST, EVERYTHING, OVERFLOW, serious_violations

from veracity import discover

pytestmark = pytest.mark.browser

ROWS = "#results [data-row]"
#: Three sources that agree; a fourth is right wherever the truth is known.
CLAIMS = {
    "source": [source for _ in range(60) for source in ("ann", "bob", "cat", "dan")],
    "entity": [f"e{entity:02d}" for entity in range(60) for _ in range(4)],
    "attribute": [("colour", "shape")[entity % 2] for entity in range(60) for _ in range(4)],
    "value": [value for _ in range(60) for value in ("red", "red", "red", "blue")],
}
KNOWN = {
    "entity": [f"e{entity:02d}" for entity in range(16)],
    "attribute": [("colour", "shape")[entity % 2] for entity in range(16)],
    "value": ["blue"] * 16,
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("told") / "run"
    return discover(CLAIMS, model="accu", known_truth=KNOWN).save(folder)


@pytest.fixture(scope="module")
def told_service(browser: object, told: Path) -> Iterator[str]:
    with running_service(told) as address:
        yield address


@pytest.mark.parametrize(
    ("colours", "rules"), [("light", EVERYTHING), ("dark", CONTRAST)], ids=["light", "dark"]
)
def test_pages_with_labels_have_no_serious_violation(
    visits: Visits, told_service: str, told: Path, colours: str, rules: dict[str, object]
) -> None:
    visit = visits(told_service, color_scheme=colours, reduced_motion="reduce")
    for path in ("/sources?sort=disagrees", "/sources/0"):
        visit.go(path)
        assert visit.page.locator(".badge.wrong:visible").count()
        assert serious_violations(visit, rules) == []
    report = visits("file://", color_scheme=colours, reduced_motion="reduce")
    report.go(str(told / "report.html"))
    report.page.locator("#figure-labelled svg").first.wait_for()
    assert serious_violations(report, rules) == []


def test_on_a_phone_nothing_is_cut(visits: Visits, told_service: str) -> None:
    visit = visits(told_service, viewport=PHONE)
    for path in ("/sources", "/sources/0"):
        visit.go(path)
        assert visit.page.evaluate(OVERFLOW) == 0
    visit.go("/sources")
    first = visit.page.locator(ROWS, has_text="ann").locator("small.narrow")
    assert first.is_visible()
    assert first.inner_text().split() == ["0", "of", "16", "right", "worse"]


def test_sources_are_sorted_by_labels(visits: Visits, told_service: str) -> None:
    visit = visits(told_service)
    visit.go("/sources")
    visit.page.get_by_label("Sort by").select_option("labelled_rate")
    visit.page.wait_for_url("**sort=labelled_rate*")
    visit.page.locator(f"{ROWS} >> nth=0").filter(has_text="dan").wait_for()
    visit.page.get_by_label("Order").select_option("asc")
    visit.page.locator(f"{ROWS} >> nth=3").filter(has_text="dan").wait_for()


def test_a_mark_is_counted(visits: Visits, service: str) -> None:
    visit = visits(service)
    visit.go("/sources")
    assert "On marks" not in visit.page.locator("#results").inner_text()
    api = visit.page.request
    api.put(f"{service}/api/v1/marks/342", data={"value": "never claimed"})
    try:
        visit.go("/sources?sort=labels")
        assert "On marks" in visit.page.locator("#results thead").inner_text()
        assert visit.page.locator(f"{ROWS} >> nth=0").inner_text().endswith("0 of 1")
    finally:
        assert api.delete(f"{service}/api/v1/marks/342").ok
