"""The fit: one maximum whatever the start, no mirror image, and known truth that is heard."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cached_property

import numpy as np
import pytest
from tests.machines import closed, every_kind
from tests.objectives import near, objective_of, posterior_of, slope
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.models.grbm.even_shifts import EvenShifts
from veracity.models.grbm.fitting import fit
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.parameters import ParameterVector

KINDS = {"confusion": CLOSED, "lures": OPEN, "boolean": BOOLEAN}
FORMS = {"confusion": "confusion", "lures": "lures", "boolean": "confusion"}
CASES: dict[str, Callable[[], Claims]] = {
    "every kind": every_kind,
    "classes": closed,
    "two classes": lambda: closed(n_classes=2),
}


def away(objective: Objective, rng: np.random.Generator) -> Floats:
    """Draw a step away from the start."""
    return np.asarray(0.3 * rng.normal(size=len(objective.centre)))


def even_shifts(objective: Objective) -> EvenShifts:
    """Return the directions that make no difference."""
    return EvenShifts.of(objective.spec.attributes, objective.spec.names)


def without(shifts: EvenShifts, step: Floats) -> Floats:
    """Return a step without its part in these directions."""
    rest = step.copy()
    shifts.take_from(rest)
    return rest


@pytest.mark.parametrize("case", ["classes", "two classes"])
def test_shifts_of_all_classes_make_no_difference_and_are_not_made(case: str) -> None:
    objective, rng = objective_of(CASES[case]()), np.random.default_rng(0)
    step, shifts = away(objective, rng), even_shifts(objective)
    even = without(shifts, step)
    assert np.abs(step - even).max() > 0.1
    found, same = (objective.evaluate(objective.centre + each) for each in (step, even))
    assert found[2] == pytest.approx(same[2], rel=1e-12)  # the likelihood
    for _, gradient, _ in (found, same):
        assert np.abs(gradient - without(shifts, gradient)).max() < 1e-12


@pytest.mark.parametrize("floor", [1.0, 0.0])
@pytest.mark.parametrize("case", CASES)
def test_gradient_equals_finite_differences(case: str, floor: float) -> None:
    claims = CASES[case]()
    z = np.linspace(-1.0, 1.0, claims.matrix.n_sources)
    objective = objective_of(claims, 2, floor=floor, log_claim_count=z)
    rng = np.random.default_rng(0)
    x = objective.centre + without(even_shifts(objective), away(objective, rng))
    x = np.where(objective.is_free, x, objective.centre)
    _, gradient, _ = objective.evaluate(x)
    assert (gradient[~objective.is_free] == 0.0).all()  # these stay where they are
    for place in rng.permutation(np.flatnonzero(objective.is_free))[:80]:
        assert gradient[place] == pytest.approx(slope(objective, x, place), abs=2e-6)


def drawn_as(kind: str, n_items: int = 120, seed: int = 0) -> World:
    """Draw two-valued claims of good sources, to be judged in one of the forms."""
    rates = [0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.65, 0.6]
    return world(rates, n_items, n_values=2, attribute=KINDS[kind], seed=seed)


def right(drawn: World, objective: Objective, x: Floats) -> float:
    """Return the share of items whose true value is judged the most probable."""
    matrix = drawn.claims.matrix
    plausibility = posterior_of(objective, x).plausibility
    values, entities = matrix.values.to_pylist(), matrix.entities.to_pylist()
    found = []
    for item in range(matrix.n_items):
        first, last = matrix.statement_start[item], matrix.statement_start[item + 1]
        best = first + int(np.argmax(plausibility[first:last]))
        value = values[matrix.value_index[best]]
        if matrix.kind_is("boolean")[item]:
            value = "yes" if plausibility[best] > 0.5 else "no"
        found.append(value == drawn.truth[entities[matrix.entity_index[item]]])
    return float(np.mean(found))


def moved(objective: Objective, **values: float) -> Floats:
    """Return the centre with some parameters elsewhere."""
    start = ParameterVector(objective.spec.names, objective.centre.copy())
    for name, value in values.items():
        start[name] = value
    return start.values


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirror_image_start_ends_where_every_start_ends(kind: str) -> None:
    drawn = drawn_as(kind)
    objective = objective_of(drawn.claims)
    assert {own.form for own in objective.spec.ranges} == {FORMS[kind]}
    usual = fit(objective, 300, 1e-11)
    # All sources no better than chance: as far as it goes.
    found = fit(objective, 300, 1e-11, moved(objective, m=-4.0, source=-2.0))
    assert found.objective == pytest.approx(usual.objective, abs=1e-4)
    assert right(drawn, objective, found.x) > 0.9
    np.testing.assert_allclose(
        posterior_of(objective, found.x).plausibility,
        posterior_of(objective, usual.x).plausibility,
        atol=1e-3,
    )


@pytest.mark.parametrize("kind", ["confusion", "boolean"])
def test_without_the_floor_a_mirror_image_start_ends_in_the_mirror_image(kind: str) -> None:
    """What the floor is for: below chance, the mirrored answer explains the claims as well."""
    drawn = drawn_as(kind)
    objective = objective_of(drawn.claims, floor=0.0)
    found = fit(objective, 300, 1e-11, moved(objective, m=-2.0))
    assert right(drawn, objective, found.x) < 0.2
    usual = fit(objective, 300, 1e-11)
    assert right(drawn, objective, usual.x) > 0.9
    assert usual.objective > found.objective  # the priors tell them apart, but only just


@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_ends_where_the_gradient_vanishes(kind: str) -> None:
    objective = objective_of(drawn_as(kind).claims, 2)
    found = fit(objective, 500, 1e-13)
    _, gradient, likelihood = objective.evaluate(found.x)
    assert np.abs(gradient).max() < 1e-2
    assert found.converged
    assert found.history[-1]["log_likelihood"] == pytest.approx(likelihood)
    values = [record["objective"] for record in found.history]
    assert values[-1] == max(values)  # on the way it may fall within a step of the gradient flow
    assert [record["iteration"] for record in found.history] == list(range(1, len(values) + 1))


def test_a_fit_that_is_cut_short_says_so() -> None:
    objective = objective_of(drawn_as("confusion").claims)
    found = fit(objective, 1, 0.0)
    assert not found.converged
    assert found.message


def test_with_no_claims_to_say_otherwise_parameters_stay_at_their_centre() -> None:
    objective = objective_of(every_kind())
    loss, gradient, likelihood = objective.evaluate(objective.centre)
    assert loss == pytest.approx(-likelihood)  # nothing is lost to the priors there
    away = objective.centre + 0.1
    loss, _, likelihood = objective.evaluate(away)
    assert loss + likelihood == pytest.approx(0.5 * 0.01 * objective.precision.sum())
    assert len(gradient) == objective.spec.names.size == len(objective.precision)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing_but_the_order_of_sums(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 100)
    drawn = drawn_as(kind, n_items=400)
    one, four = (objective_of(drawn.claims, threads=threads) for threads in (1, 4))
    x = near(one, 0.2)
    loss, gradient, likelihood = one.evaluate(x)
    again = four.evaluate(x)
    assert again[0] == pytest.approx(loss)
    assert again[2] == pytest.approx(likelihood)
    np.testing.assert_allclose(again[1], gradient, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_a_block_that_was_kept_looks_nothing_up_again(case: str) -> None:
    objective = objective_of(CASES[case]())
    block = pickle.loads(pickle.dumps(objective.blocks.only))
    assert "passes" in vars(block)
    models = [each.model for each in block.passes]
    held = {id(owner): set(vars(owner)) for model in models for owner in (model, model.arrays)}
    block.log_likelihood(block.own(objective.centre))
    for model in models:
        for owner in (model, model.arrays):
            made = set(vars(owner)) - held[id(owner)]
            assert not any(isinstance(getattr(type(owner), n), cached_property) for n in made)
