"""The gradient flow: long implicit steps end where many short plain ones do."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machines import closed
from tests.objectives import objective_of

from veracity.data.arrays import Floats
from veracity.models.grbm import gradient_flow, vectors
from veracity.models.grbm.gradient_flow import CurvatureAt, Flow, follow
from veracity.models.grbm.lbfgs import Point, minimise
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import stored, whole

#: A steep valley across which the flow goes first, and two hollows along it.
STEEP = 400.0


def two_hollows(x: Floats) -> tuple[float, Floats, None]:
    """A double well along the bottom of a curved valley, which is tilted a little."""
    along, across = x
    off = across - 0.5 * along
    value = (along**2 - 4) ** 2 + 0.5 * along + STEEP * off**2
    gradient = [4 * along * (along**2 - 4) + 0.5 - STEEP * off, 2 * STEEP * off]
    return float(value), np.array(gradient), None


def rough_curvature(x: Floats) -> CurvatureAt:
    """A curvature that knows only how steep each direction is."""
    return lambda damping: lambda gradient: gradient / (np.array([STEEP / 2, 2 * STEEP]) + damping)


def plain_descent(x: Floats) -> Floats:
    """Follow the flow by very many short steps."""
    for _ in range(60_000):
        x = x - 1e-4 * two_hollows(x)[1]
    return x


@pytest.mark.parametrize(
    "start", [(0.5, 0.0), (-0.5, 0.2), (0.06, 3.0), (-0.1, 2.0), (0.3, -2.0), (0.9, -5.0)]
)
def test_it_ends_in_the_hollow_that_short_steps_lead_to(start: tuple[float, float]) -> None:
    begin, points = np.array(start), list[Point]()
    flowed = follow(two_hollows, begin, rough_curvature, 500, points.append)
    assert flowed.n_iter == len(points)
    solve = rough_curvature(begin)(0.0)
    ended = minimise(two_hollows, begin, solve, 500, 1e-12, points.append, begun=flowed)
    np.testing.assert_allclose(whole(ended.point.x), plain_descent(begin), atol=1e-3)


def test_points_are_those_of_the_function_itself() -> None:
    points: list[Point] = []
    flowed = follow(two_hollows, np.array([1.0, 2.0]), rough_curvature, 500, points.append)
    for point in [*points, flowed.point]:
        value, gradient, _ = two_hollows(whole(point.x))
        assert point.value == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose(whole(point.gradient), gradient, atol=1e-6)
    assert flowed.pairs.damping == 0.0


def test_nothing_flows_where_the_gradient_is_weaker_than_priors() -> None:
    begin = np.array([2.0, 1.0])
    solve = rough_curvature(begin)(0.0)
    lowest = minimise(two_hollows, begin, solve, 500, 0.0, _nothing).point.x
    assert isinstance(lowest, np.ndarray)
    flowed = follow(two_hollows, lowest + 1e-5, rough_curvature, 500, _nothing)
    assert flowed.n_iter == 0
    np.testing.assert_array_equal(whole(flowed.point.x), lowest + 1e-5)


def test_the_limit_of_iterations_holds() -> None:
    points: list[Point] = []
    flowed = follow(two_hollows, np.array([0.5, 3.0]), rough_curvature, 4, points.append)
    assert flowed.n_iter == len(points) == 4


def test_it_goes_on_from_where_it_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_flow, "STEPS_BY_A_CURVATURE", 1)
    objective = objective_of(closed(600, 3), 1)
    part, kept = MovingPart(objective), list[Flow]()

    def keep(flow: Flow) -> None:
        progress = flow.progress
        held = zip(progress.pairs.steps, progress.pairs.changes, strict=True)
        again = Pairs.restored(10, held, progress.pairs.numbers)
        kept.append(Flow(type(progress)(progress.point, again, progress.n_iter), flow.damping))

    ended = follow(part.evaluate, part.begin, part.curvature_at, 500, _nothing, keep=keep)
    assert len(kept) > 2
    for flow in kept[1:]:
        rest = follow(part.evaluate, part.begin, part.curvature_at, 500, _nothing, begun=flow)
        assert rest.n_iter == ended.n_iter
        np.testing.assert_array_equal(whole(rest.point.x), whole(ended.point.x))


def test_more_claims_take_few_more_iterations() -> None:
    counts = []
    for n_items in (300, 3_000, 30_000):
        objective = objective_of(closed(n_items, 2), 1)
        part = MovingPart(objective)
        counts.append(follow(part.evaluate, part.begin, part.curvature_at, 500, _nothing).n_iter)
    assert counts[-1] <= counts[0] + 20


def _nothing(point: Point) -> None:
    pass


def test_damped_pairs_are_those_of_the_damped_function(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    steps = rng.normal(size=(4, 5))
    bends = np.array([-0.95, 0.5, 3.0, 9.0])  # the first is hardly a bowl, even if damped by 1
    for in_memory in (True, False):
        monkeypatch.setattr(vectors, "IN_MEMORY", 100 if in_memory else 0)
        held = Pairs(4)
        held.damp(3.0)
        for step, bend in zip(steps, bends, strict=True):
            held.remember(stored(step), stored((bend + 3.0) * step))
        assert len(held) == 4
        held.damp(1.0)
        assert len(held) == 3
        found = zip(held.steps, held.changes, held.curvatures, strict=True)
        for (step, change, product), own, bend in zip(found, steps[1:], bends[1:], strict=True):
            np.testing.assert_allclose(whole(step), own)
            np.testing.assert_allclose(whole(change), (bend + 1.0) * own)
            assert product == pytest.approx((bend + 1.0) * own @ own)


def test_vectors_in_files_lead_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    objective = objective_of(closed(600, 3), 1)
    part = MovingPart(objective)
    found = []
    for in_memory in (10**6, 5):
        monkeypatch.setattr(vectors, "IN_MEMORY", in_memory)
        monkeypatch.setattr(vectors, "RUN", 37)
        found.append(follow(part.evaluate, part.begin, part.curvature_at, 500, _nothing))
    assert isinstance(found[1].point.x, vectors.Filed)
    assert found[0].n_iter == found[1].n_iter
    np.testing.assert_allclose(whole(found[1].point.x), whole(found[0].point.x), atol=1e-9)
