"""Frames of every library give the claims that a CSV file of them would."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from veracity import Claims, GroundTruth
from veracity.errors import InputError

Columns = dict[str, list[Any]]


class Stream:
    """Anything that speaks the Arrow stream protocol, and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def _dictionary(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(cells).dictionary_encode() for name, cells in columns.items()})


def _chunked(columns: Columns) -> pa.Table:
    table = pa.table(columns)
    return pa.concat_tables([table.slice(0, 1), table.slice(1, 3), table.slice(4)])


def _view(columns: Columns) -> pa.Table:
    return pa.table({name: pa.array(cells, pa.string_view()) for name, cells in columns.items()})


def _categories(columns: Columns) -> Any:
    return pl.DataFrame(columns).with_columns(pl.all().cast(pl.Categorical))


MAKERS: dict[str, Callable[[Columns], Any]] = {
    "dict": lambda columns: columns,
    "dict of arrays": lambda columns: {name: np.array(cells) for name, cells in columns.items()},
    "pandas": pd.DataFrame,
    "pandas object": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas string": lambda columns: pd.DataFrame(columns, dtype="string"),
    "pandas pyarrow": lambda columns: pd.DataFrame(columns, dtype="string[pyarrow]"),
    "pandas category": lambda columns: pd.DataFrame(columns, dtype="category"),
    "pandas index": lambda columns: pd.DataFrame(columns, index=range(10, 16)),
    "polars": pl.DataFrame,
    "polars categories": _categories,
    "arrow": pa.table,
    "arrow dictionary": _dictionary,
    "arrow chunked": _chunked,
    "arrow string view": _view,
    "arrow large string": lambda columns: pa.table(columns).cast(
        pa.schema([(name, pa.large_string()) for name in columns])
    ),
    "batch reader": lambda columns: pa.table(columns).to_reader(max_chunksize=2),
    "record batch": lambda columns: pa.RecordBatch.from_pydict(columns),
    "stream": lambda columns: Stream(pa.table(columns)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_frame_gives_the_same_claims(columns: Columns, name: str) -> None:
    claims = Claims.from_frame(MAKERS[name](columns))
    assert claims.to_arrow().select(list(columns)).to_pydict() == columns


def test_duckdb_relation(columns: Columns) -> None:
    with duckdb.connect() as connection:
        connection.register("frame", pa.table(columns))
        claims = Claims.from_frame(connection.sql("SELECT * FROM frame"))
    assert claims.to_arrow().select(list(columns)).to_pydict() == columns


def _values(frame: Any) -> list[str]:
    values: list[str] = Claims.from_frame(frame).to_arrow()["value"].to_pylist()
    return values


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pd.Series([True, False]), ["true", "false"]),
        (pd.Series([True, None], dtype="boolean"), ["true"]),
        (pd.Series([1, 2]), ["1", "2"]),
        (pd.Series([1, None], dtype="Int64"), ["1"]),
        (pd.Series([1, np.nan]), ["1"]),
        (pd.Series([1.5, 2.0]), ["1.5", "2"]),
        (pd.Series([1.5, None], dtype="Float64"), ["1.5"]),
        (pd.Series([1, "1", 2.5, True, None, np.nan, pd.NA], dtype=object), None),
        (pd.Series([1, "a"], dtype=object), ["1", "a"]),
        (pd.Series([1.0, "a"], dtype=object), ["1", "a"]),
        (pd.Series([np.int64(1), np.float64(2.5)], dtype=object), ["1", "2.5"]),
        (pd.Series([Decimal("1.50"), None], dtype=object), ["1.50"]),
        (pd.Series([True, "yes"], dtype=object), ["true", "yes"]),
        (pd.Series(["a", None, "b"]), ["a", "b"]),
        (pd.Series(["<NA>", "nan"]), ["<NA>", "nan"]),
        (pd.Series([1, 2, None], dtype="category"), ["1", "2"]),
        (pd.Series([date(2020, 1, 2), None], dtype=object), ["2020-01-02"]),
        (pd.Series(pd.to_datetime(["2020-01-02", None])), ["2020-01-02 00:00:00"]),
    ],
)
def test_pandas_cells_as_text(column: Any, texts: list[str] | None) -> None:
    frame = pd.DataFrame({"source": [f"s{i}" for i in range(len(column))], "entity": "x"})
    frame["value"] = column
    assert _values(frame) == (["1", "1", "2.5", "true"] if texts is None else texts)


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        ([True, False], ["true", "false"]),
        ([1, None], ["1"]),
        ([1.0, float("nan")], ["1"]),
        ([2.5, 3.0], ["2.5", "3"]),
        ([date(2020, 1, 2)], ["2020-01-02"]),
        ([Decimal("1.50")], ["1.50"]),
    ],
)
def test_polars_and_python_cells_as_text(cells: list[Any], texts: list[str]) -> None:
    columns = {"source": [f"s{i}" for i in range(len(cells))], "entity": ["x"] * len(cells)}
    assert _values(columns | {"value": cells}) == texts
    assert _values(pl.DataFrame(columns | {"value": pl.Series(cells, strict=False)})) == texts


def test_whole_floats_are_noted_and_agree_with_the_truth() -> None:
    frame = pd.DataFrame({"source": ["a", "b"], "entity": ["x", "x"], "value": [1.0, 2.5]})
    claims = Claims.from_frame(frame)
    assert any("1.0 is read as 1" in note.text for note in claims.notes)
    truth = GroundTruth.from_frame(pd.DataFrame({"entity": ["x", "y"], "value": [1.0, np.nan]}))
    assert truth.to_arrow()["value"].to_pylist() == ["1"]


def test_the_frame_is_left_as_it_was(columns: Columns) -> None:
    frame = pd.DataFrame(columns, dtype="category")
    before = frame.copy(deep=True)
    Claims.from_frame(frame).matrix  # noqa: B018
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("frame", [pd.Series(["a"]), [("a", "b", "c")], 3, None, object()])
def test_what_is_no_table_is_refused(frame: Any) -> None:
    with pytest.raises(InputError, match=r"Expected a table|is not a table"):
        Claims.from_frame(frame)


def test_repeated_columns_are_refused() -> None:
    frame = pd.DataFrame([["a", "x", "1", "2"]], columns=["source", "entity", "value", "value"])
    with pytest.raises(InputError, match="name 'value'"):
        Claims.from_frame(frame)


def test_columns_need_not_have_text_for_names() -> None:
    frame = pd.DataFrame([["a", "x", "1"]])
    claims = Claims.from_frame(frame, source="0", entity="1", value="2")
    assert len(claims) == 1
