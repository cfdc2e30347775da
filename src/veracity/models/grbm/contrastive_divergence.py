"""Training by mini-batches of items: Algorithm 1, left, with contrastive divergence or exactly.

The objective is the same as that of full passes: the log-likelihood of the claims less a penalty
that keeps parameters near their pre-trained start, both sums over items and parameters. A batch has
its share of the penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.objective import BlockObjective, Fit, Objective
from veracity.models.grbm.observation.free_binary import FreeBinary
from veracity.models.grbm.observation.units import Units, diverge, summarise, summarise_items

Optimizer = Literal["lbfgs", "adam", "sgd"]
ADAM_MEAN, ADAM_SPREAD, ADAM_FLOOR = 0.9, 0.999, 1e-8


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


def fit_batches(objective: Objective, settings: BatchSettings) -> Fit:
    """Go through mini-batches of items by Adam or plain gradient steps (Algorithm 1, left).

    An iteration is one pass over all items. It stops early when the exact log-likelihood has not
    improved by more than `tol` (relative) for `patience` iterations. All claims are in one block.
    """
    return BatchFit.of(objective, settings).run()


def binary_machine(block: BlockObjective) -> FreeBinary:
    """Return the paper's machine on a block, its only observation model."""
    (model,) = block.observations.values()
    return cast(FreeBinary, model)


def _itself(block: BlockObjective) -> BlockObjective:
    return block


@dataclass(frozen=True, eq=False)
class BatchFit:
    """A fit by mini-batches: the objective, its one block, and the machine on it."""

    objective: Objective
    block: BlockObjective
    model: FreeBinary
    settings: BatchSettings

    @classmethod
    def of(cls, objective: Objective, settings: BatchSettings) -> BatchFit:
        """Make a fit of an objective whose claims are in one block."""
        (block,) = objective.blocks.results(_itself)
        return cls(objective, block, binary_machine(block), settings)

    def run(self) -> Fit:
        """Go through batches until the likelihood improves no more."""
        settings, units = self.settings, self.model.units
        rng = np.random.default_rng(settings.seed)
        x = self.objective.centre
        step = _adam(len(x), settings) if settings.optimizer == "adam" else _sgd(settings)
        best, since = -np.inf, 0
        history: list[dict[str, float]] = []
        for iteration in range(settings.max_iter):
            for items in _batches(units, rng, settings.batch_size):
                seed = int(rng.integers(2**62))
                x = step(x, self.gradient(x, items, seed))
            likelihood = self.log_likelihood(x)
            history.append({"iteration": iteration + 1, "log_likelihood": likelihood})
            if likelihood > best + settings.tol * abs(best if best > -np.inf else 0.0):
                best, since = likelihood, 0
            else:
                since += 1
            if since >= settings.patience:
                message = f"no improvement for {since} iterations"
                return Fit(x, likelihood, True, message, history)
        return Fit(x, likelihood, False, "the limit of iterations was reached", history)

    def log_likelihood(self, x: Floats) -> float:
        """Return the exact log-likelihood of all claims."""
        own = self.block.own(x)
        eta, _, _ = self.block.eta(own)
        (group,) = self.block.observations
        b0 = own.group(group).number("global_hidden_bias")
        theta = self.model.theta(eta)
        return summarise(self.model.units, theta, b0, self.block.data.threads)[0].log_likelihood

    def gradient(self, x: Floats, items: Indices, seed: int) -> Floats:
        """Return the ascent direction of a batch, per item, its share of the penalty included."""
        block, model, settings = self.block, self.model, self.settings
        own = block.own(x)
        eta, _, pullback = block.eta(own)
        (group,) = block.observations
        theta, b0 = model.theta(eta), own.group(group).number("global_hidden_bias")
        if settings.cd_steps is None:
            summary = summarise_items(model.units, theta, b0, items)
        else:
            summary = diverge(model.units, theta, b0, items, settings.cd_steps, seed)
        share = len(items) / model.units.roles.n_items
        _, of_own, ascent = model.gradient(theta, summary)
        _, force = block.anchor(eta)
        gradient = block.gradient(own, ascent - share * force, pullback, {group: of_own})
        pull = self.objective.precision * (x - self.objective.centre)
        return (gradient - share * pull) / len(items)


def _batches(units: Units, rng: np.random.Generator, size: int) -> Iterator[Indices]:
    order = rng.permutation(units.roles.n_items)
    for first in range(0, len(order), size):
        yield np.sort(order[first : first + size])


Step = Callable[[Floats, Floats], Floats]


def _sgd(settings: BatchSettings) -> Step:
    return lambda x, gradient: x + settings.learning_rate * gradient


def _adam(size: int, settings: BatchSettings) -> Step:
    mean, spread, count = np.zeros(size), np.zeros(size), 0

    def step(x: Floats, gradient: Floats) -> Floats:
        nonlocal count
        count += 1
        mean[:] = ADAM_MEAN * mean + (1 - ADAM_MEAN) * gradient
        spread[:] = ADAM_SPREAD * spread + (1 - ADAM_SPREAD) * gradient**2
        unbiased = mean / (1 - ADAM_MEAN**count)
        scale = np.sqrt(spread / (1 - ADAM_SPREAD**count)) + ADAM_FLOOR
        return x + settings.learning_rate * unbiased / scale

    return step
