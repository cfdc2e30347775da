"""Only parameters that move are held and sent: the same numbers as with all of them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engines.worlds import in_place, write_world

from veracity.data.arrays import Floats
from veracity.models.grbm.block_data import prepare_block
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.fitting import FreePart, fit
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.moving import Marks, Moving
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.priors import tells_enough
from veracity.models.grbm.reliability import Linear


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("moving") / "world.parquet")


def objective_of(world: Path, **options: Any) -> Objective:
    """Return the objective of claims in blocks, about attributes of every form."""
    claims = in_place(world, "blocks in memory")
    counts = count_claims(claims)
    telling = counts.n_telling.copy()
    telling[::3] = 0  # so that a third of the sources are as reliable as all
    spec = ModelSpec(
        counts.attributes,
        counts.log_claim_count,
        Linear(0),
        source_is_free=tells_enough(telling),
        **options,
    )
    return Objective(claims.blocks.prepare(prepare_block), spec)


def check_same(one: tuple[float, Floats, float], other: tuple[float, Floats, float]) -> None:
    """Check values, gradients and log-likelihoods."""
    assert one[::2] == pytest.approx(other[::2], rel=1e-12)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-12, atol=1e-11)


def somewhere(part: FreePart, seed: int) -> Floats:
    """Return parameters near the start."""
    noise = np.random.default_rng(seed).normal(size=len(part.begin))
    return np.asarray(part.begin + 0.3 * noise)


@pytest.mark.parametrize("class_prior", [None, "claims"])
def test_objective_gradient_and_curvature_are_those_of_all_parameters(
    world: Path, class_prior: Any
) -> None:
    objective = objective_of(world, class_prior=class_prior)
    assert objective.sees_own_sources
    some = MovingPart(objective)
    whole = FreePart.of(objective, objective.centre)
    assert 0 < len(whole.begin) < objective.spec.names.size
    np.testing.assert_array_equal(some.begin, whole.begin)
    x = somewhere(whole, 0)
    np.testing.assert_array_equal(some.whole(x), whole.whole(x))
    check_same(some.evaluate(x), whole.evaluate(x))
    gradient = whole.evaluate(x)[1]
    of_some, of_whole = some.curvature_at(x), whole.curvature_at(x)
    for damping in (0.0, 50.0):
        np.testing.assert_allclose(
            of_some(damping)(gradient), of_whole(damping)(gradient), rtol=1e-10, atol=1e-13
        )


def test_parameters_that_stay_away_from_their_prior_count(world: Path) -> None:
    objective = objective_of(world)
    start = objective.centre.copy()
    stays = np.flatnonzero(~objective.is_free)
    start[stays[:5]] = 0.01
    some, whole = MovingPart(objective, start), FreePart.of(objective, start)
    x = somewhere(whole, 1)
    assert (some.whole(x)[stays[:5]] == 0.01).all()
    check_same(some.evaluate(x), whole.evaluate(x))


def test_a_fit_ends_where_that_of_all_parameters_does(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objective = objective_of(world)
    some = fit(objective, 60, 1e-9)
    monkeypatch.setattr(Objective, "sees_own_sources", False)
    whole = fit(objective, 60, 1e-9)
    assert len(some.history) == len(whole.history)
    assert some.objective == pytest.approx(whole.objective, rel=1e-12)
    np.testing.assert_allclose(some.x, whole.x, atol=1e-7)


@pytest.mark.parametrize("size", [1, 8, 21, 64, 1000])
def test_marks_say_who_moves_and_where_it_comes(size: int) -> None:
    rng = np.random.default_rng(size)
    is_free = rng.random(size) < 0.4
    is_free[0] = True
    marks: Marks = pickle.loads(pickle.dumps(Marks.of(is_free)))
    assert len(marks) == is_free.sum()
    assert (marks.mask() == is_free).all()
    index = rng.permutation(size)
    moves, place = marks.among(index)
    assert (moves == is_free[index]).all()
    assert (np.flatnonzero(is_free)[place] == index[moves]).all()
    for first, stop in [(0, size), (size // 3, size // 2), (size, size)]:
        part = marks.part(slice(first, stop))
        assert (part.start, part.stop) == (is_free[:first].sum(), is_free[:stop].sum())


def test_little_more_than_what_moves_is_sent() -> None:
    is_free = np.arange(80_000) % 40 == 0
    moving = Moving(Marks.of(is_free), np.ones(2_000), np.array([3]), np.array([0.5]))
    len(moving.marks)  # counts what it does not send
    assert len(pickle.dumps(moving, 5)) < 8 * 2_000 + 80_000 / 8 + 2_000
    found = pickle.loads(pickle.dumps(moving, 5)).whole()
    assert found[3] == 0.5
    assert found.sum() == 2_000.5
