"""The categorical machine: every form against brute force, and its gradient against differences."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.machines import every_kind
from veracity.models.grbm.clustering import cluster_offsets
from veracity.models.grbm.forms import Block, choose_forms
from veracity.models.grbm.observation.registry import PARTS
from veracity.models.grbm.scores import LinearScore

from veracity import Attribute, ClaimMatrix, Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import DENIES_ALONE, SPEAKS_AND_CLAIMS, claim_roles
from veracity.models.grbm.block_data import Found, Scene
from veracity.models.grbm.objective import Objective, fit
from veracity.models.grbm.observation.confusion import ClassPart

Blocks = list[Block]


def scene_of(matrix: ClaimMatrix, **changes: Any) -> Scene:
    """Return claims with a row for each source."""
    scene = Scene(
        matrix,
        claim_roles(matrix),
        matrix.source_index,
        np.arange(matrix.n_sources),
        np.zeros(matrix.n_statements),
        np.zeros(matrix.n_items),
    )
    return replace(scene, **changes)


def objective_of(matrix: ClaimMatrix, blocks: Blocks | None = None, **changes: Any) -> Objective:
    """Return the objective without features, or with one feature for each row if asked for."""
    scene = scene_of(matrix, **changes)
    parts = [PARTS[block.form](scene, block) for block in blocks or choose_forms(matrix.profiles)]
    features = np.random.default_rng(3).normal(size=(scene.n_rows, 2))
    prolific = np.linspace(-1.0, 1.0, matrix.n_sources)
    return Objective(scene, parts, LinearScore(2), features, prolific)


def closed(n_claims: int = 300, n_classes: int = 3, seed: int = 1, denials: float = 0.1) -> Claims:
    """Draw claims about items of a closed attribute."""
    rng = np.random.default_rng(seed)
    columns = {
        "source": [f"s{i}" for i in rng.integers(0, 6, n_claims)],
        "entity": [f"e{i}" for i in rng.integers(0, 60, n_claims)],
        "value": [f"v{i}" for i in rng.integers(0, n_classes, n_claims)],
        "asserts": (rng.random(n_claims) >= denials).astype(int).tolist(),
    }
    return Claims.from_frame(columns, attributes={"*": Attribute("single", "closed")})


CASES = {
    "every kind": lambda: every_kind(),
    "classes": lambda: closed(),
    "two classes": lambda: closed(n_classes=2),
}


@pytest.mark.parametrize("floor", [1.0, 0.0])
@pytest.mark.parametrize("case", CASES)
def test_gradient_equals_finite_differences(case: str, floor: float) -> None:
    objective = objective_of(CASES[case]().matrix, floor=floor)
    rng = np.random.default_rng(0)
    x = objective.centre + 0.3 * rng.normal(size=len(objective.centre))
    _, gradient, _ = objective.evaluate(x)
    for place in rng.permutation(len(x))[:80]:
        step = np.zeros(len(x))
        step[place] = 1e-5
        slope = (objective.evaluate(x + step)[0] - objective.evaluate(x - step)[0]) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=2e-6)


def coin_likelihood(objective: Objective, x: Floats, item: int, domain_size: int) -> float:
    """Return log P(claims about an item), by adding up all hypotheses one by one."""
    scene = objective.scene
    eta = objective.eta(x)[1]
    start, total = scene.roles.claim_start, []
    first = scene.roles.statement_start[item]
    for truth in range(domain_size):  # the claimed values come first
        value = -np.log(domain_size)
        for claim in range(start[item], start[item + 1]):
            u = np.log(1 + (domain_size - 1) * np.exp(eta[scene.row[claim]]))
            norm = np.exp(u) + domain_size - 1
            says = scene.roles.statement_index[claim] - first
            p = np.exp(u) / norm if says == truth else 1 / norm
            if scene.roles.role[claim] == SPEAKS_AND_CLAIMS:
                value += np.log(p)
            elif scene.roles.role[claim] == DENIES_ALONE:
                value += np.log(1 - p)
        total.append(value)
    return float(np.logaddexp.reduce(total))


def test_one_coin_likelihood_equals_brute_force() -> None:
    claims = every_kind()
    matrix = claims.matrix
    (block,) = [block for block in choose_forms(matrix.profiles) if block.form == "coin"]
    objective = objective_of(matrix)
    x = objective.centre + 0.4 * np.random.default_rng(5).normal(size=len(objective.centre))
    found = objective.judge(x)
    for item in range(block.first, block.last):
        size = int(np.diff(matrix.statement_start)[item]) + 1
        expected = coin_likelihood(objective, x, item, size)
        assert found.likelihood[item] == pytest.approx(expected, abs=1e-12)


def confusion(part: ClassPart, own: Floats, source: int, u: float) -> Floats:
    """Return P(says j | truth k) of a source, straight from the formula; (K, K)."""
    b = part.parameters(own)
    z = np.zeros((part.k, part.k))
    heavy = {int(place): index for index, place in enumerate(part.heavy)}
    for k, j in itertools.product(range(part.k), repeat=2):
        z[k, j] = b.said[j] + b.source_said[source, j]
        if j != k and part.k > 2:
            z[k, j] += b.confused[k, j]
            if source in heavy:
                z[k, j] += b.source_confused[heavy[source], k, j]
        if j == k:
            z[k, j] += u
    odds = np.exp(z)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_likelihood_of_classes_equals_brute_force(n_classes: int) -> None:
    claims = closed(400, n_classes)
    matrix = claims.matrix
    block = Block("value", "classes", 0, matrix.n_items, n_classes)
    objective = objective_of(matrix, [block])
    (part,) = objective.parts
    assert isinstance(part, ClassPart)
    x = objective.centre + 0.4 * np.random.default_rng(5).normal(size=len(objective.centre))
    found, own = objective.judge(x), objective.cut(x)[3]
    eta = objective.eta(x)[0]
    roles = objective.scene.roles
    prior = np.exp(part.parameters(own).prior)
    prior /= prior.sum()
    for item in range(matrix.n_items):
        joint = prior.copy()
        for claim in range(roles.claim_start[item], roles.claim_start[item + 1]):
            source = int(matrix.source_index[claim])
            u = np.log1p((n_classes - 1) * np.exp(eta[source]))
            says = confusion(part, own, source, u)[
                :, part.class_of_statement[matrix.statement_index[claim]]
            ]
            if roles.role[claim] == SPEAKS_AND_CLAIMS:
                joint *= says
            elif roles.role[claim] == DENIES_ALONE:
                joint *= 1 - says
        assert found.likelihood[item] == pytest.approx(np.log(joint.sum()), abs=1e-10)
        statements = slice(*roles.statement_start[item : item + 2])
        expected = (joint / joint.sum())[part.class_of_statement[statements]]
        np.testing.assert_allclose(found.posterior[statements], expected, atol=1e-12)


def test_two_classes_are_the_papers_binary_machine() -> None:
    rng = np.random.default_rng(4)
    said = rng.random((80, 7)) < np.where(rng.random(80) < 0.6, 0.8, 0.3)[:, None]
    item, source = np.indices(said.shape)
    columns = {
        "source": [f"s{i}" for i in source.ravel()],
        "entity": [f"e{i}" for i in item.ravel()],
        "value": np.where(said.ravel(), "yes", "no").tolist(),
    }
    boolean = Claims.from_frame(columns, attributes={"*": Attribute("boolean", positive="yes")})
    single = Claims.from_frame(columns, attributes={"*": Attribute("single", "closed")})
    binary = objective_of(boolean.matrix)
    classes = objective_of(single.matrix)
    assert [part.block.form for part in binary.parts] == ["binary"]
    assert [part.block.form for part in classes.parts] == ["classes"]
    found = [
        objective.judge(fit(objective, 500, 1e-14).x).posterior for objective in (binary, classes)
    ]
    yes = np.array(single.matrix.values.to_pylist())[single.matrix.value_index] == "yes"
    of_entity = dict(zip(single.matrix.item_of_statement[yes].tolist(), found[1][yes], strict=True))
    for entity, p in of_entity.items():  # items are in the same order
        assert found[0][entity] == pytest.approx(p, abs=1e-6)


def test_threads_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 20)
    matrix = closed(400, 4).matrix
    values = []
    for threads in (1, 2, 3):
        objective = objective_of(matrix, threads=threads)
        x = objective.centre + 0.3 * np.random.default_rng(0).normal(size=len(objective.centre))
        values.append(objective.evaluate(x))
    for value, gradient, _ in values[1:]:
        assert value == pytest.approx(values[0][0], rel=1e-12)
        np.testing.assert_allclose(gradient, values[0][1], atol=1e-9)


def test_known_truth_leaves_one_hypothesis() -> None:
    matrix = every_kind().matrix
    (block,) = [block for block in choose_forms(matrix.profiles) if block.form == "coin"]
    item = block.first
    statements = np.arange(*matrix.statement_start[item : item + 2])
    offset, unseen = np.zeros(matrix.n_statements), np.zeros(matrix.n_items)
    offset[statements[1:]] = -np.inf
    unseen[item] = -np.inf
    objective = objective_of(matrix, offset=offset, offset_unseen=unseen)
    found = objective.judge(objective.centre)
    assert found.posterior[statements[0]] == 1.0
    assert (found.posterior[statements[1:]] == 0.0).all()
    assert np.isfinite(objective.evaluate(objective.centre)[0])


def test_unseen_value_has_the_rest() -> None:
    matrix = every_kind().matrix
    (block,) = [block for block in choose_forms(matrix.profiles) if block.form == "coin"]
    objective = objective_of(matrix)
    found = objective.judge(objective.centre)
    items = np.arange(block.first, block.last)
    together = matrix.sum_by_item(found.posterior)[items] + found.left_over[items]
    np.testing.assert_allclose(together, 1.0, atol=1e-12)
    assert (found.left_over[items] > 0).all()


def test_wrong_values_that_cluster_are_a_dirichlet_multinomial() -> None:
    # Three values with 4, 2 and 1 claims, and one that nobody claims: if the first is true, the
    # three wrong claims come from Dirichlet(al, al, al) over the two others and the unseen one,
    # against a third for each in the plain model.
    values = ["a"] * 4 + ["b"] * 2 + ["c"]
    claims = Claims.from_triples([(f"s{i}", "e", value) for i, value in enumerate(values)])
    matrix = claims.matrix
    counts = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    of_statement, of_unseen = cluster_offsets(matrix, counts, 3.0)

    def log_probability(wrong: list[int]) -> float:
        """Draw the wrong claims one after the other from Polya's urn of three colours."""
        value, seen, total = 0.0, [0] * len(wrong), 0
        for colour, count in enumerate(wrong):
            for _ in range(count):
                value += np.log((3.0 + seen[colour]) / (9.0 + total))
                seen[colour] += 1
                total += 1
        return float(value + sum(wrong) * np.log(3.0))

    assert of_statement[0] == pytest.approx(log_probability([2, 1, 0]))
    assert of_statement[2] == pytest.approx(log_probability([4, 2, 0]))
    assert of_unseen[0] == pytest.approx(log_probability([4, 2, 1]))


def test_found_has_room_for_everything() -> None:
    matrix = every_kind().matrix
    found = Found.empty(matrix)
    assert len(found.posterior) == matrix.n_statements
    assert len(found.likelihood) == matrix.n_items
