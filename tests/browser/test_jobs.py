"""What the jobs give, as pages: a golden run, and a crowd with spammers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.browser.conftest import PHONE, Visits
from tests.browser.serving import running_service
from tests.browser.test_looks import CONTRAST, EVERYTHING, OVERFLOW, serious_violations
from tests.jobs.crowds import two_classes
from tests.jobs.records import customers

from veracity import Attribute, discover, golden

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

LOOKS = pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, EVERYTHING),
        ({"color_scheme": "dark"}, CONTRAST),
        ({"viewport": PHONE}, EVERYTHING),
    ],
    ids=["light", "dark", "phone"],
)


@pytest.fixture(scope="module")
def golden_service(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """Serve golden records of customers; give the address and the folder."""
    folder = tmp_path_factory.mktemp("golden")
    # As text, names in another format clash.
    names: dict[str, Any] = {"name": Attribute(values="text"), "*": "single"}
    made = golden(
        customers(0).write(folder), key="cluster_id", source="source_dataset", attributes=names
    )
    made.save(folder / "out")
    with running_service(folder / "out") as address:
        yield address, folder / "out"


@pytest.fixture(scope="module")
def crowd_service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a crowd with spammers."""
    rows = pa.Table.from_pylist([dict(row) for row in two_classes(0).rows])
    folder = discover(rows).save(tmp_path_factory.mktemp("crowd") / "out", report=False)
    with running_service(folder) as address:
        yield address


@LOOKS
def test_pages_of_a_golden_run(
    visits: Visits,
    golden_service: tuple[str, Path],
    options: dict[str, Any],
    rules: dict[str, Any],
) -> None:
    address, folder = golden_service
    visit = visits(address, reduced_motion="reduce", **options)
    for path, shown in (
        ("/", "'legacy' writes 'name' in another format"),
        ("/items", "of 1,000"),
        ("/items/0", "What is believed"),
        ("/sources", "By attribute"),
        ("/review", "Review"),
    ):
        visit.go(path)
        assert shown in visit.page.locator("main").inner_text(), path
        assert visit.page.evaluate(OVERFLOW) == 0, path
        assert serious_violations(visit, rules) == [], path
    visit = visits("file://", reduced_motion="reduce", **options)
    visit.go(str(folder / "report.html"))
    assert visit.page.evaluate(OVERFLOW) == 0
    assert serious_violations(visit, rules) == []


def test_few_sources_are_listed_once(visits: Visits, golden_service: tuple[str, Path]) -> None:
    visit = visits(golden_service[0])
    visit.go("/")
    assert visit.page.get_by_role("link", name="newsletter", exact=True).count() == 1
    visit.go("/sources")
    assert visit.page.get_by_text("Next →").count() == 0


@LOOKS
def test_page_of_a_spammer(
    visits: Visits, crowd_service: str, options: dict[str, Any], rules: dict[str, Any]
) -> None:
    visit = visits(crowd_service, reduced_motion="reduce", **options)
    visit.go("/sources?q=constant+0")
    visit.page.get_by_role("link", name="constant 0", exact=True).click()
    visit.page.get_by_role("heading", name="How it answers constant").wait_for()
    said = visit.page.locator("main").inner_text()
    assert "It gives nearly always the same answer" in said
    assert "What it claims, for each believed value" in said
    assert visit.page.evaluate(OVERFLOW) == 0
    assert serious_violations(visit, rules) == []


@LOOKS
def test_claims_combined_with_those_of_a_golden_run(
    visits: Visits,
    golden_service: tuple[str, Path],
    options: dict[str, Any],
    rules: dict[str, Any],
) -> None:
    visit = visits(golden_service[0], reduced_motion="reduce", **options)
    visit.go("/try")
    visit.page.get_by_role("button", name="Fill in an example").click()
    visit.page.get_by_role("button", name="Judge these claims").click()
    visit.page.locator("#answer h2").first.wait_for()
    assert "that the run has about 3 of 3 items" in visit.page.locator("#answer").inner_text()
    assert visit.page.evaluate(OVERFLOW) == 0
    assert serious_violations(visit, rules) == []
