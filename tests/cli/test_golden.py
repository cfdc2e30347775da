"""``veracity golden``, and other shapes wherever claims are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

RECORDS = (
    "cluster_id,source_dataset,unique_id,city,phone\n"
    "c1,crm,1,Bern,031 1\nc1,shop,2,Bern,\nc1,bill,3,Basel,031 1\n"
    "c2,crm,4,Chur,081 7\nc2,shop,5,,081 7\n"
)
NAMED = ("--key", "cluster_id", "--source", "source_dataset")
OF_RECORDS = ("--shape", "records", *NAMED)


@pytest.fixture
def records(write: Write) -> Path:
    return write("records.csv", RECORDS)


def test_it_says_what_was_made(veracity: Command, records: Path, tmp_path: Path) -> None:
    done = veracity(
        "golden", records, *NAMED, "-o", tmp_path / "out", "--to", tmp_path / "g.duckdb"
    )
    assert done.code == 0
    assert done.err == ""
    for line in (
        "5 records of 3 sources made 2 golden records.",
        "4 of 4 cells have a value: 0 accepted, 4 for review, 0 undecided.",
        "c1          Bern  031 1",
        "bill    city            1      0.000",
        "record = 'unique_id', attributes = city, phone.",
        "golden and golden_lineage in",
    ):
        assert line in done.out
    header, first, *_ = (tmp_path / "out" / "golden.csv").read_text().splitlines()
    assert header.startswith("cluster_id,city,phone,city_plausibility,city_decision,")
    assert first.startswith("c1,Bern,031 1,0.")
    assert (tmp_path / "out" / "report.html").is_file()
    with duckdb.connect(tmp_path / "g.duckdb") as database:
        assert database.sql("SELECT city FROM golden").fetchall() == [("Bern",), ("Chur",)]


def test_other_commands_work_on_the_folder(
    veracity: Command, records: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert veracity("golden", records, *NAMED, "-o", out, "--no-report", "-q").out == ""
    for command in (("explain", out, "c1", "city"), ("report", out), ("accept", out)):
        assert veracity(*command).code == 0
    refused = veracity("update", out, records, *OF_RECORDS)
    assert refused.code == 2
    assert "veracity golden" in refused.err


def test_json(veracity: Command, records: Path, tmp_path: Path) -> None:
    done = veracity(
        *("golden", records, *NAMED, "--attributes", "city", "--kind", "city=multiple"),
        *("--to", tmp_path / "g.duckdb", "--to-table", "crm.people", "--values-only", "--json"),
    )
    told = json.loads(done.out)
    assert told["golden"]["attributes"] == ["city"]
    assert told["golden"]["counts"]["entities"] == 2
    assert told["settings"]["attributes"]["city"]["kind"] == "multiple"
    assert told["settings"]["shape"]["key"] == "cluster_id"
    with duckdb.connect(tmp_path / "g.duckdb") as database:
        columns = database.sql("SELECT * FROM crm.people").columns
    assert columns == ["cluster_id", "city"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--source", "source_dataset", "-o", "out"), "Perhaps --key cluster_id?"),
        (("--key", "cluster_id", "-o", "out"), "Perhaps --source source_dataset?"),
        (("--key", "cluster", "--source", "crm", "-o", "out"), "Did you mean 'cluster_id'"),
        (NAMED, "no place to write to"),
        ((*NAMED, "--to", "golden.xlsx"), "DuckDB file such as"),
        ((*NAMED, "-o", "out", "--attributes", "town"), "no column 'town'"),
        ((*NAMED, "-o", "out", "--attributes", "city", "--kind", "phone=single"), "'phone'"),
    ],
)
def test_errors_say_what_to_do(
    veracity: Command,
    records: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = veracity("golden", records, *arguments)
    assert done.code == 2
    assert says in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["records.csv"]


def test_an_empty_file_is_refused(veracity: Command, write: Write, tmp_path: Path) -> None:
    header = RECORDS.splitlines()[0] + "\n"
    for name, content in (("empty.csv", ""), ("header.csv", header)):
        done = veracity("golden", write(name, content), *NAMED, "-o", tmp_path / "out")
        assert done.code == 2
        assert not (tmp_path / "out").exists()


def test_records_and_wide_tables_are_discovered(
    veracity: Command, records: Path, write: Write, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = (*OF_RECORDS, "--attributes", "city,phone", "--no-report", "-q")
    assert veracity("discover", records, *options, "-o", out).code == 0
    described = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert described["settings"]["shape"] == {
        "name": "records",
        "key": "cluster_id",
        "source": "source_dataset",
        "attributes": ["city", "phone"],
    }
    assert "8 claims already known" in veracity("update", out, records, *OF_RECORDS).out
    assert veracity("score", out, records, *OF_RECORDS).code == 0
    wide = write("wide.json", '[{"photo": "p1", "ann": "cat", "bob": null, "truth": "dog"}]')
    done = veracity("inspect", wide, "--shape", "wide", "--item", "photo", "--sources", "ann,bob")
    assert "Claims(1 claim, 1 source, 1 item, 1 statement)" in done.out
    assert "item = 'photo', 2 sources: ann, bob" in done.out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (RECORDS, "--shape records --key cluster_id --source source_dataset"),
        ("question,ann,bob\nq1,x,y\n", "--shape wide --item question"),
        ("photo,ann,bob\np1,x,y\n", "--shape wide --item COLUMN"),
        ("task,worker,city,phone\nt1,w,x,y\n", "--shape records --key task --source worker"),
    ],
)
def test_another_shape_is_suggested(
    veracity: Command, write: Write, content: str, says: str
) -> None:
    done = veracity("inspect", write("table.csv", content))
    assert done.code == 2
    assert says in done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--shape", "wode"), "Did you mean 'wide'"),
        (("--key", "cluster_id"), "Add --shape records"),
        (("--item", "city"), "Add --shape wide"),
        (("--attributes", "city"), "Add --shape records"),
        ((*OF_RECORDS, "--entity", "cluster_id"), "Use key instead"),
        (("--shape", "wide", "--source", "city"), "Use sources instead"),
        (("--shape", "wide", "--item", "photo"), "no column 'photo'"),
    ],
)
def test_options_of_another_shape_are_refused(
    veracity: Command, records: Path, options: tuple[str, ...], says: str
) -> None:
    done = veracity("inspect", records, *options)
    assert done.code == 2
    assert says in done.err


def test_other_shapes_are_read_as_a_whole(veracity: Command, records: Path, tmp_path: Path) -> None:
    done = veracity("discover", records, *OF_RECORDS, "--memory", "1GB", "-o", tmp_path / "out")
    assert done.code == 2
    assert "read as a whole" in done.err
