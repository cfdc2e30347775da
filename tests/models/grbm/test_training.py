"""Training: the gradient of the whole objective, and optimisers that agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.machines import answers, every_kind, units_of
from veracity.models.grbm.training import (
    BatchSettings,
    Fit,
    Objective,
    _batch_gradient,
    fit_batches,
    fit_lbfgs,
)

from veracity.data.arrays import Floats
from veracity.models.grbm.observation.free_binary import Units
from veracity.models.grbm.reliability import (
    Linear,
    PerSource,
    ReliabilityFunction,
    WithSources,
    feed_forward,
)
from veracity.models.grbm.theta import Rates, Theta, rates_of, theta_of

TRUE = Rates(np.array([0.9, 0.8, 0.7, 0.75]), np.array([0.1, 0.25, 0.3, 0.15]))
ADAM = BatchSettings("adam", 0.02, 200, 40, 1e-7, 5, 0)


def function_and_features(name: str, units: Units) -> tuple[ReliabilityFunction, Floats]:
    features = np.random.default_rng(0).normal(size=(units.n_rows, 2))
    if name == "linear":
        return Linear(2), features
    if name == "network":
        return feed_forward(2, (3,), "tanh", 0), features
    if name == "with sources":
        source = np.arange(float(units.n_rows))[:, None] % 4
        return WithSources(Linear(2), 4), np.hstack([features, source])
    return PerSource(units.n_rows, np.zeros(3)), np.arange(float(units.n_rows))[:, None]


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("name", ["linear", "per-source", "network", "with sources"])
@pytest.mark.parametrize("by", ["source", "statement"])
def test_gradient_equals_finite_differences(name: str, tied: bool, by: Any) -> None:
    units = units_of(every_kind(), by)
    function, features = function_and_features(name, units)
    objective = Objective.at_start(
        units, features, function, tied=tied, penalty=0.7, anchor=0.2, threads=1
    )
    x = np.append(function.psi, 0.2) + np.random.default_rng(1).normal(
        0, 0.5, function.psi.size + 1
    )
    _, gradient = objective.value_and_gradient(x[:-1], x[-1])
    slopes = []
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += 1e-5
        down[i] -= 1e-5
        high, _ = objective.value_and_gradient(up[:-1], up[-1])
        low, _ = objective.value_and_gradient(down[:-1], down[-1])
        slopes.append((high - low) / 2e-5)
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    # A batch of all items goes the same way, per item.
    items = np.arange(units.roles.n_items)
    ascent = _batch_gradient(objective, x, items, seed=0, cd_steps=None)
    np.testing.assert_allclose(ascent * len(items), -gradient, atol=1e-9)
    # Batches share the penalty out among them.
    halves = [
        len(half) * _batch_gradient(objective, x, half, seed=0, cd_steps=None)
        for half in (items[::2], items[1::2])
    ]
    np.testing.assert_allclose(halves[0] + halves[1], -gradient, atol=1e-9)


def per_source(n_items: int, tied: bool = True, penalty: float = 1.0) -> Objective:
    """Return the objective of sources that answer, at optimistic rates."""
    units = units_of(answers(n_items, *TRUE, seed=4))
    start = np.array(theta_of(Rates(np.array([0.7]), np.array([0.1]))))[:, 0]
    function = PerSource(4, start)
    features = np.arange(4.0)[:, None]
    return Objective.at_start(
        units, features, function, tied=tied, penalty=penalty, anchor=0.0, threads=1
    )


def check_history(fit: Fit, objective: Objective) -> None:
    """Check that the history ends at the exact likelihood of the result."""
    assert [entry["iteration"] for entry in fit.history] == list(range(1, fit.n_iter + 1))
    exact = objective.units.summarise(objective.theta(), fit.global_hidden_bias, 1)
    assert fit.history[-1]["log_likelihood"] == pytest.approx(exact.log_likelihood, rel=1e-9)


def test_lbfgs_climbs_and_recovers_the_rates() -> None:
    objective = per_source(3000)
    fit = fit_lbfgs(objective, 0.0, max_iter=200, tol=1e-10)
    assert fit.converged
    check_history(fit, objective)
    values = [entry["objective"] for entry in fit.history]
    assert all(np.diff(values) >= 0)
    assert fit.history[-1]["gradient"] < 1.0
    np.testing.assert_allclose(np.array(rates_of(objective.theta())), np.array(TRUE), atol=0.06)
    assert abs(fit.global_hidden_bias) < 0.3  # half of the items are true


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
    exact = per_source(3000)
    best = fit_lbfgs(exact, 0.0, max_iter=200, tol=1e-10)
    objective = per_source(3000)
    fit = fit_batches(objective, 0.0, settings)
    check_history(fit, objective)
    np.testing.assert_allclose(
        np.array(rates_of(objective.theta())), np.array(rates_of(exact.theta())), atol=tolerance
    )
    gap = best.history[-1]["log_likelihood"] - fit.history[-1]["log_likelihood"]
    assert abs(gap) < 0.001 * abs(best.history[-1]["log_likelihood"])


def test_tied_bias_stays_where_it_was() -> None:
    objective = per_source(200)
    before = objective.function.psi.reshape(-1, 3)[:, 2]
    fit_lbfgs(objective, 0.0, 50, 1e-8)
    np.testing.assert_allclose(objective.function.psi.reshape(-1, 3)[:, 2], before)


def test_penalty_and_anchor_hold_theta() -> None:
    start = per_source(200).target
    away = []
    for penalty in (0.0, 10.0, 1e6):
        objective = per_source(200, penalty=penalty)
        fit_lbfgs(objective, 0.0, 100, 1e-9)
        away.append(float(np.abs(objective.function.theta(objective.features) - start).max()))
    assert away[0] > away[1] > away[2]
    assert away[2] < 1e-3
    anchored = replace(per_source(200, penalty=0.0), anchor=1e5)
    fit_lbfgs(anchored, 0.0, 100, 1e-9)
    assert np.abs(np.array(anchored.theta()) - np.array(theta_columns(start))).max() < 1e-2


def theta_columns(columns: Floats) -> Theta:
    return Theta(*columns.T)


def test_early_stopping_and_its_absence() -> None:
    objective = per_source(100)
    fit = fit_batches(objective, 0.0, replace(ADAM, max_iter=200, patience=2, tol=1e-3))
    assert fit.converged
    assert fit.n_iter < 200
    assert fit.message == "no improvement for 2 iterations"
    short = fit_batches(per_source(100), 0.0, replace(ADAM, max_iter=2))
    assert not short.converged
    assert short.n_iter == 2
    assert "limit of iterations" in short.message
    assert not fit_lbfgs(per_source(100), 0.0, 1, 1e-12).converged


def test_same_seed_same_fit_to_the_bit() -> None:
    for cd_steps in (None, 2):
        settings = replace(ADAM, cd_steps=cd_steps, max_iter=3)
        found = []
        for seed in (0, 0, 1):
            objective = per_source(300)
            fit_batches(objective, 0.0, replace(settings, seed=seed))
            found.append(objective.function.psi)
        np.testing.assert_array_equal(found[0], found[1])
        assert not np.array_equal(found[0], found[2])
