"""Sources on labels: the known truth of a run, or the marks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.service.running import KNOWN, RUNS, client_of, store_at, text_claims

from veracity import discover
from veracity.models.labelled_sources import COUNTED, FLAG
from veracity.service import schemas
from veracity.workflow import open_run

#: The best source is wrong about all that is known, so that the model is contradicted.
ODD = {
    "source": [source for _ in range(40) for source in ("ann", "bob", "cat", "dan")],
    "entity": [f"e{entity:02d}" for entity in range(40) for _ in range(4)],
    "attribute": ["colour"] * 160,
    "value": [value for _ in range(40) for value in ("red", "red", "red", "blue")],
}
TRUTH = {
    "entity": [f"e{entity:02d}" for entity in range(12)],
    "attribute": ["colour"] * 12,
    "value": ["blue"] * 12,
}


def by_name(client: TestClient, query: str = "") -> dict[str, dict[str, Any]]:
    answer = client.get(f"/api/v1/sources{query}").json()
    schemas.SourcesAnswer.model_validate(answer)
    return {row["source"]: row for row in answer["sources"]}


def test_a_run_without_labels_and_marks_says_nothing(runs: Callable[[str], Path]) -> None:
    with client_of(runs("text")) as client:
        assert client.get("/api/v1/sources").json()["labels_from"] is None
        assert {row["labels"] for row in by_name(client).values()} == {None}
        source = client.get("/api/v1/sources/0").json()
        assert (source["labels"], source["by_attribute"]) == (None, [])
        for page in ("/sources", "/sources/0"):
            text = client.get(page).text
            assert "expected" not in text
            assert "disagreement" not in text
        # What there is not cannot be sorted by; the order is that of names.
        assert list(by_name(client, "?sort=disagrees")) == sorted(by_name(client))


@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz", "jsonl"])
def test_known_truth_is_shown_as_the_tables_have_it(
    tmp_path: Path, form: Literal["parquet", "csv", "csv.gz", "jsonl"]
) -> None:
    run = discover(text_claims(), known_truth=KNOWN)
    folder = run.save(tmp_path / "run", format=form, escape=True, report=False)
    own = {row["source"]: row for row in run.model.sources_.to_pylist()}
    assert run.model.sources_by_attribute_ is not None
    saved = open_run(folder).sources_by_attribute
    assert saved is not None
    assert saved.to_pylist() == run.model.sources_by_attribute_.to_pylist()
    with client_of(folder) as client:
        assert client.get("/api/v1/sources").json()["labels_from"] == "known truth"
        for name, row in by_name(client).items():
            expected = {count: own[name][f"labelled_{count}"] for count in COUNTED}
            assert row["labels"] == expected | {FLAG: own[name][FLAG]}
            source = client.get(f"/api/v1/sources/{row['id']}").json()
            schemas.SourceAnswer.model_validate(source)
            assert source["labels"] == row["labels"]
            assert source["by_attribute"] == [{"attribute": "colour"} | row["labels"]]
            assert "On known truth" in client.get(f"/sources/{row['id']}").text
        assert "On known truth" in client.get("/sources").text


def test_marks_count_as_the_same_truth_given_to_the_run(
    runs: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_at(shutil.copytree(runs("text"), tmp_path / "run"))
    told = store_at(runs("known"))
    for entity, value in zip(KNOWN["entity"], KNOWN["value"], strict=True):
        item = store.index.find_item(entity, "colour")
        assert item is not None
        store.set_mark(item, [value])
    found, given = store.sources(), told.sources()
    assert (found["labels_from"], given["labels_from"]) == ("marks", "known truth")
    counts = [
        {row["source"]: (row["labels"]["right"], row["labels"]["wrong"]) for row in rows["sources"]}
        for rows in (found, given)
    ]
    assert counts[0] == counts[1]
    # What is expected is the run's own plausibility: it did not know the marks.
    results, matrix = store.index.results, store.index.matrix
    for row in found["sources"]:
        claims = store.source_index.claims_of(row["id"])
        marked = np.isin(matrix.item_of_claim[claims], store.review.marked()[1])
        own = results.plausibility[matrix.statement_index[claims[marked]]]
        assert row["labels"]["expected"] == pytest.approx(own.mean())


def test_marks_are_counted_again_when_they_change(own_service: TestClient) -> None:
    item = own_service.get("/api/v1/items?q=e03").json()["items"][0]
    speakers = own_service.get(f"/api/v1/items/{item['id']}").json()["claims"]
    for value in ("v0", "v1", "never claimed"):
        own_service.put(f"/api/v1/marks/{item['id']}", json={"value": value})
        rows = by_name(own_service)
        for claim in speakers:
            labels = rows[claim["source"]]["labels"]
            assert (labels["right"], labels["wrong"]) == (
                (1, 0) if claim["value"] == value else (0, 1)
            )
        silent = set(rows) - {claim["source"] for claim in speakers}
        assert {rows[name]["labels"] for name in silent} <= {None}
    own_service.delete(f"/api/v1/marks/{item['id']}")
    assert own_service.get("/api/v1/sources").json()["labels_from"] is None


@pytest.mark.parametrize("name", ["boolean", "multiple", "number"])
def test_marks_of_every_kind_are_counted(
    runs: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    store = store_at(shutil.copytree(runs(name), tmp_path / "run"))
    for item in range(len(store.index)):
        believed = [store.index.believed[item], *store.index.further_values(item)]
        store.set_mark(item, believed)
    rows = store.sources()["sources"]
    n_claims = {row["source"]: RUNS[name][0]["source"].count(row["source"]) for row in rows}
    for row in rows:
        assert row["labels"]["right"] + row["labels"]["wrong"] == n_claims[row["source"]]
        if name != "number":  # numbers are worked out, and need not be claimed
            assert row["labels"]["rate"] == pytest.approx(row["agreement"])


def test_contradicted_sources_are_flagged_and_come_first(tmp_path: Path) -> None:
    folder = discover(ODD, model="one-coin").save(tmp_path / "run", report=False)
    store = store_at(folder)
    for entity in TRUTH["entity"]:
        item = store.index.find_item(entity, "colour")
        assert item is not None
        store.set_mark(item, ["blue"])
    with client_of(folder) as client:
        rows = by_name(client, "?sort=disagrees")
        assert all(row["labels"]["disagrees"] for row in rows.values())
        assert next(iter(by_name(client, "?sort=labelled_rate"))) == "dan"
        assert list(by_name(client, "?sort=labelled_rate&order=asc"))[-1] == "dan"
        assert {row["labels"]["right"] for row in by_name(client, "?sort=labels").values()} == {
            0,
            12,
        }
        page = client.get("/sources?sort=disagrees").text
        assert page.count("worse<span") >= 3
        assert "better<span" in page
        source = client.get(f"/sources/{rows['ann']['id']}").text
        assert "Of 12 claims about marked items, 0 are right: 0\N{NO-BREAK SPACE}%" in source
        assert "less reliable than the model takes it to be" in source
