"""Items are found, filtered, sorted and paged as asked, and nothing in a text is a pattern."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.service.running import FORMULA, SCRIPT


def items(client: TestClient, **asked: Any) -> list[dict[str, Any]]:
    """Return all items of a query."""
    found = client.get("/api/v1/items", params={"limit": 1000, **asked})
    assert found.status_code == 200, found.text
    rows: list[dict[str, Any]] = found.json()["items"]
    return rows


FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({"attribute": "category"}, lambda row: row["attribute"] == "category"),
    ({"attribute": "none such"}, lambda row: False),
    ({"decision": "undecided"}, lambda row: row["decision"] == "undecided"),
    ({"contested": True}, lambda row: row["n_values"] > 1),
    ({"contested": False}, lambda row: row["n_values"] == 1),
    ({"marked": True}, lambda row: False),
    ({"max_plausibility": 0.5}, lambda row: row["plausibility"] <= 0.5),
    ({"min_change": 0.3}, lambda row: abs(row["change"]) >= 0.3),
    (
        {"contested": True, "decision": "review", "attribute": "opened"},
        lambda row: (
            row["n_values"] > 1 and row["decision"] == "review" and row["attribute"] == "opened"
        ),
    ),
]


@pytest.mark.parametrize(("asked", "fits"), FILTERS, ids=[str(asked) for asked, _ in FILTERS])
def test_filters(service: TestClient, asked: dict[str, Any], fits: Any) -> None:
    everything = items(service) + items(service, offset=1000)
    expected = {row["id"] for row in everything if fits(row)}
    assert {row["id"] for row in items(service, **asked)} == expected


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("plausibility", lambda row: row["plausibility"]),
        ("change", lambda row: abs(row["change"])),
        ("sources", lambda row: row["n_sources"]),
        ("entity", lambda row: (row["entity"].encode(), row["attribute"].encode())),
        ("contested", lambda row: (row["n_values"] == 1, row["margin"])),
    ],
)
def test_sorts(service: TestClient, sort: str, key: Any) -> None:
    rising = [key(row) for row in items(service, sort=sort, order="asc")]
    assert rising == sorted(rising)
    falling = [key(row) for row in items(service, sort=sort, order="desc")]
    assert falling == sorted(falling, reverse=True)


def test_the_most_telling_comes_first_if_nothing_is_said(service: TestClient) -> None:
    assert items(service, sort="sources") == items(service, sort="sources", order="desc")
    assert items(service, sort="plausibility") == items(service, sort="plausibility", order="asc")


def test_pages_join_to_the_whole(service: TestClient) -> None:
    whole = items(service, sort="change")
    pages = [items(service, sort="change", limit=300, offset=offset) for offset in (0, 300, 600)]
    assert [row for page in pages for row in page] == whole[:900]
    beyond = service.get("/api/v1/items", params={"offset": 2_000_000_000}).json()
    assert beyond["items"] == []
    assert beyond["total"] > 1000


def words_of(client: TestClient) -> dict[int, list[str]]:
    """Return entity, attribute, and claimed and believed values of each item."""
    app: Any = client.app
    matrix, results = app.state.service.store.index.matrix, app.state.service.store.index.results
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    values, believed = matrix.values.to_pylist(), results.value.to_pylist()
    words = {
        item: [entities[matrix.entity_index[item]], attributes[matrix.attribute_index[item]]]
        for item in range(matrix.n_items)
    }
    for statement, item in enumerate(matrix.item_of_statement.tolist()):
        words[item] += [values[matrix.value_index[statement]], believed[item]]
    return words


@pytest.mark.parametrize("text", ["BAR", "bar", "Café", "CAFÉ", "categ", "Silver P", "no"])
def test_text_is_found_whatever_its_case(service: TestClient, text: str) -> None:
    found = {row["id"] for offset in (0, 1000) for row in items(service, q=text, offset=offset)}
    expected = {
        item
        for item, words in words_of(service).items()
        if any(text.lower() in word.lower() for word in words)
    }
    assert found == expected
    assert found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("%", 1),
        ("_", 1),
        ("_off_", 1),
        ("[a-z]*", 1),
        (".", 1),
        ("a.b", 1),
        ("'", 2),
        ("' OR 1=1 --", 0),
        ("\\", 0),
        ("(", 1),
        (FORMULA, 1),
        (SCRIPT, 1),
        ("àé", 1),
    ],
)
def test_nothing_in_a_text_is_a_pattern(naughty: TestClient, text: str, count: int) -> None:
    assert len(items(naughty, q=text)) == count


def test_change_is_measured_against_the_share_of_the_claims(service: TestClient) -> None:
    for row in items(service, attribute="category")[:50]:
        claims = service.get(f"/api/v1/items/{row['id']}").json()["claims"]
        share = np.mean([claim["value"] == row["value"] for claim in claims])
        assert row["change"] == pytest.approx(row["plausibility"] - share)
        values = [claim["value"] for claim in claims]
        assert values.count(row["vote_value"]) == max(map(values.count, values))
        assert row["vote_share"] == pytest.approx(values.count(row["vote_value"]) / len(values))
