"""The schema and the service agree, whatever is sent."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.service.running import HOST, client_of

from veracity.service.settings import LOOPBACK

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def schema(runs: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Serve a small run, and give its schema."""
    folder = shutil.copytree(runs("text"), tmp_path_factory.mktemp("schema") / "run")
    with client_of(folder, hosts=(*LOOPBACK, HOST)) as client:
        yield schemathesis.openapi.from_asgi("/api/openapi.json", client.app)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/run"),
        ("GET", "/api/v1/items"),
        ("GET", "/api/v1/items/{item}"),
        ("POST", "/api/v1/items/{item}/what-if"),
        ("GET", "/api/v1/sources"),
        ("GET", "/api/v1/sources/{source}"),
        ("POST", "/api/v1/score"),
        ("GET", "/api/v1/marks"),
        ("PUT", "/api/v1/marks/{item}"),
        ("DELETE", "/api/v1/marks/{item}"),
        ("PUT", "/api/v1/skips/{item}"),
        ("GET", "/api/v1/audit"),
        ("POST", "/api/v1/audit"),
        ("POST", "/api/v1/audit/undo"),
        ("GET", "/api/v1/refit"),
        ("DELETE", "/api/v1/refit"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
    ],
)
def test_whatever_is_sent(schema: Any, method: str, path: str) -> None:
    operation = schema[path][method]
    sent = 0

    @given(case=operation.as_strategy())
    @settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def send(case: Any) -> None:
        nonlocal sent
        sent += 1
        case.validate_response(case.call(), checks=CHECKS)

    send()
    assert sent


def test_the_schema_names_every_route_and_shape(schema: Any) -> None:
    raw = schema.raw_schema
    assert {
        "/api/v1/run",
        "/api/v1/items",
        "/api/v1/items/{item}",
        "/api/v1/items/{item}/what-if",
        "/api/v1/sources",
        "/api/v1/sources/{source}",
        "/api/v1/score",
        "/api/v1/marks",
        "/api/v1/marks/{item}",
        "/api/v1/skips/{item}",
        "/api/v1/audit",
        "/api/v1/audit/undo",
        "/api/v1/refit",
        "/healthz",
        "/readyz",
        "/metrics",
    } == set(raw["paths"])
    named = set(re.findall(r"#/components/schemas/(\w+)", str(raw)))
    assert named <= set(raw["components"]["schemas"])
    for path, methods in raw["paths"].items():
        for method, described in methods.items():
            assert described["description"], f"{method} {path}"
            errors = [status for status in described["responses"] if status >= "400"]
            for status in errors:
                content = described["responses"][status]["content"]["application/json"]
                assert content["schema"]["$ref"].endswith("/ErrorAnswer")
