"""Classes that sources confuse: against brute force, from the formula written out."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from tests.machines import closed
from tests.objectives import block_of, near, objective_of, posterior_of

from veracity.data.arrays import Floats
from veracity.data.encode.denials import CLAIMS_TOO, DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.observation.base import ClaimRates
from veracity.models.grbm.observation.confusion import Confusion
from veracity.models.grbm.parameters import ParameterVector


def says_given_truth(model: Confusion, own: ParameterVector, source: int, u: float) -> Floats:
    """Return P(says j | truth k) of a source, straight from the formula; (K, K)."""
    confused = {int(place): index for index, place in enumerate(model.parameters.has_confusion)}
    h = own["habit"] + own["source_habit"][source]
    found = np.zeros((model.k, model.k))
    for k in range(model.k):
        others = [j for j in range(model.k) if j != k]
        right, wrong = np.exp(h[k] + u), np.exp(h[others]).sum()
        found[k, k] = right / (right + wrong)
        shared = h[others].copy()
        if "confusion" in own:
            shared += own["confusion"][k, others]
            if source in confused:
                shared += own["source_confusion"][confused[source], k, others]
        found[k, others] = wrong / (right + wrong) * np.exp(shared) / np.exp(shared).sum()
    return found


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_likelihood_equals_brute_force(n_classes: int) -> None:
    claims = closed(400, n_classes)
    matrix = claims.matrix
    confuses = n_classes > 2
    whole = AttributeRange("value", "confusion", 0, matrix.n_items, n_classes, confuses=confuses)
    objective = objective_of(claims, 2, ranges=[whole])
    block = block_of(objective)
    x = near(objective, 0.4, 5)
    ((found_model, own, eta),) = block.models(block.own(x))
    model = cast(Confusion, found_model)
    assert len(model.parameters.has_confusion) == (6 if confuses else 0)
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
            weight = matrix.claim_weight[claim]  # less than 1 for who repeats itself
            if roles.role[claim] in (SPEAKS_AND_CLAIMS, CLAIMS_TOO):
                joint *= says**weight
            elif roles.role[claim] == DENIES_ALONE:
                joint *= (1 - says) ** weight
        assert found.likelihood[item] == pytest.approx(np.log(joint.sum()), abs=1e-10)
        statements = slice(*roles.statement_start[item : item + 2])
        expected = (joint / joint.sum())[model.class_of_statement[statements]]
        np.testing.assert_allclose(found.plausibility[statements], expected, atol=1e-12)


def test_classes_cannot_swap_their_names() -> None:
    """However strong a confusion is, it leaves alone how often a source is right."""
    claims = closed(400, 3)
    objective = objective_of(claims)
    block = block_of(objective)
    ((_, own, eta),) = block.models(block.own(near(objective, 0.4, 5)))
    model = cast(Confusion, next(iter(block.observations.values())))
    right = np.diag(says_given_truth(model, own, 0, float(eta[0])))
    rates = [ClaimRates.empty(claims.matrix) for _ in range(2)]
    model.rate(own, eta, rates[0])
    own["confusion"] = own["confusion"] + 5 * np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    model.rate(own, eta, rates[1])
    np.testing.assert_allclose(rates[0].tpr, rates[1].tpr, atol=1e-12)
    assert np.abs(rates[0].fpr - rates[1].fpr).max() > 0.05
    np.testing.assert_allclose(
        np.diag(says_given_truth(model, own, 0, float(eta[0]))), right, atol=1e-12
    )


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
