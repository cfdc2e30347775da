"""Where golden records are written: folders, DuckDB and PostgreSQL, whole or not at all."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.postgres import Server

import veracity
from veracity.errors import InvalidParameter, OutputError
from veracity.workflow import Golden, open_run, update
from veracity.workflow.marks import MarkBook
from veracity.workflow.refit import refit

LINKED: dict[str, list[Any]] = {
    "cluster_id": ["c1", "c1", "c1", "c2", "c2"],
    "system": ["crm", "shop", "bill", "crm", "shop"],
    'home "town"': ["Bern", "Bern", "Basel", "Chur", None],
    "phones": [["1", "2"], ["1"], None, ["7"], None],
    "age": [40, 40, 41, 17, 17],
}


@pytest.fixture(scope="module")
def made() -> Golden:
    return veracity.golden(pa.table(LINKED), key="cluster_id", source="system")


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table_names(path: Path) -> list[str]:
    with duckdb.connect(path, read_only=True) as database:
        return [name for (name,) in database.execute("SHOW TABLES").fetchall()]


def test_csv_joins_lists_with_a_bar(made: Golden, tmp_path: Path) -> None:
    made.save(tmp_path / "out", report=False)
    rows = csv_rows(tmp_path / "out" / "golden.csv")
    assert [row["cluster_id"] for row in rows] == ["c1", "c2"]
    assert rows[0]["phones"] in ("1", "1 | 2")
    lineage = csv_rows(tmp_path / "out" / "lineage.csv")
    town = next(row for row in lineage if row["attribute"] == 'home "town"')
    assert town["supporting_sources"] == "crm | shop"
    assert town["denying_sources"] == "bill"


def test_lists_in_json_are_lists(tmp_path: Path) -> None:
    rows = [
        {"cluster_id": "c1", "system": "crm", "phones": ["1", "2"], "age": 40},
        {"cluster_id": "c1", "system": "shop", "phones": ["2", "1"], "age": 41},
    ]
    path = tmp_path / "records.json"
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    found = veracity.golden(path, key="cluster_id", source="system").golden
    assert sorted(found["phones"].to_pylist()[0]) == ["1", "2"]


def test_parquet_keeps_lists_and_types(made: Golden, tmp_path: Path) -> None:
    made.save(tmp_path / "out", format="parquet", report=False)
    table = pq.read_table(tmp_path / "out" / "golden.parquet")
    assert table["age"].to_pylist() == [40, 17]
    assert table.equals(made.golden.to_arrow())


def test_the_folder_is_that_of_a_run(made: Golden, tmp_path: Path) -> None:
    made.save(tmp_path / "out", report=False)
    saved = open_run(tmp_path / "out")
    assert saved.truths.to_arrow().num_rows == len(made.lineage)
    assert saved.claims.records is not None
    assert saved.description["golden"]["key"] == "cluster_id"
    assert saved.description["settings"]["shape"]["name"] == "records"
    with pytest.raises(OutputError, match="exists already"):
        made.save(tmp_path / "out")
    with pytest.raises(InvalidParameter, match="made golden records"):
        update(tmp_path / "out", {"source": ["x"], "entity": ["c1"], "value": ["y"]})


def test_marks_make_golden_and_lineage_anew(made: Golden, tmp_path: Path) -> None:
    made.save(tmp_path / "out", format="parquet", report=False)
    MarkBook(tmp_path / "out").put("c1", 'home "town"', ["Basel"])
    refit(tmp_path / "out", tmp_path / "again")
    golden = pq.read_table(tmp_path / "again" / "golden.parquet")
    assert golden['home "town"'].to_pylist() == ["Basel", "Chur"]
    assert golden["age"].to_pylist() == [40, 17]
    lineage = pq.read_table(tmp_path / "again" / "lineage.parquet").to_pylist()
    town = next(row for row in lineage if row["value"] == "Basel")
    assert (town["supporting_sources"], town["records"]) == (["bill"], ["3"])
    kept = json.loads((tmp_path / "again" / "run.json").read_text(encoding="utf-8"))
    assert kept["golden"]["attributes"] == made.run.details["golden"]["attributes"]


@pytest.mark.parametrize("form", ["{}/g.duckdb", "duckdb:{}/g.duckdb", "duckdb:////{}/g.duckdb"])
def test_duckdb(made: Golden, tmp_path: Path, form: str) -> None:
    made.save(to=form.format(tmp_path).replace("/////", "////"))
    path = tmp_path / "g.duckdb"
    assert table_names(path) == ["golden", "golden_lineage"]
    with duckdb.connect(path, read_only=True) as database:
        rows = database.execute("SELECT cluster_id, age, phones FROM golden").fetchall()
    assert rows == [("c1", 40, made.golden["phones"][0].as_py()), ("c2", 17, ["7"])]


def test_tables_that_exist_are_replaced_only_when_asked(made: Golden, tmp_path: Path) -> None:
    path = tmp_path / "g.duckdb"
    with duckdb.connect(path) as database:
        database.execute("CREATE TABLE golden_lineage AS SELECT 1 AS old")
    with pytest.raises(OutputError, match="'golden_lineage' already"):
        made.save(tmp_path / "out", to=str(path))
    assert not (tmp_path / "out").exists()
    assert table_names(path) == ["golden_lineage"]
    made.save(to=str(path), overwrite=True)
    assert table_names(path) == ["golden", "golden_lineage"]


def test_a_folder_that_fails_leaves_the_database_alone(
    made: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise OutputError("no room")

    monkeypatch.setattr(type(made.run), "save", fail)
    with pytest.raises(OutputError, match="no room"):
        made.save(tmp_path / "out", to=str(tmp_path / "g.duckdb"))
    assert not (tmp_path / "g.duckdb").exists()


@pytest.mark.parametrize("where", ["golden.csv", "mysql://me@host/name", "sqlite:///x.db", ""])
def test_other_places_are_refused(made: Golden, where: str) -> None:
    with pytest.raises(InvalidParameter, match="DuckDB file such as"):
        made.save(to=where)
    with pytest.raises(InvalidParameter, match="no place to write to"):
        made.save()
    with pytest.raises(InvalidParameter, match=r"TABLE or SCHEMA.TABLE"):
        made.save(to="g.duckdb", table="a.b.c")


@pytest.mark.postgres
class TestPostgres:
    def rows(self, server: Server, sql: str) -> list[tuple[Any, ...]]:
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(server.uri()) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            found: list[tuple[Any, ...]] = cursor.fetchall()
            return found

    def test_names_that_need_quotes(self, postgres: Server, made: Golden) -> None:
        postgres.run('CREATE SCHEMA "My ""own"""')
        made.save(to=postgres.uri(), table='My "own".Golden; Records')
        table = '"My ""own"""."Golden; Records"'
        rows = self.rows(postgres, f'SELECT "home ""town""", age FROM {table} ORDER BY 1')
        assert rows == [("Bern", 40), ("Chur", 17)]
        ((count,),) = self.rows(
            postgres, 'SELECT count(*) FROM "My ""own"""."Golden; Records_lineage"'
        )
        assert count == len(made.lineage)

    def test_all_tables_or_none(self, postgres: Server, made: Golden) -> None:
        postgres.run("CREATE SCHEMA whole", "CREATE TABLE whole.g_lineage (old int)")
        with pytest.raises(OutputError, match=r"'whole\.g_lineage' already"):
            made.save(to=postgres.uri(), table="whole.g")
        (found,) = self.rows(postgres, "SELECT to_regclass('whole.g') IS NULL")
        assert found == (True,)
        made.save(to=postgres.uri(), table="whole.g", overwrite=True)
        assert self.rows(postgres, "SELECT count(*) FROM whole.g") == [(2,)]

    def test_what_cannot_be_stored_changes_nothing(self, postgres: Server) -> None:
        postgres.run("CREATE SCHEMA nul", "CREATE TABLE nul.g AS SELECT 1 AS old")
        linked = {"k": ["a", "b"], "s": ["x", "y"], "v": ["zero \0 byte", "fine"]}
        made = veracity.golden(linked, key="k", source="s")
        with pytest.raises(OutputError, match="could not be written to"):
            made.save(to=postgres.uri(), table="nul.g", overwrite=True)
        assert self.rows(postgres, "SELECT old FROM nul.g") == [(1,)]

    def test_a_wrong_password_is_not_shown(self, postgres: Server, made: Golden) -> None:
        with pytest.raises(OutputError, match="could not be written to") as caught:
            made.save(to=postgres.uri("wrong-one"))
        assert "wrong-one" not in str(caught.value)
