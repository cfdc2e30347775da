"""Columns that give the value away."""

from __future__ import annotations

import numpy as np
import pytest

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.features.screen import ValueShare


def _share(matrix: ClaimMatrix, column: Floats) -> float:
    return ValueShare.of(matrix, column).share


@pytest.fixture(scope="module")
def claims() -> Claims:
    """Return items with ten sources and three values each."""
    rng = np.random.default_rng(0)
    entity, source = (index.ravel() for index in np.indices((60, 10)))
    value = rng.integers(0, 3, 600)
    return Claims.from_frame(
        {
            "source": source,
            "entity": entity,
            "attribute": ["a"] * 600,
            "value": [f"v{i * 7 % 11}" for i in value + entity],
        },
        attributes={"a": "single"},
    )


def test_a_function_of_the_value(claims: Claims) -> None:
    matrix = claims.matrix
    assert _share(matrix, matrix.statement_index.astype(np.float64)) == pytest.approx(1.0)


def test_noise_and_what_belongs_to_source_or_item(claims: Claims) -> None:
    matrix = claims.matrix
    noise = np.random.default_rng(1).normal(size=matrix.n_claims)
    assert abs(_share(matrix, noise)) < 0.06
    assert abs(_share(matrix, matrix.source_index.astype(np.float64))) < 0.06
    assert _share(matrix, matrix.item_of_claim.astype(np.float64)) == 0.0


def test_partly_a_function_of_the_value(claims: Claims) -> None:
    matrix = claims.matrix
    noise = np.random.default_rng(2).normal(size=matrix.n_claims)
    part = (matrix.statement_index % 2) * 2.0 + noise
    assert 0.2 < _share(matrix, part) < 0.8


def test_missing_cells_are_left_out(claims: Claims) -> None:
    matrix = claims.matrix
    column = matrix.statement_index.astype(np.float64)
    column[::3] = np.nan
    assert _share(matrix, column) == pytest.approx(1.0)
    assert _share(matrix, np.full(matrix.n_claims, np.nan)) == 0.0


@pytest.fixture(scope="module")
def yes_and_no() -> Claims:
    """Return items about which ten sources say yes or no."""
    rng = np.random.default_rng(0)
    entity, source = (index.ravel() for index in np.indices((60, 10)))
    columns = {"source": source, "entity": entity, "value": rng.choice(["yes", "no"], 600)}
    return Claims.from_frame(columns, attributes={"*": Attribute("boolean", positive="yes")})


def test_yes_and_no_are_two_values(yes_and_no: Claims) -> None:
    matrix = yes_and_no.matrix
    rng = np.random.default_rng(1)
    said = matrix.claim_value.astype(np.float64)
    assert _share(matrix, said) == pytest.approx(1.0)
    assert 0.3 < _share(matrix, 2 * said + rng.normal(size=matrix.n_claims)) < 0.7
    assert abs(_share(matrix, rng.normal(size=matrix.n_claims))) < 0.06


@pytest.mark.parametrize("kind", ["single", "boolean"])
def test_categories_that_follow_from_the_value(
    claims: Claims, yes_and_no: Claims, kind: str
) -> None:
    matrix = claims.matrix if kind == "single" else yes_and_no.matrix
    value = matrix.value_index[matrix.statement_index] if kind == "single" else matrix.claim_value
    codes = value.astype(np.int64)
    assert ValueShare.of_categories(matrix, codes).share == pytest.approx(1.0)
    noise = np.random.default_rng(2).integers(0, 3, matrix.n_claims)
    assert abs(ValueShare.of_categories(matrix, noise).share) < 0.06
    partly = np.where(noise == 0, codes, 11 + noise)
    assert 0.05 < ValueShare.of_categories(matrix, partly).share < 0.95
