"""The formulas of the paper, and the compiled passes against them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.machines import (
    By,
    energy,
    every_kind,
    log_probability,
    some_theta,
    units_of,
    visible_units,
)

from veracity.data.arrays import Floats
from veracity.models.grbm import likelihood
from veracity.models.grbm.observation.units import summarise
from veracity.models.grbm.theta import Theta, rates_of, sigmoid, tied_hidden_bias

B_0 = 0.3
THETA = some_theta(4, seed=1, size=1.5)
CLAIMED = [np.array(said, float) for said in itertools.product((0, 1), repeat=4)]


@pytest.mark.parametrize("said", CLAIMED[::5], ids=str)
def test_plausibility_is_the_share_of_the_states_in_which_the_statement_is_true(
    said: Floats,
) -> None:
    columns = np.stack(THETA, axis=1)
    true, false = (np.exp(energy(columns, B_0, said, hidden)) for hidden in (1, 0))
    assert likelihood.plausibility(said, THETA, B_0) == pytest.approx(true / (true + false))


def test_log_likelihood_equals_brute_force_over_all_states() -> None:
    columns = np.stack(THETA, axis=1)
    for said in CLAIMED:
        found = likelihood.log_likelihood(said, THETA, B_0)
        assert found == pytest.approx(log_probability(columns, B_0, said), abs=1e-12)


def test_prior_is_the_mean_plausibility_of_all_that_may_be_claimed() -> None:
    mean = sum(
        np.exp(likelihood.log_likelihood(said, THETA, B_0))
        * likelihood.plausibility(said, THETA, B_0)
        for said in CLAIMED
    )
    assert likelihood.prior(THETA, B_0) == pytest.approx(mean, abs=1e-12)


def test_a_tied_hidden_bias_makes_the_prior_that_of_every_statement() -> None:
    a, w, _ = THETA
    tied = Theta(a, w, tied_hidden_bias(a, w))
    assert likelihood.prior(tied, B_0) == pytest.approx(float(sigmoid(np.asarray(B_0))))
    tpr, fpr = rates_of(tied)
    odds = np.exp(B_0) * np.prod(tpr / fpr)
    assert likelihood.plausibility(np.ones(4), tied, B_0) == pytest.approx(odds / (1 + odds))


def test_gradient_equals_finite_differences() -> None:
    said, step = CLAIMED[6], 1e-6
    found = likelihood.gradient(said, THETA, B_0)

    def slope(column: int, claim: int) -> float:
        ends = []
        for sign in (1, -1):
            moved = np.array(THETA)
            moved[column, claim] += sign * step
            ends.append(likelihood.log_likelihood(said, Theta(*moved), B_0))
        return (ends[0] - ends[1]) / (2 * step)

    for column, claim in np.ndindex(3, 4):
        assert found.theta[column][claim] == pytest.approx(slope(column, claim), abs=1e-7)
    up, down = (likelihood.log_likelihood(said, THETA, B_0 + sign * step) for sign in (1, -1))
    assert found.global_hidden_bias == pytest.approx((up - down) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("by", ["source", "claim", "statement"])
def test_the_compiled_pass_computes_the_same(by: By) -> None:
    claims = every_kind()
    units = units_of(claims, by)
    theta = some_theta(units.n_rows, seed=2, size=1.5)
    total, of_b0 = 0.0, 0.0
    of_theta, plausibility = np.zeros((units.n_rows, 3)), np.empty(units.n_statements)
    for statement in range(units.n_statements):
        found = visible_units(claims.matrix, statement)
        row = np.array(
            [units.row_of[units.row[claim], units.state[statement]] for claim, _ in found]
        )
        said = np.array([float(value) for _, value in found])
        own = Theta(*(column[row] for column in theta))
        total += likelihood.log_likelihood(said, own, B_0)
        slope = likelihood.gradient(said, own, B_0)
        np.add.at(of_theta, row, np.stack(slope.theta, axis=1))
        of_b0 += slope.global_hidden_bias
        plausibility[statement] = likelihood.plausibility(said, own, B_0)
    summary, log_odds = summarise(units, theta, B_0)
    assert summary.log_likelihood == pytest.approx(total, rel=1e-12)
    assert summary.delta_global == pytest.approx(of_b0, abs=1e-12)
    np.testing.assert_allclose(summary.delta_theta, of_theta, atol=1e-12)
    np.testing.assert_allclose(sigmoid(log_odds), plausibility, atol=1e-12)
