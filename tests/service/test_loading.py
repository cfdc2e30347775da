"""Loading happens in the background, and a damaged folder says what is wrong."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from tests.cli.damaged import unsealed
from tests.service.running import HOST, client_of, store_at

from veracity.errors import InputError
from veracity.service.app import create_app
from veracity.service.settings import ServiceSettings
from veracity.service.store import RunStore


def test_the_server_answers_before_the_run_is_loaded(
    runs: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, usual = threading.Event(), RunStore.open

    def late(
        folder: Path, settings: ServiceSettings, progress: Any = print, **options: Any
    ) -> RunStore:
        progress("waiting")
        assert go_on.wait(60)
        return usual(folder, settings, **options)

    monkeypatch.setattr(RunStore, "open", late)
    app = create_app(runs("text"), ServiceSettings(hosts=(HOST,)))
    with TestClient(app, base_url=f"http://{HOST}") as client:
        try:
            assert client.get("/healthz").status_code == 200
            for path in ("/readyz", "/api/v1/run", "/api/v1/items/0", "/api/v1/marks"):
                found = client.get(path)
                assert found.status_code == 503
                assert found.json()["error"]["code"] == "not_ready"
                assert "being loaded" in found.json()["error"]["message"]
                assert found.headers["retry-after"] == "1"
            assert "veracity_ready 0" in client.get("/metrics").text
            page = client.get("/", headers={"Accept": "text/html"})
            assert page.status_code == 503
            assert page.headers["content-type"].startswith("text/html")
        finally:
            go_on.set()
        assert app.state.service.wait(60)
        assert client.get("/readyz").status_code == 200
        assert client.get("/api/v1/run").status_code == 200


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def spoil(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(b"spoilt")

    return damage


def change_table(name: str, change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        path = folder / f"{name}.parquet"
        pq.write_table(change(pq.ParquetFile(path).read()), path)

    return damage


def change_description(folder: Path) -> None:
    path = folder / "run.json"
    described = json.loads(path.read_text())
    del described["attributes"]
    path.write_text(json.dumps(described))


def with_number(name: str, number: float) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        numbers = [number, *table[name].to_pylist()[1:]]
        return table.set_column(table.column_names.index(name), name, pa.array(numbers))

    return change


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no description": (remove("run.json"), "not the folder of a run"),
    "spoilt description": (spoil("run.json"), "is damaged"),
    "half a description": (change_description, "is damaged"),
    "no claims": (remove("claims.parquet"), "claims.parquet"),
    "spoilt claims": (spoil("claims.parquet"), "claims.parquet"),
    "no model": (remove("model.json"), "model.json is missing"),
    "spoilt weights": (spoil("model.safetensors"), "is damaged"),
    "no truths": (remove("truths.parquet"), "truths"),
    "spoilt statements": (spoil("statements.parquet"), "statements.parquet is damaged"),
    "no column": (
        change_table("truths", lambda table: table.drop_columns(["decision"])),
        "decision",
    ),
    "fewer statements": (change_table("statements", lambda t: t.slice(1)), "are not those"),
    "fewer truths": (change_table("truths", lambda t: t.slice(1)), "say nothing about 1 of"),
    "fewer sources": (change_table("sources", lambda t: t.slice(1)), "say nothing about 'ann'"),
    "odd plausibility": (
        change_table("statements", with_number("plausibility", 7.0)),
        "not from 0 to 1",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_says_what_is_wrong(
    runs: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    unsealed(folder)
    damage, message = DAMAGES[name]
    damage(folder)
    with pytest.raises(InputError, match=message) as raised:
        store_at(folder)
    assert "run" in str(raised.value)


def test_a_folder_that_cannot_be_loaded_leaves_the_server_up(
    runs: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    (folder / "truths.parquet").unlink()
    with client_of(folder) as client:
        found = client.get("/readyz")
        assert found.status_code == 503
        assert found.json()["error"]["code"] == "load_failed"
        assert "truths" in found.json()["error"]["message"]
        assert client.get("/healthz").status_code == 200


def test_tables_of_another_version_are_shown_without_evidence(
    runs: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    unsealed(folder)
    change_table("statements", with_number("plausibility", 0.123))(folder)
    store = store_at(folder)
    item = store.item(0)
    assert item["evidence"] is None
    assert "other plausibilities" in item["why_no_evidence"]
