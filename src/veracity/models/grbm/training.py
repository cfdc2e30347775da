"""Training: Algorithm 1, left. What is optimised, and by which optimiser.

The objective is the log-likelihood of the claims less a penalty that keeps psi near its
pre-trained start, from which the optimistic reading of the claims comes; both are sums over items
and parameters, so full passes and mini-batches of items see the same objective.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.lbfgs import dot
from veracity.models.grbm.observation import statement_kernels as kernels
from veracity.models.grbm.observation.free_binary import Summary, Units, hold_known
from veracity.models.grbm.optimise import minimise_in_stage
from veracity.models.grbm.theta import Theta, rates_of, tied_hidden_bias
from veracity.models.grbm.theta_curvature import curvature_solver
from veracity.models.grbm.theta_functions import ReliabilityFunction
from veracity.models.grbm.unit_blocks import UnitsInBlocks

Optimizer = Literal["lbfgs", "adam", "sgd"]
ADAM_MEAN, ADAM_SPREAD, ADAM_FLOOR = 0.9, 0.999, 1e-8


@dataclass
class Fit:
    """A fit under way and, at its end, what came of it."""

    global_hidden_bias: float
    history: list[dict[str, float]] = field(default_factory=list)
    converged: bool = False
    message: str = ""

    @property
    def n_iter(self) -> int:
        """Iterations done."""
        return len(self.history)


@dataclass(frozen=True)
class Objective:
    """Penalised log-likelihood as a function of psi and b_0.

    Attributes
    ----------
    units
        The claims and their rows.
    features
        The feature vector of each row; (n_rows, n_features).
    function
        g; its psi at the start is the centre of the penalty.
    tied
        Whether b follows from a and w, as in the original model.
    penalty
        Strength of the pull of psi towards its pre-trained start, and of b_0 towards 0.
    anchor
        Strength, for each claim, of the pull of its theta towards the pre-trained one.
    threads
        How many to use; None for all cores.
    """

    units: Units | UnitsInBlocks
    features: Floats
    function: ReliabilityFunction
    tied: bool
    penalty: float
    anchor: float
    threads: int | None
    centre: Floats
    target: Floats

    @classmethod
    def at_start(
        cls,
        units: Units | UnitsInBlocks,
        features: Floats,
        function: ReliabilityFunction,
        *,
        tied: bool,
        penalty: float,
        anchor: float,
        threads: int | None,
    ) -> Objective:
        """Take the function's present psi for the start to which all is drawn."""
        target = np.array(function.theta(features))
        return cls(units, features, function, tied, penalty, anchor, threads, function.psi, target)

    def in_memory(self) -> Units:
        """Return the units where passes go over some of the items."""
        assert isinstance(self.units, Units)  # models refuse to do that in blocks
        return self.units

    def theta(self) -> Theta:
        """Return theta of every row at the function's present psi."""
        return as_theta(self.function.theta(self.features), self.tied)

    def value_and_gradient(self, psi: Floats, global_hidden_bias: float) -> tuple[float, Floats]:
        """Return the negative penalised log-likelihood and its gradient in (psi, b_0)."""
        value, gradient, _ = self.evaluate(psi, global_hidden_bias)
        return value, gradient

    def evaluate(self, psi: Floats, global_hidden_bias: float) -> tuple[float, Floats, float]:
        """As `value_and_gradient`, with the log-likelihood itself."""
        self.function.psi = psi
        columns = self.function.theta(self.features)
        theta = as_theta(columns, self.tied)
        summary = self.units.summarise(theta, global_hidden_bias, self.threads)
        loss, pull_psi, pull_theta = self.pull(psi, columns)
        ascent = self.through_tie(theta, summary)
        gradient = self.function.backward(pull_theta - ascent) + pull_psi
        likelihood = summary.log_likelihood
        # Few items say little about b_0, which would otherwise run away.
        loss += 0.5 * self.penalty * float(global_hidden_bias) ** 2
        down = self.penalty * global_hidden_bias - summary.delta_global
        return loss - likelihood, np.append(gradient, down), likelihood

    def pull(self, psi: Floats, columns: Floats) -> tuple[float, Floats, Floats]:
        """Return the penalty, and its gradients with respect to psi and to theta's columns."""
        step = psi - self.centre
        away = columns - self.target
        if self.tied:
            away[:, 2] = 0.0  # b follows from the others
        weight = self.anchor * self.units.counts[:, 1:]
        force = weight * away
        loss = 0.5 * self.penalty * dot(step, step) + 0.5 * dot(force.ravel(), away.ravel())
        return loss, self.penalty * step, force

    def through_tie(self, theta: Theta, summary: Summary) -> Floats:
        """Carry the gradient in b over to a and w where b follows from them."""
        delta = summary.delta_theta
        if not self.tied:
            return delta
        rates = rates_of(theta)
        return np.stack(
            [
                delta[:, 0] + delta[:, 2] * (rates.fpr - rates.tpr),
                delta[:, 1] - delta[:, 2] * rates.tpr,
                np.zeros(len(delta)),
            ],
            axis=1,
        )


def as_theta(columns: Floats, tied: bool) -> Theta:
    """Turn three columns into theta, with b tied to a and w if so wanted."""
    a, w, b = np.ascontiguousarray(columns.T)
    return Theta(a, w, tied_hidden_bias(a, w) if tied else b)


def fit_lbfgs(objective: Objective, start: float, max_iter: int, tol: float) -> Fit:
    """Maximise over all claims at once: deterministic, tens of passes."""
    fit = Fit(start)
    units = objective.units
    ended = minimise_in_stage(
        lambda x: objective.evaluate(x[:-1], x[-1]),
        np.append(objective.function.psi, start),
        curvature_solver(
            objective.function,
            objective.features,
            units.counts,
            units.n_statements,
            objective.penalty,
        ),
        max_iter,
        tol,
    )
    found, fit.history = ended.found, ended.history
    objective.function.psi = found.point.x[:-1]
    fit.global_hidden_bias = float(found.point.x[-1])
    fit.converged, fit.message = found.converged, found.message
    return fit


@dataclass(frozen=True)
class BatchSettings:
    """How to go through mini-batches of items."""

    optimizer: Optimizer
    learning_rate: float
    batch_size: int
    max_iter: int
    tol: float
    patience: int
    seed: int
    cd_steps: int | None = None  # None for the exact gradient


def fit_batches(objective: Objective, start: float, settings: BatchSettings) -> Fit:
    """Go through mini-batches of items by Adam or plain gradient steps (Algorithm 1, left).

    An iteration is one pass over all items. It stops early when the exact log-likelihood has not
    improved by more than `tol` (relative) for `patience` iterations.
    """
    fit = Fit(start)
    units = objective.in_memory()
    rng = np.random.default_rng(settings.seed)
    x = np.append(objective.function.psi, start)
    step = _adam(len(x), settings) if settings.optimizer == "adam" else _sgd(settings)
    best, since = -np.inf, 0
    for iteration in range(settings.max_iter):
        for number, items in enumerate(_batches(units, rng, settings.batch_size)):
            seed = int(rng.integers(2**62))
            x = step(x, _batch_gradient(objective, x, items, seed, settings.cd_steps), number)
        objective.function.psi = x[:-1]
        summary = units.summarise(objective.theta(), x[-1], objective.threads)
        fit.history.append({"iteration": iteration + 1, "log_likelihood": summary.log_likelihood})
        if summary.log_likelihood > best + settings.tol * abs(best if best > -np.inf else 0.0):
            best, since = summary.log_likelihood, 0
        else:
            since += 1
        if since >= settings.patience:
            fit.converged = True
            fit.message = f"no improvement for {since} iterations"
            break
    else:
        fit.message = "the limit of iterations was reached"
    fit.global_hidden_bias = float(x[-1])
    return fit


def _batches(units: Units, rng: np.random.Generator, size: int) -> Iterator[Any]:
    order = rng.permutation(units.layout.n_items)
    for first in range(0, len(order), size):
        yield np.sort(order[first : first + size])


def _batch_gradient(
    objective: Objective, x: Floats, items: Any, seed: int, cd_steps: int | None
) -> Floats:
    """Return the ascent direction of a batch, per item, its share of the penalty included."""
    function, units = objective.function, objective.in_memory()
    function.psi = x[:-1]
    columns = function.theta(objective.features)
    theta = as_theta(columns, objective.tied)
    if cd_steps is None:
        summary = summarise_items(units, theta, float(x[-1]), items)
    else:
        summary = diverge(units, theta, float(x[-1]), items, cd_steps, seed)
    share = len(items) / units.layout.n_items
    _, pull_psi, pull_theta = objective.pull(x[:-1], columns)
    ascent = objective.through_tie(theta, summary) - share * pull_theta
    gradient = function.backward(ascent) - share * pull_psi
    up = summary.delta_global - share * objective.penalty * x[-1]
    return np.append(gradient, up) / len(items)


def summarise_items(units: Units, theta: Theta, global_hidden_bias: float, items: Any) -> Summary:
    """Return the exact summary of some of the items."""
    sums, counts = np.zeros((units.n_rows, 4)), np.zeros((units.n_rows, 2))
    table = kernels.row_table(theta)
    likelihood, delta_global = kernels.batch_pass(
        items, *units.claims(), units.row_of, units.state, table, global_hidden_bias, sums, counts
    )
    known = np.intersect1d(items, units.known_items)
    held = hold_known(units, known, table, global_hidden_bias, sums)
    return Summary.of(likelihood + held[0], delta_global + held[1], sums, counts, theta)


def diverge(
    units: Units, theta: Theta, global_hidden_bias: float, items: Any, cd_steps: int, seed: int
) -> Summary:
    """Estimate the gradient of some items by contrastive divergence; the likelihood is NaN."""
    delta = np.zeros((units.n_rows, 3))
    known = units.known
    if known is None:
        known = np.full(units.layout.n_statements, -1, np.int8)
    delta_global = kernels.divergence_pass(
        items, *units.claims(), units.row_of, units.state, known, np.stack(theta, axis=1),
        global_hidden_bias, cd_steps, seed, delta,
    )  # fmt: skip
    return Summary(float("nan"), delta, delta_global)


Step = Callable[[Floats, Floats, int], Floats]


def _sgd(settings: BatchSettings) -> Step:
    return lambda x, gradient, number: x + settings.learning_rate * gradient


def _adam(size: int, settings: BatchSettings) -> Step:
    mean, spread, count = np.zeros(size), np.zeros(size), 0

    def step(x: Floats, gradient: Floats, number: int) -> Floats:
        nonlocal count
        count += 1
        mean[:] = ADAM_MEAN * mean + (1 - ADAM_MEAN) * gradient
        spread[:] = ADAM_SPREAD * spread + (1 - ADAM_SPREAD) * gradient**2
        unbiased = mean / (1 - ADAM_MEAN**count)
        scale = np.sqrt(spread / (1 - ADAM_SPREAD**count)) + ADAM_FLOOR
        return x + settings.learning_rate * unbiased / scale

    return step
