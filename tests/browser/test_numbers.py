"""The page of a number and its report, as a browser shows them: light, dark and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.serving import running_service
from tests.browser.test_looks import OVERFLOW, serious_violations
from tests.thermometers import thermometers

from veracity import discover

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return discover(thermometers()[0]).save(tmp_path_factory.mktemp("numbers") / "run")


@pytest.fixture(scope="module")
def numbers(browser: Browser, folder: Path) -> Iterator[str]:
    with running_service(folder) as address:
        yield address


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}])
def test_the_page_of_a_number(visits: Visits, numbers: str, options: dict[str, Any]) -> None:
    visit = visits(numbers, reduced_motion="reduce", **options)
    visit.go("/items/0")
    chart = visit.page.locator("figure[data-numbers]")
    chart.locator("svg").wait_for()
    assert chart.locator("svg .mark-symbol path").count() == 8
    assert visit.page.evaluate(OVERFLOW) <= 0
    assert serious_violations(visit) == []
    before = visit.page.locator(".believed .value").inner_text()
    best = visit.page.locator("tr[data-weight]").first.get_attribute("data-weight")
    row = visit.page.locator("table.claims tr", has_text=best or "")
    row.locator("input[name=off]").check()
    visit.page.get_by_text("This is not the run").wait_for()
    visit.page.locator("figure[data-numbers] svg").wait_for()
    assert visit.page.locator("figure[data-numbers] svg .mark-symbol path").count() == 7
    assert visit.page.locator(".believed .value").inner_text() != before


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, {"viewport": PHONE}])
def test_the_section_of_the_report(visits: Visits, numbers: str, options: dict[str, Any]) -> None:
    visit = visits(numbers, reduced_motion="reduce", **options)
    visit.go("/report")
    frame = visit.page.frame_locator("iframe")
    section = frame.locator("section#numbers")
    section.scroll_into_view_if_needed()
    section.locator("svg").first.wait_for()
    assert "spread of the sources" in section.inner_text()
    assert "airport" in section.inner_text()
