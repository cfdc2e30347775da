"""Missing labels, weights out of bounds, and counts of both."""

from __future__ import annotations

from typing import Any

import pytest

from veracity import Claims
from veracity.errors import InputError


def make(name: str, cell: Any, **options: Any) -> Claims:
    """Return two good claims and one with a cell of your choice, in row 2."""
    columns: dict[str, list[Any]] = {
        "source": ["a", "b", "c"],
        "entity": ["x", "x", "x"],
        "attribute": ["size"] * 3,
        "value": ["1", "2", "2"],
        "weight": [1, 2, 3],
    }
    columns[name] = [columns[name][0], cell, columns[name][2]]
    return Claims.from_frame(columns, **options)


@pytest.mark.parametrize("name", ["source", "entity", "attribute", "value"])
@pytest.mark.parametrize("cell", [None, "", float("nan")])
def test_claims_without_a_label_are_dropped_and_counted(name: str, cell: Any) -> None:
    claims = make(name, cell)
    assert len(claims) == claims.matrix.n_claims == 2
    (note,) = [note for note in claims.notes if note.subject == "nulls"]
    assert note.count == 1
    assert f"1 without {name}" in note.text
    labels = getattr(
        claims.matrix,
        {"source": "sources", "entity": "entities", "value": "values"}.get(name, "attributes"),
    )
    assert not {None, "", "nan", "None"} & set(labels.to_pylist())


@pytest.mark.parametrize("name", ["source", "entity", "attribute", "value"])
def test_claims_without_a_label_may_be_refused(name: str) -> None:
    with pytest.raises(
        InputError, match=rf"missing from 1 claim of 3 .1 without {name}.*row 2.*--nulls"
    ):
        make(name, None, nulls="error")
    assert len(make(name, "ok", nulls="error")) == 3


def test_a_row_that_lacks_two_labels_counts_once() -> None:
    claims = Claims.from_frame({"source": [None, "b"], "entity": [None, "x"], "value": ["1", "2"]})
    assert [note.count for note in claims.notes if note.subject == "nulls"] == [1]


def test_nothing_left_is_an_error() -> None:
    with pytest.raises(InputError, match="Every one of the 2 rows lacks a label"):
        Claims.from_frame({"source": ["a", "b"], "entity": ["x", None], "value": [None, "1"]})


@pytest.mark.parametrize("cell", [-1, float("inf"), "heavy"])
def test_weights_out_of_bounds(cell: Any) -> None:
    with pytest.raises(InputError, match=r"'weight' has .* in row 2. Expected a number"):
        make("weight", cell)


@pytest.mark.parametrize("cell", [None, float("nan")])
def test_missing_weights_count_as_one(cell: Any) -> None:
    claims = make("weight", cell)
    assert claims.to_arrow()["weight"].to_pylist() == [1, 1, 3]
    assert [note.count for note in claims.notes if note.subject == "weight"] == [1]


def test_bad_cells_of_dropped_claims_do_not_matter() -> None:
    claims = Claims.from_frame(
        {
            "source": ["a", None],
            "entity": ["x", "x"],
            "value": ["1", "1"],
            "asserts": ["1", "perhaps"],
            "weight": ["1", "-5"],
        }
    )
    assert len(claims) == 1
