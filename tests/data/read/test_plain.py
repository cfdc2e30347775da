"""Claims that need no SQL come out as SQL would read them, and others are left to it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from veracity.data.claims import Claims
from veracity.data.read.frames import plain_text
from veracity.data.read.ingest import ingest
from veracity.data.read.plain import ingest_plain, plain_claims
from veracity.data.read.settings import Attribute, Settings
from veracity.data.read.tables import open_frame
from veracity.data.read.workbench import Workbench

TEXT = {"*": Attribute(values="text")}
CLAIMS = {
    "source": ["b", "a", "é", "a", "b"],
    "entity": ["sky", "sea", "sky", "sky", "sky"],
    "attribute": ["colour", "colour", "depth", "colour", "colour"],
    "value": ["blue", "10.0", "10", " blue", "blue"],
}


@pytest.mark.parametrize(
    "columns",
    [
        CLAIMS,
        {name: CLAIMS[name] for name in ("source", "entity", "value")},
        {"value": CLAIMS["value"], "entity": CLAIMS["entity"], "Worker": CLAIMS["source"]},
    ],
    ids=["labels", "no attribute", "other names"],
)
def test_claims_come_out_as_sql_reads_them(columns: dict[str, list[str]]) -> None:
    table, settings = pa.table(columns), Settings(attributes=TEXT)
    plain = ingest_plain(table, settings)
    with Workbench() as workbench:
        asked = ingest(workbench, open_frame(workbench, table), settings)
    assert plain is not None
    assert plain.codes.equals(asked.codes)
    assert plain.features.equals(asked.features)
    assert (plain.columns, plain.n_rows, plain.notes) == (asked.columns, asked.n_rows, asked.notes)
    assert plain.settings == asked.settings
    written = plain_claims(table, settings)
    assert written is not None
    assert written[0].equals(plain_text(Claims(asked).to_arrow()))
    assert written[1] == asked.columns


@pytest.mark.parametrize(
    "change",
    [
        {"value": ["blue", "", "10", "x", "y"]},
        {"source": ["a", None, "b", "c", "d"]},
        {"value": [1.0, 2.0, 3.0, 4.0, 5.0]},
        {"asserts": ["1", "0", "1", "1", "1"]},
        {"source_age": ["1", "2", "3", "4", "5"]},
        {"remark": ["a", "b", "c", "d", "e"]},
        {"time": ["2020", "2021", "2022", "2023", "2024"]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_more_than_labels_is_left_to_sql(change: dict[str, list[Any]]) -> None:
    table, settings = pa.table({**CLAIMS, **change}), Settings(attributes=TEXT)
    assert ingest_plain(table, settings) is None
    assert plain_claims(table, settings) is None


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(attributes=TEXT, casefold=True),
        Settings(attributes=TEXT, fields="auto"),
        Settings(attributes={**TEXT, "depth": Attribute(values="number")}),
        Settings(attributes={**TEXT, "depth": Attribute(kind="single")}),
        Settings(
            attributes={"colour": Attribute(values="text"), "depth": Attribute(values="text")}
        ),
        Settings(attributes=TEXT, numbers=("source_age",)),
        Settings(attributes=TEXT, columns={"source": "nobody"}),
    ],
)
def test_values_to_be_looked_into_are_left_to_sql(settings: Settings) -> None:
    assert ingest_plain(pa.table(CLAIMS), settings) is None


def test_a_table_without_rows_or_with_a_column_twice_is_left_to_sql() -> None:
    settings, table = Settings(attributes=TEXT), pa.table(CLAIMS)
    assert ingest_plain(table.slice(0, 0), settings) is None
    assert ingest_plain(table.append_column("value", table["value"]), settings) is None
    numbered = table.rename_columns(["source", "id", "attribute", "value"])
    assert ingest_plain(numbered, settings) is None
