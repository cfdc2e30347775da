"""New claims: an example, a file, a table filled in by hand, downloads and errors."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

CLAIMS = """source,entity,attribute,value
Old Town Almanac,Cinder Hall,category,theatre
Rumour Mill,Cinder Hall,category,museum
a brand-new one,Cinder Hall,category,theatre
"""


def judge(visit: Visit) -> None:
    visit.page.get_by_role("button", name="Judge these claims").click()
    visit.page.locator("#answer h2").first.wait_for()


def section(visit: Visit, title: str) -> str:
    return visit.page.locator("#answer section").filter(has_text=title).first.inner_text()


def test_example_has_an_unseen_source_and_is_judged(visit: Visit) -> None:
    visit.go("/try")
    visit.page.get_by_role("button", name="Fill in an example").click()
    judge(visit)
    assert "A new source\tnew" in section(visit, "The sources")
    assert visit.page.locator("#answer details.evidence[open] .bill").count() > 0


def test_claims_are_combined_with_those_of_the_run_or_judged_alone(visit: Visit) -> None:
    visit.go("/try")
    visit.page.get_by_role("button", name="Fill in an example").click()
    judge(visit)
    assert "that the run has about 3 of 3 items" in visit.page.locator("#answer").inner_text()
    visit.page.get_by_label("Judge these claims alone").check()
    visit.page.get_by_role("button", name="Judge these claims").click()
    visit.page.locator("#answer:not(:has-text('run has')) h2").first.wait_for()
    assert "A new source\tnew" in section(visit, "The sources")


def test_claims_from_a_file_are_judged_and_downloaded(visit: Visit, tmp_path: Path) -> None:
    given = tmp_path / "claims.csv"
    given.write_text(CLAIMS, encoding="utf-8")
    visit.go("/try")
    visit.page.get_by_label("or a file").set_input_files(given)
    visit.page.wait_for_function("document.getElementById('csv').value.includes('Cinder Hall')")
    judge(visit)
    assert "Cinder Hall\tcategory\ttheatre" in section(visit, "What to believe")
    with visit.page.expect_download() as waiting:
        visit.page.get_by_role("button", name="Download as CSV").first.click()
    assert waiting.value.suggested_filename == "truths.csv"
    with open(waiting.value.path(), encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["entity"], row["value"]) == ("Cinder Hall", "theatre")
    shown = visit.page.locator("#answer section").first.locator(".figure").inner_text()
    assert f"{float(row['plausibility']):.3f}" == shown


def test_claims_filled_in_by_hand_are_judged(visit: Visit) -> None:
    visit.go("/try")
    visit.page.get_by_role("tab", name="Fill in by hand").click()
    rows = visit.page.locator(".sheet tbody tr")
    for place, line in enumerate(CLAIMS.splitlines()[1:]):
        for column, cell in zip(
            ("source", "entity", "attribute", "value"), line.split(","), strict=True
        ):
            rows.nth(place).get_by_label(column, exact=True).fill(cell)
    judge(visit)
    assert "Cinder Hall\tcategory\ttheatre" in section(visit, "What to believe")


def test_what_is_wrong_is_said_beside_the_input(visit: Visit) -> None:
    visit.expected_errors = True
    visit.go("/try")
    visit.page.get_by_role("button", name="Judge these claims").click()
    alert = visit.page.get_by_role("alert")
    assert "There is no claim yet" in alert.inner_text()
    visit.page.get_by_label("Claims as CSV").fill("who,what\na,b\n")
    visit.page.get_by_role("button", name="Judge these claims").click()
    alert.filter(has_text="column").wait_for()
    assert visit.page.locator("#answer section").count() == 0
