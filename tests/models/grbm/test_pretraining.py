"""Pre-training: g gives the rates that were asked for."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.data.arrays import Floats
from veracity.models.grbm.pretraining import pretrain
from veracity.models.grbm.reliability import (
    Linear,
    PerSource,
    ReliabilityFunction,
    WithSources,
    feed_forward,
)
from veracity.models.grbm.theta import Rates, Theta, rates_of, theta_of

FEATURES = np.linspace(-1.0, 1.0, 9)[:, None]


def constant(tpr: float, fpr: float, n: int) -> Theta:
    return theta_of(Rates(np.full(n, tpr), np.full(n, fpr)))


def check(function: ReliabilityFunction, features: Floats, target: Theta, tol: float) -> None:
    weight = np.arange(1.0, len(features) + 1)
    assert pretrain(function, features, target, weight) < tol
    found = rates_of(Theta(*function.theta(features).T))
    np.testing.assert_allclose(np.array(found), np.array(rates_of(target)), atol=tol)


@pytest.mark.parametrize(("tpr", "fpr"), [(0.7, 0.1), (0.1, 0.7), (0.99, 0.5)])
def test_constant_rates(tpr: float, fpr: float) -> None:
    target = constant(tpr, fpr, 9)
    check(Linear(1), FEATURES, target, 1e-6)
    check(feed_forward(1, (8,), "tanh", 0), FEATURES, target, 0.01)
    sources = np.arange(9.0)[:, None]
    check(PerSource(9, np.zeros(3)), sources, target, 1e-9)


def test_rates_by_feature() -> None:
    rising = theta_of(Rates(np.linspace(0.5, 0.9, 9), np.full(9, 0.1)))
    check(feed_forward(1, (8,), "tanh", 0), FEATURES, rising, 0.03)
    log_odds = 1.0 + 0.5 * FEATURES[:, 0]
    check(Linear(1), FEATURES, Theta(-log_odds, 2 * log_odds, np.zeros(9)), 1e-4)


def test_sources_average_their_rows_by_weight() -> None:
    function = PerSource(3, np.array([9.0, 9.0, 9.0]))
    rows = np.array([[0.0], [0.0], [1.0]])
    column = np.array([0.0, 4.0, 1.0])
    pretrain(function, rows, Theta(column, column, column), np.array([3.0, 1.0, 1.0]))
    np.testing.assert_allclose(function.psi.reshape(3, 3)[:, 0], [1.0, 1.0, 9.0])


def test_collinear_features() -> None:
    twice = np.hstack([FEATURES, FEATURES])
    check(Linear(2), twice, constant(0.7, 0.1, 9), 1e-6)


def test_deviations_of_sources_start_at_nothing() -> None:
    function = WithSources(Linear(1), 9)
    check(function, np.hstack([FEATURES, np.arange(9.0)[:, None]]), constant(0.7, 0.1, 9), 1e-6)
    assert not function.psi[6:].any()
