"""Golden records: one row per entity, and where each cell comes from."""

from __future__ import annotations

import datetime
from collections import defaultdict
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veracity
from veracity import Attribute
from veracity.errors import InputError, InvalidParameter, MissingColumn

LINKED: dict[str, list[Any]] = {
    "cluster_id": ["c2", "c1", "c1", "c1", "c2", "c3"],
    "system": ["crm", "crm", "shop", "bill", "shop", "crm"],
    "unique_id": [1, 2, 1, 1, 2, 3],
    "city": ["Chur", "Bern", "Bern", "Basel", None, None],
    "phone": ["7", "1", None, "1", "7", ""],
}
COLUMNS: dict[str, Any] = {"key": "cluster_id", "source": "system"}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_one_row_per_entity_in_the_order_of_the_records(make: Any) -> None:
    made = veracity.golden(make(LINKED), **COLUMNS)
    assert made.golden.column_names == [
        *("cluster_id", "city", "phone"),
        *("city_plausibility", "city_decision", "phone_plausibility", "phone_decision"),
    ]
    rows = made.golden.to_pylist()
    assert [(row["cluster_id"], row["city"], row["phone"]) for row in rows] == [
        ("c2", "Chur", "7"),
        ("c1", "Bern", "1"),
        ("c3", None, None),  # an entity about which nothing is said is there all the same
    ]
    assert rows[2]["city_plausibility"] is None
    assert rows[2]["city_decision"] is None


def test_lineage_names_sources_and_records() -> None:
    made = veracity.golden(LINKED, **COLUMNS)
    row = next(
        row
        for row in made.lineage.to_pylist()
        if (row["entity"], row["attribute"]) == ("c1", "city")
    )
    assert row["supporting_sources"] == ["crm", "shop"]
    assert row["denying_sources"] == ["bill"]
    assert row["records"] == ["crm:2", "shop:1"]  # numbers come twice, so the source is named


def test_records_are_numbered_by_their_rows_without_a_column() -> None:
    linked = {name: cells for name, cells in LINKED.items() if name != "unique_id"}
    rows = veracity.golden(linked, **COLUMNS).lineage.to_pylist()
    assert rows[0]["records"] == ["1"]


def test_values_only() -> None:
    made = veracity.golden(LINKED, **COLUMNS, values_only=True)
    assert made.golden.column_names == ["cluster_id", "city", "phone"]


def test_counts_and_agreement() -> None:
    made = veracity.golden(LINKED, **COLUMNS)
    counts = made.counts()
    assert (counts["entities"], counts["records"], counts["cells"]) == (3, 6, 6)
    assert counts["filled"] == 4
    assert counts["accept"] + counts["review"] + counts["undecided"] == 4
    assert made.agreement.to_pylist()[0] == {
        "source": "bill",
        "attribute": "city",
        "n_claims": 1,
        "agreement": 0.0,
    }


def test_types_come_back() -> None:
    born = [datetime.date(1990, 1, day) for day in (1, 2, 1)]
    linked = pa.table(
        {
            "person": pa.array([7, 8, 7]),
            "system": ["a", "a", "b"],
            "born": born,
            "height": [1.5, 1.75, 1.5],
            "member": [True, False, True],
        }
    )
    golden = veracity.golden(linked, key="person", source="system").golden.to_arrow()
    assert golden["person"].to_pylist() == [7, 8]
    assert golden["born"].to_pylist() == born[:2]
    assert golden["height"].to_pylist() == [1.5, 1.75]
    assert golden["member"].to_pylist() == [True, False]


def test_cells_that_are_lists_have_several_values() -> None:
    linked = pa.table(
        {
            "cluster_id": ["c1", "c1", "c2"],
            "system": ["crm", "shop", "crm"],
            "phones": [["1", "2"], ["1", "2"], []],
            "city": ["Bern", "Bern", "Chur"],
        }
    )
    made = veracity.golden(linked, **COLUMNS)
    assert made.golden["phones"].to_pylist() == [["1", "2"], None]
    kinds = {profile.name: profile.kind for profile in made.run.claims.attributes}
    assert kinds == {"phones": "multiple", "city": "single"}
    lineage = [row for row in made.lineage.to_pylist() if row["attribute"] == "phones"]
    row = made.golden.to_pylist()[0]
    assert row["phones_plausibility"] == min(cell["plausibility"] for cell in lineage)


def test_two_records_of_a_source_are_no_list() -> None:
    linked = {
        "cluster_id": [f"c{i}" for i in range(30) for _ in range(3)],
        "system": ["crm", "crm", "shop"] * 30,
        "city": [f"{letter}{i}" for i in range(30) for letter in "aba"],
    }
    made = veracity.golden(linked, **COLUMNS, model="vote")
    assert made.run.claims.attributes[0].kind == "single"
    assert made.golden["city"].to_pylist() == [f"a{i}" for i in range(30)]


def test_the_latest_record_of_a_source_counts() -> None:
    linked = {
        "cluster_id": ["c1", "c1"],
        "system": ["crm", "crm"],
        "seen": ["2024-05-02", "2024-05-01"],
        "city": ["Bern", "Biel"],
    }
    made = veracity.golden(linked, **COLUMNS, time="seen")
    assert made.golden["city"].to_pylist() == ["Bern"]
    assert made.lineage["records"].to_pylist() == [["1"]]


def test_columns_that_number_records_are_left_out() -> None:
    linked = {**LINKED, "row_id": ["a", "b", "c", "d", "e", "f"]}
    made = veracity.golden(linked, **COLUMNS)
    assert made.attributes == ("city", "phone")
    assert any("row_id" in note.text for note in made.run.notes)
    named = veracity.golden(linked, **COLUMNS, attributes=["row_id", "city"])
    assert named.attributes == ("row_id", "city")


def test_declared_attributes_keep_what_is_said() -> None:
    attributes: dict[str, Any] = {"phone": Attribute(values="number"), "city": "multiple"}
    made = veracity.golden(LINKED, **COLUMNS, attributes=attributes)
    kinds = {profile.name: profile.kind for profile in made.run.claims.attributes}
    assert kinds == {"phone": "single", "city": "multiple"}


def test_known_truth_that_nobody_claims_is_taken() -> None:
    known = {
        "entity": ["c1", "c3"],
        "attribute": ["phone", "phone"],
        "value": ["1", "7"],
    }
    made = veracity.golden(LINKED, **COLUMNS, known_truth=known)
    assert made.golden["phone"].to_pylist() == ["7", "1", "7"]
    row = made.lineage.to_pylist()[-1]
    assert (row["entity"], row["supporting_sources"], row["records"]) == ("c3", [], [])


def test_one_source_is_noted() -> None:
    linked = {"cluster_id": ["c1", "c2"], "system": ["crm", "crm"], "city": ["Bern", "Chur"]}
    made = veracity.golden(linked, **COLUMNS)
    assert made.golden["city"].to_pylist() == ["Bern", "Chur"]
    assert "one source" in made.run.notes[0].text


def test_records_without_a_key_are_counted() -> None:
    linked = {**LINKED, "cluster_id": ["c2", "c1", "c1", "c1", None, ""]}
    made = veracity.golden(linked, **COLUMNS)
    assert made.golden["cluster_id"].to_pylist() == ["c2", "c1"]
    assert any(note.text.startswith("2 records have no 'cluster_id'") for note in made.run.notes)
    with pytest.raises(InputError, match="without entity"):
        veracity.golden(linked, **COLUMNS, nulls="error")


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"key": "cluster"}, MissingColumn, "Did you mean 'cluster_id'"),
        ({"source": "sytem"}, MissingColumn, "Did you mean 'system'"),
        ({"key": None}, MissingColumn, "Perhaps --key cluster_id"),
        ({"record": "number"}, MissingColumn, "no column 'number'"),
        ({"attributes": ["town"]}, MissingColumn, "no column 'town'"),
        ({"attributes": "city"}, InvalidParameter, "list of columns"),
        ({"attributes": ["city", "cluster_id"]}, InvalidParameter, "the key of the records"),
        ({"attributes": ["city", "city"]}, InvalidParameter, "named twice"),
        ({"source": "cluster_id"}, InvalidParameter, "as key and as source"),
        ({"entity": "cluster_id"}, InvalidParameter, "Use key instead"),
        ({"memory": "1GB"}, InvalidParameter, "golden\\(\\) has no argument 'memory'"),
    ],
)
def test_wrong_options_are_refused(
    options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        veracity.golden(LINKED, **{**COLUMNS, **options})


def test_nothing_to_judge_is_refused() -> None:
    bare = {name: LINKED[name] for name in ("cluster_id", "system", "unique_id")}
    with pytest.raises(InputError, match="no attribute columns"):
        veracity.golden(bare, **COLUMNS)
    empty: dict[str, list[str]] = {"cluster_id": [], "system": [], "city": []}
    with pytest.raises(InputError, match="no claims"):
        veracity.golden(empty, **COLUMNS)


@pytest.mark.parametrize("name", ["city_plausibility", "city_decision", "CITY"])
def test_names_that_would_come_twice_are_refused(name: str) -> None:
    linked = {**LINKED, name: LINKED["city"]}
    with pytest.raises(InvalidParameter, match="several columns"):
        veracity.golden(linked, **COLUMNS)


CELLS = st.sampled_from([None, "", "x", "y", "z"])
RECORDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("stu"), CELLS, CELLS), min_size=1, max_size=14
).filter(lambda rows: any(cell for row in rows for cell in row[2:]))


@given(RECORDS)
def test_cells_are_the_verdicts_and_supporters_the_claims(rows: list[tuple[Any, ...]]) -> None:
    """Golden's cells are the run's truths, and the lineage is what the records say."""
    names = ("key", "system", "one", "two")
    linked = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    made = veracity.golden(linked, key="key", source="system", model="vote")

    cells = {
        (row["key"], name): (row[name], row[f"{name}_plausibility"], row[f"{name}_decision"])
        for row in made.golden.to_pylist()
        for name in ("one", "two")
        if row[name] is not None
    }
    truths = made.run.model.truths_.to_pylist()
    assert cells == {
        (row["entity"], row["attribute"]): (row["value"], row["plausibility"], row["decision"])
        for row in truths
    }
    assert [row["key"] for row in made.golden.to_pylist()] == list(dict.fromkeys(linked["key"]))

    said: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for number, (key, system, *values) in enumerate(rows, start=1):
        for name, value in zip(("one", "two"), values, strict=True):
            if value:
                said[key, name].append((system, value, f"{number}"))
    for row in made.lineage.to_pylist():
        claims = said[row["entity"], row["attribute"]]
        behind = {system for system, value, _ in claims if value == row["value"]}
        assert row["supporting_sources"] == sorted(behind)
        assert row["denying_sources"] == sorted({system for system, _, _ in claims} - behind)
        assert row["records"] == [number for _, value, number in claims if value == row["value"]]
