"""The heat map of sources by attribute, and the page of a source in another format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.serving import running_service
from tests.browser.test_looks import CONTRAST, EVERYTHING, OVERFLOW, serious_violations
from tests.formats import PLANTED, planted_rows

from veracity import discover

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

#: Many attributes make a wide table.
KINDS = ("month first", "prefix", "magnitude", "last name first", "lower case", "suffix")


@pytest.fixture(scope="module")
def clashing_run(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run in which a source writes every attribute in another format."""
    rows = [
        (source, entity, kind, value)
        for kind in KINDS
        for source, entity, _, value in planted_rows(PLANTED[kind], n_items=40)
    ]
    names = ("source", "entity", "attribute", "value")
    claims = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    return discover(claims, model="vote").save(tmp_path_factory.mktemp("clashing") / "run")


@pytest.fixture(scope="module")
def clashing_service(clashing_run: Path) -> Iterator[str]:
    """Serve it."""
    with running_service(clashing_run) as address:
        yield address


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_heat_map_and_formats_have_no_serious_violation(
    visits: Visits, clashing_service: str, colours: str
) -> None:
    visit = visits(clashing_service, color_scheme=colours, reduced_motion="reduce")
    rules = EVERYTHING if colours == "light" else CONTRAST
    visit.go("/sources")
    assert visit.page.locator(".heat .badge").count() == len(KINDS)
    assert serious_violations(visit, rules) == []
    visit.page.locator(".heat a", has_text="odd").click()
    visit.page.get_by_role("heading", name="Another format than the others").wait_for()
    assert serious_violations(visit, rules) == []


def test_heat_map_scrolls_in_its_own_frame_on_a_phone(
    visits: Visits, clashing_service: str
) -> None:
    visit = visits(clashing_service, viewport=PHONE)
    for path in ("/sources", "/sources/0"):
        visit.go(path)
        assert visit.page.evaluate(OVERFLOW) == 0, path


def test_report_draws_the_heat_map(visits: Visits, clashing_run: Path) -> None:
    visit = visits("file://", reduced_motion="reduce")
    visit.go(str(clashing_run / "report.html"))
    figure = visit.page.locator("#figure-by-attribute")
    figure.scroll_into_view_if_needed()
    figure.locator("svg").first.wait_for()
    assert "Other formats in 6 places" in figure.inner_text()
    assert serious_violations(visit) == []
