"""Reliability functions g: from the features of a claim to theta = (a, w, b), eq. (9).

A function has parameters psi, kept as one flat vector, so that any optimiser can move it; `theta`
evaluates it on distinct feature rows, and `backward` carries the gradient of the likelihood with
respect to theta back to psi, eq. (12).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.errors import InvalidParameter, MissingDependency, needs

#: For fewer rows than this, threads of torch cost more than they bring.
ROWS_FOR_THREADS = 20_000
OUTPUTS = {1: "one number (eta)", 3: "three numbers (a, w, b)"}
ACTIVATIONS = ("tanh", "relu", "gelu", "sigmoid")


class ReliabilityFunction(Protocol):
    """What training needs of g."""

    def theta(self, features: Floats) -> Floats:
        """Return a, w and b of each row of features; (n_rows, 3)."""

    def backward(self, delta_theta: Floats) -> Floats:
        """Return the gradient with respect to psi of the last `theta`, given that of its result."""

    @property
    def psi(self) -> Floats:
        """The parameters as one vector."""

    @psi.setter
    def psi(self, values: Floats) -> None: ...


class PerSource:
    """Looks the source up: three numbers for each, and a common three for sources never seen.

    The only feature is the index of the source, -1 for one that is not known.
    """

    def __init__(self, n_sources: int, unseen: Floats) -> None:
        self.unseen = np.asarray(unseen, np.float64)
        self._table = np.tile(self.unseen, (n_sources, 1))
        self._index: Any = None

    def theta(self, features: Floats) -> Floats:
        """Return the rows of the table that the sources have."""
        self._index = features[:, 0].astype(np.int64)
        table = np.vstack([self._table, self.unseen])  # -1 is the last row
        return np.asarray(table[self._index])

    def backward(self, delta_theta: Floats) -> Floats:
        """Add up the gradient by source."""
        index = self._index + 1  # sources that are not known add to a row of their own
        size = len(self._table) + 1
        sums = [sum_by(index, column, size)[1:] for column in delta_theta.T]
        return np.stack(sums, axis=1).ravel()

    @property
    def psi(self) -> Floats:
        """The table, row by row."""
        return self._table.ravel().copy()

    @psi.setter
    def psi(self, values: Floats) -> None:
        self._table = np.array(values, np.float64).reshape(-1, 3)


class WithSources:
    """theta = g(features) + a deviation of each source, none for sources never seen.

    The last feature is the index of the source, -1 for one that is not known.
    """

    def __init__(self, function: ReliabilityFunction, n_sources: int) -> None:
        self.function = function
        self._deviations = PerSource(n_sources, np.zeros(3))

    def theta(self, features: Floats) -> Floats:
        """Add the deviations to what g says."""
        return self.function.theta(features[:, :-1]) + self._deviations.theta(features[:, -1:])

    def backward(self, delta_theta: Floats) -> Floats:
        """Hand the gradient to both."""
        return np.concatenate(
            [self.function.backward(delta_theta), self._deviations.backward(delta_theta)]
        )

    @property
    def psi(self) -> Floats:
        """The parameters of g, then the deviations."""
        return np.concatenate([self.function.psi, self._deviations.psi])

    @psi.setter
    def psi(self, values: Floats) -> None:
        size = len(self.function.psi)
        self.function.psi = values[:size]
        self._deviations.psi = values[size:]


class Linear:
    """theta = features . coefficients + intercept."""

    def __init__(self, n_features: int) -> None:
        self._coefficients = np.zeros((n_features + 1, 3))  # the last row is the intercept
        self._features = np.zeros((0, n_features))

    def theta(self, features: Floats) -> Floats:
        """Evaluate the linear function."""
        self._features = features
        return np.asarray(features @ self._coefficients[:-1] + self._coefficients[-1])

    def backward(self, delta_theta: Floats) -> Floats:
        """Multiply by the features."""
        return np.vstack([self._features.T @ delta_theta, delta_theta.sum(axis=0)]).ravel()

    @property
    def psi(self) -> Floats:
        """The coefficients, feature by feature, then the intercept."""
        return self._coefficients.ravel().copy()

    @psi.setter
    def psi(self, values: Floats) -> None:
        self._coefficients = np.array(values, np.float64).reshape(-1, 3)


class Network:
    """Any torch module from features to three numbers, or as many as said."""

    def __init__(self, module: Any, n_outputs: int = 3) -> None:
        self.n_outputs = n_outputs
        self._torch = import_torch()
        self.module = module.double()
        self._theta: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied or sent elsewhere: no library, and nothing of the last pass."""
        return {"n_outputs": self.n_outputs, "module": self.module}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @contextmanager
    def _threads_for(self, rows: Any) -> Iterator[None]:
        """Keep torch to one thread while it works on few rows."""
        before = self._torch.get_num_threads()
        few = len(rows) < ROWS_FOR_THREADS
        self._torch.set_num_threads(1 if few else before)
        try:
            yield
        finally:
            self._torch.set_num_threads(before)

    def theta(self, features: Floats) -> Floats:
        """Run the module forward."""
        x = self._torch.from_numpy(np.ascontiguousarray(features))
        try:
            with self._threads_for(x):
                self._theta = self.module(x)
        except RuntimeError as error:
            raise InvalidParameter(
                f"The reliability module failed on input of shape {tuple(x.shape)}: {error}"
            ) from error
        expected = (len(features), self.n_outputs)
        shape = tuple(getattr(self._theta, "shape", ()))
        if shape != expected:
            raise InvalidParameter(
                f"The reliability module must return {OUTPUTS[self.n_outputs]} for each row: "
                f"expected shape {expected}, got {shape} instead."
            )
        return np.asarray(self._theta.detach().numpy())

    def backward(self, delta_theta: Floats) -> Floats:
        """Hand the error terms to the network's backward pass."""
        self.module.zero_grad(set_to_none=True)
        with self._threads_for(delta_theta):
            self._theta.backward(self._torch.from_numpy(np.ascontiguousarray(delta_theta)))
        return np.concatenate(
            [
                np.zeros(p.numel()) if p.grad is None else p.grad.numpy().ravel()
                for p in self.module.parameters()
            ]
        )

    @property
    def psi(self) -> Floats:
        """The module's parameters, one after the other."""
        return np.concatenate(
            [p.detach().numpy().ravel() for p in self.module.parameters()] or [np.zeros(0)]
        )

    @psi.setter
    def psi(self, values: Floats) -> None:
        start = 0
        for parameter in self.module.parameters():
            part = values[start : start + parameter.numel()].reshape(tuple(parameter.shape))
            parameter.data.copy_(self._torch.from_numpy(np.array(part)))
            start += parameter.numel()


def feed_forward(
    n_features: int,
    hidden_sizes: Sequence[int],
    activation: str,
    random_state: int,
    n_outputs: int = 3,
) -> Network:
    """Make a feed-forward network, its weights drawn from the seed."""
    torch = import_torch()
    if activation not in ACTIVATIONS:
        raise InvalidParameter(
            f"activation must be one of {', '.join(ACTIVATIONS)}. Got {activation!r} instead."
        )
    if any(size < 1 for size in hidden_sizes):
        raise InvalidParameter(f"hidden_sizes must be positive. Got {tuple(hidden_sizes)} instead.")
    kinds = {"tanh": "Tanh", "relu": "ReLU", "gelu": "GELU", "sigmoid": "Sigmoid"}
    with torch.random.fork_rng():
        torch.manual_seed(random_state)
        layers: list[Any] = []
        width = n_features
        for size in hidden_sizes:
            layers += [torch.nn.Linear(width, size), getattr(torch.nn, kinds[activation])()]
            width = size
        layers.append(torch.nn.Linear(width, n_outputs))
        return Network(torch.nn.Sequential(*layers), n_outputs)


def import_torch() -> Any:
    """Import torch, or say how to get it."""
    try:
        import torch
    except ImportError as error:
        missing: MissingDependency = needs("torch", "A network as reliability function")
        raise missing from error
    return torch
