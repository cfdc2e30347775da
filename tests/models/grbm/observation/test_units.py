"""The exact likelihood: against brute force over all states, and against itself in other ways."""

from __future__ import annotations

import itertools
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.machines import By, answers, brute_force, every_kind, some_theta, units_of
from tests.strategies import Row, as_columns, contested

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import SPEAKS, SPEAKS_AND_CLAIMS
from veracity.data.read.settings import Kind
from veracity.models.grbm.observation import statement_kernels as kernels
from veracity.models.grbm.observation.units import Summary, Units, summarise, summarise_machines
from veracity.models.grbm.theta import (
    Rates,
    Theta,
    rates_of,
    sigmoid,
    theta_of,
    tied_hidden_bias,
)

WAYS: list[By] = ["source", "claim", "statement"]
B_0 = 0.3


@pytest.fixture(scope="module")
def claims() -> Claims:
    """Return claims of every kind."""
    return every_kind()


def same(one: Summary, other: Summary, tolerance: float = 1e-9) -> None:
    """Check that two summaries agree."""
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=tolerance)
    assert one.delta_global == pytest.approx(other.delta_global, abs=tolerance)
    np.testing.assert_allclose(one.delta_theta, other.delta_theta, atol=tolerance)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("by", WAYS)
def test_equals_brute_force(claims: Claims, by: By, seed: int) -> None:
    units = units_of(claims, by)
    theta = some_theta(units.n_rows, seed, size=1.5)
    summary, _ = summarise(units, theta, B_0)
    assert summary.log_likelihood == pytest.approx(
        brute_force(claims, units, theta, B_0), abs=1e-10
    )


@settings(max_examples=8)
@given(contested, st.randoms(use_true_random=False), st.sampled_from(["single", "multiple"]))
def test_equals_brute_force_on_any_claims(rows: list[Row], random: Random, kind: Kind) -> None:
    columns = {**as_columns(rows), "asserts": [random.randint(0, 1) for _ in rows]}
    claims = Claims.from_frame(columns, attributes={"*": kind})
    for by in WAYS:
        units = units_of(claims, by)
        theta = some_theta(units.n_rows, 2, size=2.0)
        summary, _ = summarise(units, theta, B_0)
        assert summary.log_likelihood == pytest.approx(
            brute_force(claims, units, theta, B_0), abs=1e-9
        )


@pytest.mark.parametrize("n_sources", [1, 4])
def test_probabilities_of_all_that_may_be_said_sum_to_one(n_sources: int) -> None:
    units = units_of(answers(1, np.full(n_sources, 0.7), np.full(n_sources, 0.2), seed=0))
    theta = some_theta(n_sources, size=2.0)
    total = 0.0
    for said in itertools.product([SPEAKS, SPEAKS_AND_CLAIMS], repeat=n_sources):
        roles = replace(units.roles, role=np.array(said, np.uint8))
        summary, _ = summarise(Units.of(roles, units.row, n_sources), theta, B_0)
        total += np.exp(summary.log_likelihood)
    assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("by", WAYS)
def test_gradient_equals_finite_differences(claims: Claims, by: By) -> None:
    units = units_of(claims, by)
    theta = np.array(some_theta(units.n_rows, 3))
    step = 1e-5

    def value(columns: Floats, b_0: float = B_0) -> float:
        return summarise(units, Theta(*columns), b_0)[0].log_likelihood

    summary, _ = summarise(units, Theta(*theta), B_0)
    for column, row in np.ndindex(*theta.shape):
        up, down = theta.copy(), theta.copy()
        up[column, row] += step
        down[column, row] -= step
        slope = (value(up) - value(down)) / (2 * step)
        assert summary.delta_theta[row, column] == pytest.approx(slope, abs=1e-7)
    slope = (value(theta, B_0 + step) - value(theta, B_0 - step)) / (2 * step)
    assert summary.delta_global == pytest.approx(slope, abs=1e-7)


def by_statement(units: Units, theta: Theta, b_0: float) -> tuple[Summary, Floats]:
    """Go through all items statement by statement."""
    n_statements = units.roles.n_statements
    sums = np.zeros((units.n_rows, 4))
    evidence, plausibility = np.empty(n_statements), np.empty(n_statements)
    table = kernels.row_table(theta)
    total, surplus = 0.0, 0.0
    for item in range(units.roles.n_items):
        found = kernels.item_by_statement(
            item, *units.claims(), table, b_0, sums, evidence, plausibility
        )
        total, surplus = total + found[0], surplus + found[1]
    np.testing.assert_allclose(plausibility, sigmoid(evidence))
    return Summary.of(total, surplus, sums, units.counts, theta), evidence


@pytest.mark.parametrize("by", WAYS[:2])
def test_all_passes_agree(claims: Claims, by: By) -> None:
    units = units_of(claims, by)
    theta = some_theta(units.n_rows, 5)
    exact, evidence = summarise(units, theta, B_0)
    slow, slow_evidence = by_statement(units, theta, B_0)
    same(exact, slow)
    np.testing.assert_allclose(evidence, slow_evidence)
    # The same rows, whatever the state of the statement.
    state = np.arange(units.roles.n_statements, dtype=np.int32) % 2
    repeated = replace(units, state=state, row_of=np.repeat(units.row_of, 2, axis=1))
    assert repeated.depends_on_statement
    expanded, expanded_evidence = summarise(repeated, theta, B_0)
    same(exact, expanded)
    np.testing.assert_allclose(evidence, expanded_evidence)
    same(exact, summarise_machines(units, theta, B_0, np.arange(units.n_machines)))


@pytest.mark.parametrize("by", WAYS)
def test_summaries_of_parts_add_up(claims: Claims, by: By) -> None:
    units = units_of(claims, by)
    theta = some_theta(units.n_rows, 6)
    items = np.arange(units.roles.n_items)
    halves = [
        summarise_machines(units, theta, B_0, units.machines_of(half))
        for half in (items[::2], items[1::2])
    ]
    same(halves[0] + halves[1], summarise(units, theta, B_0)[0])


@pytest.mark.parametrize("by", WAYS)
def test_threads(monkeypatch: pytest.MonkeyPatch, by: By) -> None:
    claims = answers(600, np.array([0.9, 0.8, 0.6]), np.array([0.2, 0.1, 0.3]), seed=1)
    units = units_of(claims, by)
    theta = some_theta(units.n_rows, 7)
    alone, alone_evidence = summarise(units, theta, B_0, threads=1)
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 1)
    for threads in (2, 5):
        several, evidence = summarise(units, theta, B_0, threads)
        same(alone, several)
        np.testing.assert_array_equal(evidence, alone_evidence)
        again, _ = summarise(units, theta, B_0, threads)
        assert again.log_likelihood == several.log_likelihood
        assert again.delta_global == several.delta_global
        np.testing.assert_array_equal(again.delta_theta, several.delta_theta)
    same(alone, summarise(units, theta, B_0)[0])


def test_more_threads_than_items(claims: Claims, monkeypatch: pytest.MonkeyPatch) -> None:
    units = units_of(claims)
    theta = some_theta(units.n_rows)
    alone, _ = summarise(units, theta, B_0, threads=1)
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 1)
    same(alone, summarise(units, theta, B_0, threads=50)[0])


def test_plausibility_is_the_naive_bayes_posterior_when_tied(claims: Claims) -> None:
    units = units_of(claims)
    a, w, _ = some_theta(units.n_rows, 8)
    theta = Theta(a, w, tied_hidden_bias(a, w))
    _, evidence = summarise(units, theta, B_0)
    tpr, fpr = rates_of(theta)
    matrix = claims.matrix
    names = matrix.sources.to_pylist()
    shop = matrix.entities.to_pylist().index("shop")
    (item,) = np.flatnonzero(matrix.entity_index == shop)
    said = {"ann": True, "bob": False, "cat": True, "dan": False}
    prior = float(sigmoid(np.array(B_0)))
    true, false = prior, 1 - prior
    for name, yes in said.items():
        source = names.index(name)
        true *= tpr[source] if yes else 1 - tpr[source]
        false *= fpr[source] if yes else 1 - fpr[source]
    found = sigmoid(evidence)[matrix.statement_start[item]]
    assert found == pytest.approx(true / (true + false), abs=1e-12)


def test_extreme_theta_stays_finite(claims: Claims) -> None:
    units = units_of(claims)
    for size in (50.0, 800.0):
        theta = some_theta(units.n_rows, 9, size)
        summary, evidence = summarise(units, theta, B_0)
        assert np.isfinite(summary.log_likelihood)
        assert summary.log_likelihood <= 0
        assert np.isfinite(summary.delta_theta).all()
        assert np.isfinite(evidence).all()


def test_many_statements_with_one_logarithm() -> None:
    # All of softplus is log 2 here: the product would overflow if it were never taken down.
    claims = answers(3000, np.array([0.5]), np.array([0.5]), seed=2)
    units = units_of(claims)
    summary, _ = summarise(units, Theta(np.zeros(1), np.zeros(1), np.zeros(1)), 0.0, threads=1)
    assert summary.log_likelihood == pytest.approx(-3000 * np.log(2), rel=1e-12)


def test_gradient_vanishes_on_average_where_claims_come_from() -> None:
    rates = Rates(np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.3, 0.2]))
    n_items = 4000
    units = units_of(answers(n_items, *rates, seed=3))
    summary, _ = summarise(units, theta_of(rates), 0.0)
    assert np.abs(summary.delta_theta).max() < 4 * np.sqrt(n_items)
    assert abs(summary.delta_global) < 4 * np.sqrt(n_items)
