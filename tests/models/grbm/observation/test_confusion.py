"""Classes that sources confuse: against brute force over all classes, and the binary machine."""

from __future__ import annotations

import itertools
from typing import cast

import numpy as np
import pytest
from tests.machines import closed
from tests.objectives import block_of, near, objective_of, posterior_of

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.objective import fit
from veracity.models.grbm.observation.confusion import Confusion
from veracity.models.grbm.parameters import ParameterVector


def says_given_truth(model: Confusion, own: ParameterVector, source: int, u: float) -> Floats:
    """Return P(says j | truth k) of a source, straight from the formula; (K, K)."""
    z = np.zeros((model.k, model.k))
    confused = {int(place): index for index, place in enumerate(model.parameters.has_confusion)}
    for k, j in itertools.product(range(model.k), repeat=2):
        z[k, j] = own["habit"][j] + own["source_habit"][source, j]
        if j != k and model.k > 2:
            z[k, j] += own["confusion"][k, j]
            if source in confused:
                z[k, j] += own["source_confusion"][confused[source], k, j]
        if j == k:
            z[k, j] += u
    odds = np.exp(z)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_likelihood_equals_brute_force(n_classes: int) -> None:
    claims = closed(400, n_classes)
    matrix = claims.matrix
    whole = AttributeRange("value", "confusion", 0, matrix.n_items, n_classes)
    objective = objective_of(claims, 2, ranges=[whole])
    block = block_of(objective)
    x = near(objective, 0.4, 5)
    ((found_model, own, eta),) = block.models(block.own(x))
    model = cast(Confusion, found_model)
    assert len(model.parameters.has_confusion) == (6 if n_classes > 2 else 0)
    found = posterior_of(objective, x)
    roles = block.data.roles
    prior = np.exp(own["prior"])
    prior /= prior.sum()
    for item in range(matrix.n_items):
        joint = prior.copy()
        for claim in range(roles.claim_start[item], roles.claim_start[item + 1]):
            source = int(matrix.source_index[claim])
            u = np.log1p((n_classes - 1) * np.exp(eta[source]))
            says = says_given_truth(model, own, source, u)[
                :, model.class_of_statement[matrix.statement_index[claim]]
            ]
            if roles.role[claim] == SPEAKS_AND_CLAIMS:
                joint *= says
            elif roles.role[claim] == DENIES_ALONE:
                joint *= 1 - says
        assert found.likelihood[item] == pytest.approx(np.log(joint.sum()), abs=1e-10)
        statements = slice(*roles.statement_start[item : item + 2])
        expected = (joint / joint.sum())[model.class_of_statement[statements]]
        np.testing.assert_allclose(found.plausibility[statements], expected, atol=1e-12)


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
    binary, classes = objective_of(boolean, 2), objective_of(single, 2)
    assert [own.form for own in binary.spec.ranges] == ["per-statement"]
    assert [own.form for own in classes.spec.ranges] == ["confusion"]
    found = [
        posterior_of(objective, fit(objective, 500, 1e-14).x).plausibility
        for objective in (binary, classes)
    ]
    yes = np.array(single.matrix.values.to_pylist())[single.matrix.value_index] == "yes"
    of_entity = dict(zip(single.matrix.item_of_statement[yes].tolist(), found[1][yes], strict=True))
    for entity, p in of_entity.items():  # items are in the same order
        assert found[0][entity] == pytest.approx(p, abs=1e-6)


def test_threads_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 20)
    claims = closed(400, 4)
    values = []
    for threads in (1, 2, 3):
        objective = objective_of(claims, 2, threads=threads)
        values.append(objective.evaluate(near(objective, 0.3)))
    for value, gradient, _ in values[1:]:
        assert value == pytest.approx(values[0][0], rel=1e-12)
        np.testing.assert_allclose(gradient, values[0][1], atol=1e-9)
