"""Reliability functions g: from the features of a claim to eta, or to theta = (a, w, b), eq. (9).

A function is pure: given its parameters psi and the distinct feature vectors, it returns its values
and what carries a gradient in these back to psi (eq. 12), its vector-Jacobian product. What a
source has of its own is added elsewhere; see `BlockObjective`. A recurrent function also reads what
came before each vector.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter, needs
from veracity.models.grbm.sequences import N_GIVEN, N_OUTCOMES, Past, SequenceKind

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
    sequence
        Whose claims it reads in the order of time: those of an item or of a source; None for a
        function that sees each claim by itself.
    """

    @property
    def start(self) -> Floats: ...

    @property
    def is_linear(self) -> bool: ...

    @property
    def sequence(self) -> SequenceKind | None: ...

    def vjp(
        self, psi: Floats, features: Floats, past: Past | None = None
    ) -> tuple[Floats, Pullback]:
        """Return the value for each row of features, and the pullback of a gradient in it.

        The value is one number for each row, (n_rows,), or several, (n_rows, n_outputs). A
        function that reads no sequence is given no past.
        """


class Linear:
    """g(x) = x . beta, with an intercept if so wanted."""

    is_linear = True
    sequence = None

    def __init__(self, n_features: int, n_outputs: int = 1, intercept: bool = False) -> None:
        self.shape = (n_features + intercept, n_outputs)
        self.n_features, self.intercept = n_features, intercept

    @property
    def start(self) -> Floats:
        """Zeros."""
        return np.zeros(self.shape[0] * self.shape[1])

    def vjp(
        self, psi: Floats, features: Floats, past: Past | None = None
    ) -> tuple[Floats, Pullback]:
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
    sequence = None

    def __init__(self, module: Any, n_outputs: int = 1) -> None:
        self.n_outputs = n_outputs
        self.module = module.double()

    @property
    def start(self) -> Floats:
        """The module's parameters, one after the other."""
        return _flat(self.module.parameters())

    def vjp(
        self, psi: Floats, features: Floats, past: Past | None = None
    ) -> tuple[Floats, Pullback]:
        """Run the module forward, and the error terms through its backward pass."""
        torch = import_torch()
        x = torch.from_numpy(np.ascontiguousarray(features))
        parameters = _named(torch, self.module, psi)
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

        out = np.asarray(value.detach().numpy())
        pullback = _pullback(torch, value, list(parameters.values()))
        return (out[:, 0] if self.n_outputs == 1 else out), pullback


class Recurrent:
    """A network of the features, and one of what a GRU has read before.

    The state after step j of a sequence is s_j = GRU(s_(j-1), (x_j, place_j, outcome_j)), from
    s = 0 before the first. The value of a row is

        net(x) + past(x, place, s)    where anything came before, else net(x),

    with s after the last step that came strictly before; see `veracity.models.grbm.sequences`.
    Sequences are packed: all of them take a step at once, and the gradient runs back through all
    steps.

    What was said about the same item moves the visible bias alone: how readily a value is claimed,
    true or not. A past that moved the weight too could predict claims without any truth, which the
    hidden unit would then not be. The past of a source is about other items, and moves all of
    theta.

    Parameters
    ----------
    sequence
        Whose claims are read: those of an item or of a source.
    n_features
        Columns of the features.
    hidden_sizes, activation
        Of both networks. The first size is also that of the state.
    random_state
        The seed of the start.
    n_outputs
        Columns of the value.
    """

    is_linear = False

    def __init__(
        self,
        sequence: SequenceKind,
        n_features: int,
        hidden_sizes: Sequence[int],
        activation: str,
        random_state: int,
        n_outputs: int = 3,
    ) -> None:
        torch = import_torch()
        if not hidden_sizes:
            raise InvalidParameter(
                "hidden_sizes of reliability='gru' must begin with the size of its state, as in "
                "(16,). Got () instead."
            )
        self.sequence, self.n_outputs = sequence, n_outputs
        self.n_moved = 1 if sequence == "item" else n_outputs
        self.size, known = int(hidden_sizes[0]), n_features + N_GIVEN
        net = feed_forward(n_features, hidden_sizes, activation, random_state, n_outputs)
        past = feed_forward(
            known + self.size, hidden_sizes, activation, random_state + 1, self.n_moved
        )
        with torch.random.fork_rng():
            torch.manual_seed(random_state)
            cell = torch.nn.GRUCell(known + N_OUTCOMES[sequence], self.size)
        self.parts = {
            "cell": cell.double(),
            "past": silent_at_start(past).double(),
            "net": silent_at_start(net).double(),
        }

    @property
    def start(self) -> Floats:
        """The parameters of the GRU, of the network that reads its state, and of the other.

        Both networks are silent at the start.
        """
        return np.concatenate([_flat(part.parameters()) for part in self.parts.values()])

    def vjp(
        self, psi: Floats, features: Floats, past: Past | None = None
    ) -> tuple[Floats, Pullback]:
        """Run through the sequences and the networks, and back through all of them."""
        torch = import_torch()
        if past is None:
            past = Past.nothing(len(features), N_OUTCOMES[self.sequence])
        own, first = {}, 0
        for name, part in self.parts.items():
            last = first + sum(p.numel() for p in part.parameters())
            own[name] = _named(torch, part, psi[first:last])
            first = last
        call = torch.func.functional_call
        x = torch.from_numpy(np.ascontiguousarray(features))
        place = torch.from_numpy(past.given)
        with _FORWARD, _threads_for(torch, x):
            value = call(self.parts["net"], own["net"], (x,))
            if past.n_steps:
                rows = np.flatnonzero(past.seen >= 0)
                known = torch.cat([x, place], dim=1)
                state = self._states(torch, own["cell"], known, past)[past.seen[rows]]
                moved = call(
                    self.parts["past"], own["past"], (torch.cat([known[rows], state], dim=1),)
                )
                rest = torch.zeros((len(rows), self.n_outputs - self.n_moved), dtype=x.dtype)
                value = value.index_add(0, torch.from_numpy(rows), torch.cat([moved, rest], dim=1))
        out = np.asarray(value.detach().numpy())
        leaves = [leaf for part in own.values() for leaf in part.values()]
        return (out[:, 0] if self.n_outputs == 1 else out), _pullback(torch, value, leaves)

    def _states(self, torch: Any, own: dict[str, Any], known: Any, past: Past) -> Any:
        """Return the state after each step; (n_steps, size)."""
        packed, sizes = past.packed
        read = torch.cat([known[past.row], torch.from_numpy(past.outcome)], dim=1)[packed]
        weights = [own[name] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        state, states = torch.zeros((int(sizes[0]), self.size), dtype=torch.float64), []
        # A cell at a time: the backward pass of torch.nn.GRU is quadratic in the length.
        for step in read.split(sizes.tolist()):
            state = torch.gru_cell(step, state[: len(step)], *weights)
            states.append(state)
        place = np.empty(past.n_steps, np.int64)
        place[packed] = np.arange(past.n_steps)
        return torch.cat(states)[place]


def _flat(parameters: Iterable[Any]) -> Floats:
    """Return parameters of a module one after the other."""
    return np.concatenate([p.detach().numpy().ravel() for p in parameters] or [np.zeros(0)])


def _named(torch: Any, module: Any, psi: Floats) -> dict[str, Any]:
    """Return psi as the parameters of a module, by name."""
    found, first = {}, 0
    for name, parameter in module.named_parameters():
        last = first + parameter.numel()
        values = torch.from_numpy(np.array(psi[first:last])).reshape(parameter.shape)
        found[name] = values.requires_grad_(True)
        first = last
    return found


def _pullback(torch: Any, value: Any, leaves: list[Any]) -> Pullback:
    """Return what runs a gradient in the value back to psi."""

    def pullback(delta: Floats) -> Floats:
        if not leaves:
            return np.zeros(0)
        given = torch.from_numpy(np.ascontiguousarray(delta.reshape(tuple(value.shape))))
        with _threads_for(torch, given):
            found = torch.autograd.grad(value, leaves, given, allow_unused=True)
        return np.concatenate(
            [
                np.zeros(leaf.numel()) if part is None else part.numpy().ravel()
                for leaf, part in zip(leaves, found, strict=True)
            ]
        )

    return pullback


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
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Initializing zero-element tensors")  # no features
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
        raise needs("torch", "A network as reliability function", "networks") from error
    return torch
