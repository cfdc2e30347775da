"""Labels that try to be markup, scripts or formulas are shown as the text that they are."""

from __future__ import annotations

import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.hostile import LABELS

pytestmark = pytest.mark.browser

#: Elements that only a label could have made.
INJECTED = (
    "img[src=x], svg[onload], [onmouseover], [onerror], i, u, a[href^=javascript], a[href^=http]"
)
SCRIPTS = "[...document.scripts].filter(s => !s.src && s.type !== 'application/json').length"


def test_labels_are_shown_as_text(visits: Visits, hostile_service: str) -> None:
    visit = visits(hostile_service)
    visit.go("/items?sort=entity")
    shown = visit.page.locator("#results a[data-open]").all_text_contents()
    assert set(shown) == set(LABELS)
    items = visit.page.locator("#results a[data-open]").count()
    paths = ["/", "/items?sort=entity", "/sources", "/sources/0", "/try", "/review", "/report"]
    for path in [*paths, *(f"/items/{item}" for item in range(0, items, 3))]:
        visit.go(path)
        assert visit.page.locator(INJECTED).count() == 0, path
        assert visit.page.evaluate(SCRIPTS) == 0, path


def test_search_and_what_if_take_them_as_text(visits: Visits, hostile_service: str) -> None:
    visit = visits(hostile_service)
    visit.go("/items")
    visit.page.get_by_label("Search").fill(LABELS[2])
    visit.page.wait_for_url("**q=%3Cimg*")
    assert visit.page.locator("#results [data-row]").count() > 0
    assert visit.page.get_by_label("Search").input_value() == LABELS[2]
    visit.page.locator("a[data-open]").first.click()
    visit.page.wait_for_url("**/items/*")
    visit.page.locator("#addition").get_by_label("Source", exact=True).fill(LABELS[3])
    visit.page.locator("#addition").get_by_label("Says").fill(LABELS[1])
    visit.page.locator("#addition").get_by_role("button").click()
    visit.page.locator("tr.added").wait_for()
    assert LABELS[3] in visit.page.locator("tr.added").inner_text()
    visit.page.locator("#mark input[type=radio]").first.check()
    visit.page.get_by_role("button", name="Mark as true").click()
    visit.page.locator("[data-mark-state]").filter(has_text="Marked:").wait_for()
    visit.go("/review")
    assert visit.page.locator(INJECTED).count() == 0


def test_new_claims_with_them_are_judged_as_text(visits: Visits, hostile_service: str) -> None:
    visit = visits(hostile_service)
    visit.go("/try")
    visit.page.get_by_role("button", name="Fill in an example").click()
    visit.page.get_by_role("button", name="Judge these claims").click()
    visit.page.locator("#answer h2").first.wait_for()
    assert "<" in visit.page.locator("#answer").inner_text()
    assert visit.page.locator(INJECTED).count() == 0


def test_long_labels_fit_a_phone(visits: Visits, hostile_service: str) -> None:
    visit = visits(hostile_service, viewport=PHONE)
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for path in ("/", "/items?q=aaaa", "/items/9", "/sources", "/sources/0", "/review"):
        visit.go(path)
        assert visit.page.evaluate(overflow) == 0, path
