"""Large CSV files are cut up and coded as the standard library reads them."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.data.read import cell_kernels, cell_tables, file_lines
from veracity.data.read.cell_tables import code_cells
from veracity.data.read.file_lines import NotPlain
from veracity.data.threads import use_threads

CELLS = st.one_of(
    st.text('ab,"é日\n\r 1', max_size=20),
    st.integers(0, 30).map("a long beginning that all share/{}".format),
    st.sampled_from(["", "1", "12345678", "123456789", "1" * 16, "1" * 17]),
)
TABLES = st.integers(2, 4).flatmap(
    lambda n_columns: st.lists(st.lists(CELLS, min_size=n_columns, max_size=n_columns), min_size=1)
)


def write(path: Path, rows: list[list[str]], ending: str, quoting: Any) -> None:
    """Write rows below a header."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=ending, quoting=quoting)
        writer.writerow([f"c{place}" for place in range(len(rows[0]))])
        writer.writerows(rows)


def read(paths: list[Path], n_columns: int) -> list[list[str]]:
    """Return the rows of files, and check that labels are in order."""
    columns = code_cells(paths, n_columns, ord(","), range(n_columns))
    for column in columns.values():
        labels = [label.encode() for label in column.labels.to_pylist()]
        assert all(one < other for one, other in pairwise(labels))
    cells = [columns[place].cells().to_pylist() for place in range(n_columns)]
    return [list(row) for row in zip(*cells, strict=True)]


def read_or_refuse(path: Path, n_columns: int) -> list[list[str]] | None:
    """Return the rows of a file, None if it is left to DuckDB."""
    try:
        return read([path], n_columns)
    except NotPlain:
        return None


def break_off_anywhere(patch: pytest.MonkeyPatch, at_once: int) -> None:
    """Read so many bytes at once, into tables that soon have to grow."""
    patch.setattr(file_lines, "AT_ONCE", at_once)
    patch.setattr(cell_tables, "SLOTS", 4)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=TABLES,
    ending=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    at_once=st.sampled_from([1, 5, 64, 1 << 18]),
    threads=st.integers(1, 4),
)
def test_cells_are_those_that_were_written(
    tmp_path: Path, rows: list[list[str]], ending: str, quoting: Any, at_once: int, threads: int
) -> None:
    path = tmp_path / "table.csv"
    write(path, rows, ending, quoting)
    with pytest.MonkeyPatch.context() as patch, use_threads(threads):
        break_off_anywhere(patch, at_once)
        found = read_or_refuse(path, len(rows[0]))
    signs = {sign for row in rows for cell in row for sign in cell}
    # A piece may end within a cell, and Python does not quote a return by itself.
    is_plain = "\r" not in signs and ("\n" not in signs or at_once == 1 << 18)
    assert found == rows or (found is None and not is_plain)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_labels_with_the_same_hash_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    def no_hashes(_eights: Any, _first: Any, _length: Any, hashes: Any) -> None:
        hashes.fill(3)

    monkeypatch.setattr(cell_kernels, "hash_labels", no_hashes)
    break_off_anywhere(monkeypatch, 100)
    rows = [[f"task-{number % 97}", f"{'x' * (number % 31)}"] for number in range(500)]
    path = tmp_path / "table.csv"
    write(path, rows, "\n", csv.QUOTE_MINIMAL)
    with use_threads(threads):
        assert read([path], 2) == rows


def test_files_with_other_line_ends_are_read_together(tmp_path: Path) -> None:
    rows = [["a", "1"], ["b", "2"]]
    paths = [tmp_path / "one.csv", tmp_path / "other.csv"]
    for path, ending in zip(paths, ["\n", "\r\n"], strict=True):
        write(path, rows, ending, csv.QUOTE_MINIMAL)
    assert read(paths, 2) == [*rows, *rows]


def test_nothing_below_the_header_is_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n\n\n")
    assert read([path], 2) == []


def test_labels_that_are_too_long_together_are_left_to_duckdb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    write(path, [[f"task-{number}", "a"] for number in range(100)], "\n", csv.QUOTE_MINIMAL)
    monkeypatch.setattr(cell_tables, "MOST_BYTES", 1_000)
    assert read_or_refuse(path, 2) is None


def test_loops_run_where_nothing_is_compiled(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write(path, [["a", 'say "no"'], ["a label of many bytes", "b"]], "\n", csv.QUOTE_MINIMAL)
    code = f"""
from pathlib import Path
from veracity.data.read.cell_tables import code_cells
print([column.cells().to_pylist() for column in
       code_cells([Path({str(path)!r})], 2, ord(","), [0, 1]).values()])
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "error::RuntimeWarning"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "[['a', 'a label of many bytes'], ['say \"no\"', 'b']]\n"
