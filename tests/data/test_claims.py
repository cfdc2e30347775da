"""Claims as a whole: what they say of themselves, and reading in parts."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import NASTY, Row, as_columns, rows

from veracity import Claims, MajorityVote
from veracity.data.output.summary import summarise_claims

Columns = dict[str, list[Any]]


def test_what_claims_say_of_themselves(columns: Columns) -> None:
    claims = Claims.from_frame(columns)
    assert repr(claims) == "Claims(6 claims, 4 sources, 2 items, 4 statements)"
    assert len(claims) == 6
    assert isinstance(claims.to_pandas(), pd.DataFrame)
    assert pa.table(claims) == claims.to_arrow()
    assert Claims.from_frame(claims).to_arrow() == claims.to_arrow()
    assert claims.matrix is claims.matrix
    assert claims.describe_origin() == []


def test_origin_has_size_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("source,entity,value\na,x,1\n")
    (origin,) = Claims.read(path).describe_origin()
    assert origin == {
        "path": str(path),
        "bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def test_nasty_labels_in_every_role() -> None:
    roles = ("source", "entity", "attribute", "value")
    columns = {role: list(NASTY) for role in roles}
    claims = Claims.from_frame(columns, attributes={"*": "multiple"})
    assert claims.to_arrow().select(list(columns)).to_pydict() == columns
    truths = MajorityVote().fit(claims).truths_.to_pylist()
    assert {row["entity"]: row["value"] for row in truths} == {label: label for label in NASTY}


def test_nasty_column_names() -> None:
    names = ['"; DROP TABLE claims; --', "c1", "c0 ' \n", "🦄"]
    frame = dict(zip(names, (["a"], ["x"], ["1"], ["?"]), strict=True))
    claims = Claims.from_frame(frame, source=names[0], entity=names[1], value=names[2])
    assert claims.to_arrow().to_pylist()[0]["source"] == "a"
    assert claims.columns.ignored == ("🦄",)


@given(claims=rows(), size=st.integers(1, 7))
def test_batches_equal_the_whole(claims: list[Row], size: int) -> None:
    table = pa.table(as_columns(claims))
    reader = table.to_reader(max_chunksize=size)
    assert Claims.from_frame(reader).to_arrow() == Claims.from_frame(table).to_arrow()


def test_summary() -> None:
    claims = Claims.from_frame(
        {
            "source": ["a", "b", "c", "a", "a", "a"],
            "entity": ["x", "x", "x", "y", "z", "z"],
            "value": ["1", "1", "2", "1", "3", "4"],
            "asserts": [1, 1, 1, 1, 1, 0],
        }
    )
    summary = summarise_claims(claims)
    assert summary.as_dict() == {
        "n_rows": 6,
        "n_claims": 6,
        "n_sources": 3,
        "n_entities": 3,
        "n_attributes": 1,
        "n_items": 3,
        "n_statements": 5,
        "n_contested": 2,
        "n_denials": 1,
        "n_one_source_items": 2,
        "n_one_claim_sources": 2,
        "median_claims_per_source": 1.0,
        "most_claims_of_a_source": 4,
        "share_of_largest_tenth": pytest.approx(4 / 6),
        "median_sources_per_item": 1.0,
    }
