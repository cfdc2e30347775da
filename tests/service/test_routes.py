"""Every route answers in the shape that the schema promises, for every kind of run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel
from tests.service.running import RUNS, client_of

from veracity.service import schemas


def answer(client: TestClient, path: str, shape: type[BaseModel]) -> Any:
    """Return what a path answers, once it has the shape that it should have."""
    found = client.get(path)
    assert found.status_code == 200, found.text
    shape.model_validate(found.json())
    return found.json()


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_is_shown(runs: Callable[[str], Path], name: str) -> None:
    with client_of(runs(name)) as client:
        described = answer(client, "/api/v1/run", schemas.RunAnswer)
        assert all(text.endswith(".") for text in described["findings"].values())
        listed = answer(client, "/api/v1/items?limit=1000", schemas.ItemsAnswer)
        assert listed["total"] == described["counts"]["items"] == len(listed["items"]) > 0
        for row in listed["items"]:
            item = answer(client, f"/api/v1/items/{row['id']}", schemas.ItemAnswer)
            assert (item["entity"], item["attribute"]) == (row["entity"], row["attribute"])
            believed = [value["value"] for value in item["values"] if value["believed"]]
            assert set(believed) == {row["value"], *row["further_values"]} or not believed
            assert (item["evidence"] is None) == (item["why_no_evidence"] is not None)
        sources = answer(client, "/api/v1/sources", schemas.SourcesAnswer)
        assert sources["total"] == described["counts"]["sources"]
        for row in sources["sources"]:
            source = answer(client, f"/api/v1/sources/{row['id']}", schemas.SourceAnswer)
            assert source["total"] == row["n_claims"] == len(source["claims"])
        answer(client, "/api/v1/marks", schemas.MarksAnswer)


@pytest.mark.parametrize("name", ["csv", "gz", "jsonl"])
def test_the_format_of_the_tables_makes_no_difference(
    runs: Callable[[str], Path], name: str
) -> None:
    with client_of(runs("text")) as usual, client_of(runs(name)) as other:
        for path in ("/api/v1/items?limit=1000", "/api/v1/sources", "/api/v1/items/3"):
            assert other.get(path).json() == usual.get(path).json()


def test_the_description_names_no_path_of_the_machine(
    service: TestClient, example_run: Path
) -> None:
    text = service.get("/api/v1/run").text
    assert str(example_run.parent) not in text
    assert "claims.csv" in service.get("/api/v1/run").json()["inputs"]["claims"][0]
    assert "/src/" not in text


def test_an_item_has_all_that_is_said_about_it(service: TestClient) -> None:
    (row,) = service.get(
        "/api/v1/items", params={"q": "Café Postmark", "attribute": "category"}
    ).json()["items"]
    item = service.get(f"/api/v1/items/{row['id']}").json()
    assert len(item["claims"]) == row["n_sources"]
    assert sum(value["plausibility"] for value in item["values"]) + item[
        "none_of_these"
    ] == pytest.approx(1.0)
    by_source = {claim["source"]: claim for claim in item["claims"]}
    for evidence in item["evidence"]:
        total = evidence["before"] + sum(term["log_odds"] for term in evidence["terms"])
        total += sum(step["log_odds"] for step in evidence["adjustments"])
        assert total == pytest.approx(evidence["log_odds"], abs=1e-9)
        for term in evidence["terms"]:
            assert term["claim"] == by_source[term["source"]]["claim"]
    assert {"claim_age_days", "source_kind", "entity_reviews"} <= item["claims"][0][
        "features"
    ].keys()


def test_the_words_for_yes_and_no_are_those_of_the_claims(runs: Callable[[str], Path]) -> None:
    with client_of(runs("boolean")) as client:
        shown = {}
        for row in client.get("/api/v1/items").json()["items"]:
            item = client.get(f"/api/v1/items/{row['id']}").json()
            shown[row["entity"]] = item
            assert {value["value"] for value in item["values"]} == {"yes", "no"}
            assert sum(value["plausibility"] for value in item["values"]) == pytest.approx(1.0)
        says = {claim["source"]: claim["value"] for claim in shown["shop"]["claims"]}
        assert says == {"ann": "yes", "bob": "no", "cat": "yes"}
        assert [value["supporters"] for value in shown["pub"]["values"]] in ([0, 1], [1, 0])
        (evidence,) = shown["shop"]["evidence"]
        assert {term["source"]: term["says"] for term in evidence["terms"]} == says


def test_further_believed_values_are_listed(runs: Callable[[str], Path]) -> None:
    with client_of(runs("multiple")) as client:
        rows = {row["entity"]: row for row in client.get("/api/v1/items").json()["items"]}
        play = rows["play"]
        assert {play["value"], *play["further_values"]} == {"Nye", "Orr"}


def test_known_truth_says_so(runs: Callable[[str], Path]) -> None:
    with client_of(runs("known")) as client:
        rows = {row["entity"]: row for row in client.get("/api/v1/items").json()["items"]}
        assert {name for name, row in rows.items() if row["known"]} == {"e00", "e01"}
        unclaimed = client.get(f"/api/v1/items/{rows['e01']['id']}").json()
        assert unclaimed["evidence"] is None
        assert "was given" in unclaimed["why_no_evidence"]
        first = unclaimed["values"][0]
        assert (first["value"], first["plausibility"]) == ("never claimed", 1.0)
        assert (first["believed"], first["supporters"]) == (True, 0)
        assert unclaimed["none_of_these"] == 0.0
        judged = client.get(f"/api/v1/items/{rows['e02']['id']}").json()
        assert judged["evidence"]


def test_a_model_that_does_not_explain_says_so(runs: Callable[[str], Path]) -> None:
    with client_of(runs("vote")) as client:
        item = client.get("/api/v1/items/0").json()
        assert item["evidence"] is None
        assert "MajorityVote cannot explain its verdicts" in item["why_no_evidence"]
        assert not client.get("/api/v1/run").json()["model"]["explains"]


def test_a_source_stands_beside_what_is_believed(service: TestClient) -> None:
    source = service.get("/api/v1/sources/0?limit=1000").json()
    agreeing = [claim["agrees"] for claim in source["claims"]]
    assert sum(agreeing) / len(agreeing) == pytest.approx(source["agreement"])
    for other in source["similar"]:
        assert other["id"] != source["id"]
        assert other["n_shared"] >= 3


def test_health_and_metrics(service: TestClient) -> None:
    assert service.get("/healthz").json() == {"status": "ok"}
    assert service.get("/readyz").json() == {"status": "ready"}
    service.get("/api/v1/items/0")
    service.get("/api/v1/nothing")
    text = service.get("/metrics").text
    assert "veracity_ready 1" in text
    assert 'veracity_requests_total{method="GET",route="/api/v1/items/{item}",status="200"}' in text
    assert 'veracity_request_seconds_bucket{route="/api/v1/items/{item}",le="+Inf"}' in text
    assert 'status="404"' in text
    kinds = {line.split()[3] for line in text.splitlines() if line.startswith("# TYPE")}
    assert kinds == {"counter", "gauge", "histogram"}


def test_the_report_and_its_charts_are_served(service: TestClient) -> None:
    page = service.get("/report/file")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy
