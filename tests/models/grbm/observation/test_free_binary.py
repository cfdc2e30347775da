"""The paper's machine in the core: the gradient of its objective, and where its fit ends."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machines import answers, every_kind
from tests.objectives import FUNCTIONS, block_of, near, paper_objective, slope

from veracity.data.arrays import Floats
from veracity.models.grbm.contrastive_divergence import BatchFit, BatchSettings, binary_machine
from veracity.models.grbm.fitting import fit
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.units import summarise
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import Rates, Theta, rates_of, theta_of

TRUE = Rates(np.array([0.9, 0.8, 0.7, 0.75]), np.array([0.1, 0.25, 0.3, 0.15]))
OPTIMISTIC = np.array(theta_of(Rates(np.array([0.7]), np.array([0.1]))))[:, 0]
EXACT = BatchSettings("sgd", 0.5, 200, 40, 1e-7, 5, 0)


@pytest.mark.parametrize("floor", [0.0, 1.0], ids=["free", "nonnegative"])
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("by_statement", [False, True], ids=["source", "statement"])
@pytest.mark.parametrize("one_hot", [False, True], ids=["yes", "yes and no"])
def test_gradient_equals_finite_differences(
    function: str, tied: bool, by_statement: bool, floor: float, one_hot: bool
) -> None:
    objective = paper_objective(
        every_kind(), function, tied=tied, by_statement=by_statement, penalty=0.7, anchor=0.2,
        floor=floor, one_hot=one_hot,
    )  # fmt: skip
    x = near(objective, 0.5, 1)
    _, gradient, _ = objective.evaluate(x)
    slopes = [slope(objective, x, place) for place in range(len(x))]
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    # A batch of all items goes the same way, per item.
    batches = BatchFit.of(objective, EXACT)
    items = np.arange(block_of(objective).data.matrix.n_items)
    ascent = batches.gradient(x, items, seed=0)
    np.testing.assert_allclose(ascent * len(items), -gradient, atol=1e-9)
    # Batches share the penalty out among them.
    halves = [len(half) * batches.gradient(x, half, seed=0) for half in (items[::2], items[1::2])]
    np.testing.assert_allclose(halves[0] + halves[1], -gradient, atol=1e-9)


def answering(n_items: int, penalty: float = 1.0, anchor: float = 0.0) -> Objective:
    """Return the objective of sources that answer, at optimistic rates."""
    claims = answers(n_items, *TRUE, seed=4)
    return paper_objective(claims, start=OPTIMISTIC, penalty=penalty, anchor=anchor)


def theta_at(objective: Objective, x: Floats) -> Theta:
    """Return theta of each source."""
    block = block_of(objective)
    return binary_machine(block).theta(block.eta(block.own(x))[0])


def test_lbfgs_climbs_and_recovers_the_rates() -> None:
    objective = answering(3000)
    found = fit(objective, max_iter=200, tol=1e-10)
    assert found.converged
    assert [entry["iteration"] for entry in found.history] == list(range(1, len(found.history) + 1))
    b_0 = ParameterVector(objective.spec.names, found.x).group("0").number("global_hidden_bias")
    units = binary_machine(block_of(objective)).units
    exact, _ = summarise(units, theta_at(objective, found.x), b_0, 1)
    assert found.history[-1]["log_likelihood"] == pytest.approx(exact.log_likelihood, rel=1e-9)
    values = [entry["objective"] for entry in found.history]
    assert all(np.diff(values) >= 0)
    assert found.history[-1]["gradient"] < 1.0
    rates = np.array(rates_of(theta_at(objective, found.x)))
    np.testing.assert_allclose(rates, np.array(TRUE), atol=0.06)
    assert abs(b_0) < 0.3  # half of the items are true


def test_a_fit_that_is_cut_short_says_so() -> None:
    assert not fit(answering(100), 1, 1e-12).converged


def test_tied_bias_stays_where_it_was() -> None:
    objective = answering(200)
    found = fit(objective, 50, 1e-8)
    source = ParameterVector(objective.spec.names, found.x)["source"]
    np.testing.assert_allclose(source[:, 2], OPTIMISTIC[2])
    assert np.abs(source[:, :2] - OPTIMISTIC[:2]).max() > 0.1


def test_penalty_and_anchor_hold_theta() -> None:
    away = []
    for penalty in (0.0, 10.0, 1e6):
        objective = answering(200, penalty=penalty)
        found = fit(objective, 100, 1e-9)
        source = ParameterVector(objective.spec.names, found.x)["source"]
        away.append(float(np.abs(source - OPTIMISTIC).max()))
    assert away[0] > away[1] > away[2]
    assert away[2] < 1e-3
    anchored = answering(200, penalty=0.0, anchor=1e5)
    found = fit(anchored, 100, 1e-9)
    theta = np.array(theta_at(anchored, found.x))
    assert np.abs(theta - OPTIMISTIC[:, None]).max() < 1e-2
