"""Tables that show themselves and go to any frame library."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from veracity.data.output.tables import Table
from veracity.errors import MissingColumn


@pytest.fixture
def table() -> Table:
    """Return a table with a little of everything."""
    return Table(
        "truths",
        pa.table(
            {
                "value": ["<b>&", "two\nlines", "x" * 60],
                "plausibility": [0.5, None, 1.0],
                "n": [1, 20, 3],
                "tie": [True, False, None],
            }
        ),
    )


def test_repr(table: Table) -> None:
    assert repr(table).splitlines() == [
        "truths: 3 rows",
        f"{'value':40}  plausibility   n  tie",
        f"{'<b>&':40}        0.5000   1  yes",
        f"{'two lines':40}                20  no",
        f"{'x' * 39}…        1.0000   3",
    ]


def test_html_is_escaped(table: Table) -> None:
    html = table._repr_html_()
    assert "<td>&lt;b&gt;&amp;</td>" in html
    assert "<b>" not in html
    assert html.count("<tr>") == 4
    hostile = Table("<i>", pa.table({"<script>": ["x"]}))._repr_html_()
    assert "<script>" not in hostile
    assert "<i>" not in hostile


def test_long_tables_are_cut() -> None:
    table = Table("statements", pa.table({"n": list(range(1_234))}))
    assert repr(table).splitlines()[0] == "statements: 1,234 rows, the first 10 shown"
    assert len(repr(table).splitlines()) == 12
    assert table._repr_html_().count("<td>") == 10
    assert len(table) == 1_234


def test_to_frames(table: Table) -> None:
    assert isinstance(table.to_pandas(), pd.DataFrame)
    assert isinstance(table.to_polars(), pl.DataFrame)
    expected = table.to_arrow().to_pydict()
    assert table.to_pandas()["n"].tolist() == expected["n"]
    assert table.to_polars().to_dict(as_series=False) == expected
    assert table.to_pylist()[1] == {
        "value": "two\nlines",
        "plausibility": None,
        "n": 20,
        "tie": False,
    }


def test_arrow_stream(table: Table) -> None:
    assert pa.table(table) == table.to_arrow()
    assert pl.DataFrame(table).shape == (3, 4)
    assert pa.RecordBatchReader.from_stream(table).read_all() == table.to_arrow()


def test_columns_by_name(table: Table) -> None:
    assert table["n"].to_pylist() == [1, 20, 3]
    with pytest.raises(MissingColumn, match=r"'plausability'. Did you mean 'plausibility'"):
        table["plausability"]
    with pytest.raises(KeyError):
        table["nothing"]
