"""Workbenches share a database, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from veracity import Claims
from veracity.data.read import workbench as workbench_module
from veracity.data.read.workbench import Workbench

#: Uses a workbench, forks, and uses one in both processes.
FORKING = """
import os
from veracity.data.read.workbench import Workbench

def count():
    with Workbench() as workbench:
        return workbench.row("SELECT count(*) FROM range(3)")[0]

count()
child = os.fork()
status = os.waitpid(child, 0)[1] if child else 0
print(count(), flush=True)
raise SystemExit(status)
"""


def test_tables_belong_to_their_workbench() -> None:
    with Workbench() as one, Workbench() as other:
        one.step("kept", "SELECT 1 AS number")
        other.step("kept", "SELECT 2 AS number")
        other.register("frame", pa.table({"number": [3]}))
        assert one.row("SELECT number FROM kept") == (1,)
        with pytest.raises(duckdb.CatalogException):
            one.row("SELECT number FROM frame")
    with Workbench() as later, pytest.raises(duckdb.CatalogException):
        later.row("SELECT number FROM kept")


def test_threads_have_workbenches_of_their_own() -> None:
    def doubled(number: int) -> int:
        with Workbench() as workbench:
            workbench.step("kept", f"SELECT {number} AS number")
            return int(workbench.row("SELECT 2 * number FROM kept")[0])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(doubled, range(20))) == [2 * number for number in range(20)]


def test_a_forked_process_has_a_database_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n3\n", "")


def test_tables_and_views_wait_for_the_first_query() -> None:
    with Workbench() as workbench:
        workbench.register("frame", pa.table({"number": [3]}))
        workbench.view("doubled", "SELECT 2 * number AS number FROM frame")
        assert workbench.row("SELECT number FROM doubled") == (6,)


def test_plain_claims_are_read_without_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(threads: int | None) -> duckdb.DuckDBPyConnection:
        raise AssertionError("A database was opened.")

    monkeypatch.setattr(workbench_module, "_shared_database", refuse)
    path = tmp_path / "claims.csv"
    path.write_text("source,entity,value\nann,1,red\nbob,1,blue\nann,2,red\n")
    frame = pa.table(
        {"source": ["ann", "bob", "ann"], "entity": [1, 1, 2], "value": ["red", "blue", "red"]}
    )
    for claims in (Claims.read(path), Claims.from_frame(frame)):
        assert claims.matrix.entities.to_pylist() == ["1", "2"]
        assert claims.matrix.n_claims == 3
