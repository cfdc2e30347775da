"""The short way to items answers what the framework would."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.service.running import RUNS, client_of

from veracity.errors import InputError
from veracity.service.shortcut import Shortcut
from veracity.service.state import ServiceState

#: A query that nothing depends on leads around the short way.
LONG_WAY = "?nothing=1"
WHERE = ("/items", "/api/v1/items")


def assert_same(client: TestClient, path: str, **headers: str) -> None:
    """Ask the short way and the long way."""
    short, long = (client.get(path + query, headers=headers) for query in ("", LONG_WAY))
    assert short.status_code == long.status_code
    assert short.headers == long.headers
    assert short.content == long.content


@pytest.mark.parametrize("name", RUNS)
def test_both_ways_answer_the_same(runs: Callable[[str], Path], name: str) -> None:
    with client_of(runs(name)) as client:
        n_items = client.get("/api/v1/items").json()["total"]
        for item in range(n_items):
            for where in WHERE:
                assert_same(client, f"{where}/{item}")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
@pytest.mark.parametrize("number", ["999999999", "9999999999999", "-1", "007", "x", "0/", "0x"])
def test_both_ways_refuse_the_same(service: TestClient, number: str, accept: str) -> None:
    for where in WHERE:
        assert_same(service, f"{where}/{number}", accept=accept)


def test_both_ways_are_one_route_in_the_metrics(runs: Callable[[str], Path]) -> None:
    with client_of(runs("text")) as client:
        for where in WHERE:
            for query in ("", LONG_WAY):
                client.get(f"{where}/0{query}")
        text = client.get("/metrics").text
    for where in WHERE:
        assert f'{{method="GET",route="{where}/{{item}}",status="200"}} 2' in text


@pytest.mark.parametrize("where", WHERE)
def test_the_short_way_does_not_ask_the_app(service: TestClient, where: str) -> None:
    state: ServiceState = service.app.state.service  # type: ignore[attr-defined]
    asked, sent = list[str](), list[Any]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["method"])

    async def send(message: Any) -> None:
        sent.append(message["type"])

    for method in ("GET", "HEAD", "DELETE"):
        scope = {"type": "http", "method": method, "path": f"{where}/0", "query_string": b""}
        answered = Shortcut(app, state)(scope, None, send)  # type: ignore[arg-type]
        with ThreadPoolExecutor(1) as elsewhere:  # a browser's events may run in this thread
            elsewhere.submit(asyncio.run, answered).result()
    assert sent == ["http.response.start", "http.response.body"]
    assert asked == ["HEAD", "DELETE"]


@pytest.mark.parametrize("where", WHERE)
def test_what_fails_is_answered_by_the_app(
    service: TestClient, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def broken(*_: object) -> None:
        raise InputError("it cannot be told")

    monkeypatch.setattr("veracity.service.details.ItemDetails.answer", broken)
    assert_same(service, f"{where}/0", accept="application/json")
    assert service.get(f"{where}/0", headers={"accept": "application/json"}).status_code == 422
