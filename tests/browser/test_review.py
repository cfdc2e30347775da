"""Review: marks are set, counted, exported, taken away, and kept over a restart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.browser.conftest import Visit, Visits
from tests.browser.serving import running_service

pytestmark = pytest.mark.browser


def mark_next(visit: Visit, place: int = 0) -> tuple[str, str]:
    """Mark a value of the next item to repair; return its address and the value."""
    visit.go("/review/next")
    choice = visit.page.locator("#mark input[name=choice]").nth(place)
    value = str(choice.get_attribute("value"))
    choice.check()
    visit.page.get_by_role("button", name="Mark as true").click()
    visit.page.locator("[data-mark-state]").filter(has_text="Marked:").wait_for()
    return visit.page.url.removeprefix(visit.address), value


def test_marks_are_kept_over_a_restart(visits: Visits, run_folder: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run_folder, tmp_path / "run", ignore=lambda *_: ["marks.sqlite"]))
    with running_service(folder) as address:
        visit = visits(address)
        path, value = mark_next(visit)
        other, _ = mark_next(visit)
        assert other != path
    with running_service(folder) as address:
        visit = visits(address)
        visit.go(path)
        assert visit.page.locator("[data-mark-state]").inner_text() == f"Marked: {value}"
        assert visit.page.locator("#mark input:checked").get_attribute("value") == value
        visit.go("/review")
        assert visit.page.locator("[data-marked]").inner_text() == "2"
        assert "of 2" in visit.page.locator("#evaluation").inner_text()
        exported = visit.page.request.get(f"{address}/api/v1/marks?format=csv").text()
        assert exported.splitlines()[0] == "entity,attribute,value"
        assert len(exported.splitlines()) == 3
        assert "--known-truth marks.csv" in str(visit.page.locator("pre").text_content())


def test_a_mark_with_another_value_is_taken_away_again(visit: Visit) -> None:
    visit.go("/review/next")
    path = visit.page.url
    visit.page.get_by_placeholder("another value").fill("something else")
    visit.page.get_by_role("button", name="Mark as true").click()
    visit.page.locator("[data-mark-state]").filter(has_text="something else").wait_for()
    visit.go("/items?marked=true")
    assert visit.page.locator("#results [data-row]").count() == 1
    visit.go("/review")
    visit.page.locator("[data-forget]").click()
    visit.page.get_by_text("No item is marked yet.", exact=True).wait_for()
    visit.page.goto(path)
    assert visit.page.locator("[data-mark-state]").inner_text() == "Not marked yet."


def test_several_values_can_be_marked_where_several_are_true(visit: Visit) -> None:
    visit.go("/items?attribute=payment&contested=true")
    visit.page.locator("a[data-open]").first.click()
    visit.page.wait_for_url("**/items/*")
    boxes = visit.page.locator("#mark input[type=checkbox]")
    assert visit.page.locator("#mark input[type=radio]").count() == 0
    wanted = [str(boxes.nth(place).get_attribute("value")) for place in range(2)]
    for place in range(2):
        boxes.nth(place).check()
    visit.page.get_by_placeholder("another value").fill("shells")
    visit.page.get_by_role("button", name="Mark as true").click()
    visit.page.locator("[data-mark-state]").filter(has_text="shells").wait_for()
    visit.page.reload()
    ticked = visit.page.locator("#mark input:checked").all()
    assert {box.get_attribute("value") for box in ticked} == {*wanted, "shells"}
    path = visit.page.url
    visit.go("/review")
    shown = visit.page.locator("section:has(#marks-title) td.value").inner_text()
    assert shown == ", ".join(sorted([*wanted, "shells"]))
    visit.page.goto(path)
    visit.page.get_by_role("button", name="Remove the mark").click()
    visit.page.get_by_text("Not marked.").wait_for()
    assert visit.page.locator("#mark input:checked").count() == 0


def test_next_leads_to_another_item(visit: Visit) -> None:
    visit.go("/review/next")
    first = visit.page.url
    visit.page.locator("[data-next]").click()
    visit.page.wait_for_url(lambda url: url != first)
    assert "/items/" in visit.page.url
