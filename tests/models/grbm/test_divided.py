"""Parameters divided by source: the same numbers as on the driver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engines.worlds import write_world
from tests.models.grbm.owners import exchange_here
from tests.models.grbm.test_moving import objective_of, somewhere, write_rules

from veracity.engines.checkpoints import Checkpoints
from veracity.engines.local import LocalBlocks
from veracity.models.grbm import divided_part, moving_part, shard_plan
from veracity.models.grbm.divided import Divided
from veracity.models.grbm.divided_part import DividedPart, is_divided
from veracity.models.grbm.fitting import Fit, fit
from veracity.models.grbm.lbfgs import _direction
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.shard_plan import HEAD
from veracity.models.grbm.terms.base import Slopes
from veracity.models.grbm.vectors import along, combined, difference, dot, largest, products, whole


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("divided") / "world.parquet")


@pytest.fixture
def dividing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide whatever moves, among owners in this process."""
    monkeypatch.setattr(divided_part, "DIVIDED_FROM", 1)
    monkeypatch.setattr(shard_plan, "NUMBERS_OF_A_SHARD", 60)
    monkeypatch.setattr(LocalBlocks, "exchanges", True)
    monkeypatch.setattr(LocalBlocks, "exchange", exchange_here)


@pytest.mark.usefixtures("dividing")
def test_every_parameter_that_moves_is_in_one_place(world: Path) -> None:
    part = MovingPart(objective_of(world))
    plan = DividedPart(part).plan
    assert len(plan) > 3
    place = np.arange(len(part.marks))
    shard, at = plan.locate(place)
    for number in range(HEAD, len(plan)):
        np.testing.assert_array_equal(np.sort(at[shard == number]), np.arange(plan.size(number)))
        np.testing.assert_array_equal(
            plan.taken(place.astype(float), number)[at[shard == number]], place[shard == number]
        )


@pytest.mark.usefixtures("dividing")
@pytest.mark.parametrize("class_prior", [None, "claims"])
def test_objective_and_gradient_are_those_of_the_driver(world: Path, class_prior: Any) -> None:
    part = MovingPart(objective_of(world, class_prior=class_prior))
    divided = DividedPart(part)
    np.testing.assert_array_equal(divided.begin.whole(), part.begin)
    x = somewhere(part, 0)
    value, gradient, likelihood = part.evaluate(x)
    found = divided.evaluate(divided.laid(x))
    assert found[::2] == pytest.approx((value, likelihood), rel=1e-13)
    np.testing.assert_allclose(found[1].whole(), gradient, rtol=1e-12, atol=1e-11)


@pytest.mark.usefixtures("dividing")
@pytest.mark.parametrize("damping", [0.0, 50.0])
@pytest.mark.parametrize("n_pairs", [0, 1, 6])
def test_the_direction_is_that_of_the_driver(
    world: Path, damping: float, n_pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = MovingPart(objective_of(world))
    divided = DividedPart(part)
    monkeypatch.setattr(moving_part, "FIXED", 1e15)  # shards leave out the sources that stay
    here, there = Pairs(10), Pairs(10)
    x = somewhere(part, 0)
    gradient = part.evaluate(x)[1]
    for seed in range(n_pairs):
        step = 0.1 * np.random.default_rng(seed).normal(size=len(x))
        change = part.evaluate(x + step)[1] - gradient + 50.0 * step
        here.remember(step, change)
        there.remember(divided.laid(step), divided.laid(change))
    assert len(here) == len(there) == n_pairs
    expected: Any = _direction(gradient, here, part.curvature_at(x)(damping))
    solve = divided.curvature_at(divided.laid(x))(damping)
    found = whole(_direction(divided.laid(gradient), there, solve))
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@pytest.mark.usefixtures("dividing")
def test_vectors_are_worked_on_as_in_memory(world: Path) -> None:
    part = MovingPart(objective_of(world))
    divided = DividedPart(part)
    left, right = somewhere(part, 1), somewhere(part, 2)
    one, other = divided.laid(left), divided.laid(right)
    assert len(one) == len(left)
    assert dot(one, other) == pytest.approx(dot(left, right), rel=1e-13)
    assert products(one, other) == pytest.approx(products(left, right), rel=1e-13)
    assert largest(one) == largest(left)
    np.testing.assert_array_equal(whole(difference(one, other)), left - right)
    np.testing.assert_array_equal(whole(combined(one, 0.5, other)), left + 0.5 * right)
    np.testing.assert_array_equal(whole(along(one, 0.5, other)), left + 0.5 * right)
    np.testing.assert_array_equal(np.concatenate([*one.pieces()]), left)


def check_same(found: Fit, expected: Fit) -> None:
    """Check that two fits took the same way to the same place."""
    assert len(found.history) == len(expected.history)
    assert found.objective == pytest.approx(expected.objective, rel=1e-12)
    np.testing.assert_allclose(found.x, expected.x, atol=1e-7)


def test_a_fit_ends_where_that_of_the_driver_does(
    world: Path, request: pytest.FixtureRequest
) -> None:
    objective = objective_of(world)
    assert not is_divided(MovingPart(objective))
    expected = fit(objective, 60, 1e-9)
    request.getfixturevalue("dividing")
    assert is_divided(MovingPart(objective))
    check_same(fit(objective, 60, 1e-9), expected)


@pytest.mark.usefixtures("dividing")
def test_few_parameters_and_those_with_slopes_stay_together(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = MovingPart(objective_of(world))
    assert is_divided(part)
    slopes = Slopes(np.ones(1), np.ones(1), np.ones(1, np.bool_))
    monkeypatch.setattr(part, "spec", replace(part.spec, slopes=slopes))
    assert not is_divided(part)
    monkeypatch.undo()
    assert not is_divided(part)


@pytest.mark.usefixtures("dividing")
def test_fits_that_judge_by_speaking_stay_together(tmp_path: Path) -> None:
    objective = objective_of(write_rules(tmp_path / "rules.parquet"), speaking=True)
    part = MovingPart(objective)
    assert part.blocks.exchanges
    assert not is_divided(part)


class Stopped(Exception):
    """The driver ends in the midst of a fit."""


@pytest.mark.usefixtures("dividing")
@pytest.mark.parametrize("passes", [12, 19])
def test_a_fit_goes_on_from_a_checkpoint(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: int
) -> None:
    objective = objective_of(world)
    expected = fit(objective, 60, 1e-9)
    evaluate, left = DividedPart.evaluate, iter(range(passes))

    def stopping(self: DividedPart, x: Divided) -> Any:
        if next(left, None) is None:
            raise Stopped
        return evaluate(self, x)

    def go(resume: bool) -> Fit:
        kept = Checkpoints(tmp_path, resume=resume, every=0.0)
        kept.begin({})
        with kept.used():
            return fit(objective, 60, 1e-9)

    with monkeypatch.context() as until:
        until.setattr(DividedPart, "evaluate", stopping)
        with pytest.raises(Stopped):
            go(resume=False)
    found = go(resume=True)
    assert found.history == expected.history
    np.testing.assert_array_equal(found.x, expected.x)
