"""Contrastive divergence samples what the exact gradient is the mean of."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machines import By, answers, every_kind, some_theta, units_of

from veracity.data.arrays import Floats
from veracity.models.grbm.observation.units import Units, diverge, summarise
from veracity.models.grbm.theta import Rates, Theta, theta_of

B_0 = 1.0


def sampled(units: Units, theta: Theta, cd_steps: int, n_draws: int) -> tuple[Floats, Floats]:
    """Return the mean of many CD-k gradients less the exact one, and its standard error."""
    items = np.arange(units.roles.n_items)
    draws = []
    for seed in range(n_draws):
        found = diverge(units, theta, B_0, items, cd_steps, seed)
        draws.append(np.append(found.delta_theta.ravel(), found.delta_global))
    exact, _ = summarise(units, theta, B_0)
    expected = np.append(exact.delta_theta.ravel(), exact.delta_global)
    error = np.std(draws, axis=0) / np.sqrt(n_draws)
    return np.mean(draws, axis=0) - expected, error


def test_approaches_the_exact_gradient_as_steps_grow() -> None:
    # Sources so good that truth seldom changes from step to step, and a model that is off.
    rates = Rates(np.full(6, 0.8), np.full(6, 0.2))
    units = units_of(answers(100, *rates, seed=0))
    sizes = []
    for cd_steps in (1, 5, 50):
        bias, error = sampled(units, theta_of(rates), cd_steps, 400)
        sizes.append(float(np.linalg.norm(bias)))
    assert sizes[0] > 1.5 * sizes[1]
    assert sizes[1] > 10 * sizes[2]
    assert (np.abs(bias) < 4.5 * error).all()


@pytest.mark.parametrize("by", ["source", "claim", "statement"])
def test_many_steps_give_the_exact_gradient_for_every_kind_of_item(by: By) -> None:
    units = units_of(every_kind(), by)
    bias, error = sampled(units, some_theta(units.n_rows, 1, 1.2), 30, 2000)
    assert (np.abs(bias) < 4.5 * error + 1e-12).all()


def test_same_seed_same_draw() -> None:
    units = units_of(every_kind())
    theta = some_theta(units.n_rows)
    items = np.arange(units.roles.n_items)
    one, again, other = (diverge(units, theta, B_0, items, 2, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.delta_theta, again.delta_theta)
    assert not np.array_equal(one.delta_theta, other.delta_theta)
    assert np.isnan(one.log_likelihood)


def test_a_statement_draws_the_same_whatever_else_is_drawn() -> None:
    units = units_of(every_kind(), "claim")
    theta = some_theta(units.n_rows)
    items = np.arange(units.roles.n_items)
    whole = diverge(units, theta, B_0, items, 1, 5)
    parts = [diverge(units, theta, B_0, items[i : i + 1], 1, 5) for i in items]
    np.testing.assert_allclose(sum(part.delta_theta for part in parts), whole.delta_theta)
    assert sum(part.delta_global for part in parts) == pytest.approx(whole.delta_global)
