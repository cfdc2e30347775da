"""Feature columns: numbers, times, booleans or categories."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from veracity import Claims
from veracity.errors import InputError, MissingColumn


def read(cells: list[Any] | Any, name: str = "claim_x", **options: Any) -> Claims:
    """Return claims with a feature column."""
    n = len(cells)
    columns = {"source": [f"s{i}" for i in range(n)], "entity": ["x"] * n, "value": ["v"] * n}
    return Claims.from_frame(columns | {name: cells}, **options)


def feature(cells: list[Any] | Any, **options: Any) -> Any:
    """Return the feature column as it was read."""
    return read(cells, **options).features["claim_x"]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        ([1, 2, None], [1, 2, None]),
        ([1.5, float("nan")], [1.5, None]),
        (["1", "2.5", ""], [1, 2.5, None]),
        (["1", "NA", "?", "n/a", "nan"], [1, None, None, None, None]),
        (["1e3", " 7 "], [1000, 7]),
    ],
)
def test_numbers(cells: list[Any], numbers: list[float | None]) -> None:
    column = feature(cells)
    assert pa.types.is_floating(column.type)
    assert column.to_pylist() == numbers


@pytest.mark.parametrize(
    "cells",
    [
        ["1970-01-02", "1970-01-01 00:00:01", ""],
        [datetime(1970, 1, 2), datetime(1970, 1, 1, 0, 0, 1), None],
    ],
)
def test_times_are_seconds(cells: list[Any]) -> None:
    assert feature(cells).to_pylist() == [86_400, 1, None]
    assert feature([date(1970, 1, 2)]).to_pylist() == [86_400]


@pytest.mark.parametrize(
    "cells",
    [
        ["red", "blue", ""],
        pd.Categorical(["red", "blue", None]),
        pa.array(["red", "blue", None]).dictionary_encode(),
    ],
)
def test_categories(cells: Any) -> None:
    column = feature(cells)
    assert pa.types.is_dictionary(column.type)
    assert column.to_pylist() == ["red", "blue", None]


def test_booleans() -> None:
    assert feature([True, False, None]).to_pylist() == [True, False, None]


def test_codes_with_digits_are_categories_and_noted() -> None:
    claims = read(["1", "2", "12a"])
    assert claims.features["claim_x"].to_pylist() == ["1", "2", "12a"]
    assert [note.count for note in claims.notes if note.subject == "features"] == [1]


@pytest.mark.parametrize("cell", ["inf", "-inf"])
def test_infinite_numbers_are_refused(cell: str) -> None:
    with pytest.raises(InputError, match="'claim_x' is infinite in row 2"):
        read(["1", cell])
    with pytest.raises(InputError, match="infinite"):
        read([1.0, float(cell)])


def test_text_among_numbers_is_refused() -> None:
    cells = [*map(str, range(200)), "oops"]
    with pytest.raises(InputError, match=r"has 'oops' in row 201.*--category claim_x"):
        read(cells)
    assert feature(cells, categories=["claim_x"]).to_pylist() == cells


def test_type_may_be_told() -> None:
    assert feature(["1", "2"], categories=["claim_x"]).to_pylist() == ["1", "2"]
    with pytest.raises(InputError, match="has 'red' in row 2"):
        read(["1", "red", "blue"], numbers=["claim_x"])
    with pytest.raises(MissingColumn, match=r"no feature column 'claim_y'. Did you mean 'claim_x'"):
        read(["1"], numbers=["claim_y"])


def test_features_follow_their_claims() -> None:
    columns = {"source": ["b", None, "a"], "entity": ["y", "x", "x"], "value": ["1", "2", "3"]}
    claims = Claims.from_frame(columns | {"claim_n": [10, 20, 30], "source_k": ["p", "q", "r"]})
    table = claims.to_arrow()
    assert table.select(["source", "claim_n", "source_k"]).to_pylist() == [
        {"source": "b", "claim_n": 10, "source_k": "p"},
        {"source": "a", "claim_n": 30, "source_k": "r"},
    ]
    matrix = claims.matrix
    by_claim = claims.features["claim_n"].take(matrix.row).to_pylist()
    sources = matrix.sources.take(matrix.source_index).to_pylist()
    assert dict(zip(sources, by_claim, strict=True)) == {"a": 30, "b": 10}
