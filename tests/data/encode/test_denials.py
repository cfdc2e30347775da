"""Implied denials, and the part that each claim has in the likelihood."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.claim_rows import Row, read, tables
from tests.machines import every_kind, units_of, visible_units
from tests.strategies import Row as ClaimRow
from tests.strategies import as_columns, contested

from veracity import Claims
from veracity.data.encode.denials import (
    CLAIMS_TOO,
    DENIES_ALONE,
    REDUNDANT,
    SPEAKS,
    SPEAKS_AND_CLAIMS,
    claim_roles,
    implied_denials,
)
from veracity.data.read.settings import Kind
from veracity.models.grbm.observation import statement_kernels as kernels
from veracity.models.grbm.observation.units import Units


def implied_rows(rows: list[Row]) -> list[int]:
    """Return the rows whose denials are implied."""
    matrix = read(rows).matrix
    return sorted(matrix.row[implied_denials(matrix)].tolist())


@pytest.mark.parametrize("kind", ["closed", "open", "multiple"])
def test_a_denial_is_implied_by_naming_another_value(kind: str) -> None:
    rows = [
        Row("a", "x", kind, "1"),
        Row("a", "x", kind, "2", asserts=0),
        Row("b", "x", kind, "2", asserts=0),  # names nothing
        Row("c", "x", kind, "1"),
        Row("c", "y", kind, "2", asserts=0),  # names a value of another item
    ]
    assert implied_rows(rows) == [1]


def test_a_boolean_item_implies_nothing() -> None:
    rows = [Row("a", "x", "boolean", "yes"), Row("a", "x", "boolean", "no")]
    assert implied_rows(rows) == []


@pytest.mark.parametrize("kind", ["closed", "open", "multiple"])
def test_who_names_and_denies_the_same_value_means_both(kind: str) -> None:
    rows = [
        Row("a", "x", kind, "1"),
        Row("a", "x", kind, "1", asserts=0),
        Row("a", "x", kind, "2"),
        Row("a", "x", kind, "3", asserts=0),
    ]
    assert implied_rows(rows) == [3]
    matrix = read(rows).matrix
    part = claim_roles(matrix).role[np.argsort(matrix.row)]
    assert sorted(part[[0, 2]].tolist()) == [CLAIMS_TOO, SPEAKS_AND_CLAIMS]
    assert part[[1, 3]].tolist() == [DENIES_ALONE, REDUNDANT]
    units = units_of(read(rows))
    assert sorted(value for _, value in gathered(units, 0, 0, len(rows))) == [False, True]
    assert [value for _, value in gathered(units, 0, 1, len(rows))] == [True]
    assert [value for _, value in gathered(units, 0, 2, len(rows))] == [False]


@settings(max_examples=40)
@given(tables())
def test_the_rule_claim_by_claim(rows: list[Row]) -> None:
    named = {(row.source, row.item, row.value) for row in rows if row.asserts}
    named_items = {(source, item) for source, item, _ in named}
    expected, contradicted = [], []
    for place, row in enumerate(rows):
        if row.attribute != "boolean" and not row.asserts:
            if (row.source, row.item, row.value) in named:
                contradicted.append(place)
            elif (row.source, row.item) in named_items:
                expected.append(place)
    assert implied_rows(rows) == expected
    matrix = read(rows).matrix
    part = claim_roles(matrix).role[np.argsort(matrix.row)]
    assert np.flatnonzero(part == REDUNDANT).tolist() == expected
    assert (part[contradicted] == DENIES_ALONE).all()


def parts(claims: Claims) -> dict[tuple[str, str, str], int]:
    """Return the part of each claim by source, entity and value."""
    matrix = claims.matrix
    roles = claim_roles(matrix)
    found = {}
    for claim in range(matrix.n_claims):
        statement = matrix.statement_index[claim]
        item = matrix.item_of_claim[claim]
        key = (
            matrix.sources[int(matrix.source_index[claim])].as_py(),
            matrix.entities[int(matrix.entity_index[item])].as_py(),
            matrix.values[int(matrix.value_index[statement])].as_py(),
        )
        found[key] = int(roles.role[claim])
    return found


def test_parts_of_every_kind() -> None:
    found = parts(every_kind())
    assert found["ann", "sky", "blue"] == SPEAKS_AND_CLAIMS
    assert found["dan", "sky", "blue"] == DENIES_ALONE
    assert found["cat", "sky", "red"] == REDUNDANT
    assert {found["ann", "book", "eco"], found["ann", "book", "poe"]} == {
        SPEAKS_AND_CLAIMS,
        CLAIMS_TOO,
    }
    assert found["cat", "book", "poe"] == REDUNDANT
    assert found["dan", "book", "eco"] == found["dan", "book", "poe"] == DENIES_ALONE
    assert found["ann", "shop", "yes"] == SPEAKS_AND_CLAIMS
    assert found["dan", "shop", "yes"] == SPEAKS


def test_a_boolean_item_is_one_statement() -> None:
    claims = every_kind()
    matrix = claims.matrix
    boolean = matrix.kind_is("boolean")
    assert np.diff(matrix.statement_start)[boolean].tolist() == [1] * int(boolean.sum())


def test_the_speaker_is_the_first_claim_of_the_source_on_the_item() -> None:
    claims = every_kind()
    matrix, roles = claims.matrix, claim_roles(claims.matrix)
    too = np.flatnonzero(roles.role == CLAIMS_TOO)
    assert len(too) == 2
    speaker = roles.speaker[too]
    assert (speaker < too).all()
    assert (roles.role[speaker] == SPEAKS_AND_CLAIMS).all()
    np.testing.assert_array_equal(matrix.pair_of_claim[speaker], matrix.pair_of_claim[too])


def gathered(units: Units, item: int, statement: int, n_claims: int) -> list[tuple[int, bool]]:
    """Return the claims and values of the units that the kernels see."""
    roles = units.roles
    unit_row, unit_value = np.empty(n_claims, np.int64), np.empty(n_claims, np.bool_)
    n = kernels.gather_units(
        item, statement, roles.role, roles.speaker, roles.claim_start, roles.statement_index,
        np.arange(n_claims, dtype=np.int32), unit_row, unit_value,
    )  # fmt: skip
    return sorted(zip(unit_row[:n].tolist(), unit_value[:n].tolist(), strict=True))


def check_units(claims: Claims) -> None:
    """Compare the kernels' units with those found in plain Python."""
    matrix, units = claims.matrix, units_of(claims)
    claimed, spoken = np.zeros(matrix.n_sources), np.zeros(matrix.n_sources)
    for statement, item in enumerate(matrix.item_of_statement.tolist()):
        expected = sorted(visible_units(matrix, statement))
        assert gathered(units, item, statement, matrix.n_claims) == expected
        for claim, value in expected:
            claimed[matrix.source_index[claim]] += value
            spoken[matrix.source_index[claim]] += 1
    np.testing.assert_array_equal(units.counts, np.stack([claimed, spoken], axis=1))


def test_units_of_every_kind() -> None:
    check_units(every_kind())


@settings(max_examples=8)
@given(contested, st.randoms(use_true_random=False), st.sampled_from(["single", "multiple"]))
def test_units_of_any_claims(rows: list[ClaimRow], random: Random, kind: Kind) -> None:
    columns = {**as_columns(rows), "asserts": [random.randint(0, 1) for _ in rows]}
    check_units(Claims.from_frame(columns, attributes={"*": kind}))


def test_counts_by_claim_and_by_statement() -> None:
    claims = every_kind()
    by_source = units_of(claims).counts
    by_claim = units_of(claims, "claim").counts
    source = claims.matrix.source_index
    summed = np.stack([np.bincount(source, column) for column in by_claim.T], axis=1)
    np.testing.assert_array_equal(summed, by_source)
    by_statement = units_of(claims, "statement").counts
    np.testing.assert_array_equal(by_statement.reshape(-1, 2, 2).sum(axis=1), by_source)
