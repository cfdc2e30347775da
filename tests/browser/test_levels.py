"""The page of an ordered item: a chart of its levels, on a phone and in the dark, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.serving import running_service
from tests.browser.test_looks import OVERFLOW

from veracity import Attribute, discover
from veracity.datasets import incidents

pytestmark = pytest.mark.browser


def test_levels_are_drawn_everywhere(tmp_path: Path, visits: Visits) -> None:
    ordered = {"severity": Attribute(values="ordered")}
    folder = discover(incidents.claims(), attributes=ordered).save(tmp_path / "out", report=False)
    with running_service(folder) as address:
        for options in ({}, {"color_scheme": "dark"}, {"viewport": PHONE}):
            visit = visits(address, **options)
            visit.go("/items/27")
            drawn = visit.page.locator("figure[data-levels] .chart-view svg")
            drawn.wait_for()
            text = drawn.text_content() or ""
            assert [level for level in incidents.LEVELS if level not in text] == []
            assert visit.page.evaluate(OVERFLOW) <= 0
        visit.page.locator("input[name=off]").first.check()
        visit.page.locator(".changed").wait_for()
        drawn.wait_for()
