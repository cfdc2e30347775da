"""The page of a jury: light, dark, on a phone, and with labels that try to be more than text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.test_looks import CONTRAST, EVERYTHING, OVERFLOW, serious_violations

from veracity import jury
from veracity.datasets.synthetic import JudgeSpec, draw_jury

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('figure.chart')].every((f) => f.querySelector('svg'))"
JUDGES = (
    JudgeSpec("good", 0.88, confidence=(0.0, 1.0), cost=3.0),
    JudgeSpec("<script>alert(1)</script>", 0.8, first=1.2, confidence=(1.5, 0.5), cost=1.0),
    JudgeSpec("twin", 0.75, family="t", shared=0.95, cost=1.0),
    JudgeSpec("other twin", 0.75, family="t", shared=0.95, cost=1.0),
    JudgeSpec("coin", 0.5, cost=2.0),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = draw_jury(JUDGES, 200, both_orders=True)
    found = jury(drawn.verdicts, truth=drawn.truth)
    return found.save(tmp_path_factory.mktemp("jury") / "out", report=False)


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, EVERYTHING),
        ({"color_scheme": "dark"}, CONTRAST),
        ({"viewport": PHONE}, EVERYTHING),
    ],
    ids=["light", "dark", "phone"],
)
def test_the_page_is_drawn_and_has_no_serious_violation(
    visits: Visits, folder: Path, options: dict[str, Any], rules: dict[str, Any]
) -> None:
    visit = visits("file:", offline=True, reduced_motion="reduce", **options)
    visit.page.goto((folder / "jury.html").resolve().as_uri())
    visit.page.wait_for_function(DRAWN)
    assert visit.page.locator("figure.chart svg").count() >= 5
    assert visit.page.locator(".chart-error").count() == 0
    assert visit.page.locator("h1").inner_text() == "Jury of 5 judges"
    assert visit.page.evaluate(OVERFLOW) == 0
    assert serious_violations(visit, rules) == []
