"""Reliability functions: a vector of parameters, and a gradient that is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from tests.machines import every_kind
from tests.objectives import block_of, paper_objective

from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter
from veracity.models.grbm.block_objective import bind
from veracity.models.grbm.model_spec import N_THETA
from veracity.models.grbm.reliability import (
    Linear,
    Network,
    ReliabilityFunction,
    feed_forward,
    silent_at_start,
)

FEATURES = np.random.default_rng(0).normal(size=(6, 2))
ACTIVATIONS = ("tanh", "relu", "gelu", "sigmoid")


class Bilinear(torch.nn.Module):
    """A module of the user's own: a product of two features beside them."""

    def __init__(self, n_outputs: int) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(3, n_outputs)

    def forward(self, x: Any) -> Any:
        return self.inner(torch.cat([x, x[:, :1] * x[:, 1:2]], dim=1))


def functions(n_outputs: int) -> dict[str, ReliabilityFunction]:
    """Return functions of two features."""
    return {
        "linear": Linear(2, n_outputs),
        "with intercept": Linear(2, n_outputs, intercept=True),
        **{name: network((4,), name, n_outputs) for name in ACTIVATIONS},
        "no hidden layer": network((), "tanh", n_outputs),
        "custom": Network(Bilinear(n_outputs), n_outputs),
    }


def network(hidden_sizes: tuple[int, ...], activation: str, n_outputs: int) -> Network:
    return Network(feed_forward(2, hidden_sizes, activation, 1, n_outputs), n_outputs)


@pytest.mark.parametrize("n_outputs", [1, N_THETA])
@pytest.mark.parametrize("name", list(functions(1)))
def test_pullback_equals_finite_differences(name: str, n_outputs: int) -> None:
    function = functions(n_outputs)[name]
    rng = np.random.default_rng(1)
    psi = rng.normal(size=len(function.start))
    shape = (len(FEATURES), n_outputs) if n_outputs > 1 else (len(FEATURES),)
    weights = rng.normal(size=shape)
    value, pullback = function.vjp(psi, FEATURES)
    assert value.shape == shape
    gradient = pullback(weights)
    assert gradient.shape == psi.shape
    for i in range(len(psi)):
        values = []
        for step in (1e-6, -1e-6):
            moved = psi.copy()
            moved[i] += step
            values.append(float(np.sum(weights * function.vjp(moved, FEATURES)[0])))
        assert gradient[i] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("name", list(functions(1)))
def test_functions_are_pure(name: str) -> None:
    function = functions(N_THETA)[name]
    before = function.start
    psi = before + 1.0
    value, pullback = function.vjp(psi, FEATURES)
    pullback(np.ones_like(value))
    np.testing.assert_array_equal(psi, before + 1.0)
    np.testing.assert_array_equal(function.start, before)
    np.testing.assert_array_equal(function.vjp(psi, FEATURES)[0], value)


def theta_of_sources(place: list[int], source: Floats, unseen: Floats | None) -> Floats:
    """Return theta of a block whose sources are in these places, -1 for one that is new."""
    block = block_of(paper_objective(every_kind()))
    spec = replace(block.spec, unseen=unseen)
    parameters = spec.names.zeros()
    parameters["source"] = source
    bound = bind(spec, block.data, np.array(place))
    return bound.eta(bound.own(parameters.values))[0]


def test_unknown_sources_have_the_common_theta() -> None:
    source, common = np.arange(12.0).reshape(4, 3), np.array([-1.0, -2.0, -3.0])
    found = theta_of_sources([1, -1, 3, 0], source, common)
    np.testing.assert_array_equal(found, [source[1], common, source[3], source[0]])
    none = theta_of_sources([-1] * 4, source, common)
    np.testing.assert_array_equal(none, [common] * 4)
    without = theta_of_sources([-1, 2, -1, -1], source, None)
    np.testing.assert_array_equal(without, [[0.0] * 3, source[2], [0.0] * 3, [0.0] * 3])


@pytest.mark.parametrize("by_statement", [False, True])
def test_sources_deviate_from_what_their_features_say(by_statement: bool) -> None:
    block = block_of(paper_objective(every_kind(), "with sources", by_statement=by_statement))
    rows = block.data.rows
    parameters = block.spec.names.zeros()
    parameters["source"] = np.arange(12.0).reshape(4, 3)
    only_sources = block.eta(block.own(parameters.values))[0]
    np.testing.assert_array_equal(only_sources, parameters["source"][rows.source])
    parameters["psi"] = np.arange(9.0)
    both = block.eta(block.own(parameters.values))[0]
    by_features = rows.features @ np.arange(6.0).reshape(2, 3) + np.array([6.0, 7.0, 8.0])
    np.testing.assert_allclose(both, by_features + only_sources)


def test_same_seed_same_network_and_torch_is_left_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1).item()
    torch.manual_seed(5)
    one, again, other = (
        Network(feed_forward(2, (4, 3), "relu", seed, N_THETA), N_THETA).start for seed in (0, 0, 1)
    )
    assert torch.rand(1).item() == expected
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    assert len(one) == (2 * 4 + 4) + (4 * 3 + 3) + (3 * 3 + 3)


def test_a_silent_network_says_nothing_at_the_start_but_can_learn() -> None:
    function = Network(silent_at_start(feed_forward(2, (4,), "tanh", 1)))
    value, pullback = function.vjp(function.start, FEATURES)
    np.testing.assert_array_equal(value, np.zeros(len(FEATURES)))
    assert np.abs(pullback(np.ones(len(FEATURES)))).max() > 0


def test_wrong_shapes() -> None:
    def value_of(module: Any) -> None:
        function = Network(module, N_THETA)
        function.vjp(function.start, FEATURES)

    with pytest.raises(InvalidParameter, match=r"expected shape \(6, 3\), got \(6, 2\) instead"):
        value_of(torch.nn.Linear(2, 2))
    with pytest.raises(InvalidParameter, match=r"failed on input of shape \(6, 2\)"):
        value_of(torch.nn.Linear(5, 3))


def test_bad_settings() -> None:
    with pytest.raises(InvalidParameter, match="activation must be one of tanh"):
        feed_forward(2, (4,), "step", 0)
    with pytest.raises(InvalidParameter, match="hidden_sizes must be positive"):
        feed_forward(2, (4, 0), "tanh", 0)
