"""Sources in another format, in the API and on the pages."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from tests.formats import PLANTED, planted_rows
from tests.service.running import client_of

from veracity import discover


@pytest.fixture(scope="module")
def clashing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Serve a run in which a source writes one of two attributes in another format."""
    rows = planted_rows(PLANTED["prefix"], n_items=40)
    rows += [(source, entity, "b", "same") for source, entity, _, _ in rows]
    names = ("source", "entity", "attribute", "value")
    claims = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    folder = tmp_path_factory.mktemp("clashing") / "run"
    discover(claims, model="vote").save(folder, report=False)
    with client_of(folder) as client:
        yield client


def test_api_tells_of_the_format(clashing: TestClient) -> None:
    first, second = (clashing.get(f"/api/v1/sources/{source}").json() for source in (0, 1))
    (clash,) = first["clashes"]
    assert first["source"] == "odd"
    assert clash["attribute"] == "a"
    assert clash["transformation"] == "take off 'SKU-'"
    assert second["clashes"] == []


def test_pages_mark_the_cell_and_explain_the_format(clashing: TestClient) -> None:
    sources = clashing.get("/sources").text
    assert sources.count("another format</span>") == 1
    assert 'class="heat"' in sources
    page = clashing.get("/sources/0").text
    assert "Another format than the others" in page
    assert "adds the prefix" in page
    assert "Another format than the others" not in clashing.get("/sources/1").text
