"""The audit by keyboard, and the refit by its button, until the new run is shown."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser.conftest import PHONE, Visit, Visits
from tests.browser.serving import running_service
from tests.browser.test_looks import OVERFLOW, serious_violations

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser


@pytest.fixture
def fresh(visits: Visits, run_folder: Path, tmp_path: Path) -> Iterator[str]:
    """Serve a copy of the example without marks."""
    folder = shutil.copytree(run_folder, tmp_path / "run", ignore=lambda *_: ["marks.sqlite"])
    with running_service(folder) as address:
        yield address


def draw(visit: Visit, size: int) -> None:
    """Draw the audit from the page."""
    visit.go("/review")
    visit.page.get_by_label("Verdicts in all").fill(str(size))
    visit.page.get_by_role("button", name="Draw").click()
    number(visit, 1).wait_for()


def number(visit: Visit, place: int) -> Locator:
    """Find the number of the item that is shown, once it is that."""
    return visit.page.locator("#audited small").first.filter(has_text=f"{place}.")


def answer(visit: Visit, place: int) -> None:
    """Mark the first value of the item of a number, by keys."""
    number(visit, place).wait_for()
    visit.page.keyboard.press("1")
    if visit.page.locator("[data-audit] [name=choice]").count():
        visit.page.keyboard.press("Enter")


def sentence(visit: Visit) -> str:
    """Return what the page says about the progress."""
    return visit.page.locator("[data-sentence]").inner_text()


def test_an_audit_by_keyboard(visits: Visits, fresh: str) -> None:
    visit = visits(fresh)
    draw(visit, 4)
    assert visit.page.locator("#audit :checked").count() == 0
    assert sentence(visit).startswith("0 of 4; 0 wrong so far")
    shown = visit.page.locator("#audited").inner_text()
    answer(visit, 1)
    number(visit, 2).wait_for()
    visit.page.keyboard.press("s")
    number(visit, 3).wait_for()
    assert sentence(visit).startswith("2 of 4")
    visit.page.keyboard.press("z")  # the skip, then the mark
    number(visit, 2).wait_for()
    visit.page.keyboard.press("z")
    number(visit, 1).wait_for()
    assert visit.page.locator("#audited").inner_text() == shown
    visit.page.keyboard.press("0")
    visit.page.keyboard.type("something 11 else")  # its letters and digits are no keys
    visit.page.keyboard.press("Enter")
    for place in (2, 3, 4):
        answer(visit, place)
    visit.page.get_by_text("All 4 that are drawn are done").wait_for()
    marks = visit.page.request.get(f"{fresh}/api/v1/marks").json()["marks"]
    assert len(marks) == 4
    assert ["something 11 else"] in [mark["values"] for mark in marks]
    visit.page.get_by_label("Verdicts in all").fill("6")
    visit.page.get_by_role("button", name="Draw more").click()
    number(visit, 5).wait_for()
    visit.page.reload()
    number(visit, 5).wait_for()


def test_what_is_refused_is_said(visits: Visits, fresh: str) -> None:
    visit = visits(fresh)
    draw(visit, 2)
    visit.page.keyboard.press("0")
    visit.page.keyboard.press("Enter")
    visit.page.get_by_text("Choose a value, or write another.").wait_for()
    assert sentence(visit).startswith("0 of 2")


def test_a_refit_until_the_new_run_is_shown(visits: Visits, fresh: str) -> None:
    visit = visits(fresh)
    draw(visit, 22)
    start = visit.page.locator("[data-refit-start]")
    assert start.is_disabled()
    for place in range(1, 23):
        answer(visit, place)
    visit.page.locator("#growth svg").wait_for()
    before = visit.page.request.get(f"{fresh}/api/v1/run").json()["created"]
    start.click()
    visit.page.locator("[data-refit-cancel]").click()
    visit.page.get_by_text("The refit was cancelled. The run is as it was.").wait_for()
    start.click()
    visit.page.locator("[data-refit-state]").filter(has_text="Step").wait_for()
    visit.page.locator("[data-refit-state]").filter(has_text="Made again with 22 marks.").wait_for()
    after = visit.page.request.get(f"{fresh}/api/v1/run").json()
    assert after["created"] != before
    visit.page.get_by_text("All 22 that are drawn are done").wait_for()
    visit.go("/sources?sort=labels")
    assert "known truth" in visit.page.locator("main").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_audit_has_no_serious_violation(visits: Visits, fresh: str, scheme: str) -> None:
    visit = visits(fresh, color_scheme=scheme, reduced_motion="reduce")
    visit.go("/review")
    assert serious_violations(visit) == []
    draw(visit, 23)
    for place in range(1, 23):
        answer(visit, place)
    number(visit, 23).wait_for()
    visit.page.locator("#growth svg").wait_for()
    assert serious_violations(visit) == []
    visit.page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    assert visit.page.evaluate(OVERFLOW) == 0
    answer(visit, 23)
    visit.page.get_by_text("that are drawn are done").wait_for()
    assert serious_violations(visit) == []
