"""Folders are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from veracity import Claims
from veracity.data.output import exchange as exchanging
from veracity.data.output import write
from veracity.data.output.exchange import recover
from veracity.data.output.write import (
    check_format,
    escape_formulas,
    formula_cells,
    whole_folder,
    write_table,
)
from veracity.errors import InvalidParameter, OutputError

MARKS = ("run.json",)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a folder that an earlier run wrote."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "run.json").write_text("old")
    (folder / "truths.csv").write_text("old")
    return folder


def _write(target: Path, error: BaseException | None = None, **options: Any) -> None:
    with whole_folder(target, marks=MARKS, **options) as scratch:
        (scratch / "run.json").write_text("new")
        if error is not None:
            raise error


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_new_folder(tmp_path: Path) -> None:
    _write(tmp_path / "deep" / "out")
    assert (tmp_path / "deep" / "out" / "run.json").read_text() == "new"
    assert _names(tmp_path / "deep") == ["out"]


def test_relative_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(Path("out"))
    assert _names(tmp_path) == ["out"]


def test_empty_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    _write(tmp_path / "out")
    assert _names(tmp_path / "out") == ["run.json"]
    assert _names(tmp_path) == ["out"]


def test_folder_is_replaced_whole(old: Path) -> None:
    _write(old, overwrite=True)
    assert _names(old) == ["run.json"]
    assert (old / "run.json").read_text() == "new"
    assert _names(old.parent) == ["out"]


def test_existing_folder_is_refused(old: Path) -> None:
    with pytest.raises(OutputError, match=r"exists already.*--overwrite"):
        _write(old)
    assert (old / "run.json").read_text() == "old"


def test_foreign_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputError, match="not written by veracity"):
        _write(tmp_path, overwrite=True)
    assert _names(tmp_path) == ["thesis.tex"]


def test_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OutputError, match="is a file"):
        _write(tmp_path / "out", overwrite=True)
    with pytest.raises(OutputError, match="cannot be written"):
        _write(tmp_path / "out" / "below")


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt(), OSError(5, "no")])
def test_failure_leaves_the_old_folder(old: Path, error: BaseException) -> None:
    expected = OutputError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        _write(old, error, overwrite=True)
    assert _names(old) == ["run.json", "truths.csv"]
    assert (old / "run.json").read_text() == "old"
    assert _names(old.parent) == ["out"]


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt()])
def test_failure_leaves_nothing_where_nothing_was(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        _write(tmp_path / "out", error)
    assert _names(tmp_path) == []


@pytest.fixture
def in_two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system where two folders cannot change places at one stroke."""
    monkeypatch.setattr(exchanging, "exchange", lambda one, other: False)


@pytest.mark.usefixtures("in_two_steps")
@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(18, "cross-device")])
def test_failure_while_changing_places(
    old: Path, monkeypatch: pytest.MonkeyPatch, failing: int, error: BaseException
) -> None:
    replace, calls = os.replace, []

    def fail(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == failing:
            raise error
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        _write(old, overwrite=True)
    assert (old / "run.json").read_text() == "old"
    assert _names(old.parent) == ["out"]


@pytest.mark.usefixtures("in_two_steps")
def test_old_folder_is_kept_even_if_it_cannot_be_put_back(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, calls = os.replace, []

    def fail(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) > 1:
            raise OSError(5, "broken")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OutputError):
        _write(old, overwrite=True)
    monkeypatch.undo()
    (saved,) = old.parent.glob(".out.*.old/truths.csv")
    assert saved.read_text() == "old"
    recover(old)
    assert _names(old) == ["run.json", "truths.csv"]


@pytest.mark.usefixtures("in_two_steps")
def test_interrupt_just_after_the_change_leaves_the_new_folder(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def interrupted(source: Path, target: Path) -> None:
        replace(source, target)
        if target == old:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _write(old, overwrite=True)
    assert (old / "run.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_disk(old: Path) -> None:
    table = pa.table({"n": list(range(100_000))})

    def fill() -> None:
        with whole_folder(old, overwrite=True, marks=MARKS) as scratch:
            (scratch / "truths.csv").symlink_to("/dev/full")
            write_table(table, scratch / "truths.csv", "csv")

    with pytest.raises(OutputError, match=r"The disk is full.*Free some space"):
        fill()
    assert (old / "truths.csv").read_text() == "old"
    assert _names(old.parent) == ["out"]


def test_errors_of_the_writer_are_output_errors(tmp_path: Path) -> None:
    def fail() -> None:
        with whole_folder(tmp_path / "out", marks=MARKS) as scratch:
            write_table(pa.table({"n": [1]}), scratch / "no" / "folder.csv", "csv")

    with pytest.raises(OutputError, match="was not written"):
        fail()
    assert _names(tmp_path) == []


def test_folder_can_be_read_by_others(tmp_path: Path) -> None:
    _write(tmp_path / "out")
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755


NASTY = ["=1+1", "+cmd", "-x", "@a", "\tx", "\rx", "-5", "+1.5e3", "a=1", "", "'=1", "plain"]


def test_formulas_are_counted_and_escaped() -> None:
    table = pa.table({"value": NASTY, "n": list(range(len(NASTY)))})
    assert formula_cells(table) == 6
    escaped = escape_formulas(table)
    assert escaped["value"].to_pylist() == [
        "'=1+1",
        "'+cmd",
        "'-x",
        "'@a",
        "'\tx",
        "'\rx",
        *NASTY[6:],
    ]
    assert escaped["n"] == table["n"]
    assert formula_cells(escaped) == 0
    assert formula_cells(pa.table({"value": pa.array([], pa.string())})) == 0


@pytest.mark.parametrize("form", ["parquet", "csv", "csv.gz", "jsonl"])
def test_every_format_can_be_read_again(tmp_path: Path, form: Any) -> None:
    table = pa.table({"source": ["a", "b"], "entity": ['q"x', "🦄\n"], "value": ["1,5", "=1"]})
    write_table(table, tmp_path / f"claims.{form}", form)
    claims = Claims.read(tmp_path / f"claims.{form}")
    assert claims.to_arrow().select(table.column_names).to_pydict() == table.to_pydict()


def test_unknown_format() -> None:
    assert check_format("csv.gz") == "csv.gz"
    with pytest.raises(InvalidParameter, match="must be one of parquet"):
        check_format("xlsx")


@pytest.mark.parametrize("most", [2, 3])
def test_columns_of_many_labels_are_written_without_a_dictionary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(write, "MANY_LABELS", most)
    texts = {"source": ["a", "b", "a", "b"], "entity": ["x", "y", "z", "x"]}
    coded = {name: pa.array(column).dictionary_encode() for name, column in texts.items()}
    write_table(pa.table(coded), tmp_path / "table.parquet", "parquet")
    file = pq.ParquetFile(tmp_path / "table.parquet")
    group = file.metadata.row_group(0)
    has_dictionary = [group.column(place).has_dictionary_page for place in range(2)]
    assert has_dictionary == [True, most == 3]
    assert file.read().to_pydict() == texts
