"""Reliability functions g: from the features of a claim to eta, or to theta = (a, w, b), eq. (9).

A function is pure: given its parameters psi and the distinct feature vectors, it returns its values
and what carries a gradient in these back to psi (eq. 12), its vector-Jacobian product. What a
source has of its own is added elsewhere; see `BlockObjective`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter, MissingDependency, needs

#: For fewer rows than this, threads of torch cost more than they bring.
ROWS_FOR_THREADS = 20_000
OUTPUTS = {1: "one number (eta)", 3: "three numbers (a, w, b)"}
ACTIVATIONS = {"tanh": "Tanh", "relu": "ReLU", "gelu": "GELU", "sigmoid": "Sigmoid"}

#: Held during a forward pass: torch puts parameters into the module itself for so long, which
#: blocks that are worked on by several threads share.
_FORWARD = threading.Lock()

#: Turns the gradient in the values of g into that in psi.
Pullback = Callable[[Floats], Floats]


class ReliabilityFunction(Protocol):
    """What a fit needs of g.

    Attributes
    ----------
    start
        psi before anything is learned.
    is_linear
        Whether the value is the features times psi.
    """

    @property
    def start(self) -> Floats: ...

    @property
    def is_linear(self) -> bool: ...

    def vjp(self, psi: Floats, features: Floats) -> tuple[Floats, Pullback]:
        """Return the value for each row of features, and the pullback of a gradient in it.

        The value is one number for each row, (n_rows,), or several, (n_rows, n_outputs).
        """


class Linear:
    """g(x) = x . beta, with an intercept if so wanted."""

    is_linear = True

    def __init__(self, n_features: int, n_outputs: int = 1, intercept: bool = False) -> None:
        self.shape = (n_features + intercept, n_outputs)
        self.n_features, self.intercept = n_features, intercept

    @property
    def start(self) -> Floats:
        """Zeros."""
        return np.zeros(self.shape[0] * self.shape[1])

    def vjp(self, psi: Floats, features: Floats) -> tuple[Floats, Pullback]:
        """Multiply by the features, there and back."""
        if self.shape[1] == 1 and not self.intercept:
            return np.asarray(features @ psi), lambda delta: np.asarray(delta @ features)
        beta = psi.reshape(self.shape)
        value = features @ beta[: self.n_features]
        if self.intercept:
            value = value + beta[-1]

        def pullback(delta: Floats) -> Floats:
            columns = delta.reshape(value.shape)
            of_features = features.T @ columns
            if not self.intercept:
                return np.asarray(of_features).ravel()
            return np.vstack([of_features, columns.sum(axis=0)]).ravel()

        return (value[:, 0] if self.shape[1] == 1 else value), pullback


class Network:
    """Any torch module from features to one number, or to as many as said."""

    is_linear = False

    def __init__(self, module: Any, n_outputs: int = 1) -> None:
        self.n_outputs = n_outputs
        self.module = module.double()

    @property
    def start(self) -> Floats:
        """The module's parameters, one after the other."""
        return np.concatenate(
            [p.detach().numpy().ravel() for p in self.module.parameters()] or [np.zeros(0)]
        )

    def vjp(self, psi: Floats, features: Floats) -> tuple[Floats, Pullback]:
        """Run the module forward, and the error terms through its backward pass."""
        torch = import_torch()
        x = torch.from_numpy(np.ascontiguousarray(features))
        parameters = self._parameters(torch, psi)
        try:
            with _FORWARD, _threads_for(torch, x):
                value = torch.func.functional_call(self.module, parameters, (x,))
        except RuntimeError as error:
            raise InvalidParameter(
                f"The reliability module failed on input of shape {tuple(x.shape)}: {error}"
            ) from error
        expected = (len(features), self.n_outputs)
        shape = tuple(getattr(value, "shape", ()))
        if shape != expected:
            raise InvalidParameter(
                f"The reliability module must return {OUTPUTS[self.n_outputs]} for each row: "
                f"expected shape {expected}, got {shape} instead."
            )

        def pullback(delta: Floats) -> Floats:
            if not parameters:
                return np.zeros(0)
            given = torch.from_numpy(np.ascontiguousarray(delta.reshape(expected)))
            leaves = list(parameters.values())
            with _threads_for(torch, given):
                found = torch.autograd.grad(value, leaves, given, allow_unused=True)
            return np.concatenate(
                [
                    np.zeros(leaf.numel()) if part is None else part.numpy().ravel()
                    for leaf, part in zip(leaves, found, strict=True)
                ]
            )

        out = np.asarray(value.detach().numpy())
        return (out[:, 0] if self.n_outputs == 1 else out), pullback

    def _parameters(self, torch: Any, psi: Floats) -> dict[str, Any]:
        """Return psi as the module's parameters, by name."""
        found, first = {}, 0
        for name, parameter in self.module.named_parameters():
            last = first + parameter.numel()
            values = torch.from_numpy(np.array(psi[first:last])).reshape(parameter.shape)
            found[name] = values.requires_grad_(True)
            first = last
        return found


@contextmanager
def _threads_for(torch: Any, rows: Any) -> Iterator[None]:
    """Keep torch to one thread while it works on few rows."""
    before = torch.get_num_threads()
    torch.set_num_threads(1 if len(rows) < ROWS_FOR_THREADS else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def feed_forward(
    n_features: int,
    hidden_sizes: Sequence[int],
    activation: str,
    random_state: int,
    n_outputs: int = 1,
) -> Any:
    """Make a feed-forward torch module, its weights drawn from the seed."""
    torch = import_torch()
    if activation not in ACTIVATIONS:
        raise InvalidParameter(
            f"activation must be one of {', '.join(ACTIVATIONS)}. Got {activation!r} instead."
        )
    if any(size < 1 for size in hidden_sizes):
        raise InvalidParameter(f"hidden_sizes must be positive. Got {tuple(hidden_sizes)} instead.")
    with torch.random.fork_rng():
        torch.manual_seed(random_state)
        layers: list[Any] = []
        width = n_features
        for size in hidden_sizes:
            layers += [torch.nn.Linear(width, size), getattr(torch.nn, ACTIVATIONS[activation])()]
            width = size
        layers.append(torch.nn.Linear(width, n_outputs))
        return torch.nn.Sequential(*layers)


def silent_at_start(module: Any) -> Any:
    """Set the last layer of a module to 0, so that its value is 0 at the start."""
    for parameter in list(module.parameters())[-2:]:
        parameter.data.zero_()
    return module


def import_torch() -> Any:
    """Import torch, or say how to get it."""
    try:
        import torch
    except ImportError as error:
        missing: MissingDependency = needs("torch", "A network as reliability function")
        raise missing from error
    return torch
