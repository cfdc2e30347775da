"""Ordered items in the explorer: their chart, "what if", and matrices in the order of levels."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.running import client_of

from veracity import Attribute, discover
from veracity.datasets import incidents


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("incidents") / "out"
    ordered = {"severity": Attribute(values="ordered")}
    return discover(incidents.claims(), attributes=ordered).save(place, report=False)


def test_the_page_has_a_chart_of_all_levels(folder: Path) -> None:
    with client_of(folder) as client:
        assert "/items/27/levels" in client.get("/items/27").text
        chart = client.get("/items/27/levels").json()
        assert chart["encoding"]["y"]["sort"] == list(incidents.LEVELS)
        believed = [row for row in chart["data"]["values"] if row["measure"] == "plausibility"]
        assert [row["level"] for row in believed] == list(incidents.LEVELS)
        assert sum(row["share"] for row in believed) == pytest.approx(1, abs=1e-3)
        assert chart["usermeta"]["title"].endswith("level, though nobody claims it")


def test_the_chart_follows_what_if(folder: Path) -> None:
    with client_of(folder) as client:
        claims = client.get("/api/v1/items/27").json()["claims"]
        off = "&".join(f"off={row['claim']}" for row in claims if row["value"] == "critical")
        chart = client.get(f"/items/27/levels?{off}").json()
        of_critical = [row for row in chart["data"]["values"] if row["level"] == "critical"]
        assert of_critical[0]["claims"] == 0
        wrong = client.post(
            "/api/v1/items/27/what-if", json={"add": [{"source": "ana", "value": "awful"}]}
        )
        assert wrong.status_code == 422
        assert "awful" in wrong.json()["error"]["message"]


def test_matrices_keep_the_order_of_levels(folder: Path) -> None:
    with client_of(folder) as client:
        (answers,) = client.get("/api/v1/sources/0").json()["answers"]
        assert answers["values"] == list(incidents.LEVELS)
        assert [row["believed"] for row in answers["confusion"]] == list(incidents.LEVELS)


def test_other_items_have_no_levels(tmp_path: Path) -> None:
    saved = discover(incidents.claims(), model="vote").save(tmp_path / "out", report=False)
    with client_of(saved) as client:
        assert "/items/27/levels" not in client.get("/items/27").text
        assert client.get("/items/27/levels").status_code == 404
