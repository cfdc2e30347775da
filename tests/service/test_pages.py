"""The pages without a browser: what they answer, and what they never contain."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.report.html import parse
from tests.service.running import client_of

from veracity.service.errors import not_ready
from veracity.service.pages import error_page
from veracity.service.pages.rows import bar, bill_details, choices, claim_rows, value_rows
from veracity.service.pages.templates import fill

PATHS = (
    "/",
    "/items",
    "/items/0",
    "/sources",
    "/sources/0",
    "/try",
    "/review",
    "/review/repairs",
    "/api",
    "/login",
)
PAGE = {"accept": "text/html"}


@pytest.mark.parametrize("path", PATHS)
def test_pages_bring_no_script_style_or_link_of_their_own(service: TestClient, path: str) -> None:
    answer = service.get(path, headers=PAGE)
    assert answer.status_code == 200
    for element in parse(answer.text).everything():
        assert not [name for name in element.attributes if name.startswith("on")]
        assert "style" not in element.attributes
        assert "://" not in element.attributes.get("href", element.attributes.get("src", ""))
        assert element.tag != "style"
        assert element.tag != "script" or element.attributes.get("src", "").startswith("/static/")


def test_empty_fields_of_a_form_ask_for_everything(service: TestClient) -> None:
    empty = "q=&attribute=&decision=&contested=&marked=&max_plausibility=&min_change=&order="
    assert service.get(f"/items?{empty}").text == service.get("/items").text


@pytest.mark.parametrize(
    "path",
    ["/items?decision=maybe", "/items?offset=-1", "/items/0?off=x", "/items/0?add=%7B", "/items/x"],
)
def test_what_makes_no_sense_is_refused_with_a_page(service: TestClient, path: str) -> None:
    answer = service.get(path, headers=PAGE)
    assert answer.status_code == 422
    assert "This cannot be asked for" in answer.text


def test_programs_get_errors_of_pages_as_json(service: TestClient) -> None:
    answer = service.get("/items?decision=maybe", headers={"accept": "application/json"})
    assert answer.json()["error"]["code"] == "invalid_request"


def test_page_that_waits_for_the_run_looks_again() -> None:
    waiting = error_page(not_ready("The run is being loaded."))
    assert '<meta http-equiv="refresh"' in waiting
    assert "The run is being loaded." in waiting


@pytest.mark.parametrize("name", ["text", "vote", "boolean", "multiple", "number", "known"])
def test_pages_show_runs_of_other_models(runs: Callable[[str], Path], name: str) -> None:
    with client_of(runs(name)) as client:
        for path in PATHS:
            assert client.get(path, headers=PAGE).status_code == 200
        assert client.get("/report", headers=PAGE).status_code == 404


def test_a_bill_of_the_page_is_that_of_the_api(service: TestClient) -> None:
    answer = service.get("/api/v1/items/0").json()
    page = service.get("/items/0").text
    for evidence in answer["evidence"]:
        assert f"{evidence['plausibility']:.4f}" in page
        for term in evidence["terms"]:
            assert f"{term['log_odds']:+.3f}".replace("-", "\N{MINUS SIGN}") in page


def test_chart_of_evidence_that_is_not_there(service: TestClient) -> None:
    assert service.get("/items/0/evidence/0").status_code == 200
    assert service.get("/items/0/evidence/99").status_code == 404


def test_items_to_repair_come_one_after_the_other(own_service: TestClient) -> None:
    n_items = own_service.get("/api/v1/run").json()["counts"]["items"]
    seen, address = [], "/review/next"
    for _ in range(n_items):
        found = own_service.get(address, follow_redirects=False).headers["location"]
        seen.append(int(re.sub(r"\D", "", found)))
        address = f"/review/next?after={seen[-1]}"
    assert sorted(seen) == list(range(n_items))
    for item in seen:
        own_service.put(f"/api/v1/marks/{item}", json={"value": "x"})
    done = own_service.get("/review/next", follow_redirects=False)
    assert done.headers["location"] == "/review/repairs"


def test_metrics_count_pages_by_their_routes(service: TestClient) -> None:
    service.get("/items/0", headers=PAGE)
    counted = 'veracity_requests_total{method="GET",route="/items/{item}",status="200"}'
    assert counted in service.get("/metrics").text


def test_pieces_of_pages_escape_what_they_show() -> None:
    harmful = "<b>'\"&"
    safe = "&lt;b&gt;&#39;&#34;&amp;"
    said = {"claim": 3, "source_id": None, "source": harmful, "value": harmful, "asserts": False}
    rates = {"tpr": None, "fpr": 0.5, "reliability": None}
    claim = {**said, **rates, "features": {harmful: harmful}}
    term = {"source": harmful, "says": harmful, "claims": False, "weight": 0.5, "log_odds": -1.0}
    step = {"reason": harmful, "log_odds": 0.25}
    bill = {"before": 0.0, "terms": [term], "adjustments": [step], "log_odds": -0.75}
    bill |= {"value": harmful, "plausibility": 0.3, "chart": harmful}
    value = {"value": harmful, "plausibility": 0.3, "believed": True, "supporters": 1, "deniers": 0}
    item = {"values": [value], "mark": None, "known": False}
    for shown, count in (
        (claim_rows([claim], {3}), 5),
        (bill_details([bill]), 6),
        (value_rows(item, False, harmful), 3),
        (choices([value], "radio", [], None), 2),
        (bar(0.5, 0.2, harmful), 1),
    ):
        assert harmful not in shown
        assert shown.count(safe) == count
    assert "data-sum>\N{MINUS SIGN}0.750</td>" in bill_details([bill])


def test_texts_are_put_into_a_page_as_they_are() -> None:
    odd = "100% %(id)s \0id\0 {{ id }}"
    texts = dict.fromkeys(("title", "message"), odd)
    flags = {"place": "", "has_report": False}
    filled = fill("login.html", texts, flags, {"section": None})
    assert filled.decode().count(odd) == 3
    assert filled == fill("login.html", texts, flags, {"section": "shown by the template"})
