"""ClaimMatrix: frozen arrays, grouped by item, with the labels kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.strategies import Row, as_columns, contested, rows

from veracity import Attribute, ClaimMatrix, Claims
from veracity.datasets.synthetic import AttributeSpec, draw_tables


def check_invariants(matrix: ClaimMatrix) -> None:
    """Assert what every model relies on."""
    for start, total in (
        (matrix.claim_start, matrix.n_claims),
        (matrix.statement_start, matrix.n_statements),
    ):
        assert len(start) == matrix.n_items + 1
        assert (start[0], start[-1]) == (0, total)
        assert (np.diff(start) > 0).all()
    assert (np.diff(matrix.statement_index) >= 0).all()
    assert set(matrix.statement_index) == set(range(matrix.n_statements))
    assert set(matrix.source_index) <= set(range(matrix.n_sources))
    assert (matrix.item_of_statement[matrix.statement_index] == matrix.item_of_claim).all()
    items = list(zip(matrix.attribute_index, matrix.entity_index, strict=True))
    assert items == sorted(set(items))
    statements = list(zip(matrix.item_of_statement, matrix.value_index, strict=True))
    assert statements == sorted(set(statements))
    for name in ("sources", "entities", "attributes", "values"):
        labels = getattr(matrix, name).to_pylist()
        assert len(labels) == len(set(labels))


def read_back(matrix: ClaimMatrix) -> set[Row]:
    """Return the claims with their labels."""
    item = matrix.item_of_claim
    parts = (
        (matrix.sources, matrix.source_index),
        (matrix.entities, matrix.entity_index[item]),
        (matrix.attributes, matrix.attribute_index[item]),
        (matrix.values, matrix.value_index[matrix.statement_index]),
    )
    columns = [labels.take(index).to_pylist() for labels, index in parts]
    return set(zip(*columns, strict=True))


@given(rows())
def test_labels_come_back_as_they_went_in(claims: list[Row]) -> None:
    matrix = Claims.from_frame(as_columns(claims), attributes={"*": "multiple"}).matrix
    check_invariants(matrix)
    assert read_back(matrix) == set(claims)
    assert matrix.n_claims == len(claims)


@given(contested)
def test_invariants_of_contested_items(claims: list[Row]) -> None:
    matrix = Claims.from_frame(as_columns(claims)).matrix
    check_invariants(matrix)
    assert (matrix.row[np.argsort(matrix.row)] == np.arange(len(claims))).all()


def test_nul_and_long_labels() -> None:
    claims = [("a\0b", "x\0", "colour", "\0"), ("s" * 100_000, "x\0", "colour", "v")]
    assert read_back(Claims.from_frame(as_columns(claims)).matrix) == set(claims)


def _arrays(matrix: ClaimMatrix) -> dict[str, Any]:
    return {name: value for name, value in vars(matrix).items() if isinstance(value, np.ndarray)}


def test_arrays_cannot_be_written() -> None:
    columns = {"source": ["a", "b"], "entity": ["x", "x"], "value": ["1", "2"], "weight": [1, 2]}
    matrix = Claims.from_frame(columns).matrix
    arrays = _arrays(matrix)
    assert len(arrays) == 10
    for array in arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        matrix.weight = None  # type: ignore[misc]


def test_sums() -> None:
    matrix = Claims.from_triples(
        [("a", "x", "1"), ("b", "x", "2"), ("c", "x", "2"), ("a", "y", "3")]
    ).matrix
    ones = np.ones(matrix.n_claims)
    assert matrix.sum_by_statement(ones).tolist() == [1, 2, 1]
    assert matrix.sum_by_item(np.array([1.0, 2.0, 4.0])).tolist() == [3, 4]
    assert matrix.sum_by_source(ones).tolist() == [2, 1, 1]
    assert matrix.claim_weight.tolist() == [1] * 4
    assert repr(matrix) == "ClaimMatrix(4 claims, 3 sources, 2 items, 3 statements)"


def test_domain_size() -> None:
    rows = [("a", "x", "size", "1"), ("b", "x", "size", "2"), ("a", "y", "size", "3")]
    rows += [("a", "x", "class", "1"), ("a", "y", "class", "2"), ("a", "z", "class", "3")]
    rows += [("a", "x", "only", "1"), ("a", "x", "alive", "yes")]
    closed = Attribute(domain="closed")
    matrix = Claims.from_triples(rows, attributes={"class": closed, "only": closed}).matrix
    names = matrix.attributes.take(matrix.attribute_index).to_pylist()
    entities = matrix.entities.take(matrix.entity_index).to_pylist()
    size = dict(zip(zip(names, entities, strict=True), matrix.domain_size.tolist(), strict=True))
    assert size == {
        ("size", "x"): 3,
        ("size", "y"): 2,
        ("class", "x"): 3,
        ("class", "y"): 3,
        ("class", "z"): 3,
        ("only", "x"): 2,
        ("alive", "x"): 2,
    }


def test_implied_denials_are_not_stored() -> None:
    matrix = Claims.from_triples([("a", "x", "1"), ("b", "x", "2"), ("c", "x", "3")]).matrix
    assert matrix.n_claims == 3
    assert matrix.claim_value.tolist() == [1, 1, 1]


def test_at_most_100_bytes_a_claim() -> None:
    tables = draw_tables(2_000, 15_000, [AttributeSpec("a"), AttributeSpec("b")], random_state=1)
    table = tables.claims
    assert table.num_rows >= 200_000
    claims = Claims.from_frame(table.slice(0, 200_000))
    matrix = claims.matrix
    assert matrix.n_claims > 190_000
    assert matrix.nbytes / matrix.n_claims <= 100
    held = matrix.nbytes + claims._codes.nbytes
    assert held / matrix.n_claims <= 100
