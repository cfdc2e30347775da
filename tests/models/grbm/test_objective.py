"""The fit: one maximum whatever the start, no mirror image, and known truth that is heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.machines import every_kind
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world
from veracity.models.grbm.forms import Block, choose_forms, same_forms
from veracity.models.grbm.observation.registry import PARTS
from veracity.models.grbm.scores import LinearScore

from veracity import Attribute, ClaimMatrix
from veracity.data.encode.denials import claim_roles
from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.block_data import Scene
from veracity.models.grbm.objective import Objective, fit

KINDS = {"classes": CLOSED, "coin": OPEN, "binary": BOOLEAN}


def objective_of(
    matrix: ClaimMatrix,
    floor: float = 1.0,
    n_features: int = 0,
    known: KnownTruth | None = None,
    threads: int | None = 1,
    blocks: Sequence[Block] | None = None,
) -> Objective:
    """Return the objective of claims with a row for each source."""
    scene = Scene(
        matrix,
        claim_roles(matrix),
        matrix.source_index,
        np.arange(matrix.n_sources),
        np.zeros(matrix.n_statements),
        np.zeros(matrix.n_items),
        None if known is None else known.statement,
        floor=floor,
        threads=threads,
    )
    parts = [PARTS[block.form](scene, block) for block in blocks or choose_forms(matrix.profiles)]
    features = np.random.default_rng(0).normal(size=(scene.n_rows, n_features))
    prolific = np.zeros(matrix.n_sources)
    return Objective(scene, parts, LinearScore(n_features), features, prolific)


def drawn_as(kind: str, n_items: int = 120, seed: int = 0) -> World:
    """Draw two-valued claims of good sources, to be judged in one of the forms."""
    rates = [0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.65, 0.6]
    return world(rates, n_items, n_values=2, attribute=KINDS[kind], seed=seed)


def right(drawn: World, objective: Objective, x: np.ndarray) -> float:
    """Return the share of items whose true value is judged the most probable."""
    matrix = drawn.claims.matrix
    posterior = objective.judge(x).posterior
    values, entities = matrix.values.to_pylist(), matrix.entities.to_pylist()
    found = []
    for item in range(matrix.n_items):
        first, last = matrix.statement_start[item], matrix.statement_start[item + 1]
        best = first + int(np.argmax(posterior[first:last]))
        value = values[matrix.value_index[best]]
        if matrix.kind_is("boolean")[item]:
            value = "yes" if posterior[best] > 0.5 else "no"
        found.append(value == drawn.truth[entities[matrix.entity_index[item]]])
    return float(np.mean(found))


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirror_image_start_ends_where_every_start_ends(kind: str) -> None:
    drawn = drawn_as(kind)
    objective = objective_of(drawn.claims.matrix)
    assert {part.block.form for part in objective.parts} == {kind}
    usual = fit(objective, 300, 1e-11)
    mirrored = objective.centre.copy()
    mirrored[0] = -4.0  # all sources no better than chance: as far as it goes
    mirrored[2 : 2 + objective.n_sources] = -2.0
    found = fit(objective, 300, 1e-11, mirrored)
    assert found.objective == pytest.approx(usual.objective, abs=1e-4)
    assert right(drawn, objective, found.x) > 0.9
    np.testing.assert_allclose(
        objective.judge(found.x).posterior, objective.judge(usual.x).posterior, atol=1e-3
    )


@pytest.mark.parametrize("kind", ["classes", "binary"])
def test_without_the_floor_a_mirror_image_start_ends_in_the_mirror_image(kind: str) -> None:
    """What the floor is for: below chance, the mirrored answer explains the claims as well."""
    drawn = drawn_as(kind)
    objective = objective_of(drawn.claims.matrix, floor=0.0)
    mirrored = objective.centre.copy()
    mirrored[0] = -2.0
    found = fit(objective, 300, 1e-11, mirrored)
    assert right(drawn, objective, found.x) < 0.2
    usual = fit(objective, 300, 1e-11)
    assert right(drawn, objective, usual.x) > 0.9
    assert usual.objective > found.objective  # the priors tell them apart, but only just


@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_ends_where_the_gradient_vanishes(kind: str) -> None:
    objective = objective_of(drawn_as(kind).claims.matrix, n_features=2)
    found = fit(objective, 500, 1e-13)
    _, gradient, likelihood = objective.evaluate(found.x)
    assert np.abs(gradient).max() < 1e-2
    assert found.converged
    assert found.history[-1]["log_likelihood"] == pytest.approx(likelihood)
    values = [record["objective"] for record in found.history]
    assert values == sorted(values)
    assert [record["iteration"] for record in found.history] == list(range(1, len(values) + 1))


def test_a_fit_that_is_cut_short_says_so() -> None:
    objective = objective_of(drawn_as("classes").claims.matrix)
    found = fit(objective, 1, 0.0)
    assert not found.converged
    assert found.message


def test_with_no_claims_to_say_otherwise_parameters_stay_at_their_centre() -> None:
    matrix = every_kind().matrix
    objective = objective_of(matrix)
    loss, gradient, likelihood = objective.evaluate(objective.centre)
    assert loss == pytest.approx(-likelihood)  # nothing is lost to the priors there
    away = objective.centre + 0.1
    loss, _, likelihood = objective.evaluate(away)
    assert loss + likelihood == pytest.approx(0.5 * 0.01 * objective.hold.sum())
    assert len(gradient) == sum(objective.sizes) == len(objective.hold)


def test_a_start_without_features_becomes_one_with_features() -> None:
    matrix = every_kind().matrix
    plain, more = objective_of(matrix), objective_of(matrix, n_features=2)
    x = np.random.default_rng(0).normal(size=len(plain.centre))
    started = more.started_at(x)
    before, after = plain.cut(x), more.cut(started)
    assert after[2].tolist() == [0.0, 0.0]
    for place in (0, 1, *range(3, len(before))):
        assert np.array_equal(before[place], after[place])
    assert np.array_equal(plain.started_at(started), x)
    assert plain.evaluate(x)[0] == pytest.approx(more.evaluate(started)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing_but_the_order_of_sums(kind: str) -> None:
    drawn = drawn_as(kind, n_items=400)
    one, four = (objective_of(drawn.claims.matrix, threads=threads) for threads in (1, 4))
    x = one.centre + 0.2 * np.random.default_rng(0).normal(size=len(one.centre))
    loss, gradient, likelihood = one.evaluate(x)
    again = four.evaluate(x)
    assert again[0] == pytest.approx(loss)
    assert again[2] == pytest.approx(likelihood)
    np.testing.assert_allclose(again[1], gradient, rtol=1e-9, atol=1e-9)


def test_only_what_is_known_is_heard_about_known_items() -> None:
    drawn = drawn_as("binary")
    matrix = drawn.claims.matrix
    known = KnownTruth.of(drawn.known(10), drawn.claims)
    scene = objective_of(matrix, known=known).scene.about_known()
    heard = set(matrix.item_of_claim[scene.roles.role > 0].tolist())
    assert heard == set(np.flatnonzero(known.settled).tolist())
    assert len(heard) == 10
    nothing = replace(known, statement=np.full_like(known.statement, -1))
    for scene in (objective_of(matrix).scene, objective_of(matrix, known=nothing).scene):
        assert not (scene.about_known().roles.role > 0).any()


def test_forms_follow_kind_domain_and_number_of_items() -> None:
    def form(attribute: Attribute, n_items: int, n_values: int = 3) -> str:
        drawn = world([0.7] * 4, n_items, n_values=n_values, attribute=attribute)
        (block,) = choose_forms(drawn.claims.matrix.profiles)
        return block.form

    assert form(OPEN, 200) == "coin"
    assert form(CLOSED, 36) == "classes"  # four items for each pair of three classes
    assert form(CLOSED, 35) == "coin"
    assert form(BOOLEAN, 5, 2) == "binary"
    assert form(Attribute("multiple"), 5) == "binary"


def test_another_table_is_judged_in_the_forms_of_the_fit() -> None:
    large = choose_forms(world([0.7] * 4, 200, n_values=3).claims.matrix.profiles)
    small = world([0.7] * 4, 3, n_values=3).claims.matrix
    assert choose_forms(small.profiles)[0].form == "coin"
    (block,) = same_forms(small, large)
    assert (block.form, block.n_classes, block.first, block.last) == ("classes", 3, 0, 3)
    (unknown,) = same_forms(small, [])
    assert unknown.form == "coin"
    boolean = world([0.7] * 4, 3, n_values=2, attribute=BOOLEAN).claims.matrix
    (other,) = same_forms(boolean, large)  # of the same name, but of another kind
    assert other.form == "binary"
