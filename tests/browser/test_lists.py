"""Items and sources: search, filters, sorting, paging, permalinks and keys."""

from __future__ import annotations

import pytest
from tests.browser.conftest import PHONE, Visit, Visits

pytestmark = pytest.mark.browser

ROWS = "#results [data-row]"


def entities(visit: Visit) -> list[str]:
    """Return the entities of the rows on the page."""
    return visit.page.locator(f"{ROWS} a[data-open]").all_inner_texts()


def test_overview_says_what_the_run_found(visit: Visit) -> None:
    visit.go("/")
    heading = visit.page.locator("h1").inner_text()
    assert heading == "4,102 claims by 36 sources"
    found = visit.page.locator("dl.findings").inner_text()
    assert "36 sources make 4,102 claims about 1,063 items; 628 items are contested" in found
    assert "with 0.9 expected errors" in found
    badges = visit.page.locator("section:has(#decisions) tbody .badge").all_inner_texts()
    assert badges == ["accept", "review", "undecided"]


def test_typing_searches_and_the_address_keeps_it(visit: Visit) -> None:
    visit.go("/items")
    visit.page.get_by_label("Search").fill("anchor")
    visit.page.wait_for_url("**/items?q=anchor*")
    found = entities(visit)
    assert found
    assert all("Anchor" in name for name in found)
    visit.page.reload()
    assert entities(visit) == found
    assert visit.page.get_by_label("Search").input_value() == "anchor"


def test_filters_and_order_are_permalinks(visit: Visit) -> None:
    visit.go("/items?decision=undecided&attribute=opened&sort=plausibility&order=desc")
    rows = visit.page.locator(ROWS)
    assert set(rows.locator("td.wide .badge.undecided").all_inner_texts()) == {"undecided"}
    assert set(rows.locator("td.item small").all_inner_texts()) == {"opened"}
    shown = [float(text) for text in rows.locator(".figure").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    assert visit.page.get_by_label("Decision").input_value() == "undecided"
    visit.page.get_by_label("Decision").select_option("accept")
    visit.page.wait_for_url("**decision=accept*")
    visit.page.wait_for_selector(f"{ROWS} .badge.accept >> nth=0", state="attached")


def test_pages_follow_each_other(visit: Visit) -> None:
    visit.go("/items?sort=entity")
    first = entities(visit)
    visit.page.locator("a[rel=next]").first.click()
    visit.page.wait_for_url("**offset=50*")
    assert entities(visit) != first
    visit.page.go_back()
    visit.page.wait_for_url("**/items?sort=entity")
    visit.page.locator("#results a[data-open]").first.filter(has_text=first[0]).wait_for()


def test_keys_move_through_rows_and_pages(visit: Visit) -> None:
    visit.go("/items")
    keyboard = visit.page.keyboard
    keyboard.press("/")
    assert visit.page.evaluate("document.activeElement.name") == "q"
    keyboard.press("Escape")
    focused = "document.activeElement.innerText"
    names = entities(visit)
    keyboard.press("j")
    keyboard.press("ArrowDown")
    assert visit.page.evaluate(focused) == names[1]
    keyboard.press("k")
    assert visit.page.evaluate(focused) == names[0]
    keyboard.press("n")
    visit.page.wait_for_url("**offset=50*")
    keyboard.press("p")
    visit.page.wait_for_url("**/items")
    keyboard.press("?")
    assert visit.page.locator("#keys").is_visible()
    keyboard.press("Escape")
    assert not visit.page.locator("#keys").is_visible()
    keyboard.press("j")
    keyboard.press("Enter")
    visit.page.wait_for_url("**/items/*")
    keyboard.press("u")
    visit.page.wait_for_url("**/items")


def test_filters_are_folded_on_a_phone_until_they_are_used(visits: Visits, service: str) -> None:
    for scripts in (True, False):
        visit = visits(service, viewport=PHONE, java_script_enabled=scripts)
        visit.go("/items")
        decision = visit.page.get_by_label("Decision")
        assert not decision.is_visible()
        first = visit.page.locator(ROWS).first.bounding_box()
        assert first is not None
        assert first["y"] < PHONE["height"] / 2
        visit.page.get_by_text("Filters and order").click()
        assert decision.is_visible()
        visit.go("/items?q=bar&sort=contested")
        assert not decision.is_visible()
        visit.go("/items?decision=review")
        assert decision.is_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_filters_are_open_where_there_is_room(visits: Visits, service: str, scripts: bool) -> None:
    visit = visits(service, java_script_enabled=scripts)
    visit.go("/items")
    assert visit.page.get_by_label("Decision").is_visible()
    assert not visit.page.get_by_text("Filters and order").is_visible()


def test_nothing_found_is_said(visit: Visit) -> None:
    visit.go("/items?q=no+such+thing")
    assert "No item fits" in visit.page.locator("#results").inner_text()
    visit.go("/sources?q=no+such+thing")
    assert "No source fits" in visit.page.locator("#results").inner_text()


def test_a_service_that_is_gone_is_said(visit: Visit) -> None:
    visit.expected_errors = True
    visit.go("/items")
    before = entities(visit)
    visit.page.context.route("**/items?*", lambda route: route.abort())
    visit.page.get_by_label("Search").fill("anchor")
    visit.page.get_by_role("alert").filter(has_text="does not answer").wait_for()
    assert entities(visit) == before


def test_sources_are_sorted_with_their_intervals(visit: Visit) -> None:
    visit.go("/sources?sort=reliability&order=asc")
    shown = [
        float(text)
        for text in visit.page.locator(f"{ROWS} td:nth-child(3) .figure").all_inner_texts()
    ]
    assert len(shown) == 36
    assert shown == sorted(shown)
    assert visit.page.locator(f"{ROWS} .interval-range").count() == 36


def test_source_page_compares_it_with_what_is_believed(visit: Visit) -> None:
    visit.go("/sources?q=rumour")
    visit.page.locator("a[data-open]").first.click()
    visit.page.wait_for_url("**/sources/*")
    assert visit.page.locator("h1").inner_text() == "Rumour Mill"
    assert visit.page.locator(".agrees").count() > 0
    assert visit.page.locator(".disagrees").count() > 0
    assert visit.page.locator("aside tbody tr").count() > 0
    lead = visit.page.locator(".lead").inner_text()
    assert lead.startswith("149 claims, of which 48")
