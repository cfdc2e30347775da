"""Numbers in the explorer and the API: interval, weights, and the chart of claims."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from tests.service.running import client_of
from tests.thermometers import thermometers, with_colours

from veracity import discover


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("numbers") / "run"
    claims, _ = thermometers()
    discover(with_colours(claims)).save(folder, report=False)
    with client_of(folder) as client:
        yield client


def first_of(client: TestClient, attribute: str) -> int:
    rows = client.get("/api/v1/items", params={"attribute": attribute, "limit": 1}).json()["items"]
    return int(rows[0]["id"])


def test_an_item_has_its_number_and_the_share_of_each_claim(numbers: TestClient) -> None:
    item = numbers.get(f"/api/v1/items/{first_of(numbers, 'warm')}").json()
    number = item["number"]
    assert number["low"] < number["value"] < number["high"]
    assert number["interval"] == "spread of the sources"
    assert item["none_of_these"] is None
    weights = item["weights"]
    assert sum(weight["share"] for weight in weights) == pytest.approx(1.0)
    assert weights[0]["source"] == "airport"
    claims = {claim["claim"]: claim for claim in item["claims"]}
    assert all(claims[one["claim"]]["source"] == one["source"] for one in weights)
    assert all(float(claims[one["claim"]]["value"]) == one["value"] for one in weights)


def test_other_items_have_neither(numbers: TestClient) -> None:
    place = first_of(numbers, "sky")
    item = numbers.get(f"/api/v1/items/{place}").json()
    assert item["number"] is None
    assert item["weights"] is None
    assert numbers.get(f"/items/{place}/numbers").status_code == 404
    assert "data-numbers" not in numbers.get(f"/items/{place}").text


def test_the_page_shows_claims_around_the_number(numbers: TestClient) -> None:
    place = first_of(numbers, "warm")
    page = numbers.get(f"/items/{place}").text
    assert f'data-src="/items/{place}/numbers"' in page
    assert "spread of the sources" in page
    assert 'data-weight="airport"' in page
    chart = numbers.get(f"/items/{place}/numbers").json()
    assert len(chart["data"]["values"]) == 8


def test_leaving_a_claim_out_moves_the_number(numbers: TestClient) -> None:
    place = first_of(numbers, "warm")
    item = numbers.get(f"/api/v1/items/{place}").json()
    best = item["weights"][0]["claim"]
    changed = numbers.post(f"/api/v1/items/{place}/what-if", json={"off": [best]}).json()
    assert best not in [weight["claim"] for weight in changed["weights"]]
    assert changed["number"]["value"] != item["number"]["value"]
    chart = numbers.get(f"/items/{place}/numbers?off={best}").json()
    assert len(chart["data"]["values"]) == 7


def test_a_word_added_among_numbers_does_no_harm(numbers: TestClient) -> None:
    place = first_of(numbers, "warm")
    asked = {"add": [{"source": "somebody", "value": "out of order"}]}
    changed = numbers.post(f"/api/v1/items/{place}/what-if", json=asked)
    assert changed.status_code == 200, changed.text
    assert changed.json()["number"] is not None
