"""Scoring: new claims in, verdicts out, and limits that say what they are."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.service.running import FORMULA, RUNS, SCRIPT, client_of

from veracity import Claims, load
from veracity.models.grbm.fitted import FittedModel
from veracity.service import schemas
from veracity.service.scores import Scorer, table_of

SCORE = "/api/v1/score"
CLAIMS: list[dict[str, Any]] = [
    {"source": "Cityquilt", "entity": "Nowhere", "attribute": "category", "value": "bar"},
    {"source": "never seen", "entity": "Nowhere", "attribute": "category", "value": "museum"},
    {"source": "never seen", "entity": "Nowhere", "attribute": "wheelchair_access", "value": "no"},
    {"source": "Cityquilt", "entity": "Nowhere", "attribute": "floors", "value": 3},
]


def as_csv(claims: list[dict[str, Any]]) -> str:
    """Write claims as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(claims[0]))
    writer.writeheader()
    writer.writerows(claims)
    return text.getvalue()


RATES = [f"{rate}{end}" for rate in ("reliability", "tpr", "fpr") for end in ("", "_low", "_high")]


def test_known_sources_have_the_rates_of_the_run(service: TestClient) -> None:
    found = service.post(SCORE, json={"claims": CLAIMS}).json()["sources"]
    by_name = {row["source"]: row for row in found}
    (in_run,) = service.get("/api/v1/sources", params={"q": "Cityquilt"}).json()["sources"]
    known, unseen = by_name["Cityquilt"], by_name["never seen"]
    assert {rate: known[rate] for rate in RATES} == {rate: in_run[rate] for rate in RATES}
    assert known["n_claims"] == sum(claim["source"] == "Cityquilt" for claim in CLAIMS)
    assert 0 < unseen["reliability"] < 1
    assert unseen["reliability_low"] is None


def test_claims_as_json(service: TestClient, example_run: Path) -> None:
    found = service.post(SCORE, json={"claims": CLAIMS, "explain": True})
    assert found.status_code == 200
    schemas.ScoreAnswer.model_validate(found.json())
    answer = found.json()
    attributes = {row["attribute"] for row in answer["truths"]}
    assert attributes == {"category", "wheelchair_access", "floors"}
    assert {row["source"]: row["known"] for row in answer["sources"]} == {
        "Cityquilt": True,
        "never seen": False,
    }
    assert all(0 < row["reliability"] < 1 for row in answer["sources"])
    for item in answer["explanations"]:
        for evidence in item["evidence"]:
            total = evidence["before"] + sum(term["log_odds"] for term in evidence["terms"])
            total += sum(step["log_odds"] for step in evidence["adjustments"])
            assert total == pytest.approx(evidence["log_odds"], abs=1e-9)
    (access,) = [row for row in answer["truths"] if row["attribute"] == "wheelchair_access"]
    assert access["value"] in ("yes", "no")  # boolean, as in the run, though nobody says yes
    # The command line judges the claims of one attribute alike.
    own = [claim for claim in CLAIMS if claim["attribute"] == "category"]
    columns = {name: [claim[name] for claim in own] for name in own[0]}
    settings = {"category": "single"}
    expected = load(example_run).predict_plausibility(
        Claims.from_frame(columns, attributes=settings)  # type: ignore[arg-type]
    )
    by_value = {row["value"]: row["plausibility"] for row in expected.to_pylist()}
    for row in answer["statements"]:
        if row["attribute"] == "category":
            assert row["plausibility"] == pytest.approx(by_value[row["value"]], abs=1e-9)


def test_csv_in_is_as_good_as_json(service: TestClient) -> None:
    headers = {"Content-Type": "text/csv; charset=utf-8"}
    found = service.post(SCORE, content=as_csv(CLAIMS).encode(), headers=headers)
    usual = service.post(SCORE, json={"claims": CLAIMS})
    assert found.status_code == 200, found.text
    assert found.json()["truths"] == usual.json()["truths"]
    assert found.json()["explanations"] == []


def test_claims_about_an_item_of_the_run_are_combined_with_its_own(service: TestClient) -> None:
    item = service.get("/api/v1/items", params={"contested": True}).json()["items"][0]
    known = service.get(f"/api/v1/items/{item['id']}").json()["claims"]
    claim = {
        "source": "new",
        "value": "?",
        **{name: item[name] for name in ("entity", "attribute")},
    }
    together = service.post(SCORE, json={"claims": [claim]}).json()
    assert together["combined"] == len(known)
    assert "Judged with" in together["notes"][0]
    assert [row["source"] for row in together["sources"]] == ["new"]
    by_query = service.post(SCORE, params={"alone": True}, json={"claims": [claim]}).json()
    by_body = service.post(SCORE, json={"claims": [claim], "alone": True}).json()
    assert by_query == by_body
    assert by_query["combined"] == 0
    assert len(by_query["statements"]) < len(together["statements"])


@pytest.mark.parametrize("table", ["truths", "statements", "sources"])
def test_csv_out(service: TestClient, table: str) -> None:
    found = service.post(
        SCORE, params={"table": table}, json={"claims": CLAIMS}, headers={"Accept": "text/csv"}
    )
    assert found.headers["content-type"].startswith("text/csv")
    assert found.headers["content-disposition"] == f'attachment; filename="{table}.csv"'
    rows = list(csv.DictReader(io.StringIO(found.text)))
    expected = service.post(SCORE, json={"claims": CLAIMS}).json()[table]
    assert len(rows) == len(expected)
    assert rows[0].keys() == expected[0].keys()


def test_cells_that_a_spreadsheet_would_run_are_made_harmless(service: TestClient) -> None:
    claims = [
        {"source": "+1", "entity": FORMULA, "attribute": "category", "value": SCRIPT},
        {"source": "@x", "entity": FORMULA, "attribute": "category", "value": "-1-1"},
    ]
    for table, column in (("statements", "entity"), ("statements", "value"), ("sources", "source")):
        found = service.post(
            SCORE, params={"table": table}, json={"claims": claims}, headers={"Accept": "text/csv"}
        )
        cells = [row[column] for row in csv.DictReader(io.StringIO(found.text))]
        numbers = {"+1", "-1-1"}
        assert all(cell[0] not in "=+-@" or cell in numbers for cell in cells), cells


@pytest.mark.parametrize("name", RUNS)
def test_every_kind_of_run_scores(runs: Callable[[str], Path], name: str) -> None:
    columns = RUNS[name][0]
    count = len(columns["source"])
    features = [column for column in columns if column.startswith(("claim_", "source_", "entity_"))]
    claims = [
        {column: columns[column][row] for column in ("source", "attribute", "value", *features)}
        | {"entity": "new " + columns["entity"][row]}
        for row in range(count)
    ]
    with client_of(runs(name)) as client:
        found = client.post(SCORE, json={"claims": claims, "explain": True})
        assert found.status_code == 200, found.text
        schemas.ScoreAnswer.model_validate(found.json())
        assert {row["source"] for row in found.json()["sources"]} == set(columns["source"])


def test_the_attribute_may_be_left_out_where_there_is_one(runs: Callable[[str], Path]) -> None:
    claims = [
        {"source": "ann", "entity": "x", "value": "v0"},
        {"source": "bob", "entity": "x", "value": "v1"},
    ]
    with client_of(runs("vote")) as client:
        truths = client.post(SCORE, json={"claims": claims}).json()["truths"]
        assert [row["attribute"] for row in truths] == ["colour"]


def test_explanations_are_limited(example_run: Path) -> None:
    claims = [CLAIMS[0] | {"entity": f"e{place}"} for place in range(5)]
    with client_of(example_run, max_explained=2) as client:
        answer = client.post(SCORE, json={"claims": claims, "explain": True}).json()
        assert len(answer["explanations"]) == 2
        assert "The first 2 of 5 items are explained." in answer["notes"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"claims": []}, "at least 1 item"),
        ({"claims": [{}]}, "empty objects"),
        ({"claims": [{"source": "a", "entity": "x"}]}, "No value column was found"),
        ({"claims": [{"source": "a", "entity": "x", "value": None}]}, "claim"),
        ({"claims": [{"source": "a", "entity": "x", "value": [1]}]}, "claims.0.value"),
        ({"claims": "all"}, "valid array"),
        ({"rows": []}, "claims"),
        ({}, "claims"),
    ],
)
def test_claims_that_cannot_be_scored(
    service: TestClient, body: dict[str, Any], message: str
) -> None:
    found = service.post(SCORE, json=body)
    assert found.status_code == 422, found.text
    assert message in found.json()["error"]["message"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[1, 2]", b'{"claims": NaN}'])
def test_bodies_that_are_not_json(service: TestClient, content: bytes) -> None:
    found = service.post(SCORE, content=content, headers={"Content-Type": "application/json"})
    assert found.status_code == 422
    assert found.json()["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"a,b\n1,2\n", b"source,entity,value\na,b\n", b"\xff\xfe\x00\x01"]
)
def test_csv_that_cannot_be_read_names_no_path(service: TestClient, content: bytes) -> None:
    found = service.post(SCORE, content=content, headers={"Content-Type": "text/csv"})
    assert found.status_code == 422, found.text
    message = found.json()["error"]["message"]
    assert "/tmp" not in message
    assert "veracity-" not in message


def test_other_types_are_refused(service: TestClient) -> None:
    found = service.post(SCORE, content=b"x", headers={"Content-Type": "application/xml"})
    assert found.status_code == 415
    assert "application/xml" in found.json()["error"]["message"]


def test_too_many_claims(example_run: Path) -> None:
    with client_of(example_run, max_claims=3) as client:
        bodies: list[dict[str, Any]] = [
            {"json": {"claims": CLAIMS}},
            {"content": as_csv(CLAIMS), "headers": {"Content-Type": "text/csv"}},
        ]
        for body in bodies:
            found = client.post(SCORE, **body)
            assert found.status_code == 413
            assert found.json()["error"]["code"] == "too_many_claims"
            assert "at most 3" in found.json()["error"]["message"]


def test_scoring_that_takes_too_long_or_comes_too_often(
    example_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    usual = Scorer.of_records

    def slow(self: Scorer, *arguments: Any) -> Any:
        assert go_on.wait(60)
        return usual(self, *arguments)

    monkeypatch.setattr(Scorer, "of_records", slow)
    with client_of(example_run, score_seconds=0.05, score_slots=1) as client:
        late = client.post(SCORE, json={"claims": CLAIMS})
        assert late.status_code == 503
        assert late.json()["error"]["code"] == "too_slow"
        busy = client.post(SCORE, json={"claims": CLAIMS})  # the first one keeps its slot
        assert busy.status_code == 429
        assert busy.headers["retry-after"] == "1"
        go_on.set()
        app: Any = client.app
        deadline = time.monotonic() + 60
        while app.state.service.scoring and time.monotonic() < deadline:
            client.get("/healthz")
        assert app.state.service.scoring == 0


def test_the_model_is_applied_to_claims_once(
    service: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, calls = FittedModel.bind, []

    def counted(self: FittedModel, *arguments: Any) -> Any:
        calls.append(arguments)
        return usual(self, *arguments)

    monkeypatch.setattr(FittedModel, "bind", counted)
    found = service.post(SCORE, json={"claims": CLAIMS, "explain": True, "alone": True})
    assert found.status_code == 200
    assert found.json()["explanations"]
    assert len(calls) == 1


def test_cells_keep_their_types() -> None:
    records: list[dict[str, Any]] = [
        {"value": 1, "claim_x": 1, "claim_y": True, "claim_z": "a", "claim_w": 0.5},
        {"value": "b", "claim_x": 2, "claim_y": None, "claim_z": 3, "claim_w": 2},
    ]
    table = table_of(records)
    kinds = {field.name: str(field.type) for field in table.schema}
    assert kinds == {
        "value": "string",
        "claim_x": "int64",
        "claim_y": "bool",
        "claim_z": "string",
        "claim_w": "double",
    }
    assert table["value"].to_pylist() == ["1", "b"]
    huge = table_of([{"claim_x": 2**70}, {"claim_x": 1}])
    assert huge["claim_x"].to_pylist() == [str(2**70), "1"]


@pytest.mark.parametrize("n_columns", [1_001, 100_000])
def test_too_many_columns(service: TestClient, n_columns: int) -> None:
    names = ",".join(f"x{number}" for number in range(n_columns))
    content = f"source,entity,attribute,value,{names}\n".encode()
    found = service.post(SCORE, content=content, headers={"Content-Type": "text/csv"})
    assert found.status_code == 413
    assert found.json()["error"]["code"] == "too_many_columns"
