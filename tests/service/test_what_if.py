"""What if: unchanged claims give the verdict of the run, changed ones another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.service.running import client_of, store_at
from tests.worlds import CLOSED, OPEN, world

from veracity import GRBM, Attribute, Claims, discover
from veracity.service import schemas
from veracity.service.store import RunStore


def ask(client: TestClient, item: int, **change: Any) -> Any:
    """Return the item after a change, once it has the shape that it should have."""
    found = client.post(f"/api/v1/items/{item}/what-if", json=change)
    assert found.status_code == 200, found.text
    schemas.WhatIfAnswer.model_validate(found.json())
    return found.json()


def distance_to_the_run(store: RunStore, item: int) -> float:
    """Return how far an item without a change is from the run's verdict, and check the evidence."""
    answer = store.what_if(item, schemas.WhatIfRequest())
    assert answer["notes"] == []
    run = store.item(item)
    assert [row["value"] for row in answer["values"]] == [row["value"] for row in run["values"]]
    assert [claim["claim"] for claim in answer["claims"]] == [
        claim["claim"] for claim in run["claims"]
    ]
    moved = [abs(row["plausibility"] - row["plausibility_before"]) for row in answer["values"]]
    return float(max(moved))


@pytest.mark.parametrize("name", ["text", "rbm", "boolean", "multiple"])
def test_no_change_no_difference(runs: Callable[[str], Path], name: str) -> None:
    store = store_at(runs(name))
    assert max(distance_to_the_run(store, item) for item in range(len(store.index))) < 1e-9


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["confusion", "lures"])
def test_no_change_no_difference_with_families(attribute: Attribute, tmp_path: Path) -> None:
    drawn = world([0.55] * 19, 200, n_values=3, share=0.8, attribute=attribute)
    kin = [f"k{int(name[1:]) % 7}" for name in drawn.columns["source"]]
    columns = {**drawn.columns, "source_kin": kin}
    claims = Claims.from_frame(columns, attributes={"*": attribute})
    run = discover(claims, model=GRBM(features="never", family="source_kin"))
    store = store_at(run.save(tmp_path / "run", report=False))
    assert max(distance_to_the_run(store, item) for item in range(0, 200, 20)) < 1e-9


def test_no_change_no_difference_with_features_and_statistics(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 240
    columns: dict[str, Any] = {
        "source": [f"s{i}" for i in rng.integers(0, 12, n)],
        "entity": [f"e{i}" for i in rng.integers(0, 40, n)],
        "attribute": ["a"] * n,
        "value": [f"v{i}" for i in rng.integers(0, 3, n)],
        "time": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
        "claim_x": rng.normal(size=n).tolist(),
        "source_kind": [f"k{i % 3}" for i in range(n)],
    }
    run = discover(columns, model=GRBM(features="always"), attributes={"a": OPEN})
    used = {choice.name for choice in run.model.feature_choices_ if choice.used}
    assert {"claim_x", "source_kind", "order in item", "age in item"} <= used
    store = store_at(run.save(tmp_path / "run", report=False))
    items = range(len(store.index))
    assert max(distance_to_the_run(store, item) for item in items) < 1e-9


def test_a_claim_switched_off_no_longer_counts(service: TestClient) -> None:
    rows = service.get("/api/v1/items", params={"attribute": "category"}).json()["items"]
    item = service.get(f"/api/v1/items/{rows[0]['id']}").json()
    first = item["claims"][0]
    changed = ask(service, item["id"], off=[first["claim"]])
    assert first["claim"] not in [claim["claim"] for claim in changed["claims"]]
    assert len(changed["claims"]) == len(item["claims"]) - 1
    before = {row["value"]: row["plausibility"] for row in item["values"]}
    for row in changed["values"]:
        assert row["plausibility_before"] == pytest.approx(before[row["value"]], abs=1e-12)
        if row["value"] == first["value"]:
            assert row["plausibility"] < row["plausibility_before"]
    assert service.get(f"/api/v1/items/{item['id']}").json() == item  # nothing is kept


def test_claims_are_added_of_sources_old_and_new(service: TestClient) -> None:
    rows = service.get("/api/v1/items", params={"attribute": "category"}).json()["items"]
    item = service.get(f"/api/v1/items/{rows[0]['id']}").json()
    new = {"source": "nobody knows me", "value": "a new value"}
    changed = ask(service, item["id"], add=[new])
    (added,) = [claim for claim in changed["claims"] if claim["claim"] is None]
    assert (added["source"], added["source_id"]) == (new["source"], None)
    assert added["features"]["entity_reviews"] == item["claims"][0]["features"]["entity_reviews"]
    (value,) = [row for row in changed["values"] if row["value"] == new["value"]]
    assert value["plausibility_before"] is None
    assert 0 < value["plausibility"] < 1
    speaks = {claim["source"] for claim in item["claims"]}
    known = service.get("/api/v1/sources", params={"limit": 1000}).json()["sources"]
    other = next(row for row in known if row["source"] not in speaks)
    changed = ask(service, item["id"], add=[{"source": other["source"], "value": "bar"}])
    (added,) = [claim for claim in changed["claims"] if claim["claim"] is None]
    assert added["source_id"] == other["id"]
    assert added["features"]["source_kind"] is not None


def test_features_of_an_added_claim_can_be_given(service: TestClient) -> None:
    claim = {"source": "me", "value": "bar", "features": {"claim_age_days": 3, "source_kind": "x"}}
    changed = ask(service, 0, add=[claim])
    (added,) = [claim for claim in changed["claims"] if claim["claim"] is None]
    assert added["features"]["claim_age_days"] == 3.0
    assert added["features"]["source_kind"] == "x"


def test_who_says_something_else_no_longer_says_what_it_said(service: TestClient) -> None:
    item = service.get("/api/v1/items/0").json()
    source = item["claims"][0]["source"]
    changed = ask(service, 0, add=[{"source": source, "value": "a new value"}])
    said = [claim["value"] for claim in changed["claims"] if claim["source"] == source]
    assert said == ["a new value"]
    assert any("replaces its earlier one" in note for note in changed["notes"])


def test_where_several_values_are_true_a_source_may_name_one_more(
    runs: Callable[[str], Path],
) -> None:
    with client_of(runs("multiple")) as client:
        changed = ask(client, 0, add=[{"source": "ann", "value": "Ash"}])
        said = {claim["value"] for claim in changed["claims"] if claim["source"] == "ann"}
        assert said == {"Kim", "Lee", "Ash"}


def test_a_denial_speaks_against_a_value(service: TestClient) -> None:
    item = service.get("/api/v1/items/0").json()
    value = item["values"][0]["value"]
    changed = ask(service, 0, add=[{"source": "me", "value": value, "asserts": False}])
    (row,) = [row for row in changed["values"] if row["value"] == value]
    assert row["plausibility"] < row["plausibility_before"]
    (added,) = [claim for claim in changed["claims"] if claim["claim"] is None]
    assert not added["asserts"]


@pytest.mark.parametrize("name", ["vote", "number", "dawid-skene"])
def test_models_that_do_not_explain_judge_all_the_same(
    runs: Callable[[str], Path], name: str
) -> None:
    with client_of(runs(name)) as client:
        (row,) = client.get("/api/v1/items?contested=true&limit=1").json()["items"]
        item = client.get(f"/api/v1/items/{row['id']}").json()
        changed = ask(client, row["id"], off=[item["claims"][0]["claim"]])
        assert changed["evidence"] is None
        assert changed["why_no_evidence"]
        after = {row["value"]: row["plausibility"] for row in changed["values"]}
        assert after != {row["value"]: row["plausibility"] for row in item["values"]}


def test_a_model_that_looks_at_all_items_says_so(runs: Callable[[str], Path]) -> None:
    with client_of(runs("vote")) as client:
        found = [ask(client, item) for item in range(12)]
        for answer in found:
            for row in answer["values"]:
                assert row["plausibility"] == pytest.approx(row["plausibility_before"], abs=1e-9)
        assert any("alone differently" in note for answer in found for note in answer["notes"])


def test_given_truth_is_set_aside(runs: Callable[[str], Path]) -> None:
    store = store_at(runs("known"))
    item = int(np.flatnonzero(store.index.results.known)[0])
    answer = store.what_if(item, schemas.WhatIfRequest())
    assert "judged by claims alone" in answer["notes"][0]
    assert answer["evidence"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"off": [999_999]}, "is not one of item 0"),
        ({"add": [{"source": "", "value": "x"}]}, "at least 1 character"),
        ({"add": [{"source": "me", "value": "x", "features": {"claim_no": 1}}]}, "claim_no"),
        (
            {"add": [{"source": "me", "value": "x", "features": {"claim_age_days": "x"}}]},
            "claim_age_days",
        ),
        ({"remove": [1]}, "Extra inputs"),
    ],
)
def test_changes_that_make_no_sense(
    service: TestClient, change: dict[str, Any], message: str
) -> None:
    found = service.post("/api/v1/items/0/what-if", json=change)
    assert found.status_code == 422
    assert message in found.json()["error"]["message"]


def test_something_must_be_said(service: TestClient) -> None:
    claims = [claim["claim"] for claim in service.get("/api/v1/items/0").json()["claims"]]
    found = service.post("/api/v1/items/0/what-if", json={"off": claims})
    assert found.status_code == 422
    assert found.json()["error"]["code"] == "no_claims"


def test_a_third_value_of_a_boolean_is_refused(runs: Callable[[str], Path]) -> None:
    with client_of(runs("boolean")) as client:
        change = {"add": [{"source": "me", "value": "perhaps"}]}
        rows = client.get("/api/v1/items").json()["items"]
        (shop,) = [row["id"] for row in rows if row["entity"] == "shop"]
        found = client.post(f"/api/v1/items/{shop}/what-if", json=change)
        assert found.status_code == 422
        assert "boolean" in found.json()["error"]["message"]
