"""What the folders of a table are called changes nothing, unless the user asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from veracity import Claims, discover
from veracity.cli.app import app
from veracity.errors import InputError, InvalidParameter, VeracityError
from veracity.workflow.saved_run import open_run
from veracity.workflow.updates import update

COLUMNS: dict[str, list[Any]] = {
    "source": ["ann", "bob", "cat", "ann", "bob"],
    "entity": ["sky", "sky", "sky", "sea", "sea"],
    "attribute": ["colour"] * 5,
    "value": ["blue", "blue", "red", "green", "green"],
    "asserts": [1, 1, 1, 1, 0],
    "time": [1, 2, 3, 4, 5],
    "weight": [1.0, 0.5, 2.0, 1.0, 1.0],
    "claim_length": [3, 4, 5, 6, 7],
}
#: A folder for each column, for what a run calls its own columns, and for no column at all.
FOLDERS = [f"{name}={cell}" for name, cell in zip(COLUMNS, "abcd0000", strict=True)]
FOLDERS += ["row=1", "c0=x", "item=1", "plausibility=0.5", "year=2020", "=", "a=b=c", "source="]


def _write(path: Path, columns: dict[str, list[Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in table.to_pylist()))
    return path


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("whole", [True, False])
def test_the_name_of_a_folder_changes_nothing(
    tmp_path: Path, folder: str, form: str, whole: bool
) -> None:
    plain = Claims.read(_write(tmp_path / f"claims.{form}", COLUMNS))
    path = _write(tmp_path / "in" / folder / f"claims.{form}", COLUMNS)
    read = Claims.read(path.parent.parent if whole else path)
    assert read.to_arrow().equals(plain.to_arrow())
    assert read.columns == plain.columns


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_run_can_be_anywhere(tmp_path: Path, folder: str) -> None:
    claims = Claims.read(_write(tmp_path / "claims.parquet", COLUMNS))
    tables = []
    for place in (tmp_path / "run", tmp_path / folder / "run"):
        discover(claims, model="vote").save(place)
        tables.append(open_run(place).claims.to_arrow())
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize("folder", ["weight=0", "value=red", "asserts=0", "source=web"])
def test_an_update_can_be_anywhere(tmp_path: Path, folder: str) -> None:
    claims = Claims.read(_write(tmp_path / "claims.parquet", COLUMNS))
    more = {name: [cells[0]] for name, cells in COLUMNS.items()} | {"entity": ["sun"]}
    tables = []
    for parent in (tmp_path / "plain", tmp_path / folder):
        discover(claims).save(parent / "run")
        update(parent / "run", _write(parent / "more.parquet", more), write_tables=True)
        tables.append([open_run(parent / "run").claims.to_arrow(), _truths(parent / "run")])
    for plain, other in zip(*tables, strict=True):
        assert plain.equals(other)


def _truths(run: Path) -> pa.Table:
    return pq.ParquetFile(run / "truths.parquet").read()


def _without(name: str) -> dict[str, list[Any]]:
    return {other: cells for other, cells in COLUMNS.items() if other != name}


def test_columns_of_folders_are_read_when_asked_for_and_reported(tmp_path: Path) -> None:
    for source in ("ann", "bob"):
        _write(tmp_path / f"source={source}" / "claims.parquet", _without("source"))
    claims = Claims.read(tmp_path, hive=True)
    assert claims.matrix.sources.to_pylist() == ["ann", "bob"]
    assert any("names of folders: source." in note.text for note in claims.notes)


def test_the_command_takes_columns_from_folders(tmp_path: Path) -> None:
    for source in ("ann", "bob"):
        _write(tmp_path / "in" / f"source={source}" / "claims.parquet", _without("source"))
    result = _run("discover", tmp_path / "in", "--hive", "-o", tmp_path / "out", "--model", "vote")
    assert result.exit_code == 0, result.output
    assert open_run(tmp_path / "out").claims.matrix.n_sources == 2


def test_a_folder_never_takes_the_place_of_a_column(tmp_path: Path) -> None:
    path = _write(tmp_path / "value=red" / "claims.parquet", COLUMNS)
    with pytest.raises(InputError, match="'value', which the files in them have as well"):
        Claims.read(path, hive=True)


@pytest.mark.parametrize(
    ("names", "expected", "message"),
    [
        (["year=1/a.parquet", "month=2/b.parquet"], InputError, "need the same Hive columns"),
        (["year=1/a.parquet", "b.parquet"], InputError, "no column"),
        (["a.parquet"], InputError, "there are no Hive columns"),
        (["year=1/a.csv"], InvalidParameter, "with Parquet files only"),
    ],
)
def test_what_cannot_be_taken_from_folders_is_said(
    tmp_path: Path, names: list[str], expected: type[VeracityError], message: str
) -> None:
    for name in names:
        _write(tmp_path / "in" / name, COLUMNS)
    with pytest.raises(expected, match=message):
        Claims.read(tmp_path / "in", hive=True)
