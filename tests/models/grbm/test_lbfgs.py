"""L-BFGS: finds the bottom, says why it ended."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from veracity.data.arrays import Floats
from veracity.models.grbm import vectors
from veracity.models.grbm.lbfgs import Minimum, Point, minimise, n_pairs
from veracity.models.grbm.vectors import Filed, whole

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
    function: object, x: Floats, scales: Floats | None, **params: float
) -> tuple[Minimum, list[Point]]:
    points: list[Point] = []
    settings = {"max_iter": 200, "tol": 0.0, **params}
    found = minimise(
        function,  # type: ignore[arg-type]
        x,
        None if scales is None else lambda gradient: gradient / scales,
        int(settings["max_iter"]),
        settings["tol"],
        points.append,
        settings.get("gradient_tol", 1e-5),
    )
    return found, points


def test_with_the_right_curvature_one_step_does() -> None:
    found, points = run(quadratic, np.zeros(3), SCALES)
    assert found.converged
    assert len(points) == 1
    np.testing.assert_allclose(whole(found.point.x), 1.0)
    assert points[0].extra == "extra"


def test_with_the_wrong_curvature_too() -> None:
    found, points = run(quadratic, np.zeros(3), np.ones(3), gradient_tol=1e-9)
    np.testing.assert_allclose(whole(found.point.x), 1.0, atol=1e-4)
    values = [point.value for point in points]
    assert values == sorted(values, reverse=True)


def test_a_curved_valley() -> None:
    found, _ = run(banana, np.array([-1.2, 1.0]), np.ones(2))
    assert found.converged
    np.testing.assert_allclose(whole(found.point.x), 1.0, atol=1e-4)


def test_the_plain_recursion_begins_with_a_short_step() -> None:
    visited: list[Floats] = []

    def watched(x: Floats) -> tuple[float, Floats, str]:
        visited.append(x)
        return quadratic(x)

    found, _ = run(watched, np.zeros(3), None, gradient_tol=1e-9)
    assert np.linalg.norm(visited[1]) == pytest.approx(1.0)  # though the gradient is 1e4 long
    np.testing.assert_allclose(whole(found.point.x), 1.0, atol=1e-4)
    visited.clear()
    run(watched, np.array([1.0 + 1e-2, 1.0, 1.0]), None, gradient_tol=0.0, max_iter=1)
    assert np.linalg.norm(visited[1] - visited[0]) == pytest.approx(1e-5)  # that of the gradient


def test_more_is_remembered_where_a_few_parameters_have_a_curvature() -> None:
    assert n_pairs(100, has_curvature=True) == 40
    assert n_pairs(101, has_curvature=True) == 10
    assert n_pairs(3, has_curvature=False) == 10


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
    assert whole(found.point.x)[0] == pytest.approx(2 - 1 / 3, abs=1e-4)


@pytest.mark.parametrize("is_curved", [False, True])
def test_vectors_in_files_lead_the_same_way(
    monkeypatch: pytest.MonkeyPatch, is_curved: bool
) -> None:
    x, scales = np.array([-1.2, 1.0]), np.array([800.0, 200.0]) if is_curved else None
    in_memory, expected = run(banana, x, scales)
    monkeypatch.setattr(vectors, "IN_MEMORY", 1)
    in_files, found = run(banana, x, scales)
    assert len(found) == len(expected) > 10
    for one, other in zip(expected, found, strict=True):
        assert isinstance(other.x, Filed)
        np.testing.assert_array_equal(whole(one.x), other.x[:])
    assert in_files.message == in_memory.message


def test_only_its_place_is_in_memory_while_a_long_function_is_evaluated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors, "IN_MEMORY", 1_000)
    monkeypatch.setattr(vectors, "RUN", 1_000)
    n, held = 100_000, []
    scales = np.geomspace(1.0, 100.0, n)

    def bowl(x: Floats) -> tuple[float, Floats, None]:
        held.append(tracemalloc.get_traced_memory()[0])
        return 0.5 * float(scales @ (x - 1) ** 2), scales * (x - 1), None

    tracemalloc.start()
    try:
        _, points = run(bowl, np.zeros(n), None, max_iter=15)
    finally:
        tracemalloc.stop()
    assert len(points) == 15
    assert max(held) < 2.5 * 8 * n  # the start belongs to the caller
