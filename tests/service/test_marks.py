"""Marks are kept, shown, measured by and exported; and survive what can happen to them."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.cli.conftest import Finished
from tests.service.running import RUNS, client_of, store_at

from veracity import discover
from veracity.cli.app import run as command
from veracity.data.truth.ground_truth import GroundTruth
from veracity.workflow.marks import MarkBook


def mark(client: TestClient, item: int, *values: str) -> Any:
    """Mark an item and return what is answered."""
    body = {"value": values[0]} if len(values) == 1 else {"values": list(values)}
    found = client.put(f"/api/v1/marks/{item}", json=body)
    assert found.status_code == 200, found.text
    return found.json()


def test_a_mark_is_kept_and_shown(own_service: TestClient) -> None:
    made = mark(own_service, 3, "v1")
    assert (made["item"], made["entity"], made["values"]) == (3, "e03", ["v1"])
    assert own_service.get("/api/v1/items/3").json()["mark"] == ["v1"]
    (row,) = own_service.get("/api/v1/items?marked=true").json()["items"]
    assert (row["id"], row["mark"]) == (3, ["v1"])
    assert own_service.get("/api/v1/items?marked=false").json()["total"] == 11
    mark(own_service, 3, "v2")
    mark(own_service, 5, "nobody said so")
    answer = own_service.get("/api/v1/marks").json()
    assert [(row["item"], row["values"]) for row in answer["marks"]] == [
        (5, ["nobody said so"]),
        (3, ["v2"]),
    ]
    assert answer["progress"]["n_items"] == 2
    assert "veracity_marks 2" in own_service.get("/metrics").text
    assert own_service.delete("/api/v1/marks/3").status_code == 204
    assert own_service.get("/api/v1/items/3").json()["mark"] is None
    assert own_service.get("/api/v1/items?marked=true").json()["total"] == 1
    gone = own_service.delete("/api/v1/marks/3")
    assert gone.status_code == 404
    assert "no mark" in gone.json()["error"]["message"]


def history(folder: Path) -> list[tuple[str, str | None]]:
    """Return entity and value of every change."""
    with closing(sqlite3.connect(folder / "marks.sqlite")) as connection:
        return connection.execute("SELECT entity, value FROM history ORDER BY number").fetchall()


def test_every_change_is_in_the_history(own_service: TestClient) -> None:
    mark(own_service, 3, "v1")
    mark(own_service, 3, "v2")
    own_service.delete("/api/v1/marks/3")
    app: Any = own_service.app
    assert history(app.state.service.folder) == [("e03", "v1"), ("e03", "v2"), ("e03", None)]


def test_marks_survive_a_restart_and_a_refit(runs: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    with client_of(folder) as client:
        mark(client, 3, "v1")
    claims, options, _ = RUNS["text"]
    fewer = {name: column[4:] for name, column in claims.items()}  # other numbers of items
    discover(fewer, **options).save(folder, overwrite=True, report=False)
    with client_of(folder) as client:
        (row,) = client.get("/api/v1/marks").json()["marks"]
        assert (row["entity"], row["values"]) == ("e03", ["v1"])
        assert row["item"] != 3
        assert client.get(f"/api/v1/items/{row['item']}").json()["mark"] == ["v1"]


def test_a_mark_of_an_item_that_is_no_more(runs: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    MarkBook(folder).put("gone", "colour", ["v1"])
    with client_of(folder) as client:
        answer = client.get("/api/v1/marks").json()
        assert answer["marks"][0]["item"] is None
        assert (answer["progress"]["n_marks"], answer["progress"]["n_items"]) == (1, 0)
        assert answer["progress"]["evaluation"] is None


def test_marks_measure_the_run_and_the_vote(own_service: TestClient) -> None:
    items = own_service.get("/api/v1/items").json()["items"]
    for row in items[:4]:
        mark(own_service, row["id"], row["value"])
    mark(own_service, items[4]["id"], "neither")
    found = own_service.get("/api/v1/run").json()["marks"]["evaluation"]
    assert (found["model"]["n_right"], found["model"]["n_items"]) == (4, 5)
    assert found["model"]["low"] < 0.8 < found["model"]["high"]
    votes = sum(row["vote_value"] == row["value"] for row in items[:4])
    assert (found["vote"]["n_right"], found["vote"]["n_items"]) == (votes, 5)


@pytest.mark.parametrize("name", ["boolean", "multiple", "number"])
def test_marks_of_other_kinds_measure_too(
    runs: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    folder = shutil.copytree(runs(name), tmp_path / "run")
    with client_of(folder) as client:
        for row in client.get("/api/v1/items").json()["items"]:
            mark(client, row["id"], row["value"])
        found = client.get("/api/v1/marks").json()["progress"]
        assert found["evaluation"]["model"]["accuracy"] == 1.0
        assert found["n_undecided_left"] == found["n_review_left"] == 0


@pytest.fixture
def authors(runs: Callable[[str], Path], tmp_path: Path) -> Iterator[TestClient]:
    """Serve claims of which several can be true: `book` by Kim, Lee or Poe; `play` by Nye, Orr."""
    with client_of(shutil.copytree(runs("multiple"), tmp_path / "run")) as client:
        yield client


def folder_of(client: TestClient) -> Path:
    """Return the folder of the run that is served."""
    app: Any = client.app
    return Path(app.state.service.folder)


def item_of(client: TestClient, entity: str) -> int:
    """Return the number of an item."""
    return int(client.get("/api/v1/items", params={"q": entity}).json()["items"][0]["id"])


def test_a_mark_holds_several_values_where_several_are_true(authors: TestClient) -> None:
    book = item_of(authors, "book")
    assert mark(authors, book, "Lee", "Kim", "Lee")["values"] == ["Kim", "Lee"]
    assert authors.get(f"/api/v1/items/{book}").json()["mark"] == ["Kim", "Lee"]
    (row,) = authors.get("/api/v1/items?marked=true").json()["items"]
    assert row["mark"] == ["Kim", "Lee"]
    answer = authors.get("/api/v1/marks").json()
    assert (answer["total"], answer["progress"]["n_items"]) == (1, 1)
    assert answer["progress"]["evaluation"]["model"]["n_right"] == 1
    listed = authors.get("/items?marked=true", headers={"Accept": "text/html"}).text
    assert "<bdi>Kim</bdi>, <bdi>Lee</bdi>" in listed
    folder = folder_of(authors)
    with client_of(folder) as again:  # as it is on disk
        assert again.get(f"/api/v1/items/{book}").json()["mark"] == ["Kim", "Lee"]
    mark(authors, book, "Poe")
    assert authors.get(f"/api/v1/items/{book}").json()["mark"] == ["Poe"]
    assert authors.delete(f"/api/v1/marks/{book}").status_code == 204
    said = [("book", "Kim"), ("book", "Lee"), ("book", "Poe"), ("book", None)]
    assert history(folder) == said
    assert MarkBook(folder).read() == []


def test_the_page_of_an_item_ticks_each_marked_value(authors: TestClient) -> None:
    book = item_of(authors, "book")
    mark(authors, book, "Kim", "somebody else")
    page = authors.get(f"/items/{book}", headers={"Accept": "text/html"}).text
    ticked = re.findall(r'<input type="checkbox" name="choice" value="([^"]*)" checked>', page)
    assert ticked == ["Kim", "somebody else"]
    assert 'type="radio"' not in page


def test_one_of_several_true_values_is_right(authors: TestClient) -> None:
    book = authors.get(f"/api/v1/items/{item_of(authors, 'book')}").json()
    first, *others = [row["value"] for row in book["values"]]
    for values, n_right in ((["x", first], 1), (["x", "y"], 0), (others, 0)):
        mark(authors, book["id"], *values)
        found = authors.get("/api/v1/marks").json()["progress"]["evaluation"]
        assert found["model"]["n_right"] == n_right, values


def test_several_marked_values_are_held_to(authors: TestClient, tmp_path: Path) -> None:
    mark(authors, item_of(authors, "book"), "Poe", "Lee")
    path = tmp_path / "truth.csv"
    path.write_text(authors.get("/api/v1/marks?format=csv").text, encoding="utf-8")
    assert path.read_text().split() == [
        "entity,attribute,value",
        "book,author,Lee",
        "book,author,Poe",
    ]
    claims, options, _ = RUNS["multiple"]
    rows = discover(claims, known_truth=path, **options).model.statements_.to_pylist()
    found = {row["value"]: row["plausibility"] for row in rows if row["entity"] == "book"}
    assert found == {"Kim": 0.0, "Lee": 1.0, "Poe": 1.0}


def test_several_values_are_refused_where_one_is_true(own_service: TestClient) -> None:
    several = own_service.put("/api/v1/marks/3", json={"values": ["v1", "v2"]})
    assert several.status_code == 422
    assert "has one true value" in several.json()["error"]["message"]
    odd: list[dict[str, Any]] = [{}, {"values": []}, {"values": [""]}, {"values": None}]
    for body in [*odd, {"value": "v1", "values": ["v1"]}]:
        assert own_service.put("/api/v1/marks/3", json=body).status_code == 422, body
    assert own_service.get("/api/v1/marks").json()["total"] == 0
    assert own_service.put("/api/v1/marks/3", json={"values": ["v1"]}).status_code == 200


EARLIER = """
CREATE TABLE marks (entity TEXT NOT NULL, attribute TEXT NOT NULL, value TEXT NOT NULL,
    updated TEXT NOT NULL, PRIMARY KEY (entity, attribute)) WITHOUT ROWID;
CREATE TABLE history (number INTEGER PRIMARY KEY, entity TEXT NOT NULL, attribute TEXT NOT NULL,
    value TEXT, updated TEXT NOT NULL);
INSERT INTO marks VALUES ('book', 'author', 'Kim', '2026-01-01T00:00:00.000000+00:00');
INSERT INTO history VALUES (1, 'book', 'author', 'Kim', '2026-01-01T00:00:00.000000+00:00');
"""


def test_marks_of_an_earlier_version_are_kept(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "marks.sqlite")) as connection:
        connection.executescript(EARLIER)
    book = MarkBook(tmp_path)
    assert [(mark.entity, mark.values) for mark in book.read()] == [("book", ("Kim",))]
    book.put("play", "author", ["Orr", "Nye"])
    found = {mark.entity: mark.values for mark in book.read()}
    assert found == {"book": ("Kim",), "play": ("Nye", "Orr")}
    book.put("book", "author", ["Lee", "Kim"])
    assert history(tmp_path) == [
        ("book", "Kim"),
        ("play", "Nye"),
        ("play", "Orr"),
        ("book", "Kim"),
        ("book", "Lee"),
    ]


def test_a_mark_takes_the_spelling_of_the_claims(tmp_path: Path) -> None:
    claims = {"source": ["a", "b"], "entity": ["x"] * 2, "value": ["Foo", "Bar"]}
    run = discover(claims, casefold=True, strip=True, model="vote")
    with client_of(run.save(tmp_path / "run", report=False)) as client:
        assert mark(client, 0, " foo ")["values"] == ["Foo"]
        assert mark(client, 0, "Baz ")["values"] == ["Baz "]
        assert mark(client, 0, "FOO", "foo", "Foo")["values"] == ["Foo"]  # all the same


def test_marks_come_out_as_a_truth_table(own_service: TestClient, tmp_path: Path) -> None:
    mark(own_service, 3, "v1")
    mark(own_service, 5, "=1+1")
    found = own_service.get("/api/v1/marks?format=csv&escape=false")
    assert found.headers["content-type"].startswith("text/csv")
    path = tmp_path / "truth.csv"
    path.write_text(found.text, encoding="utf-8")
    rows = GroundTruth.read(path).to_arrow().to_pylist()
    assert [(row["entity"], row["value"]) for row in rows] == [("e03", "v1"), ("e05", "=1+1")]
    escaped = own_service.get("/api/v1/marks?format=csv")  # spreadsheets run no formulas
    assert "'=1+1" in escaped.text


def run_command(capsys: pytest.CaptureFixture[str], *arguments: object) -> Finished:
    """Run the command line in this process."""
    code = command([str(argument) for argument in arguments])
    return Finished(code, *capsys.readouterr())


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "jsonl"])
def test_the_command_writes_what_discover_can_hold_to(
    own_service: TestClient, tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    mark(own_service, 3, "v1")
    app: Any = own_service.app
    folder, target = app.state.service.folder, tmp_path / f"truth.{suffix}"
    done = run_command(capsys, "marks", folder, "-o", target)
    assert done.code == 0, done.err
    assert "e03" in done.out
    refitted = discover(RUNS["text"][0], model="grbm", known_truth=target)
    (row,) = [row for row in refitted.model.truths_.to_pylist() if row["entity"] == "e03"]
    assert (row["value"], row["plausibility"]) == ("v1", 1.0)
    again = run_command(capsys, "marks", folder, "-o", target)
    assert again.code == 2
    assert "exists already" in again.err
    assert run_command(capsys, "marks", folder, "-o", target, "--overwrite", "-q").out == ""


def test_the_command_says_what_it_cannot_do(
    runs: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = runs("text")
    assert run_command(capsys, "marks", folder).out.startswith("0 marks")
    nothing = run_command(capsys, "marks", folder, "-o", tmp_path / "m.csv")
    assert (nothing.code, "is marked yet" in nothing.err) == (2, True)
    odd = run_command(capsys, "marks", folder, "-o", tmp_path / "m.txt")
    assert (odd.code, "ends in .csv" in odd.err) == (2, True)
    nowhere = run_command(capsys, "marks", tmp_path)
    assert (nowhere.code, "not the folder of a run" in nowhere.err) == (2, True)


def test_a_folder_that_takes_no_marks_is_shown_all_the_same(
    runs: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    (folder / "marks.sqlite").mkdir()  # not to be opened by anybody, root included
    with client_of(folder) as client:
        refused = client.put("/api/v1/marks/3", json={"value": "v1"})
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "marks_unavailable"
        assert "cannot be kept" in refused.json()["error"]["message"]
        assert client.get("/api/v1/items/3").json()["mark"] is None
        assert client.get("/api/v1/marks").json()["progress"]["writable"] is False


def test_damaged_marks_do_not_hide_the_run(runs: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    (folder / "marks.sqlite").write_bytes(b"not a database at all" * 100)
    with client_of(folder) as client:
        refused = client.put("/api/v1/marks/3", json={"value": "v1"})
        assert refused.status_code == 503
        assert "damaged" in refused.json()["error"]["message"]
        assert client.get("/api/v1/items/3").status_code == 200


def test_serving_alone_writes_nothing(runs: Callable[[str], Path], tmp_path: Path) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    before = sorted(path.name for path in folder.iterdir())
    with client_of(folder) as client:
        client.get("/api/v1/marks")
        client.delete("/api/v1/marks/3")
    assert sorted(path.name for path in folder.iterdir()) == before


def test_what_is_to_be_repaired_has_no_mark_yet(
    runs: Callable[[str], Path], tmp_path: Path
) -> None:
    store = store_at(shutil.copytree(runs("text"), tmp_path / "run"))
    order = [row["id"] for row in store.repairs(100)]
    assert sorted(order) == list(range(12))
    for item in order[:3]:
        store.set_mark(item, ["v0"])
    assert [row["id"] for row in store.repairs(100)] == order[3:]
    assert [row["id"] for row in store.repairs(2, after=order[5])] == order[6:8]
    store.delete_mark(order[2])
    assert store.repairs(1, after=order[11])[0]["id"] == order[2]


def test_marks_are_read_again_only_after_a_change(
    runs: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "own")
    store, asked = store_at(folder), list[object]()
    version = MarkBook.version

    def counted(book: MarkBook) -> tuple[int, int]:
        asked.append(book)
        return version(book)

    monkeypatch.setattr(MarkBook, "version", counted)
    assert store.item(0)["mark"] is None
    assert asked == []
    other = MarkBook(folder)
    other.put(store.index.entity(0), store.index.attribute(0), ["v1"])
    assert other.stamp() is None  # another change might not show yet
    assert store.item(0)["mark"] == ["v1"]
    monkeypatch.setattr("veracity.workflow.marks_file.SETTLED", 0)
    store.item(0)
    asked.clear()
    assert store.item(0)["mark"] == ["v1"]
    assert asked == []
