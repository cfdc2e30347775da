"""The page of an item: its values, its evidence, and "what if"."""

from __future__ import annotations

import math

import pytest
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

#: The most contested item of the example: four values, five sources.
ITEM = "Sesame Gate Bakehouse"


def open_item(visit: Visit, name: str = ITEM) -> int:
    """Open an item by searching for it; return its number."""
    visit.go(f"/items?q={name.replace(' ', '+')}&contested=true")
    visit.page.locator("a[data-open]").first.click()
    visit.page.wait_for_url("**/items/*")
    return int(visit.page.url.rpartition("/")[2])


def plausibilities(visit: Visit) -> dict[str, str]:
    """Return the plausibility of each value, as shown."""
    rows = visit.page.locator("#values tr[data-value]").all()
    return {
        str(row.get_attribute("data-value")): row.locator("[data-plausibility]").inner_text()
        for row in rows
    }


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def test_values_and_claims_are_those_of_the_api(visit: Visit) -> None:
    item = open_item(visit)
    answer = visit.page.request.get(f"{visit.address}/api/v1/items/{item}").json()
    shown = plausibilities(visit)
    assert shown == {row["value"]: f"{row['plausibility']:.4f}" for row in answer["values"]}
    links = visit.page.locator(".claims tbody a").all_inner_texts()
    assert links == [claim["source"] for claim in answer["claims"]]
    features = visit.page.locator(".claims .features").first.inner_text()
    assert all(name in features for name in answer["claims"][0]["features"])


@pytest.mark.parametrize("attribute", ["category", "closing_time", "payment", "wheelchair_access"])
def test_each_bill_adds_up_to_the_plausibility_shown(visit: Visit, attribute: str) -> None:
    visit.go(f"/items?attribute={attribute}&contested=true&sort=sources")
    visit.page.locator("a[data-open]").first.click()
    visit.page.wait_for_url("**/items/*")
    shown = plausibilities(visit)
    bills = visit.page.locator("details[data-evidence]").all()
    assert bills
    for bill in bills:
        terms = [number(text) for text in bill.locator("[data-term]").all_text_contents()]
        total = sum(terms)
        # Each term is rounded to three digits.
        assert total == pytest.approx(
            number(str(bill.locator("[data-sum]").text_content())), abs=5e-4 * len(terms) + 1e-9
        )
        plausibility = 1.0 / (1.0 + math.exp(-total))
        value = str(bill.get_attribute("data-evidence"))
        assert plausibility == pytest.approx(float(shown[value]), abs=2e-4 * len(terms))
        assert bill.locator("[data-total]").text_content() == shown[value]


def test_waterfall_is_drawn_and_ends_at_the_plausibility(visit: Visit) -> None:
    item = open_item(visit)
    visit.page.locator("details[open] .chart-view svg").wait_for()
    chart = visit.page.request.get(f"{visit.address}/items/{item}/evidence/0").json()
    bars = chart["data"]["values"]
    total = bars[-1]
    assert sum(bar["log_odds"] for bar in bars[:-1]) == pytest.approx(total["log_odds"], abs=1e-3)
    best = max(map(float, plausibilities(visit).values()))
    assert 1.0 / (1.0 + math.exp(-total["log_odds"])) == pytest.approx(best, abs=1e-3)
    drawn = visit.page.locator("details[open] .chart-view svg").text_content()
    assert f"{total['log_odds']:+.2f}" in str(drawn)
    visit.page.locator("details[data-evidence] > summary").nth(1).click()
    visit.page.locator("details[data-evidence] >> nth=1 >> .chart-view svg").wait_for()


def test_leaving_a_claim_out_moves_the_plausibilities_and_back(visit: Visit) -> None:
    item = open_item(visit)
    before = plausibilities(visit)
    box = visit.page.locator("input[name=off]").first
    claim = int(str(box.get_attribute("value")))
    box.check()
    visit.page.locator(".changed").wait_for()
    after = plausibilities(visit)
    asked = visit.page.request.post(
        f"{visit.address}/api/v1/items/{item}/what-if", data={"off": [claim], "add": []}
    ).json()
    assert after == {row["value"]: f"{row['plausibility']:.4f}" for row in asked["values"]}
    assert after != before
    old = visit.page.locator("[data-before]").all_inner_texts()
    assert sorted(old) == sorted(before.values())
    assert visit.page.url.endswith(f"/items/{item}?off={claim}")
    visit.page.reload()
    assert plausibilities(visit) == after
    assert visit.page.locator("input[name=off]").first.is_checked()
    visit.page.locator("[data-reset]").click()
    visit.page.locator(".changed").wait_for(state="detached")
    assert plausibilities(visit) == before
    assert not visit.page.locator("input[name=off]").first.is_checked()


def test_a_claim_of_an_unseen_source_can_be_added_and_dropped(visit: Visit) -> None:
    open_item(visit)
    before = plausibilities(visit)
    value = list(before)[-1]
    addition = visit.page.locator("#addition")
    addition.get_by_label("Source", exact=True).fill("never heard of")
    addition.get_by_label("Says").fill(value)
    addition.get_by_role("button").click()
    visit.page.locator("tr.added").wait_for()
    after = plausibilities(visit)
    assert float(after[value]) > float(before[value])
    assert "add=" in visit.page.url
    assert addition.get_by_label("Says").input_value() == ""
    visit.page.locator("input[name=drop]").check()
    visit.page.locator("tr.added").wait_for(state="detached")
    assert plausibilities(visit) == before


def test_a_claim_that_lacks_its_value_is_refused_beside_the_form(visit: Visit) -> None:
    visit.expected_errors = True
    open_item(visit)
    before = plausibilities(visit)
    visit.page.locator("#addition").get_by_label("Source", exact=True).fill("somebody")
    visit.page.locator("#addition").get_by_role("button").click()
    visit.page.get_by_role("alert").filter(has_text="value").wait_for()
    assert plausibilities(visit) == before
