"""The audit over HTTP: drawn, marked in order, skipped, taken back, and what it carries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.service.running import client_of, store_at
from tests.workflow.audited import colours

from veracity import discover
from veracity.evaluation.guarantee import MODEST, Guarantee, Limit
from veracity.workflow import open_run
from veracity.workflow.audits import Audit
from veracity.workflow.marks import MarkBook

PAGE = {"Accept": "text/html"}
CLAIMS, TRUTH = colours(200)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a run with 200 items."""
    return discover(CLAIMS, model="vote").save(tmp_path / "run", report=False)


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    """Serve a run with 200 items."""
    with client_of(folder) as client:
        yield client


def draw(client: TestClient, size: int) -> Any:
    """Draw so many, and return how far the audit is."""
    found = client.post("/api/v1/audit", json={"size": size})
    assert found.status_code == 200, found.text
    return found.json()


def mark_next(client: TestClient, count: int) -> Any:
    """Mark the next items of the audit by the truth; return how far it is."""
    for _ in range(count):
        after = client.get("/api/v1/audit").json()["next"]
        value = {"value": TRUTH[after["entity"]]}
        assert client.put(f"/api/v1/marks/{after['item']}", json=value).status_code == 200
    return client.get("/api/v1/audit").json()


def test_items_come_in_the_order_of_the_draw(client: TestClient, folder: Path) -> None:
    nothing = client.get("/api/v1/audit").json()
    assert (nothing["seed"], nothing["next"], nothing["limits"]) == (None, None, [])
    assert draw(client, 30)["next"]["number"] == 1
    assert mark_next(client, 5)["next"]["number"] == 6
    assert [*MarkBook(folder).draw().numbers.values()] == list(range(1, 31))
    more = draw(client, 40)
    assert (more["n_drawn"], more["next"]["number"]) == (40, 6)
    assert draw(client, 10)["n_drawn"] == 40  # what is drawn stays


def test_what_is_said_is_what_the_command_says(client: TestClient, folder: Path) -> None:
    draw(client, 100)
    found = mark_next(client, 62)
    audit = Audit(open_run(folder))
    state, modest = audit.state(), audit.guarantee(MODEST)
    assert (found["n_wrong"], found["n_counted"]) == (state.n_wrong, 62)
    assert found["limits"][0]["n_accepted"] == modest.n_listed > 0
    start = f"62 of 100; {state.n_wrong} wrong so far; {modest.n_listed} verdicts can be accepted"
    assert found["sentence"].startswith(f"{start} at 10 % and 90 %")
    assert any("chosen before looking" in text for text in found["cautions"])


def test_undo_takes_back_the_last_mark_or_skip(client: TestClient) -> None:
    draw(client, 30)
    first = mark_next(client, 2)["next"]
    skipped = client.put(f"/api/v1/skips/{first['item']}").json()
    assert (skipped["n_skipped"], skipped["next"]["number"]) == (1, 4)
    assert "1 wrong so far" in skipped["sentence"]
    assert any("counts as wrong" in text for text in skipped["cautions"])
    undone = client.post("/api/v1/audit/undo").json()
    assert (undone["n_skipped"], undone["n_marked"], undone["next"]) == (0, 2, first)
    for _ in range(2):
        undone = client.post("/api/v1/audit/undo").json()
    assert (undone["n_marked"], undone["next"]["number"]) == (0, 1)
    refused = client.post("/api/v1/audit/undo")
    assert refused.status_code == 404


def test_undo_leaves_repairs_alone(client: TestClient, folder: Path) -> None:
    draw(client, 10)
    mark_next(client, 1)
    numbers = MarkBook(folder).draw().numbers
    repairs = client.get("/api/v1/items?limit=1000").json()["items"]
    other = next(row for row in repairs if (row["entity"], row["attribute"]) not in numbers)
    client.put(f"/api/v1/marks/{other['id']}", json={"value": "red"})
    undone = client.post("/api/v1/audit/undo").json()
    assert undone["n_marked"] == 0
    assert client.get(f"/api/v1/items/{other['id']}").json()["mark"] == ["red"]


def test_marks_made_elsewhere_are_seen(client: TestClient, folder: Path) -> None:
    draw(client, 10)
    audit = Audit(open_run(folder))
    for one in audit.open_items()[:3]:
        audit.book.put(one.entity, one.attribute, [TRUTH[one.entity]])
    found = client.get("/api/v1/audit").json()
    assert (found["n_marked"], found["next"]["number"]) == (3, 4)
    assert client.get("/api/v1/marks").json()["total"] == 3


def test_the_page_does_not_lead_the_auditor(client: TestClient) -> None:
    draw(client, 10)
    page = client.get("/review", headers=PAGE).text
    part = page[page.index('id="audit"') : page.index('id="growth"')]
    assert "checked" not in part
    for word in ("believed", "plausib", "reliab", "vote"):
        assert word not in part.lower().replace("what the model believes of them", "")
    values = re.findall(r'data-value="(\w+)"', part)
    assert values == sorted(values)
    assert part.count("data-key") == len(values) + 3  # and other, skip and undo


def test_the_chart_needs_twenty_audits(client: TestClient) -> None:
    draw(client, 60)
    mark_next(client, 19)
    assert client.get("/review/chart").status_code == 404
    assert "data-chart" not in client.get("/review", headers=PAGE).text
    mark_next(client, 41)
    assert "data-chart" in client.get("/review", headers=PAGE).text
    chart = client.get("/review/chart").json()
    rows = chart["data"]["values"]
    assert {row["limit"] for row in rows} == {"10 % and 90 %", "5 % and 95 %"}
    assert [row["audits"] for row in rows[:10]] == list(range(6, 61, 6))
    found = client.get("/api/v1/audit").json()
    assert [rows[9]["accepted"], rows[19]["accepted"]] == [
        limit["n_accepted"] for limit in found["limits"]
    ]
    assert chart["usermeta"]["title"].startswith("After 60 audits")


def test_figures_are_worked_out_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_at(folder)
    store.draw_audit(30)
    calls, usual = [], Audit.guarantee

    def counted(audit: Audit, limit: Limit) -> Guarantee:
        calls.append(limit)
        return usual(audit, limit)

    monkeypatch.setattr(Audit, "guarantee", counted)
    store.audit()
    store.audit()
    assert not calls  # known since the draw
    store.set_mark(store.audit()["next"]["item"], ["red"])
    store.audit()
    store.audit()
    assert len(calls) == 2  # one for each limit


@pytest.mark.parametrize("body", [{"size": 0}, {"size": "many"}, {"other": 1}])
def test_a_draw_that_makes_no_sense(client: TestClient, body: dict[str, Any]) -> None:
    assert client.post("/api/v1/audit", json=body).status_code == 422
    assert client.get("/api/v1/audit").json()["n_drawn"] == 0


def test_other_sites_change_nothing(client: TestClient) -> None:
    foreign = {"Origin": "http://evil.example"}
    assert client.post("/api/v1/audit", json={}, headers=foreign).status_code == 403
    assert client.put("/api/v1/skips/0", headers=foreign).status_code == 403
    assert client.post("/api/v1/audit/undo", headers=foreign).status_code == 403
    assert client.post("/api/v1/refit", headers=foreign).status_code == 403
    assert client.delete("/api/v1/refit", headers=foreign).status_code == 403


def test_marks_that_cannot_be_kept(folder: Path) -> None:
    (folder / "marks.sqlite").mkdir()
    with client_of(folder) as client:
        assert client.get("/api/v1/audit").json()["writable"] is False
        assert client.post("/api/v1/audit", json={}).status_code == 503
        assert client.get("/review", headers=PAGE).status_code == 200
