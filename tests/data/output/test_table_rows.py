"""Result tables by row, and as other libraries take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from veracity.data.output.tables import Table
from veracity.errors import InvalidParameter, MissingColumn

COLUMNS = {"entity": ["a", "b", "c"], "plausibility": [0.9, None, 0.1], "n": [1, 2, 3]}
TABLE = Table("truths", pa.table(COLUMNS))


def test_rows_go_by_number() -> None:
    assert TABLE[0] == {"entity": "a", "plausibility": 0.9, "n": 1}
    assert TABLE[-1]["entity"] == "c"
    assert TABLE[np.int64(1)]["n"] == 2
    assert [row["entity"] for row in TABLE] == ["a", "b", "c"]
    with pytest.raises(IndexError, match="There is no row 3"):
        TABLE[3]


def test_slices_are_tables() -> None:
    assert TABLE[:2]["entity"].to_pylist() == ["a", "b"]
    assert TABLE[::-1]["n"].to_pylist() == [3, 2, 1]
    assert TABLE.head(1).to_pylist() == TABLE.to_pylist()[:1]
    assert len(TABLE.head()) == 3
    assert repr(TABLE[:1]).startswith("truths: 1 row\n")


def test_columns_go_by_name() -> None:
    assert TABLE["n"].to_pylist() == [1, 2, 3]
    with pytest.raises(MissingColumn, match="Did you mean 'entity'"):
        TABLE["entitty"]
    with pytest.raises(InvalidParameter, match="rows by number"):
        TABLE[1.5]  # type: ignore[call-overload]


def test_frames_are_made_of_a_table_as_it_is() -> None:
    of_pandas = pd.DataFrame(TABLE)
    assert list(of_pandas.columns) == list(COLUMNS)
    assert of_pandas["n"].tolist() == [1, 2, 3]
    assert np.isnan(of_pandas["plausibility"][1])
    assert of_pandas.dtypes.astype(str).to_dict() == TABLE.to_pandas().dtypes.astype(str).to_dict()
    of_polars = pl.DataFrame(TABLE)
    assert of_polars.schema == TABLE.to_polars().schema
    assert of_polars.rows() == TABLE.to_polars().rows()
    assert pa.table(TABLE) == TABLE.to_arrow()
