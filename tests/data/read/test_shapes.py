"""Other shapes of the same claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from veracity import Attribute, Claims
from veracity.errors import InputError, MissingColumn

Cells = set[tuple[str, ...]]


def cells(claims: Claims, *roles: str) -> Cells:
    """Return the claims as a set of rows."""
    table = claims.to_arrow()
    chosen = roles or ("source", "entity", "value")
    return set(zip(*(table[role].to_pylist() for role in chosen), strict=True))


RECORDS = {
    "cluster": ["c1", "c1", "c2"],
    "system": ["crm", "web", "crm"],
    "name": ["Ann", "Anne", "Bob"],
    "age": [30, None, 41],
    "source_age": [3, 1, 3],
    "time": ["2020-01-01", "2020-01-02", "2020-01-03"],
}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_records_make_one_claim_per_cell(make: Any) -> None:
    claims = Claims.from_records(
        make(RECORDS), key="cluster", source="system", attributes=["name", "age"]
    )
    assert cells(claims, "source", "entity", "attribute", "value") == {
        ("crm", "c1", "name", "Ann"),
        ("web", "c1", "name", "Anne"),
        ("crm", "c2", "name", "Bob"),
        ("crm", "c1", "age", "30"),
        ("crm", "c2", "age", "41"),
    }


def test_records_carry_features_and_time_along() -> None:
    claims = Claims.from_records(RECORDS, key="cluster", source="system")
    assert set(claims.matrix.attributes.to_pylist()) == {"name", "age"}
    table = claims.to_arrow()
    ages = dict(zip(table["source"].to_pylist(), table["source_age"].to_pylist(), strict=True))
    assert ages == {"crm": 3, "web": 1}
    assert None not in table["time"].to_pylist()


def test_records_take_settings_for_attributes() -> None:
    claims = Claims.from_records(
        RECORDS, key="cluster", source="system", attributes={"name": Attribute(kind="multiple")}
    )
    (profile,) = claims.attributes
    assert (profile.name, profile.kind) == ("name", "multiple")


def test_records_need_their_columns() -> None:
    with pytest.raises(MissingColumn, match=r"'custer'. Did you mean 'cluster'"):
        Claims.from_records(RECORDS, key="custer", source="system")
    with pytest.raises(MissingColumn, match="'nam'"):
        Claims.from_records(RECORDS, key="cluster", source="system", attributes=["nam"])
    with pytest.raises(InputError, match="no attribute columns"):
        Claims.from_records({"k": ["a"], "s": ["b"]}, key="k", source="s")


WIDE = {("ann", "q1", "yes"), ("bob", "q1", "no"), ("bob", "q2", "no")}


@pytest.mark.parametrize("name", ["item", "task", "ObjectID"])
@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_wide_tables_of_items_by_sources(make: Any, name: str) -> None:
    wide = make({name: ["q1", "q2"], "ann": ["yes", None], "bob": ["no", "no"]})
    assert cells(Claims.from_wide(wide)) == WIDE


def test_wide_tables_with_the_items_elsewhere() -> None:
    frame = pd.DataFrame({"ann": ["yes", None], "bob": ["no", "no"]}, index=["q1", "q2"])
    assert cells(Claims.from_wide(frame)) == WIDE
    named = frame.reset_index(names="nr")
    assert cells(Claims.from_wide(named, item="nr")) == WIDE
    bare = pl.DataFrame({"ann": [1, None], "bob": [2, 3]})
    assert cells(Claims.from_wide(bare)) == {
        ("ann", "0", "1"),
        ("bob", "0", "2"),
        ("bob", "1", "3"),
    }


def test_wide_numbers_with_nulls_agree_with_those_without() -> None:
    frame = pd.DataFrame({"ann": [1, np.nan], "bob": [1, 2]}, index=["q1", "q2"])
    assert cells(Claims.from_wide(frame)) == {
        ("ann", "q1", "1"),
        ("bob", "q1", "1"),
        ("bob", "q2", "2"),
    }


def test_wide_tables_need_sources() -> None:
    with pytest.raises(InputError, match="no source columns"):
        Claims.from_wide({"item": ["q1"]})
    with pytest.raises(MissingColumn, match="'nr'"):
        Claims.from_wide({"item": ["q1"], "ann": ["yes"]}, item="nr")


def test_triples() -> None:
    claims = Claims.from_triples(iter([("ann", 1, True), ("bob", 1, None), ["cat", 2, 2.5]]))
    assert cells(claims) == {("ann", "1", "true"), ("cat", "2", "2.5")}


def test_quadruples_have_attributes() -> None:
    claims = Claims.from_triples([("ann", "sky", "colour", "blue"), ("ann", "sky", "age", 4)])
    assert cells(claims, "attribute", "value") == {("colour", "blue"), ("age", "4")}


@pytest.mark.parametrize("rows", [[("a", "b")], [("a", "b", "c"), ("a", "b", "c", "d")]])
def test_triples_of_other_lengths_are_refused(rows: list[tuple[str, ...]]) -> None:
    with pytest.raises(InputError, match="Triples must be"):
        Claims.from_triples(rows)


def test_no_triples() -> None:
    with pytest.raises(InputError, match="no claims"):
        Claims.from_triples([])


LABELS = [[1, 0, -1], [-1, -1, 2]]


@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame])
def test_label_matrix(make: Any) -> None:
    claims = Claims.from_matrix(make(LABELS))
    assert cells(claims) == {("0", "0", "1"), ("1", "0", "0"), ("2", "1", "2")}


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_sparse_label_matrix(kind: str) -> None:
    matrix = getattr(scipy.sparse, kind)(np.array(LABELS))
    assert cells(Claims.from_matrix(matrix)) == {("0", "0", "1"), ("2", "1", "2")}


def test_label_matrix_with_names_and_another_abstention() -> None:
    claims = Claims.from_matrix(
        [[1, 9], [9, 2]], items=["q1", "q2"], sources=["ann", "bob"], abstain=9
    )
    assert cells(claims) == {("ann", "q1", "1"), ("bob", "q2", "2")}


def test_label_matrices_that_are_none() -> None:
    with pytest.raises(InputError, match="two dimensions"):
        Claims.from_matrix([1, 2])
    with pytest.raises(InputError, match="3 sources, but 2 names"):
        Claims.from_matrix(LABELS, sources=["a", "b"])
    with pytest.raises(InputError, match="no claims"):
        Claims.from_matrix([[-1, -1]])


def test_answers() -> None:
    claims = Claims.from_answers({"q1": {"ann": "yes", "bob": None}, 2: {"ann": float("nan")}})
    assert cells(claims) == {("ann", "q1", "yes")}


def test_all_shapes_take_options() -> None:
    said = {"q": {"ann": "Yes", "bob": "yes"}}
    assert Claims.from_answers(said, casefold=True).matrix.n_statements == 1
    assert Claims.from_wide({"item": ["q"], "a": ["Y"], "b": ["y"]}, casefold=True).matrix.n_claims
    assert Claims.from_triples([("a", "q", "1")], attributes={"*": "multiple"}).attributes[
        0
    ].kind == ("multiple")
