"""g: from the features of a claim to one number, which adds to eta."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Protocol

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.reliability import Network, feed_forward


class Score(Protocol):
    """What the fit needs of g."""

    psi: Floats

    def value(self, features: Floats) -> Floats:
        """Return a number for each row of features; (n_rows,)."""

    def backward(self, delta: Floats) -> Floats:
        """Return the gradient in psi of the last `value`, given that of its result."""

    @property
    def is_linear(self) -> bool:
        """Whether the value is the features times psi."""


class LinearScore:
    """g(x) = x . beta."""

    def __init__(self, n_features: int) -> None:
        self.psi: Floats = np.zeros(n_features)
        self._features = np.zeros((0, n_features))

    def value(self, features: Floats) -> Floats:
        """Evaluate the linear function."""
        self._features = features
        return np.asarray(features @ self.psi)

    def backward(self, delta: Floats) -> Floats:
        """Multiply by the features."""
        return np.asarray(delta @ self._features)

    @property
    def is_linear(self) -> bool:
        """Whether the value is the features times psi."""
        return True


def small_network(
    n_features: int, hidden_sizes: Sequence[int], activation: str, random_state: int
) -> Any:
    """Make a feed-forward network with one output, which is 0 at the start."""
    module = feed_forward(n_features, hidden_sizes, activation, random_state, n_outputs=1).module
    last = list(module.parameters())[-2:]
    for parameter in last:
        parameter.data.zero_()
    return module


class NetworkScore:
    """g is a torch module from features to one number."""

    def __init__(self, module: Any) -> None:
        self._network = Network(deepcopy(module), n_outputs=1)  # the user's own stays as it is

    @property
    def psi(self) -> Floats:
        """The module's parameters."""
        return self._network.psi

    @psi.setter
    def psi(self, values: Floats) -> None:
        self._network.psi = values

    def value(self, features: Floats) -> Floats:
        """Run the module forward."""
        return np.asarray(self._network.theta(features)[:, 0])

    def backward(self, delta: Floats) -> Floats:
        """Run it backward."""
        return self._network.backward(delta[:, None])

    @property
    def is_linear(self) -> bool:
        """Whether the value is the features times psi."""
        return False
