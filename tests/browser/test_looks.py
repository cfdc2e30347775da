"""Every page: for keyboards and screen readers, on a phone, in the dark, without JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import PHONE, Visit, Visits
from tests.browser.serving import running_service

pytestmark = pytest.mark.browser

PATHS = (
    "/",
    "/items",
    "/items?q=no+such+thing",
    "/items/342",
    "/items/342?off=1062",
    "/items/700",
    "/sources",
    "/sources/3",
    "/sources/35",
    "/try",
    "/review",
    "/review/repairs",
    "/api",
    "/report",
    "/login",
    "/no-such-page",
)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


#: What other colours can spoil.
CONTRAST = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
EVERYTHING = {"resultTypes": ["violations"]}


def serious_violations(visit: Visit, rules: dict[str, Any] = EVERYTHING) -> list[str]:
    """Return what axe-core finds to be serious or worse, with the places."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[dict[str, Any]] = Axe().run(visit.page, options=rules).response["violations"]
    return [
        f"{violation['id']}: {[node['html'][:200] for node in violation['nodes']]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


def charts_drawn(visit: Visit) -> None:
    """Wait for the charts of a page that has some."""
    if "/items/" in visit.page.url:
        visit.page.locator("details[open] .chart-view svg").wait_for()


def judge_example(visit: Visit) -> None:
    visit.go("/try")
    visit.page.get_by_role("button", name="Fill in an example").click()
    visit.page.get_by_role("button", name="Judge these claims").click()
    visit.page.locator("#answer h2").first.wait_for()


def test_no_page_has_a_serious_violation(visits: Visits, service: str) -> None:
    visit = visits(service, reduced_motion="reduce")
    visit.expected_errors = True
    found = {}
    for path in PATHS:
        visit.go(path)
        charts_drawn(visit)
        found[path] = serious_violations(visit)
    judge_example(visit)
    found["/try, judged"] = serious_violations(visit)
    assert {path: trouble for path, trouble in found.items() if trouble} == {}


def test_pages_can_be_read_in_the_dark(visits: Visits, service: str) -> None:
    visit = visits(service, color_scheme="dark", reduced_motion="reduce")
    found = {}
    for path in (
        "/",
        "/items?q=anchor",
        "/items/342?off=1062",
        "/sources/3",
        "/sources/35",
        "/review",
        "/review/repairs",
    ):
        visit.go(path)
        charts_drawn(visit)
        found[path] = serious_violations(visit, CONTRAST)
    judge_example(visit)
    found["/try, judged"] = serious_violations(visit, CONTRAST)
    assert {path: trouble for path, trouble in found.items() if trouble} == {}


@pytest.mark.parametrize(
    ("colours", "rules"), [("light", EVERYTHING), ("dark", CONTRAST)], ids=["light", "dark"]
)
def test_report_has_no_serious_violation(
    visits: Visits, run_folder: Path, colours: str, rules: dict[str, Any]
) -> None:
    visit = visits("file://", color_scheme=colours, reduced_motion="reduce")
    visit.go(str(run_folder / "report.html"))
    visit.page.locator("figure.chart svg").first.wait_for()
    assert serious_violations(visit, rules) == []


def test_no_page_is_wider_than_a_phone(visits: Visits, service: str) -> None:
    visit = visits(service, viewport=PHONE)
    visit.expected_errors = True
    for path in PATHS:
        visit.go(path)
        charts_drawn(visit)
        assert visit.page.evaluate(OVERFLOW) == 0, f"{path} has to be scrolled sideways"


def test_pages_can_be_read_without_javascript(visits: Visits, service: str) -> None:
    visit = visits(service, java_script_enabled=False)
    visit.go("/items")
    visit.page.get_by_label("Search").fill("anchor")
    visit.page.get_by_role("button", name="Search").click()
    assert "Anchor" in visit.page.locator("#results a[data-open]").first.inner_text()
    visit.go("/items/342")
    assert visit.page.locator("[data-total]").count() == 4
    visit.page.locator("input[name=off]").first.check()
    visit.page.get_by_role("button", name="Show what would be believed").click()
    assert visit.page.locator(".changed").is_visible()
    for path in ("/", "/sources", "/sources/3", "/review", "/api"):
        visit.go(path)
        assert visit.page.locator("main").inner_text()
    visit.go("/try")
    assert "needs JavaScript" in visit.page.locator("main").inner_text()


def test_chosen_colours_are_kept(visit: Visit) -> None:
    visit.go("/")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = visit.page.evaluate(paper)
    visit.page.get_by_role("button", name="Use dark colours").click()
    assert visit.page.evaluate(paper) != light
    visit.go("/sources")
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
    visit.page.get_by_role("button", name="Use light colours").click()
    assert visit.page.evaluate(paper) == light


def test_the_report_takes_the_chosen_colours(visit: Visit) -> None:
    visit.go("/report")
    report = visit.page.frame_locator("iframe.report")
    report.locator("figure.chart svg").first.wait_for()
    assert not report.locator("#theme").is_visible()
    visit.page.get_by_role("button", name="Use dark colours").click()
    report.locator("html[data-theme=dark]").wait_for()
    visit.page.reload()
    report.locator("html[data-theme=dark]").wait_for()
    visit.page.get_by_role("button", name="Use light colours").click()
    report.locator("html[data-theme=light]").wait_for()


def test_a_wrong_address_leads_on(visit: Visit) -> None:
    visit.expected_errors = True
    visit.go("/items/99999999")
    assert "There is no item" in visit.page.locator("main").inner_text()
    visit.page.get_by_role("link", name="To the overview").click()
    visit.page.wait_for_url(f"{visit.address}/")


def test_token_is_asked_for_and_remembered(visits: Visits, run_folder: Path) -> None:
    with running_service(run_folder, "--token", "open sesame") as address:
        visit = visits(address)
        visit.expected_errors = True
        visit.go("/items")
        visit.page.get_by_label("Token").fill("open sesame")
        visit.page.get_by_role("button", name="Go in").click()
        visit.page.locator("h1").filter(has_text="4,102 claims").wait_for()
        visit.go("/items")
        assert visit.page.locator("#results [data-row]").count() == 50
