"""Columns that other libraries can hold are read for what they say, or refused in our words."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veracity import Claims
from veracity.errors import InputError, InvalidParameter, VeracityError

BASE: dict[str, Any] = {"source": ["a", "b", "c"], "entity": ["e"] * 3, "value": ["x", "x", "y"]}
HUGE = 2**70


class Thing:
    """A Python object that is no label, but can be written as one."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __str__(self) -> str:
        return f"thing {self.number}"


def _values(frame: Any) -> list[str]:
    values: list[str] = Claims.from_frame(frame).matrix.values.to_pylist()
    return values


#: A column of three cells, and the labels that it stands for.
WRITTEN: dict[str, tuple[Any, list[str]]] = {
    "integers over 64 bits": ([HUGE, HUGE, 1], ["1", str(HUGE)]),
    "integers below 64 bits": ([-HUGE, 5, 5], [str(-HUGE), "5"]),
    "half floats": (np.array([1, 1, 2.5], np.float16), ["1", "2.5"]),
    "half floats of Arrow": (pa.array(np.array([1, 1, 2], np.float16)), ["1", "2"]),
    "wide decimals": (pa.array([Decimal("1.5")] * 3, pa.decimal256(50, 2)), ["1.50"]),
    "complex numbers": (np.array([1j, 2j, 2j]), ["1j", "2j"]),
    "objects": ([Thing(1), Thing(2), Thing(2)], ["thing 1", "thing 2"]),
}
PANDAS: dict[str, tuple[Any, list[str]]] = {
    "complex": (np.array([1j, 2j, 2j]), ["1j", "2j"]),
    "sparse": (pd.arrays.SparseArray([1, 0, 0]), ["0", "1"]),
    "period": (
        pd.period_range("2020-01", periods=3, freq="M"),
        ["2020-01", "2020-02", "2020-03"],
    ),
    "interval": (pd.interval_range(0, 3), ["(0, 1]", "(1, 2]", "(2, 3]"]),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_column_is_read_for_what_it_says(name: str) -> None:
    column, expected = WRITTEN[name]
    assert _values({**BASE, "value": column}) == expected


@pytest.mark.parametrize("name", PANDAS)
def test_a_column_of_pandas_is_read_for_what_it_says(name: str) -> None:
    column, expected = PANDAS[name]
    assert _values(pd.DataFrame({**BASE, "value": column})) == expected


def test_objects_in_polars_are_not_read_as_pointers() -> None:
    things = pl.Series([Thing(1), Thing(2), Thing(2)], dtype=pl.Object)
    assert _values(pl.DataFrame({**BASE, "value": things})) == ["thing 1", "thing 2"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({}, "has no columns"),
        (pd.DataFrame(), "has no columns"),
        (pl.DataFrame(), "has no columns"),
        (pa.table({}), "has no columns"),
        ({**BASE, "value": ["x"]}, "value has 1 cells"),
        ({**BASE, "value": 3}, "'value' is no list of cells. Got 3"),
        ({**BASE, "value": "xyz"}, "'value' is no list of cells"),
        ({**BASE, "value": ["\ud800", "x", "y"]}, "half of a surrogate pair"),
        ({**BASE, "value": ["\ud800", 1, "y"]}, "half of a surrogate pair"),
        ({**BASE, "\ud800": ["x", "y", "z"]}, "half of a surrogate pair"),
    ],
)
def test_what_is_no_table_is_refused(frame: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Claims.from_frame(frame)


def test_half_a_surrogate_pair_in_triples_is_refused() -> None:
    with pytest.raises(InputError, match="half of a surrogate pair"):
        Claims.from_triples([("ann", "sky", "\udfff")])


def _mostly(base: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(base, min_size=3, max_size=3)


cells = st.one_of(
    st.integers(),
    st.integers(-(2**80), 2**80),
    st.floats(),
    st.text(st.characters(codec=None), max_size=4),
    st.binary(max_size=4),
    st.booleans(),
    st.none(),
    st.decimals(),
    st.complex_numbers(),
    st.fractions(),
    st.datetimes(),
    st.timedeltas(),
    st.tuples(st.integers()),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1),
    st.lists(st.integers(), max_size=2),
)
columns = st.one_of(_mostly(cells), cells.flatmap(lambda cell: st.just([cell] * 3)))


@settings(max_examples=100, deadline=None)
@given(
    role=st.sampled_from(["source", "value", "time", "weight", "asserts", "claim_f"]),
    column=columns,
)
def test_any_python_cells_are_read_or_refused(role: str, column: list[Any]) -> None:
    for frame in ({**BASE, role: column}, pd.DataFrame({**BASE, role: pd.Series(column)})):
        try:
            claims = Claims.from_frame(frame)
        except VeracityError:
            continue
        assert claims.matrix.n_claims <= 3


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zlib", "base64", "bz2", "uu", "undefined"])
def test_codecs_that_are_no_encoding_of_text_are_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("source,entity,value\na,e,x\n")
    with pytest.raises(InvalidParameter, match=f"no encoding '{encoding}' of text"):
        Claims.read(path, encoding=encoding)


@pytest.mark.parametrize(
    "lines",
    [
        ['{"source":"a","entity":"e","value":"x","Value":"z"}'],
        ['{"source":"a","entity":"e","value":"x"}', '{"source":"b","entity":"e","Value":"y"}'],
        ['{"SOURCE":"a","entity":"e","value":"x"}', '{"source":"b","entity":"e","value":"y"}'],
    ],
)
@pytest.mark.parametrize("array", [True, False])
def test_json_keys_that_differ_by_case_are_refused(
    tmp_path: Path, lines: list[str], array: bool
) -> None:
    path = tmp_path / "claims.json"
    path.write_text(f"[{','.join(lines)}]" if array else "\n".join(lines))
    with pytest.raises(InputError, match="Keys differ by upper and lower case alone"):
        Claims.read(path)


def test_json_keys_that_end_in_a_number_are_keys_like_others(tmp_path: Path) -> None:
    path = tmp_path / "claims.jsonl"
    path.write_text('{"source":"a","entity":"e","value":"x","value_1":"y"}')
    assert Claims.read(path).matrix.values.to_pylist() == ["x"]
