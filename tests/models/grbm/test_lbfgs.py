"""L-BFGS: finds the bottom, says why it ended."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.data.arrays import Floats
from veracity.models.grbm.lbfgs import Minimum, Point, minimise

SCALES = np.array([1e-3, 1.0, 1e4])


def quadratic(x: Floats) -> tuple[float, Floats, str]:
    """A bowl of very different widths, lowest at 1."""
    return 0.5 * float(SCALES @ (x - 1) ** 2), SCALES * (x - 1), "extra"


def banana(x: Floats) -> tuple[float, Floats, None]:
    """Rosenbrock's valley, lowest at (1, 1)."""
    a, b = x
    value = (1 - a) ** 2 + 100 * (b - a**2) ** 2
    gradient = np.array([-2 * (1 - a) - 400 * a * (b - a**2), 200 * (b - a**2)])
    return float(value), gradient, None


def run(
    function: object, x: Floats, scales: Floats, **params: float
) -> tuple[Minimum, list[Point]]:
    points: list[Point] = []
    settings = {"max_iter": 200, "tol": 0.0, **params}
    found = minimise(
        function,  # type: ignore[arg-type]
        x,
        lambda gradient: gradient / scales,
        int(settings["max_iter"]),
        settings["tol"],
        points.append,
        settings.get("gradient_tol", 1e-5),
        step_tol=settings.get("step_tol"),
    )
    return found, points


def test_with_the_right_curvature_one_step_does() -> None:
    found, points = run(quadratic, np.zeros(3), SCALES)
    assert found.converged
    assert len(points) == 1
    np.testing.assert_allclose(found.point.x, 1.0)
    assert points[0].extra == "extra"


def test_with_the_wrong_curvature_too() -> None:
    found, points = run(quadratic, np.zeros(3), np.ones(3), gradient_tol=1e-9)
    np.testing.assert_allclose(found.point.x, 1.0, atol=1e-4)
    values = [point.value for point in points]
    assert values == sorted(values, reverse=True)


def test_a_curved_valley() -> None:
    found, _ = run(banana, np.array([-1.2, 1.0]), np.ones(2))
    assert found.converged
    np.testing.assert_allclose(found.point.x, 1.0, atol=1e-4)


def test_parameters_settle_where_gains_are_lost_in_rounding() -> None:
    def far_up(x: Floats) -> tuple[float, Floats, None]:
        value, gradient, _ = banana(x)
        return 1e6 + value, gradient, None

    start = np.array([-1.2, 1.0])
    by_gain, _ = run(far_up, start, np.ones(2), tol=1e-12, gradient_tol=0.0)
    settled, _ = run(far_up, start, np.ones(2), step_tol=1e-9)
    assert settled.message == "the parameters are settled"
    assert np.abs(settled.point.x - 1.0).max() < 1e-8 < np.abs(by_gain.point.x - 1.0).max()


def test_steps_that_rounding_keeps_from_shrinking_end_it() -> None:
    noise = np.random.default_rng(0)

    def noisy(x: Floats) -> tuple[float, Floats, None]:
        value, gradient, _ = quadratic(x)
        return 1e9 + value, gradient + noise.normal(scale=1e-3, size=3), None

    found, points = run(noisy, np.zeros(3), SCALES, step_tol=1e-12)
    assert found.converged
    assert len(points) < 200
    assert np.abs(SCALES * (found.point.x - 1.0)).max() < 0.01


def test_how_it_ends() -> None:
    assert run(quadratic, np.ones(3), SCALES)[0].message == "the gradient is zero at the start"
    short, points = run(banana, np.array([-1.2, 1.0]), np.ones(2), max_iter=3)
    assert not short.converged
    assert short.message == "the limit of iterations was reached"
    assert len(points) == 3
    lazy, points = run(banana, np.array([-1.2, 1.0]), np.ones(2), tol=10.0)
    assert lazy.converged
    assert len(points) == 1


def test_walls_of_infinity_and_nan_are_stepped_back_from() -> None:
    def walled(x: Floats) -> tuple[float, Floats, None]:
        if x[0] >= 2:
            return (np.nan if x[0] < 3 else np.inf), np.array([np.nan]), None
        return float(-np.log(2 - x[0]) - 3 * x[0]), np.array([1 / (2 - x[0]) - 3]), None

    found, _ = run(walled, np.array([-20.0]), np.array([0.01]))
    assert found.point.x[0] == pytest.approx(2 - 1 / 3, abs=1e-4)
