"""How a source answers, in the JSON API and on its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.models.patterns.test_patterns import crowd
from tests.service.running import client_of

from veracity import discover
from veracity.workflow import open_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("crowd") / "out"
    return discover(crowd(1), model="vote").save(place, format="csv", report=False)


def test_a_saved_run_has_its_confusions(folder: Path) -> None:
    saved = open_run(folder)
    assert saved.confusions is not None
    assert saved.confusions.column_names[2:] == ["believed", "claimed", "share", "weight"]
    assert "copier" in saved.sources["pattern"].to_pylist()


def test_a_source_has_a_histogram_and_a_matrix(folder: Path) -> None:
    with client_of(folder) as client:
        rows = client.get("/api/v1/sources").json()["sources"]
        places = {row["source"]: row for row in rows}
        assert places["copier"]["pattern"] == "copier"
        assert places["copier"]["pattern_of"] == "good-0"
        assert places["good-1"]["pattern"] is None
        constant = client.get(f"/api/v1/sources/{places['constant']['id']}").json()
        (answers,) = constant["answers"]
        assert answers["values"] == ["a", "b"]
        assert answers["counts"] == [400, 0]
        for row in answers["confusion"]:
            assert row["shares"] == [1.0, 0.0]
        assert sum(row["weight"] for row in answers["confusion"]) == pytest.approx(400)
        _page_shows(client, int(places["constant"]["id"]))


def _page_shows(client: TestClient, source: int) -> None:
    page = client.get(f"/sources/{source}", headers={"accept": "text/html"}).text
    assert "How it answers" in page
    assert "It gives nearly always the same answer" in page
    assert 'class="confusion"' in page
