"""The page of an item whose values lie within one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.serving import running_service

from veracity import Attribute, discover
from veracity.datasets import synthetic

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def places(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a run on places, without a report."""
    folder = tmp_path_factory.mktemp("places")
    synthetic.example_places(folder)
    said = {"born_in": Attribute(hierarchy=str(folder / "places.csv"))}
    discover(folder / "born.csv", attributes=said).save(folder / "run")
    with running_service(folder / "run") as address:
        yield address


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}, {"color_scheme": "dark"}])
def test_values_stand_below_those_they_lie_within(
    places: str, visits: Visits, options: dict[str, object]
) -> None:
    visit = visits(places, **options)
    visit.go("/items?q=person+4&limit=1")
    visit.page.locator("main a[href^='/items/']", has_text="person 4").first.click()
    lines = visit.page.locator("[data-tree] li")
    assert lines.first.get_attribute("data-place") == "Switzerland"
    assert lines.nth(1).get_attribute("data-place") == "Bern"
    assert lines.nth(1).get_attribute("class") == "indent-1"
    assert "believed" in lines.nth(1).inner_text()
    wide = visit.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not wide
