"""Only parameters that move are held and sent: the same numbers as with all of them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.worlds import in_memory, in_place, write_world
from tests.objectives import slope

from veracity.data.arrays import Floats
from veracity.engines.local import in_one_block
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_data import prepare_block
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.claim_information import information_of_block
from veracity.models.grbm.fitting import fit
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.moving import Marks, Moving
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.confusion import shared_by_items
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.priors import tells_enough
from veracity.models.grbm.reliability import Linear
from veracity.models.grbm.speaking_norms import with_speaking_norms

COLOURS = ("blue", "green", "red")
#: Whether claims are in one block, what is known of classes, and whether speaking is judged.
FITS = pytest.mark.parametrize(
    ("whole", "class_prior", "speaking"),
    [(False, None, False), (False, "claims", False), (False, None, True), (True, None, True)],
)


def write_rules(path: Path) -> Path:
    """Write claims of every kind, and those of rules that only ever name one colour."""
    world = pq.read_table(write_world(path))
    rng = np.random.default_rng(5)
    rows = [
        (f"rule {rule}", int(entity), "colour", COLOURS[rule % 3], 1, 0.0, 0.5, "a")
        for rule in range(9)
        for entity in rng.choice(110, 40, replace=False)
    ]
    columns = zip(world.column_names, zip(*rows, strict=True), strict=True)
    rules = pa.table({name: pa.array(column) for name, column in columns}).cast(world.schema)
    pq.write_table(pa.concat_tables([world, rules]), path)
    return path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rules(tmp_path_factory.mktemp("moving") / "world.parquet")


def objective_of(
    world: Path, whole: bool = False, speaking: bool = False, **options: Any
) -> Objective:
    """Return the objective of claims in blocks, or in one, about attributes of every form."""
    claims = in_one_block(in_memory(world)) if whole else in_place(world, "blocks in memory")
    counts = count_claims(claims, speaking=speaking)
    telling = counts.n_telling.copy()
    telling[::3] = 0  # so that a third of the sources are as reliable as all
    spec = ModelSpec(
        counts.attributes,
        counts.log_claim_count,
        Linear(0),
        source_is_free=tells_enough(telling),
        **options,
    )
    objective = Objective(claims.blocks.prepare(prepare_block), spec)
    assert spec.fits_speaking == speaking
    assert (objective.blocks.only is None) != whole
    return objective


def somewhere(part: MovingPart, seed: int) -> Floats:
    """Return parameters near the start."""
    noise = np.random.default_rng(seed).normal(size=len(part.marks))
    return np.asarray(part.begin + 0.3 * noise)


def check_same(part: MovingPart, objective: Objective, x: Floats) -> None:
    """Check the value, gradient and log-likelihood by those of all parameters."""
    one, other = part.evaluate(x), objective.evaluate(part.whole(x))
    assert one[::2] == pytest.approx(other[::2], rel=1e-12)
    np.testing.assert_allclose(one[1], other[1][objective.is_free], rtol=1e-12, atol=1e-11)
    assert (other[1][~objective.is_free] == 0.0).all()


@FITS
def test_objective_and_gradient_are_those_of_all_parameters(
    world: Path, whole: bool, class_prior: Any, speaking: bool
) -> None:
    objective = objective_of(world, whole, speaking, class_prior=class_prior)
    part, is_free = MovingPart(objective), objective.is_free
    assert 0 < is_free.sum() < objective.spec.names.size
    np.testing.assert_array_equal(part.begin, objective.centre[is_free])
    x = somewhere(part, 0)
    np.testing.assert_array_equal(part.whole(x)[is_free], x)
    np.testing.assert_array_equal(part.whole(x)[~is_free], objective.centre[~is_free])
    check_same(part, objective, x)


@pytest.mark.parametrize("whole", [False, True])
def test_the_gradient_goes_through_the_norms_of_speaking(world: Path, whole: bool) -> None:
    objective = objective_of(world, whole, speaking=True)
    part = MovingPart(objective)
    x = part.whole(somewhere(part, 2))
    (speaks,) = (one for one in objective.spec.attributes if one.range.name == "colour")
    assert len(speaks.one_sided) > 8
    sources = objective.spec.names.where("source")[speaks.one_sided.source]
    gradient = objective.evaluate(x)[1]
    for place in [0, *sources]:
        if objective.is_free[place]:
            assert gradient[place] == pytest.approx(slope(objective, x, int(place)), abs=1e-5)


def test_parameters_that_stay_away_from_their_prior_count(world: Path) -> None:
    objective = objective_of(world)
    start = objective.centre.copy()
    stays = np.flatnonzero(~objective.is_free)
    start[stays[:5]] = 0.01
    part = MovingPart(objective, start)
    x = somewhere(part, 1)
    assert (part.whole(x)[stays[:5]] == 0.01).all()
    check_same(part, objective, x)


def tell(block: BlockObjective, spec: ModelSpec, x: Floats) -> Sums:
    """Return what the claims of a block tell about all parameters."""
    found, sums = information_of_block(block, spec, block.own(x))
    return sums | {"own": Scattered(block.index, found.values, spec.names.size)}


def dense_curvature(objective: Objective, x: Floats) -> Floats:
    """Return the rough curvature of all parameters as one matrix."""
    spec, names = objective.spec, objective.spec.names
    sums = objective.blocks.total(tell, spec, with_speaking_norms(spec, x))
    own = ParameterVector(names, sums["own"].everywhere())
    diagonal = ParameterVector(names, objective.precision.copy())
    for number, prior in enumerate(objective.priors):
        group, mine = diagonal.group(str(number)), own.group(str(number)).values
        by_class = spec.attributes[number].range.form == "confusion"
        group.values[:] = group.values + mine if by_class else prior.curvature
    diagonal["source"] += sums["of_source"].everywhere()
    found = np.diag(diagonal.values)
    linear, source = names.where(*spec.linear_names), names.where("source")
    found[np.ix_(linear, linear)] += sums["square"]
    found[np.ix_(source, linear)] = sums["cross"].everywhere()
    found[np.ix_(linear, source)] = sums["cross"].everywhere().T
    for number, attribute in enumerate(spec.attributes):
        if attribute.range.form == "confusion":
            place = names.group_slice(str(number)).start + shared_by_items(attribute.names)
            found[np.ix_(place, place)] = sums[str(number)] + np.diag(objective.precision[place])
    return found


@FITS
@pytest.mark.parametrize("damping", [0.0, 50.0])
def test_curvature_is_that_of_all_parameters(
    world: Path, whole: bool, class_prior: Any, speaking: bool, damping: float
) -> None:
    objective = objective_of(world, whole, speaking, class_prior=class_prior)
    part = MovingPart(objective)
    x = somewhere(part, 0)
    gradient = np.random.default_rng(1).normal(size=len(x))
    curvature = dense_curvature(objective, part.whole(x))
    of_all = np.zeros(len(curvature))
    of_all[objective.is_free] = gradient
    damped = curvature + damping * np.eye(len(curvature))
    expected = np.linalg.solve(damped, of_all)[objective.is_free]
    found = part.curvature_at(x)(damping)(gradient)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@FITS
def test_a_fit_ends_where_the_gradient_of_all_parameters_vanishes(
    world: Path, whole: bool, class_prior: Any, speaking: bool
) -> None:
    objective = objective_of(world, whole, speaking, class_prior=class_prior)
    found = fit(objective, 300, 1e-13)
    value, gradient, likelihood = objective.evaluate(found.x)
    assert found.converged
    assert found.objective == pytest.approx(-value, rel=1e-12)
    assert found.history[-1]["log_likelihood"] == pytest.approx(likelihood, rel=1e-12)
    assert np.abs(gradient).max() < 1e-2


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
