"""Reliability functions: a vector of parameters, and a gradient that is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from veracity.errors import InvalidParameter
from veracity.models.grbm.reliability import (
    Linear,
    Network,
    PerSource,
    ReliabilityFunction,
    WithSources,
    feed_forward,
)

FEATURES = np.random.default_rng(0).normal(size=(6, 2))
SOURCES = np.array([[0.0], [2.0], [-1.0], [2.0]])
BOTH = np.hstack([FEATURES[:4], SOURCES])


class Bilinear(torch.nn.Module):
    """A module of the user's own: a product of two features beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        return self.inner(torch.cat([x, x[:, :1] * x[:, 1:2]], dim=1))


def functions() -> list[Any]:
    made: list[tuple[str, ReliabilityFunction, Any]] = [
        ("linear", Linear(2), FEATURES),
        ("per-source", PerSource(3, np.array([-2.0, 3.0, -1.0])), SOURCES),
        *(
            (name, feed_forward(2, (4,), name, random_state=1), FEATURES)
            for name in ("tanh", "relu", "gelu", "sigmoid")
        ),
        ("no hidden layer", feed_forward(2, (), "tanh", random_state=1), FEATURES),
        ("custom", Network(Bilinear()), FEATURES),
        ("with sources", WithSources(Linear(2), 3), BOTH),
        ("network with sources", WithSources(feed_forward(2, (3,), "tanh", 1), 3), BOTH),
    ]
    return [pytest.param(function, x, id=name) for name, function, x in made]


@pytest.mark.parametrize(("function", "features"), functions())
def test_backward_equals_finite_differences(function: ReliabilityFunction, features: Any) -> None:
    rng = np.random.default_rng(1)
    psi = rng.normal(size=len(function.psi))
    weights = rng.normal(size=(len(features), 3))
    function.psi = psi
    np.testing.assert_array_equal(function.psi, psi)
    assert function.theta(features).shape == (len(features), 3)
    gradient = function.backward(weights)
    for i in range(len(psi)):
        values = []
        for step in (1e-6, -1e-6):
            moved = psi.copy()
            moved[i] += step
            function.psi = moved
            values.append(float(np.sum(weights * function.theta(features))))
        assert gradient[i] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-6)


def test_psi_is_a_copy() -> None:
    for function in (Linear(1), PerSource(2, np.zeros(3)), Network(torch.nn.Linear(1, 3))):
        before = function.psi
        function.psi = before + 1.0
        np.testing.assert_allclose(function.psi, before + 1.0)
        function.psi[:] = 7.0
        np.testing.assert_allclose(function.psi, before + 1.0)


def test_unknown_sources_have_the_common_theta() -> None:
    function = PerSource(2, np.array([1.0, 2.0, 3.0]))
    function.psi = np.arange(6.0)
    found = function.theta(np.array([[1.0], [-1.0]]))
    np.testing.assert_array_equal(found, [[3.0, 4.0, 5.0], [1.0, 2.0, 3.0]])
    none = PerSource(0, np.array([1.0, 2.0, 3.0])).theta(np.array([[-1.0]]))
    np.testing.assert_array_equal(none, [[1.0, 2.0, 3.0]])


def test_sources_deviate_from_what_their_features_say() -> None:
    function = WithSources(Linear(2), 3)
    function.psi = np.append(np.zeros(9), np.arange(9.0))
    found = function.theta(BOTH)
    np.testing.assert_array_equal(found, [[0, 1, 2], [6, 7, 8], [0, 0, 0], [6, 7, 8]])


def test_same_seed_same_network_and_torch_is_left_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1).item()
    torch.manual_seed(5)
    one, again, other = (feed_forward(2, (4, 3), "relu", seed).psi for seed in (0, 0, 1))
    assert torch.rand(1).item() == expected
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    assert len(one) == (2 * 4 + 4) + (4 * 3 + 3) + (3 * 3 + 3)


def test_wrong_shapes() -> None:
    with pytest.raises(InvalidParameter, match=r"expected shape \(6, 3\), got \(6, 2\) instead"):
        Network(torch.nn.Linear(2, 2)).theta(FEATURES)
    with pytest.raises(InvalidParameter, match=r"failed on input of shape \(6, 2\)"):
        Network(torch.nn.Linear(5, 3)).theta(FEATURES)


def test_bad_settings() -> None:
    with pytest.raises(InvalidParameter, match="activation must be one of tanh"):
        feed_forward(2, (4,), "step", 0)
    with pytest.raises(InvalidParameter, match="hidden_sizes must be positive"):
        feed_forward(2, (4, 0), "tanh", 0)
