"""Every kind of file and database gives the same claims."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.postgres import PASSWORD, Server

from veracity import Claims, VeracityError
from veracity.data.output.summary import summarise_claims
from veracity.engines.summary import summarise_blocks
from veracity.errors import InputError, InvalidParameter

Columns = dict[str, list[Any]]


def _lines(columns: Columns, delimiter: str = ",") -> str:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def _json_lines(columns: Columns) -> str:
    return "".join(json.dumps(row) + "\n" for row in pa.table(columns).to_pylist())


def _compressed(path: Path, text: str, compression: str) -> None:
    with pa.output_stream(str(path), compression=compression) as stream:
        stream.write(text.encode())


def _parquet_folder(path: Path, columns: Columns) -> None:
    (path / "deep").mkdir(parents=True)
    table = pa.table(columns)
    pa.parquet.write_table(table.slice(0, 2), path / "a.parquet")
    pa.parquet.write_table(table.slice(2), path / "deep" / "b.parquet")
    (path / "_SUCCESS").write_text("")


def _arrow(path: Path, columns: Columns, stream: bool) -> None:
    table = pa.table(columns)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def _sqlite(path: Path, columns: Columns, table: str = "claims") -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f'CREATE TABLE "{table}" (source, entity, attribute, value)')
        database.executemany(
            f'INSERT INTO "{table}" VALUES (?, ?, ?, ?)', zip(*columns.values(), strict=True)
        )
        database.commit()


def _duckdb(path: Path, columns: Columns, table: str = "claims") -> None:
    with duckdb.connect(str(path)) as database:
        database.register("frame", pa.table(columns))
        database.execute(f'CREATE TABLE "{table}" AS SELECT * FROM frame')


WRITERS: dict[str, Callable[[Path, Columns], object]] = {
    "claims.csv": lambda path, columns: path.write_text(_lines(columns)),
    "claims.txt": lambda path, columns: path.write_text(_lines(columns, ";")),
    "claims.CSV": lambda path, columns: path.write_text(_lines(columns, "|")),
    "claims.tsv": lambda path, columns: path.write_text(_lines(columns, "\t")),
    "bom.csv": lambda path, columns: path.write_text(_lines(columns), encoding="utf-8-sig"),
    "crlf.csv": lambda path, columns: path.write_bytes(
        _lines(columns).replace("\n", "\r\n").encode()
    ),
    "claims.csv.gz": lambda path, columns: _compressed(path, _lines(columns), "gzip"),
    "claims.csv.zst": lambda path, columns: _compressed(path, _lines(columns), "zstd"),
    "claims.tsv.gz": lambda path, columns: _compressed(path, _lines(columns, "\t"), "gzip"),
    "claims.parquet": lambda path, columns: pa.parquet.write_table(pa.table(columns), path),
    "no_suffix": lambda path, columns: pa.parquet.write_table(pa.table(columns), path),
    "folder": _parquet_folder,
    "claims.jsonl": lambda path, columns: path.write_text(_json_lines(columns)),
    "claims.ndjson.gz": lambda path, columns: _compressed(path, _json_lines(columns), "gzip"),
    "claims.jsonl.zst": lambda path, columns: _compressed(path, _json_lines(columns), "zstd"),
    "claims.arrow": lambda path, columns: _arrow(path, columns, stream=False),
    "stream.arrow": lambda path, columns: _arrow(path, columns, stream=True),
    "claims.feather": lambda path, columns: pa.feather.write_feather(pa.table(columns), str(path)),
    "claims.sqlite": _sqlite,
    "claims.duckdb": _duckdb,
    "odd [1]*?.csv": lambda path, columns: path.write_text(_lines(columns)),
}


def same_claims(claims: Claims, columns: Columns) -> bool:
    """Whether claims hold the rows of a dict of columns, in their order."""
    return bool(claims.to_arrow().select(list(columns)).to_pydict() == columns)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_claims(tmp_path: Path, columns: Columns, name: str) -> None:
    WRITERS[name](tmp_path / name, columns)
    claims = Claims.read(tmp_path / name)
    assert same_claims(claims, columns)
    assert claims.columns.roles == {role: role for role in columns}
    assert same_claims(Claims.read(str(tmp_path / name)), columns)


@pytest.mark.parametrize("name", ["claims.csv", "claims.parquet", "claims.jsonl"])
def test_folder_names_are_not_columns(tmp_path: Path, columns: Columns, name: str) -> None:
    place = tmp_path / "year=2012"
    place.mkdir()
    WRITERS[name](place / name, columns)
    assert same_claims(Claims.read(place / name), columns)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_pattern_reads_several_files_as_one(tmp_path: Path, columns: Columns, ending: str) -> None:
    writer = WRITERS[f"claims.{ending}"]
    for part in range(3):
        own = {name: cells[2 * part : 2 * part + 2] for name, cells in columns.items()}
        writer(tmp_path / f"part-{part}.{ending}", own)
    claims = Claims.read(tmp_path / f"part-*.{ending}")
    assert same_claims(claims, columns)
    assert len(claims.describe_origin()) == 3
    assert same_claims(Claims.read(tmp_path), columns)


def test_parquet_files_may_have_their_columns_in_another_order(
    tmp_path: Path, columns: Columns
) -> None:
    table = pa.table(columns)
    pa.parquet.write_table(table.slice(0, 3), tmp_path / "a.parquet")
    pa.parquet.write_table(table.slice(3).select([3, 1, 0, 2]), tmp_path / "b.parquet")
    assert same_claims(Claims.read(tmp_path), columns)


def test_folder_of_several_formats_is_refused(tmp_path: Path, columns: Columns) -> None:
    for name in ("claims.csv", "claims.parquet"):
        WRITERS[name](tmp_path / name, columns)
    with pytest.raises(InputError, match=r"several formats \(csv, parquet\)"):
        Claims.read(tmp_path)


def test_json_lines_of_mixed_types_are_read_as_text(tmp_path: Path) -> None:
    cells = ["true", "1", '"yes"', "2.5", "null", '"1"', '"\\u00e9\\n\\ud83e\\udd84"']
    lines = [f'{{"worker": {i}, "task": "t", "label": {cell}}}\n' for i, cell in enumerate(cells)]
    (tmp_path / "claims.jsonl").write_text("".join(lines))
    claims = Claims.read(tmp_path / "claims.jsonl")
    assert claims.to_arrow()["value"].to_pylist() == ["true", "1", "yes", "2.5", "1", "é\n🦄"]
    assert claims.to_arrow()["source"].to_pylist() == ["0", "1", "2", "3", "5", "6"]


def test_a_key_missing_from_a_json_line_is_a_null(tmp_path: Path) -> None:
    (tmp_path / "claims.jsonl").write_text(
        '{"source": "a", "entity": "x"}\n{"source": "b", "entity": "x", "value": 1}\n'
    )
    claims = Claims.read(tmp_path / "claims.jsonl")
    assert len(claims) == 1
    assert [note.count for note in claims.notes if note.subject == "nulls"] == [1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("{not json\n", "JSON lines"), ("[not json\n", "array of JSON"), ("[1, 2]", "array of JSON")],
)
def test_what_is_not_json_is_refused(tmp_path: Path, text: str, kind: str) -> None:
    (tmp_path / "claims.json").write_text(text)
    with pytest.raises(InputError, match=kind):
        Claims.read(tmp_path / "claims.json")


@pytest.mark.parametrize("ending", ["json", "json.gz", "json.zst"])
def test_arrays_of_json_objects(tmp_path: Path, ending: str) -> None:
    rows = [{"source": "a", "entity": "x", "value": 1}, {"source": "b", "entity": "x"}]
    path = tmp_path / f"claims.{ending}"
    with pa.output_stream(str(path)) as stream:
        stream.write(("\n  " + json.dumps(rows, indent=1)).encode())
    assert Claims.read(path).to_arrow()["value"].to_pylist() == ["1"]


def test_arrays_and_lines_of_json_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"source": "a", "entity": "x", "value": 1}]')
    (tmp_path / "b.json").write_text('{"source": "a", "entity": "x", "value": 1}')
    with pytest.raises(InputError, match="same layout"):
        Claims.read(tmp_path)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "sqlite", "duckdb", "csv.gz", "jsonl.gz"])
def test_damaged_files_are_named(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"claims.{ending}"
    path.write_bytes(b"this is not what it says it is" * 100)
    with pytest.raises(InputError, match=r"claims\..* could not be read"):
        Claims.read(path)


def test_duckdb_is_read_into_blocks(tmp_path: Path, columns: Columns) -> None:
    _duckdb(tmp_path / "claims.duckdb", columns)
    claims = Claims.read(tmp_path / "claims.duckdb", memory="300 MB")
    assert summarise_blocks(claims) == summarise_claims(Claims.from_frame(columns))


def test_a_duckdb_file_is_free_after_reading(tmp_path: Path, columns: Columns) -> None:
    path = tmp_path / "claims.duckdb"
    _duckdb(path, columns)
    assert same_claims(Claims.read(path), columns)
    assert same_claims(Claims.read(path), columns)
    with duckdb.connect(str(path)) as database:
        database.execute("DROP TABLE claims")


@pytest.mark.parametrize(("writer", "ending"), [(_sqlite, "sqlite"), (_duckdb, "duckdb")])
class TestDatabaseFiles:
    """SQLite and DuckDB offer the same choices."""

    def test_table_and_query(
        self, tmp_path: Path, columns: Columns, writer: Any, ending: str
    ) -> None:
        path = tmp_path / f"two.{ending}"
        writer(path, columns, "mine")
        writer(path, {name: cells[:1] for name, cells in columns.items()}, "o'd; d")
        assert same_claims(Claims.read(path, table="mine"), columns)
        assert len(Claims.read(path, table="o'd; d")) == 1
        query = "SELECT source AS worker, entity, value FROM mine WHERE value = 'blue'"
        assert Claims.read(path, query=query).to_arrow()["source"].to_pylist() == ["ann", "bob"]

    def test_one_table_or_claims_needs_no_name(
        self, tmp_path: Path, columns: Columns, writer: Any, ending: str
    ) -> None:
        path = tmp_path / f"two.{ending}"
        writer(path, columns, "anything")
        assert same_claims(Claims.read(path), columns)
        writer(path, {name: cells[:1] for name, cells in columns.items()}, "claims")
        assert len(Claims.read(path)) == 1

    def test_several_tables_need_one(
        self, tmp_path: Path, columns: Columns, writer: Any, ending: str
    ) -> None:
        path = tmp_path / f"two.{ending}"
        writer(path, columns, "left")
        writer(path, columns, "right")
        with pytest.raises(InputError, match=r"2 tables \(left, right\).*--table"):
            Claims.read(path)
        with pytest.raises(InputError, match=r"no table 'rigth'. Did you mean 'right'"):
            Claims.read(path, table="rigth")

    @pytest.mark.parametrize("query", ["", "SELEC 1", "SELECT * FROM nowhere", "DROP TABLE claims"])
    def test_bad_queries_are_refused(
        self, tmp_path: Path, columns: Columns, writer: Any, ending: str, query: str
    ) -> None:
        path = tmp_path / f"one.{ending}"
        writer(path, columns)
        with pytest.raises(InputError):
            Claims.read(path, query=query)
        assert same_claims(Claims.read(path), columns)

    def test_address(self, tmp_path: Path, columns: Columns, writer: Any, ending: str) -> None:
        path = tmp_path / f"one.{ending}"
        writer(path, columns)
        assert same_claims(Claims.read(f"{ending}:///{path}"), columns)


def test_sqlite_cells_of_any_type(tmp_path: Path) -> None:
    cells = [1, 2.5, "x", b"y", None]
    columns: Columns = {"source": list("abcde"), "entity": ["e"] * 5, "attribute": ["v"] * 5}
    columns["value"] = cells
    _sqlite(tmp_path / "claims.db", columns)
    claims = Claims.read(tmp_path / "claims.db")
    assert claims.to_arrow()["value"].to_pylist() == ["1", "2.5", "x", "y"]


def test_table_or_query_of_a_plain_file_is_refused(tmp_path: Path, columns: Columns) -> None:
    WRITERS["claims.csv"](tmp_path / "claims.csv", columns)
    with pytest.raises(InvalidParameter, match="from a database only"):
        Claims.read(tmp_path / "claims.csv", table="claims")
    with pytest.raises(InvalidParameter, match="either a table or a query"):
        Claims.read(tmp_path / "claims.csv", table="a", query="b")


def test_repeated_column_names_are_refused(tmp_path: Path, columns: Columns) -> None:
    WRITERS["claims.sqlite"](tmp_path / "claims.sqlite", columns)
    with pytest.raises(InputError, match="same name: value"):
        Claims.read(tmp_path / "claims.sqlite", query="SELECT *, value FROM claims")


@pytest.fixture(scope="module")
def server(postgres: Server) -> Server:
    postgres.run(
        "DROP TABLE IF EXISTS claims, votes CASCADE",
        "CREATE TABLE claims (worker text, task int, label text, weight numeric, "
        "time timestamptz, asserts boolean, claim_day date)",
        "INSERT INTO claims VALUES ('ann', 1, 'x', 2.5, '2020-01-01', true, '2020-01-01'), "
        "('bob', 1, 'y', 1, '2020-01-02', true, NULL), (NULL, 1, 'y', 1, NULL, true, NULL), "
        "('ann', 1, 'z', 1, '2020-01-03', false, NULL)",
        "CREATE SCHEMA IF NOT EXISTS deep",
        "CREATE TABLE IF NOT EXISTS deep.votes AS SELECT * FROM claims LIMIT 1",
    )
    return postgres


@pytest.mark.postgres
class TestPostgres:
    """A real server, reached as a user would reach it."""

    def test_table(self, server: Server) -> None:
        claims = Claims.read(server.uri(), table="claims")
        rows = claims.to_arrow().select(["source", "entity", "value", "asserts", "weight"])
        assert rows.to_pylist() == [
            {"source": "ann", "entity": "1", "value": "x", "asserts": 1, "weight": 2.5},
            {"source": "bob", "entity": "1", "value": "y", "asserts": 1, "weight": 1.0},
            {"source": "ann", "entity": "1", "value": "z", "asserts": 0, "weight": 1.0},
        ]
        assert claims.to_arrow()["time"].to_pylist() == [1577836800.0, 1577923200.0, 1578009600.0]
        assert claims.features["claim_day"].to_pylist() == [1577836800.0, None, None, None]

    def test_the_only_table_and_one_of_another_schema(self, server: Server) -> None:
        assert len(Claims.read(server.uri())) == 3
        assert len(Claims.read(server.uri(), table="deep.votes")) == 1

    def test_query(self, server: Server) -> None:
        query = "SELECT worker, task, label FROM claims WHERE weight > 2"
        assert Claims.read(server.uri(), query=query).to_arrow()["value"].to_pylist() == ["x"]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"table": "claim"}, "no table 'claim'. Did you mean 'claims'"),
            ({"table": "deep.nothing"}, "could not be read"),
            ({"query": "SELECT * FROM nowhere"}, "nowhere"),
            ({"query": "SELEC"}, "could not be read"),
        ],
    )
    def test_what_is_not_there(self, server: Server, given: Any, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Claims.read(server.uri(), **given)

    def test_wrong_password_is_an_error_that_does_not_show_it(self, server: Server) -> None:
        with pytest.raises(InputError, match=r"veracity:\*\*\*@.*could not be read") as caught:
            Claims.read(server.uri("wr0ng-one"), table="claims")
        assert "wr0ng-one" not in str(caught.value)

    def test_no_server(self) -> None:
        with pytest.raises(InputError, match="could not be read"):
            Claims.read("postgresql://nobody@127.0.0.1:1/nothing")

    def test_origin_hides_the_password(self, server: Server) -> None:
        (origin,) = Claims.read(server.uri(), table="claims").describe_origin()
        assert PASSWORD not in str(origin)
        assert str(server.port) in str(origin["uri"])


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("nothing.csv", "There is no file nothing.csv"),
        ("nothing/*.csv", "No file matches"),
        ("https://example.com/claims.csv", "https:// addresses cannot be read"),
        ("sqlite:///nothing.db", "There is no file nothing.db"),
    ],
)
def test_what_cannot_be_found(where: str, message: str) -> None:
    with pytest.raises(VeracityError, match=message):
        Claims.read(where)


def test_near_files_are_listed(tmp_path: Path, columns: Columns) -> None:
    WRITERS["claims.csv"](tmp_path / "claims.csv", columns)
    with pytest.raises(InputError, match=r"Beside it are: claims.csv"):
        Claims.read(tmp_path / "claim.csv")


def test_a_spreadsheet_is_to_be_saved_as_csv(tmp_path: Path) -> None:
    (tmp_path / "claims.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match="Save its sheet as CSV"):
        Claims.read(tmp_path / "claims.xlsx")


def test_an_object_that_holds_the_rows_is_named(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text('{"rows": [{"source": "a", "entity": "b", "value": "c"}]}')
    with pytest.raises(InputError, match="one object, with its rows in 'rows'"):
        Claims.read(path)


@pytest.mark.parametrize("name", ["claims.docx", "claims"])
def test_unknown_formats_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("source,entity,value\na,b,c\n")
    with pytest.raises(InputError, match="is not known by its name"):
        Claims.read(tmp_path / name)


def test_compressed_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "claims.parquet.gz").write_bytes(b"")
    with pytest.raises(InputError, match="decompress it first"):
        Claims.read(tmp_path / "claims.parquet.gz")


def test_folder_without_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing here")
    with pytest.raises(InputError, match="has no table in it"):
        Claims.read(tmp_path)


@pytest.mark.parametrize("folder", ["value=red", "source=web", "asserts=0", "weight=0"])
def test_the_name_of_a_folder_is_no_column(tmp_path: Path, folder: str) -> None:
    columns = {"source": ["ann", "bob"], "entity": ["sky", "sky"], "value": ["blue", "grey"]}
    place = tmp_path / folder
    place.mkdir()
    pa.parquet.write_table(pa.table(columns), place / "claims.parquet")
    table = Claims.read(place / "claims.parquet").to_arrow()
    assert {name: table[name].to_pylist() for name in columns} == columns
    assert table["asserts"].to_pylist() == [1, 1]
    assert "weight" not in table.column_names
