"""The search within bounds goes the way of scipy's L-BFGS-B."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, minimize, rosen, rosen_der

from veracity.data.arrays import Floats
from veracity.models.grbm.bounded_search import Function, minimise_within
from veracity.models.grbm.line_search import Place, search_line
from veracity.models.grbm.source_population import LARGEST, LEAST, _Marginal


def by_scipy(function: Function, start: Floats, lower: Floats, upper: Floats) -> Floats:
    bounds = Bounds(lower, upper)
    found = minimize(function, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x)


def drawn_marginal(seed: int) -> _Marginal:
    """Return the likelihood of a population of sources, some of them far apart, some all alike."""
    draw = np.random.default_rng(seed)
    n_sources, deviation = int(draw.integers(1, 60)), np.exp(draw.uniform(-4.0, 2.5))
    centre = draw.normal(0.0, 2.0) + deviation * draw.normal(size=(n_sources, 1))
    precision = np.exp(draw.uniform(-2.0, 5.0, (n_sources, 1)))
    level = centre + np.linspace(-1.0, 1.0, 41) * draw.uniform(1.0, 12.0, (n_sources, 1))
    seen = centre + draw.normal(size=(n_sources, 1)) / precision**0.5
    curve = -0.5 * precision * (level - seen) ** 2
    if seed % 3 == 0:
        curve = -(np.abs(curve) ** 0.7)
    return _Marginal(level, curve, float(centre.mean()))


@pytest.mark.parametrize("first_seed", [0, 100, 200])
def test_populations_of_sources(first_seed: int) -> None:
    lower, upper = np.array([-np.inf, LEAST]), np.array([np.inf, LARGEST])
    n_at_bound = 0
    for seed in range(first_seed, first_seed + 100):
        marginal = drawn_marginal(seed)
        start = np.array([marginal.centre, 0.0])
        expected = by_scipy(marginal, start, lower, upper)
        found = minimise_within(marginal, start, lower, upper)
        assert found == pytest.approx(expected, abs=1e-9), seed
        n_at_bound += found[1] in (LEAST, LARGEST)
    assert 10 < n_at_bound < 60


def valley(x: Floats) -> tuple[float, Floats]:
    return float(rosen(x)), np.asarray(rosen_der(x))


@pytest.mark.parametrize(
    ("start", "lower", "upper"),
    [
        ([-1.2, 1.0], [-np.inf, -np.inf], [np.inf, np.inf]),
        ([-1.2, 1.0, 0.5, 2.0], [-2.0, -2.0, -2.0, -2.0], [2.0, 2.0, 2.0, 0.6]),
        ([-1.2, 1.0, 0.5], [-np.inf, 0.0, -1.0], [0.5, np.inf, 1.0]),
        ([5.0, -5.0], [0.0, 0.0], [3.0, 0.2]),
    ],
)
def test_a_bent_valley(start: list[float], lower: list[float], upper: list[float]) -> None:
    limits = np.array(start), np.array(lower), np.array(upper)
    found = minimise_within(valley, *limits)
    expected = by_scipy(valley, *limits)
    assert found == pytest.approx(expected, abs=1e-4)
    assert valley(found)[0] == pytest.approx(valley(expected)[0], abs=1e-7)
    assert ((found >= limits[1]) & (found <= limits[2])).all()


def test_a_start_that_is_the_minimum_stays() -> None:
    found = minimise_within(valley, np.ones(3), np.zeros(3), np.full(3, 2.0))
    assert found.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 10.0, 1e3])
def test_a_line_search_ends_where_it_is_low_and_flat(first: float) -> None:
    def at(step: float) -> Place:  # lowest at 2 ** 0.5, the first function of Moré and Thuente
        return Place(step, -step / (step**2 + 2.0), (step**2 - 2.0) / (step**2 + 2.0) ** 2)

    found = search_line(at, at(0.0), first, 1e10)
    assert found is not None
    assert found.value <= 1e-3 * found.step * at(0.0).slope
    assert abs(found.slope) <= 0.9 * abs(at(0.0).slope)


def test_a_line_search_goes_no_farther_than_it_may() -> None:
    found = search_line(lambda step: Place(step, -step, -1.0), Place(0.0, 0.0, -1.0), 0.1, 3.0)
    assert found == Place(3.0, -3.0, -1.0)
