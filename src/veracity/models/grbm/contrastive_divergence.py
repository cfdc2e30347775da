"""Training by mini-batches: Algorithm 1, left, with contrastive divergence or exactly.

The objective is the same as that of full passes: the log-likelihood of the claims less a penalty
that keeps parameters near their pre-trained start, both sums over items and parameters. A batch has
its share of the penalty. A batch consists of items or, as in the paper, of statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Self, cast

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.fitting import Fit
from veracity.models.grbm.network_steps import ACTIVATION_CODES, NetworkSteps
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.free_binary import FreeBinary
from veracity.models.grbm.observation.units import diverge, summarise, summarise_machines
from veracity.models.grbm.parameters import ParameterVector

Optimizer = Literal["lbfgs", "adam", "sgd"]
ADAM_MEAN, ADAM_SPREAD, ADAM_FLOOR = 0.9, 0.999, 1e-8
#: How often in a pass parameters are taken into their average.
SNAPSHOTS = 20


@dataclass(frozen=True)
class BatchSettings:
    """How to go through mini-batches."""

    optimizer: Optimizer
    learning_rate: float
    batch_size: int
    max_iter: int
    tol: float
    patience: int
    seed: int
    cd_steps: int | None = None  # None for the exact gradient
    batch_by: Literal["item", "statement"] = "item"
    decay: float = 0.0  # the step of pass t is divided by 1 + decay t
    average: float = 0.0  # the share of passes, the last ones, over which parameters are averaged
    network: tuple[Sequence[int], str] | None = None  # hidden sizes and activation, if g is one

    @property
    def n_before_average(self) -> int:
        """How many passes are made before parameters are averaged."""
        return self.max_iter - round(self.average * self.max_iter)


def fit_batches(objective: Objective, settings: BatchSettings) -> Fit:
    """Go through mini-batches by Adam or plain gradient steps (Algorithm 1, left).

    An iteration is one pass over all claims. Unless parameters are averaged, it stops early when
    the exact log-likelihood has not improved by more than `tol` (relative) for `patience`
    iterations. All claims are in one block.
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
    def of(cls, objective: Objective, settings: BatchSettings) -> Self:
        """Make a fit of an objective whose claims are in one block."""
        (block,) = objective.blocks.results(_itself)
        return cls(objective, block, binary_machine(block), settings)

    def run(self) -> Fit:
        """Go through batches until the likelihood improves no more, or all passes are made."""
        settings = self.settings
        rng = np.random.default_rng(settings.seed)
        x, total, n_added = self.objective.centre, np.zeros(len(self.objective.centre)), 0
        walk = self._walk()
        best, since = -np.inf, 0
        history: list[dict[str, float]] = []
        for iteration in range(settings.max_iter):
            rate = settings.learning_rate / (1.0 + settings.decay * iteration)
            for batches in self._parts(rng):
                x = walk(x, batches, rng.integers(2**62, size=len(batches)), rate)
                if iteration >= settings.n_before_average:
                    total, n_added = total + x, n_added + 1
            reached = total / n_added if n_added else x
            likelihood = self.log_likelihood(reached)
            history.append({"iteration": iteration + 1, "log_likelihood": likelihood})
            if likelihood > best + settings.tol * abs(best if best > -np.inf else 0.0):
                best, since = likelihood, 0
            else:
                since += 1
            if since >= settings.patience and not settings.average:
                message = f"no improvement for {since} iterations"
                return Fit(x, likelihood, True, message, history)
        if settings.average:
            return Fit(reached, likelihood, True, "all passes were made", history)
        return Fit(x, likelihood, False, "the limit of iterations was reached", history)

    def _parts(self, rng: np.random.Generator) -> Iterator[Sequence[Indices]]:
        """Shuffle what batches consist of; return them in as many parts as there are snapshots."""
        size = self.settings.batch_size
        order = rng.permutation(self.n_members)
        batches = [np.sort(order[first : first + size]) for first in range(0, len(order), size)]
        ends = np.linspace(0, len(batches), SNAPSHOTS + 1).astype(np.int64)
        for first, last in pairwise(ends.tolist()):
            if first < last:
                yield batches[first:last]

    @property
    def n_members(self) -> int:
        """How many items, or machines, batches are made of."""
        units = self.model.units
        return units.roles.n_items if self.settings.batch_by == "item" else units.n_machines

    @property
    def walks_plainly(self) -> bool:
        """Whether batches go through g one by one, as they do for any g and any step."""
        settings, spec = self.settings, self.objective.spec
        return (
            settings.network is None
            or settings.network[1] not in ACTIVATION_CODES
            or settings.optimizer != "sgd"
            or settings.batch_by != "statement"
            or settings.batch_size > 1
            or bool(spec.penalty)
            or bool(spec.anchor)
            or spec.predictor != ("psi",)
        )

    def _walk(self) -> Walk:
        """Return what goes through batches: a compiled loop where there is one."""
        settings = self.settings
        if not self.walks_plainly:
            assert settings.network is not None
            return self._walk_network(*settings.network)
        size = len(self.objective.centre)
        step = _adam(size) if settings.optimizer == "adam" else _sgd

        def walk(x: Floats, batches: Sequence[Indices], seeds: Indices, rate: float) -> Floats:
            for batch, seed in zip(batches, seeds.tolist(), strict=True):
                x = x + step(self.gradient(x, batch, seed), rate)
            return x

        return walk

    def _walk_network(self, hidden_sizes: Sequence[int], activation: str) -> Walk:
        features = np.ascontiguousarray(self.block.data.rows.features)
        steps = NetworkSteps(self.model, features, hidden_sizes, activation, self.settings.cd_steps)
        (group,) = self.block.observations
        per_step = self.model.units.units_per_machine

        def walk(x: Floats, batches: Sequence[Indices], seeds: Indices, rate: float) -> Floats:
            now = ParameterVector(self.block.names, x.copy())
            b0 = now.group(group).number("global_hidden_bias")
            machines = np.concatenate(batches)
            psi, b0 = steps.walk(now["psi"], b0, machines, seeds, rate / per_step)
            now["psi"] = psi
            now.group(group)["global_hidden_bias"] = b0
            return now.values

        return walk

    def log_likelihood(self, x: Floats) -> float:
        """Return the exact log-likelihood of all claims."""
        own = self.block.own(x)
        eta, _, _ = self.block.eta(own)
        (group,) = self.block.observations
        b0 = own.group(group).number("global_hidden_bias")
        theta = self.model.theta(eta)
        return summarise(self.model.units, theta, b0, self.block.data.threads)[0].log_likelihood

    def gradient(self, x: Floats, batch: Indices, seed: int) -> Floats:
        """Return the ascent direction of a batch, its share of the penalty included.

        It is per item or, where batches consist of statements, per source that speaks about one.
        """
        block, model, settings = self.block, self.model, self.settings
        own = block.own(x)
        eta, _, pullback = block.eta(own)
        (group,) = block.observations
        theta, b0 = model.theta(eta), own.group(group).number("global_hidden_bias")
        by_item = settings.batch_by == "item"
        machines = model.units.machines_of(batch) if by_item else batch
        if settings.cd_steps is None:
            summary = summarise_machines(model.units, theta, b0, machines)
        else:
            summary = diverge(model.units, theta, b0, machines, settings.cd_steps, seed)
        share = len(batch) / self.n_members
        _, of_own, ascent = model.gradient(eta, theta, summary)
        _, force = block.anchor(eta)
        gradient = block.gradient(own, ascent - share * force, pullback, {group: of_own})
        pull = self.objective.precision * (x - self.objective.centre)
        size = len(batch) * (1.0 if by_item else model.units.units_per_machine)
        return (gradient - share * pull) / size


#: Goes through batches, each with its seed, in steps of a size; returns where it ends.
Walk = Callable[[Floats, Sequence[Indices], Indices, float], Floats]
#: Makes a step of a size from a gradient.
Step = Callable[[Floats, float], Floats]


def _sgd(gradient: Floats, rate: float) -> Floats:
    return rate * gradient


def _adam(size: int) -> Step:
    mean, spread, count = np.zeros(size), np.zeros(size), 0

    def step(gradient: Floats, rate: float) -> Floats:
        nonlocal count
        count += 1
        mean[:] = ADAM_MEAN * mean + (1 - ADAM_MEAN) * gradient
        spread[:] = ADAM_SPREAD * spread + (1 - ADAM_SPREAD) * gradient**2
        unbiased = mean / (1 - ADAM_MEAN**count)
        scale = np.sqrt(spread / (1 - ADAM_SPREAD**count)) + ADAM_FLOOR
        return rate * unbiased / scale

    return step
