"""The chain of an item against sums over all of its paths."""

from itertools import product

import numpy as np
import pytest

from veracity.models.forms.changing.chain import believe, expect, find_spells, prior_of
from veracity.models.forms.changing.histories import Chains

RATE = 0.7


def drawn_chain(seed: int, n_steps: int, n_values: int, domain: int) -> tuple[Chains, np.ndarray]:
    """Return one item with steps at random, and the likelihoods of its steps."""
    rng = np.random.default_rng(seed)
    gap = rng.exponential(1.0, n_steps) * (rng.random(n_steps) < 0.8)
    gap[0] = 0.0
    chains = Chains(
        start=np.array([0, n_steps]),
        slot=rng.integers(0, n_values, n_steps),
        gap=gap,
        time=np.cumsum(gap),
        asked=np.array([int(rng.integers(n_steps))]),
        n_values=np.array([n_values]),
        domain=np.array([domain]),
        value_start=np.array([0]),
    )
    return chains, rng.uniform(0.05, 1.0, (2, n_steps))


def paths_of(chains: Chains, hit: np.ndarray, miss: np.ndarray) -> dict[tuple[int, ...], float]:
    """Return the joint probability of every path and the steps."""
    n_values, domain = int(chains.n_values[0]), int(chains.domain[0])
    prior = prior_of(n_values, domain)
    weights = {}
    for path in product(range(n_values + 1), repeat=len(chains.slot)):
        weight = 1.0
        for step, state in enumerate(path):
            if step == 0:
                weight *= prior[state]
            else:
                stay = np.exp(-RATE * chains.gap[step])
                weight *= stay * (state == path[step - 1]) + (1 - stay) * prior[state]
            weight *= hit[step] if state == chains.slot[step] else miss[step]
        weights[path] = weight
    return weights


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n_steps", "n_values", "domain"), [(5, 2, 3), (4, 3, 7), (6, 2, 2)])
def test_forward_backward_is_the_sum_over_all_paths(
    seed: int, n_steps: int, n_values: int, domain: int
) -> None:
    chains, (hit, miss) = drawn_chain(seed, n_steps, n_values, domain)
    weights = paths_of(chains, hit, miss)
    total = sum(weights.values())
    current, draws = np.empty(n_steps), np.zeros(1)
    log_likelihood = expect(chains, np.array([RATE]), hit, miss, current, draws)
    assert log_likelihood[0] == pytest.approx(np.log(total))
    for step in range(n_steps):
        right = sum(w for path, w in weights.items() if path[step] == chains.slot[step])
        assert current[step] == pytest.approx(right / total)
    belief = np.empty(n_values)
    believe(chains, np.array([RATE]), hit, miss, belief)
    for value in range(n_values):
        asked = sum(w for path, w in weights.items() if path[chains.asked[0]] == value)
        assert belief[value] == pytest.approx(asked / total)


@pytest.mark.parametrize("seed", range(4))
def test_expected_draws_are_the_slope_of_the_likelihood(seed: int) -> None:
    """For the rate r: r d(log-likelihood)/dr = expected draws - r * time."""
    chains, (hit, miss) = drawn_chain(seed, 6, 2, 4)

    def at(rate: float) -> tuple[float, float]:
        draws = np.zeros(1)
        log_likelihood = expect(chains, np.array([rate]), hit, miss, np.empty(6), draws)
        return float(log_likelihood[0]), float(draws[0])

    step = 1e-5
    slope = (at(RATE * (1 + step))[0] - at(RATE * (1 - step))[0]) / (2 * step)
    assert slope == pytest.approx(at(RATE)[1] - RATE * chains.gap.sum(), abs=1e-6)


def test_a_change_is_placed_between_the_claims_that_show_it() -> None:
    slot = np.array([0, 0, 0, 1, 1, 1])
    time = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 6.0])
    chains = Chains(
        start=np.array([0, 6]),
        slot=slot,
        gap=np.diff(time, prepend=0.0),
        time=time,
        asked=np.array([5]),
        n_values=np.array([2]),
        domain=np.array([3]),
        value_start=np.array([0]),
    )
    hit, miss = np.full(6, 0.9), np.full(6, 0.05)
    spells = np.empty((6, 8))
    assert find_spells(chains, np.array([0.1]), hit, miss, spells) == 2
    first, second = spells[:2]
    assert first[1] == 0
    assert np.isnan(first[2])
    assert first[3] == second[2] == pytest.approx(3.0, abs=0.2)
    assert second[1] == 1
    assert np.isnan(second[3])
    assert (second[5], second[6]) == (2.0, 4.0)
    assert second[7] > 0.8
