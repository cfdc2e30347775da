"""Pre-training: g gives the rates that were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machines import every_kind

from veracity import BinaryGRBM
from veracity.data.arrays import Floats
from veracity.engines.base import Blocks
from veracity.engines.local import InMemory, LocalBlocks, OneBlock
from veracity.models.grbm.model_spec import N_THETA
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.pretraining import TargetTheta, pretrain_function, pretrain_sources
from veracity.models.grbm.reliability import Linear, Network, ReliabilityFunction, feed_forward
from veracity.models.grbm.theta import Rates, Theta, rates_of, theta_of

FEATURES = np.linspace(-1.0, 1.0, 9)[:, None]


def constant(tpr: float, fpr: float, n: int) -> Theta:
    return theta_of(Rates(np.full(n, tpr), np.full(n, fpr)))


def target(features: Floats, theta: Theta, n_blocks: int = 1) -> Blocks[TargetTheta]:
    """Return the theta wanted of rows, of which each has a source of its own."""
    wanted, weight = np.stack(theta, axis=1), np.arange(1.0, len(features) + 1)
    parts = [
        TargetTheta(features[rows], rows, wanted[rows], weight[rows])
        for rows in np.array_split(np.arange(len(features)), n_blocks)
    ]
    return OneBlock(parts[0]) if n_blocks == 1 else LocalBlocks([InMemory(part) for part in parts])


def linear(n_features: int) -> Linear:
    return Linear(n_features, N_THETA, intercept=True)


def network() -> Network:
    return Network(feed_forward(1, (8,), "tanh", 0, N_THETA), N_THETA)


def same_rates(found: Floats, wanted: Theta, tol: float) -> None:
    """Check that theta of rows has the rates wanted."""
    rates = np.array(rates_of(Theta(*found.T)))
    np.testing.assert_allclose(rates, np.array(rates_of(wanted)), atol=tol)


def check(function: ReliabilityFunction, features: Floats, wanted: Theta, tol: float) -> None:
    """Check that g comes near to a theta, by the weighted error and by the rates of each row."""
    psi = pretrain_function(target(features, wanted), function)
    found = function.vjp(psi, features)[0]
    weight = np.arange(1.0, len(features) + 1)
    error = (found - np.stack(wanted, axis=1)) ** 2
    assert 0.5 * float((weight / weight.sum()) @ error.sum(axis=1)) < tol
    same_rates(found, wanted, tol)


@pytest.mark.parametrize(("tpr", "fpr"), [(0.7, 0.1), (0.1, 0.7), (0.99, 0.5)])
def test_constant_rates(tpr: float, fpr: float) -> None:
    wanted = constant(tpr, fpr, 9)
    check(linear(1), FEATURES, wanted, 1e-6)
    check(network(), FEATURES, wanted, 0.01)
    of_sources, unseen = pretrain_sources(target(FEATURES, wanted), 9)
    same_rates(of_sources, wanted, 1e-9)
    same_rates(unseen[None], constant(tpr, fpr, 1), 1e-9)


def test_rates_by_feature() -> None:
    rising = theta_of(Rates(np.linspace(0.5, 0.9, 9), np.full(9, 0.1)))
    check(network(), FEATURES, rising, 0.03)
    log_odds = 1.0 + 0.5 * FEATURES[:, 0]
    check(linear(1), FEATURES, Theta(-log_odds, 2 * log_odds, np.zeros(9)), 1e-4)


def test_sources_average_their_rows_by_weight() -> None:
    column = np.array([0.0, 4.0, 1.0])
    wanted = np.stack([column, column, column], axis=1)
    rows = TargetTheta(np.zeros((3, 0)), np.array([0, 0, 1]), wanted, np.array([3.0, 1.0, 1.0]))
    of_sources, unseen = pretrain_sources(OneBlock(rows), 3)
    np.testing.assert_allclose(unseen, 5 / 3)  # a source never seen has the mean of all rows
    np.testing.assert_allclose(of_sources[:, 0], [1.0, 1.0, 5 / 3])


def test_collinear_features() -> None:
    twice = np.hstack([FEATURES, FEATURES])
    check(linear(2), twice, constant(0.7, 0.1, 9), 1e-6)


@pytest.mark.parametrize("wanted", ["constant", "rising"])
def test_blocks_make_no_difference(wanted: str) -> None:
    theta = constant(0.7, 0.1, 9)
    if wanted == "rising":
        theta = theta_of(Rates(np.linspace(0.5, 0.9, 9), np.full(9, 0.1)))
    one, three = (target(FEATURES, theta, n_blocks) for n_blocks in (1, 3))
    found = [pretrain_function(blocks, linear(1)) for blocks in (one, three)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    function = network()  # the rounding of sums leads it elsewhere, where it fits as well
    same_rates(function.vjp(pretrain_function(three, function), FEATURES)[0], theta, 0.03)
    for ours, theirs in zip(pretrain_sources(one, 9), pretrain_sources(three, 9), strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_deviations_of_sources_start_at_nothing() -> None:
    claims = every_kind({"claim_size": [float(row % 3) for row in range(19)]})
    model = BinaryGRBM(features=["claim_size"], bins=None, rates=(0.7, 0.1)).fit(claims)
    spec = model.fitted_model.spec
    assert spec.start is not None
    start = ParameterVector(spec.names, spec.start)
    assert start["source"].shape == (4, N_THETA)
    assert not start["source"].any()
    theta = spec.reliability.vjp(start["psi"], FEATURES)[0]
    same_rates(theta, constant(0.7, 0.1, 9), 1e-6)
