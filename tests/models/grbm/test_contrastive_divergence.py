"""Contrastive divergence samples what the exact gradient is the mean of; batches climb by both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.machines import By, answers, every_kind, some_theta, units_of
from tests.objectives import block_of, paper_objective

from veracity.data.arrays import Floats
from veracity.models.grbm.contrastive_divergence import (
    BatchSettings,
    binary_machine,
    fit_batches,
)
from veracity.models.grbm.fitting import Fit, fit
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.units import Units, diverge, summarise
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import Rates, Theta, rates_of, theta_of

B_0 = 1.0
TRUE = Rates(np.array([0.9, 0.8, 0.7, 0.75]), np.array([0.1, 0.25, 0.3, 0.15]))
OPTIMISTIC = np.array(theta_of(Rates(np.array([0.7]), np.array([0.1]))))[:, 0]
ADAM = BatchSettings("adam", 0.02, 200, 40, 1e-7, 5, 0)


def sampled(units: Units, theta: Theta, cd_steps: int, n_draws: int) -> tuple[Floats, Floats]:
    """Return the mean of many CD-k gradients less the exact one, and its standard error."""
    machines = np.arange(units.n_machines)
    draws = []
    for seed in range(n_draws):
        found = diverge(units, theta, B_0, machines, cd_steps, seed)
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
    machines = np.arange(units.n_machines)
    one, again, other = (diverge(units, theta, B_0, machines, 2, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.delta_theta, again.delta_theta)
    assert not np.array_equal(one.delta_theta, other.delta_theta)
    assert np.isnan(one.log_likelihood)


def test_a_statement_draws_the_same_whatever_else_is_drawn() -> None:
    units = units_of(every_kind(), "claim")
    theta = some_theta(units.n_rows)
    machines = np.arange(units.n_machines)
    whole = diverge(units, theta, B_0, machines, 1, 5)
    parts = [diverge(units, theta, B_0, machines[i : i + 1], 1, 5) for i in machines]
    np.testing.assert_allclose(sum(part.delta_theta for part in parts), whole.delta_theta)
    assert sum(part.delta_global for part in parts) == pytest.approx(whole.delta_global)


# Fits by batches


def answering(n_items: int) -> Objective:
    """Return the objective of sources that answer, at optimistic rates."""
    return paper_objective(answers(n_items, *TRUE, seed=4), start=OPTIMISTIC)


def theta_at(objective: Objective, x: Floats) -> Theta:
    """Return theta of each source."""
    block = block_of(objective)
    return binary_machine(block).theta(block.eta(block.own(x))[0])


def check_history(found: Fit, objective: Objective) -> None:
    """Check that the history ends at the exact likelihood of the result."""
    n_iter = len(found.history)
    assert [entry["iteration"] for entry in found.history] == list(range(1, n_iter + 1))
    b_0 = ParameterVector(objective.spec.names, found.x).group("0").number("global_hidden_bias")
    units = binary_machine(block_of(objective)).units
    exact, _ = summarise(units, theta_at(objective, found.x), b_0, 1)
    assert found.history[-1]["log_likelihood"] == pytest.approx(exact.log_likelihood, rel=1e-9)


@pytest.mark.parametrize(
    ("settings", "tolerance"),
    [
        (ADAM, 0.015),
        (replace(ADAM, optimizer="sgd", learning_rate=0.5), 0.03),
        (replace(ADAM, cd_steps=1, learning_rate=0.01, tol=0.0, patience=40), 0.04),
        (replace(ADAM, cd_steps=5, learning_rate=0.01, tol=0.0, patience=40), 0.04),
    ],
    ids=["adam", "sgd", "cd 1", "cd 5"],
)
def test_every_optimiser_reaches_what_lbfgs_reaches(
    settings: BatchSettings, tolerance: float
) -> None:
    objective = answering(3000)
    best = fit(objective, max_iter=200, tol=1e-10)
    found = fit_batches(objective, settings)
    check_history(best, objective)
    check_history(found, objective)
    ours, theirs = (rates_of(theta_at(objective, x)) for x in (found.x, best.x))
    np.testing.assert_allclose(np.array(ours), np.array(theirs), atol=tolerance)
    gap = best.history[-1]["log_likelihood"] - found.history[-1]["log_likelihood"]
    assert abs(gap) < 0.001 * abs(best.history[-1]["log_likelihood"])


def test_early_stopping_and_its_absence() -> None:
    objective = answering(100)
    found = fit_batches(objective, replace(ADAM, max_iter=200, patience=2, tol=1e-3))
    assert found.converged
    assert len(found.history) < 200
    assert found.message == "no improvement for 2 iterations"
    short = fit_batches(objective, replace(ADAM, max_iter=2))
    assert not short.converged
    assert len(short.history) == 2
    assert "limit of iterations" in short.message


def test_same_seed_same_fit_to_the_bit() -> None:
    objective = answering(300)
    for cd_steps in (None, 2):
        settings = replace(ADAM, cd_steps=cd_steps, max_iter=3)
        found = [fit_batches(objective, replace(settings, seed=seed)).x for seed in (0, 0, 1)]
        np.testing.assert_array_equal(found[0], found[1])
        assert not np.array_equal(found[0], found[2])
