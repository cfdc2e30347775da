"""Compiled steps through a network: the same as the plain ones, which go through any g."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.machines import answers, every_kind
from tests.objectives import block_of, paper_objective

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.contrastive_divergence import (
    BatchFit,
    BatchSettings,
    binary_machine,
    fit_batches,
)
from veracity.models.grbm.likelihood import gradient
from veracity.models.grbm.network_steps import NetworkSteps
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.statement_kernels import machine_units
from veracity.models.grbm.observation.units import Units
from veracity.models.grbm.theta import Theta

PLAIN = BatchSettings(
    "sgd", 0.05, 1, 3, 0.0, 9, 4, None, batch_by="statement", decay=0.3, average=0.5
)
#: The network of `paper_objective`.
NETWORK = ((3,), "tanh")


def objective_of(tied: bool = False, floor: float = 1.0, by_statement: bool = False) -> Objective:
    """Return an objective without a penalty, whose g is a network."""
    return paper_objective(
        every_kind(), "network", tied=tied, floor=floor, one_hot=True, penalty=0.0,
        by_statement=by_statement,
    )  # fmt: skip


@pytest.mark.parametrize("cd_steps", [None, 1, 3], ids=["exact", "cd 1", "cd 3"])
@pytest.mark.parametrize("floor", [0.0, 1.0], ids=["free", "nonnegative"])
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize("by_statement", [False, True], ids=["source", "statement"])
def test_steps_are_those_of_the_plain_walk(
    cd_steps: int | None, floor: float, tied: bool, by_statement: bool
) -> None:
    objective = objective_of(tied, floor, by_statement)
    plain = replace(PLAIN, cd_steps=cd_steps)
    slow = fit_batches(objective, plain)
    fast = fit_batches(objective, replace(plain, network=NETWORK))
    np.testing.assert_allclose(fast.x, slow.x, atol=1e-9)
    assert np.abs(fast.x - objective.centre).max() > 1e-3
    assert fast.history[-1]["log_likelihood"] == pytest.approx(slow.history[-1]["log_likelihood"])
    assert fast.converged
    assert len(fast.history) == PLAIN.max_iter


@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_a_step_goes_up_the_exact_likelihood_of_the_statement(activation: str) -> None:
    """By finite differences, through softplus, for one machine after the other."""
    objective = objective_of()
    block = block_of(objective)
    model, features = binary_machine(block), block.data.rows.features
    sizes = (4, 3)
    steps = NetworkSteps(model, features, sizes, activation, None)
    rng = np.random.default_rng(1)
    psi = rng.normal(size=2 * 4 + 4 + 4 * 3 + 3 + 3 * 3 + 3)
    for machine in range(model.units.n_machines):
        seeds = np.zeros(1, np.int64)
        moved, b0 = steps.walk(psi, 0.3, np.array([machine]), seeds, 1.0)
        slopes, of_b0 = by_formula(objective, psi, 0.3, machine, sizes, activation)
        np.testing.assert_allclose(moved - psi, slopes, atol=2e-6)
        assert b0 - 0.3 == pytest.approx(of_b0, abs=1e-8)


def by_formula(
    objective: Objective, psi: Floats, b0: float, machine: int, sizes: tuple[int, ...], name: str
) -> tuple[Floats, float]:
    """Return the gradient by `likelihood.gradient`, and by differences in psi."""
    units = binary_machine(block_of(objective)).units
    features = block_of(objective).data.rows.features
    rows, values = visible(units, machine)

    def theta(at: Floats) -> Theta:
        a, w, b = forward(at, features[rows], sizes, name).T
        return Theta(a, np.logaddexp(0.0, w), b)

    found = gradient(values, theta(psi), b0)
    step, slopes = 1e-6, np.empty(len(psi))
    for place in range(len(psi)):
        shift = np.zeros(len(psi))
        shift[place] = step
        up, down = theta(psi + shift), theta(psi - shift)
        change = [(one - other) / (2 * step) for one, other in zip(up, down, strict=True)]
        slopes[place] = sum(d @ c for d, c in zip(found.theta, change, strict=True))
    return slopes, found.global_hidden_bias


def visible(units: Units, machine: int) -> tuple[Indices, Floats]:
    """Return the rows and values of the units of a machine."""
    row, value = np.empty(50, np.int64), np.empty(50, np.bool_)
    n = machine_units(machine, *units.machines(), row, value)
    return row[:n].copy(), value[:n].astype(np.float64)


def forward(psi: Floats, x: Floats, sizes: tuple[int, ...], name: str) -> Floats:
    """Run the network forward, plainly."""
    activations: dict[str, Callable[[Floats], Floats]] = {
        "tanh": np.tanh,
        "relu": lambda z: np.maximum(z, 0.0),
        "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    }
    first, widths = 0, (x.shape[1], *sizes, 3)
    for layer, (n_in, n_out) in enumerate(pairwise(widths)):
        weight = psi[first : first + n_in * n_out].reshape(n_out, n_in)
        first += n_in * n_out
        x = x @ weight.T + psi[first : first + n_out]
        first += n_out
        x = x if layer == len(sizes) else activations[name](x)
    return x


def test_sampled_steps_are_the_exact_one_in_expectation() -> None:
    """On a tiny machine, many steps of contrastive divergence from one place."""
    objective = objective_of()
    block = block_of(objective)
    model, features = binary_machine(block), np.ascontiguousarray(block.data.rows.features)
    psi = objective.spec.reliability.start
    n_draws = 4000
    for machine in range(0, model.units.n_machines, 3):
        one = np.array([machine])
        exact = NetworkSteps(model, features, *NETWORK, None)
        expected = exact.walk(psi, 0.2, one, np.zeros(1, np.int64), 1.0)[0] - psi
        sampled = NetworkSteps(model, features, *NETWORK, 40)
        seeds = np.random.default_rng(0).integers(2**62, size=(n_draws, 1))
        draws = [sampled.walk(psi, 0.2, one, seed, 1.0)[0] - psi for seed in seeds]
        error = np.std(draws, axis=0) / np.sqrt(n_draws)
        assert (np.abs(np.mean(draws, axis=0) - expected) < 5 * error + 1e-9).all()


def test_gelu_takes_the_plain_way() -> None:
    objective = objective_of()
    settings = replace(PLAIN, network=((3,), "gelu"), max_iter=1)
    assert BatchFit.of(objective, settings).walks_plainly
    assert not BatchFit.of(objective, replace(PLAIN, network=NETWORK)).walks_plainly


def test_averages_and_decay_quieten_the_path() -> None:
    rates = np.array([0.9, 0.8, 0.7, 0.75]), np.array([0.1, 0.25, 0.3, 0.15])
    objective = paper_objective(
        answers(400, *rates, seed=4), "network", tied=False, floor=1.0, penalty=0.0
    )
    loud = replace(PLAIN, network=NETWORK, cd_steps=1, average=0.0, decay=0.0, max_iter=6)
    quiet = replace(loud, average=0.5, decay=0.3)
    spread = {}
    for name, settings in (("loud", loud), ("quiet", quiet)):
        ends = [fit_batches(objective, replace(settings, seed=s)).x for s in range(8)]
        spread[name] = float(np.linalg.norm(np.std(ends, axis=0)))
    assert spread["quiet"] < 0.9 * spread["loud"]
