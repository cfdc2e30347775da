"""Data sets in folders: read, and written whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from veracity import datasets
from veracity.data.output.write import TableFormat
from veracity.datasets import folder, synthetic
from veracity.errors import InputError, InvalidParameter, OutputError

FORMATS: tuple[TableFormat, ...] = ("csv", "csv.gz", "parquet", "jsonl")


@pytest.fixture(scope="module")
def drawn() -> synthetic.SyntheticTables:
    return synthetic.draw_tables(
        12,
        30,
        [synthetic.AttributeSpec("a"), synthetic.AttributeSpec("b", kind="multiple")],
        sources=synthetic.SourceSpec(denials=0.1, copiers=0.2),
        features={"claim_x": synthetic.normal(), "source_kind": synthetic.category("p", "q")},
        time=("2024-01-01", "2024-12-31"),
    )


@pytest.mark.parametrize("table_format", FORMATS)
def test_what_is_saved_is_loaded(
    drawn: synthetic.SyntheticTables, tmp_path: Path, table_format: TableFormat
) -> None:
    place = folder.save(drawn.named(), tmp_path / "made" / "set", table_format)
    assert sorted(file.name for file in place.iterdir()) == [
        f"claims.{table_format}",
        f"oracle.{table_format}",
        f"sources.{table_format}",
        f"truth.{table_format}",
    ]
    loaded = datasets.load(place, attributes={"b": "multiple"})
    assert loaded.name == "set"
    assert len(loaded.claims) == drawn.claims.num_rows
    assert loaded.claims.features["claim_x"].to_pylist() == pytest.approx(
        drawn.claims["claim_x"].to_pylist()
    )
    assert loaded.truth is not None
    assert len(loaded.truth) == 60
    assert sorted(map(str, loaded.truth.to_arrow().to_pylist())) == sorted(
        map(str, drawn.truth.to_pylist())
    )


def test_truth_may_be_missing(drawn: synthetic.SyntheticTables, tmp_path: Path) -> None:
    folder.save({"claims": drawn.claims}, tmp_path / "set")
    assert datasets.load(tmp_path / "set").truth is None


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no folder .*nowhere.*claims\.csv\.gz or claims\.csv"):
        datasets.load(tmp_path / "nowhere")


def test_missing_claims(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"looked for .*claims\.parquet.*found notes\.txt"):
        datasets.load(tmp_path)


def test_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="csv"):
        folder.save({}, tmp_path / "set", "xlsx")  # type: ignore[arg-type]


def test_failure_leaves_nothing(drawn: synthetic.SyntheticTables, tmp_path: Path) -> None:
    tables: dict[str, Any] = {"claims": drawn.claims, "truth": object()}
    with pytest.raises(InputError, match="Expected a table"):
        folder.save(tables, tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_only_drawn_data_may_be_replaced(drawn: synthetic.SyntheticTables, tmp_path: Path) -> None:
    place = folder.save(drawn.named(), tmp_path / "set", "csv")
    with pytest.raises(OutputError, match="overwrite"):
        folder.save(drawn.named(), place, "parquet")
    folder.save(drawn.named(), place, "parquet", overwrite=True)
    assert sorted(file.suffix for file in place.iterdir()) == [".parquet"] * 4

    own = tmp_path / "own"
    own.mkdir()
    (own / "claims.csv").write_text("source,entity,value\n")
    with pytest.raises(OutputError, match="not replaced"):
        folder.save(drawn.named(), own, overwrite=True)
    assert [file.name for file in own.iterdir()] == ["claims.csv"]


def test_anything_that_speaks_arrow_can_be_saved(tmp_path: Path) -> None:
    claims = synthetic.draw(5, 20).claims
    folder.save({"claims": claims}, tmp_path / "set", "csv")
    assert len(datasets.load(tmp_path / "set").claims) == len(claims)


def test_names_are_imported_when_asked_for() -> None:
    code = (
        "import sys, veracity.datasets as d; assert 'pyarrow' not in sys.modules; "
        "assert 'numpy' not in sys.modules; d.load; d.Dataset; d.synthetic.draw; d.example.path"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(datasets.__all__) == set(dir(datasets))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = datasets.nothing


def test_dates_stay_dates(drawn: synthetic.SyntheticTables, tmp_path: Path) -> None:
    assert drawn.claims["time"].type == pa.date32()
    place = folder.save(drawn.named(), tmp_path / "set", "csv")
    header, first = (place / "claims.csv").read_text().splitlines()[:2]
    time = first.split(",")[header.split(",").index("time")]
    assert time == drawn.claims["time"][0].as_py().isoformat()
