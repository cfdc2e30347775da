"""The refit: a job that makes the run again with its marks, and what can come in between."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from tests.service.running import TIME_LIMIT, client_of, process
from tests.workflow.audited import colours

from veracity import discover
from veracity.service.refit import STEPS
from veracity.workflow import open_run
from veracity.workflow.audits import Audit
from veracity.workflow.marks import MarkBook
from veracity.workflow.refit import refit

CLAIMS, TRUTH = colours(150)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run of the default model, with an audit of 30 that is marked but for one skip."""
    folder = discover(CLAIMS).save(tmp_path_factory.mktemp("refit") / "run", report=False)
    audit = Audit(open_run(folder))
    audit.draw(40)
    first, *others = audit.open_items()[:30]
    marks = {(one.entity, one.attribute): [TRUTH[one.entity]] for one in others}
    audit.book.put_all(marks, [(first.entity, first.attribute)])
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the run."""
    return shutil.copytree(made, tmp_path / "run")


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    """Serve the copy."""
    with client_of(folder) as client:
        yield client


def ended(ask: Callable[[], Any]) -> Any:
    """Wait for the end of a refit."""
    limit = time.monotonic() + TIME_LIMIT
    while (job := ask())["status"] == "running":
        assert time.monotonic() < limit, job
        time.sleep(0.05)
    return job


def created(folder: Path) -> dict[str, Any]:
    """Return what describes a run."""
    return dict(json.loads((folder / "run.json").read_text(encoding="utf-8")))


def left_beside(folder: Path) -> list[str]:
    """Return what stands beside the folder of a run."""
    return [path.name for path in folder.parent.iterdir() if path != folder]


def test_a_refit_takes_the_place_of_the_run(client: TestClient, folder: Path) -> None:
    before = created(folder)
    audit = client.get("/api/v1/audit").json()
    idle = client.get("/api/v1/refit").json()
    assert (idle["status"], idle["why_not"], idle["caution"]) == ("idle", None, None)
    started = client.post("/api/v1/refit").json()
    assert (started["status"], started["step"], started["n_steps"]) == ("running", 1, len(STEPS))
    busy = client.post("/api/v1/refit")
    assert (busy.status_code, busy.json()["error"]["code"]) == (429, "busy")
    assert client.put("/api/v1/marks/0", json={"value": "red"}).status_code == 200  # meanwhile
    job = ended(lambda: client.get("/api/v1/refit").json())
    assert (job["status"], job["message"]) == ("done", "Made again with 29 marks.")
    after = created(folder)
    assert {name: after[name] for name in ("inputs", "settings", "columns", "attributes")} == {
        name: before[name] for name in ("inputs", "settings", "columns", "attributes")
    }
    assert pq.read_table(folder / "known_truth.parquet").num_rows == 29
    assert client.get("/api/v1/run").json()["created"] == after["created"]
    assert client.get("/api/v1/sources").json()["labels_from"] == "known truth"
    again = client.get("/api/v1/audit").json()
    assert [again[name] for name in ("n_drawn", "n_skipped", "n_counted")] == [
        audit[name] for name in ("n_drawn", "n_skipped", "n_counted")
    ]
    assert client.get("/api/v1/items/0").json()["mark"] == ["red"]
    assert len(MarkBook(folder).read()) in (29, 30)  # the first may be one of the audit
    assert left_beside(folder) == []


def test_a_mark_taken_back_is_not_known_after_the_next_refit(client: TestClient) -> None:
    client.post("/api/v1/refit")
    ended(lambda: client.get("/api/v1/refit").json())
    before = client.get("/api/v1/audit").json()
    undone = client.post("/api/v1/audit/undo").json()
    assert undone["n_marked"] == before["n_marked"] - 1
    item = undone["next"]["item"]
    assert client.get(f"/api/v1/items/{item}").json()["known"]
    client.post("/api/v1/refit")
    assert ended(lambda: client.get("/api/v1/refit").json())["status"] == "done"
    assert not client.get(f"/api/v1/items/{item}").json()["known"]
    assert client.get("/api/v1/audit").json()["next"]["item"] == item


def test_a_refit_can_be_cancelled(client: TestClient, folder: Path) -> None:
    before = created(folder)
    none = client.delete("/api/v1/refit")
    assert (none.status_code, none.json()["error"]["code"]) == (409, "no_refit")
    client.post("/api/v1/refit")
    job = client.delete("/api/v1/refit").json()
    assert (job["status"], "as it was" in job["message"]) == ("cancelled", True)
    assert created(folder) == before
    assert left_beside(folder) == []
    client.post("/api/v1/refit")
    assert ended(lambda: client.get("/api/v1/refit").json())["status"] == "done"


def test_a_failure_is_told_in_our_words(client: TestClient, folder: Path) -> None:
    before = client.get("/api/v1/run").json()
    (folder / "claims.parquet").write_bytes(b"spoilt")
    client.post("/api/v1/refit")
    job = ended(lambda: client.get("/api/v1/refit").json())
    assert job["status"] == "failed"
    assert "claims.parquet" in job["message"]
    assert job["message"].endswith("The run is as it was.")
    assert str(folder.parent) not in job["message"]
    assert client.get("/api/v1/run").json() == before
    assert left_beside(folder) == []


def own_refit(folder: Path) -> int:
    """Wait for the process that makes the run of a folder again, and return it."""
    limit = time.monotonic() + 20
    command = ["ps", "-eww", "-o", "pid,args"]
    while time.monotonic() < limit:
        told = subprocess.run(command, capture_output=True, text=True, check=True)
        for line in told.stdout.splitlines():
            if "veracity.workflow.refit_process" in line and str(folder) in line:
                return int(line.split()[0])
        time.sleep(0.05)
    raise AssertionError("no refit was started")


def test_a_process_that_is_killed_leaves_the_run(client: TestClient, folder: Path) -> None:
    before = created(folder)
    client.post("/api/v1/refit")
    os.kill(own_refit(folder), signal.SIGKILL)
    job = ended(lambda: client.get("/api/v1/refit").json())
    assert (job["status"], "signal 9" in job["message"]) == ("failed", True)
    assert created(folder) == before


def test_a_killed_service_leaves_the_run_and_its_marks(folder: Path) -> None:
    before, marks = created(folder), MarkBook(folder).read()
    with process(folder) as (server, url):
        assert httpx.post(f"{url}/api/v1/refit").status_code == 200
        refitting = own_refit(folder)
        server.send_signal(signal.SIGKILL)
        server.wait(TIME_LIMIT)
    limit = time.monotonic() + TIME_LIMIT
    while time.monotonic() < limit and Path(f"/proc/{refitting}").exists():
        time.sleep(0.05)  # it ends by itself
    assert created(folder) == before
    assert MarkBook(folder).read() == marks
    with process(folder) as (_, url):
        assert httpx.get(f"{url}/api/v1/audit").json()["n_skipped"] == 1
        assert httpx.get(f"{url}/api/v1/refit").json()["status"] == "idle"
        httpx.post(f"{url}/api/v1/refit")
        assert ended(lambda: httpx.get(f"{url}/api/v1/refit").json())["status"] == "done"
    assert left_beside(folder) == []


def test_a_service_that_ends_takes_its_refit_along(folder: Path) -> None:
    before = created(folder)
    with process(folder) as (server, url):
        httpx.post(f"{url}/api/v1/refit")
        own_refit(folder)
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIME_LIMIT) == 0
    assert created(folder) == before
    assert left_beside(folder) == []


def why_not(client: TestClient) -> str:
    """Return why a refit is refused, as the state says and the start repeats."""
    reason = client.get("/api/v1/refit").json()["why_not"]
    refused = client.post("/api/v1/refit")
    assert refused.status_code == 409
    assert refused.json()["error"] == {"code": "refit_refused", "message": reason, "details": []}
    return str(reason)


def test_no_claims_no_refit(client: TestClient, folder: Path) -> None:
    (folder / "claims.parquet").unlink()
    assert "no claims.parquet any more" in why_not(client)


def test_no_marks_no_refit(client: TestClient, folder: Path) -> None:
    (folder / "marks.sqlite").unlink()
    with client_of(folder) as fresh:
        assert "No item is marked yet" in why_not(fresh)


def test_a_folder_with_other_files_is_not_replaced(client: TestClient, folder: Path) -> None:
    (folder / "thesis.docx").write_text("mine")
    reason = why_not(client)
    assert "thesis.docx" in reason
    assert str(folder.parent) not in reason


def test_a_folder_that_is_read_only(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    usual = os.access
    monkeypatch.setattr(  # root may write everywhere
        os, "access", lambda path, mode: Path(path) != folder.parent and usual(path, mode)
    )
    assert "read-only" in why_not(client)


def test_open_to_others_without_a_token(folder: Path) -> None:
    with client_of(folder, hosts=()) as client:
        assert "--token" in why_not(client)
    with client_of(folder, hosts=(), token="long enough") as client:
        client.headers["Authorization"] = "Bearer long enough"
        assert client.get("/api/v1/refit").json()["why_not"] is None


def described_otherwise(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what describes a run."""
    description = created(folder)
    del description["sha256"]
    change(description)
    (folder / "run.json").write_text(json.dumps(description), encoding="utf-8")


def test_a_python_object_is_not_in_the_folder(folder: Path) -> None:
    own = {"not saved": "<function>"}
    described_otherwise(folder, lambda run: run["model"]["parameters"].update(reliability=own))
    with client_of(folder) as client:
        assert "Python object" in why_not(client)


def test_models_that_do_not_learn_from_marks(tmp_path: Path) -> None:
    for model, refused in (("vote", True), ("dawid-skene", False)):
        folder = discover(CLAIMS, model=model).save(tmp_path / model, report=False)
        MarkBook(folder).put("thing 0", "value", ["red"])
        with client_of(folder) as client:
            if refused:
                assert "learns nothing from known truth" in why_not(client)
            else:
                caution = client.get("/api/v1/refit").json()["caution"]
                assert "no longer counts for the guarantee" in caution


def test_known_truth_of_the_run_stays(tmp_path: Path) -> None:
    known = {"entity": ["thing 0", "thing 1"], "value": ["red", "green"]}
    claims = {name: column[:150] for name, column in CLAIMS.items()}
    folder = discover(claims, known_truth=known).save(
        tmp_path / "run", report=False, format="csv", escape=True
    )
    (name,) = {row["attribute"] for row in open_run(folder).truths.to_pylist()}
    book = MarkBook(folder)
    book.put("thing 1", name, ["blue"])
    book.put("thing 2", name, ["blue"])
    again = refit(folder, tmp_path / "again")
    rows = pq.read_table(again / "known_truth.parquet").to_pylist()
    assert {row["entity"]: row["value"] for row in rows} == {
        "thing 0": "red",
        "thing 1": "blue",
        "thing 2": "blue",
    }
    assert (again / "truths.csv").exists()
