"""Known truth in the machine: hidden units that are not hidden."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.machines import By, brute_force, every_kind, some_theta, units_of

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.models.grbm.observation.units import Units, diverge, summarise, summarise_machines
from veracity.models.grbm.theta import Theta

WAYS: list[By] = ["source", "claim", "statement"]
B_0 = 0.3


def partly_known(claims: Claims, by: By) -> Units:
    """Return units, the truth of about half of whose statements is known."""
    known = np.random.default_rng(1).integers(-1, 2, claims.matrix.n_statements).astype(np.int8)
    assert {-1, 0, 1} <= set(known.tolist())
    return replace(units_of(claims, by), known=known)


@pytest.mark.parametrize("by", WAYS)
def test_likelihood_equals_brute_force(by: By) -> None:
    claims = every_kind()
    units = partly_known(claims, by)
    theta = some_theta(units.n_rows, 4, size=1.5)
    summary, _ = summarise(units, theta, B_0)
    expected = brute_force(claims, units, theta, B_0)
    assert summary.log_likelihood == pytest.approx(expected, abs=1e-10)
    without = brute_force(claims, replace(units, known=None), theta, B_0)
    assert expected < without - 0.1


@pytest.mark.parametrize("by", WAYS)
def test_gradient_equals_finite_differences(by: By) -> None:
    units = partly_known(every_kind(), by)
    theta, step = np.array(some_theta(units.n_rows, 3)), 1e-5

    def value(columns: Floats, b_0: float = B_0) -> float:
        return summarise(units, Theta(*columns), b_0)[0].log_likelihood

    summary, _ = summarise(units, Theta(*theta), B_0)
    for column, row in np.ndindex(*theta.shape):
        up, down = theta.copy(), theta.copy()
        up[column, row] += step
        down[column, row] -= step
        slope = (value(up) - value(down)) / (2 * step)
        assert summary.delta_theta[row, column] == pytest.approx(slope, abs=1e-7)
    slope = (value(theta, B_0 + step) - value(theta, B_0 - step)) / (2 * step)
    assert summary.delta_global == pytest.approx(slope, abs=1e-7)


def test_batches_add_up_to_the_whole() -> None:
    units = partly_known(every_kind(), "claim")
    theta = some_theta(units.n_rows, 2)
    items = np.arange(units.roles.n_items)
    whole, _ = summarise(units, theta, B_0)
    parts = summarise_machines(units, theta, B_0, units.machines_of(items[::2]))
    parts = parts + summarise_machines(units, theta, B_0, units.machines_of(items[1::2]))
    assert parts.log_likelihood == pytest.approx(whole.log_likelihood)
    assert parts.delta_global == pytest.approx(whole.delta_global)
    np.testing.assert_allclose(parts.delta_theta, whole.delta_theta, atol=1e-12)


def test_contrastive_divergence_starts_from_what_is_known() -> None:
    units = partly_known(every_kind(), "source")
    theta = some_theta(units.n_rows, 1, 1.2)
    machines = np.arange(units.n_machines)
    exact, _ = summarise(units, theta, B_0)
    draws = [diverge(units, theta, B_0, machines, 30, seed).delta_theta for seed in range(2000)]
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert (np.abs(np.mean(draws, axis=0) - exact.delta_theta) < 4.5 * error + 1e-12).all()
