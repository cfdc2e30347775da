"""Gradients of every form equal differences, with weights, denials and known truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.observations import EVERY_FORM, by_differences, drawn_rows, item_of, judged, read

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import DENIES_ALONE
from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.parameters import ParameterVector

TAUS = [0.0, 0.5, 1.5]


def claims_of(name: str) -> Claims:
    """Draw claims about one attribute, some of which only deny, and all of which have weights."""
    return read(drawn_rows([name], denials=0.3))


def known_truth(claims: Claims, name: str) -> KnownTruth:
    """Give the truth of two items: a value that is claimed, and one that may not be."""
    value = EVERY_FORM[name].classes
    truth = {"entity": ["e00", "e01"], "attribute": [name] * 2, "value": [value[0], value[-1]]}
    return KnownTruth.of(truth, claims)


@pytest.mark.parametrize("is_known", [False, True], ids=["unknown", "known"])
@pytest.mark.parametrize("floor", [1.0, 0.0], ids=["floor", "adversaries"])
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("name", EVERY_FORM)
def test_the_gradient_of_a_form_equals_differences(
    name: str, tau: float, floor: float, is_known: bool
) -> None:
    claims = claims_of(name)
    known = known_truth(claims, name) if is_known else None
    block, all_own = judged(claims, hardness=tau, floor=floor, known=known)
    ((model, own, eta),) = block.models(all_own)
    assert name == "sure" or (block.data.roles.role == DENIES_ALONE).any()
    assert len(set(block.data.weight.tolist())) == 3

    def value(parameters: Floats, levels: Floats) -> float:
        return model.log_likelihood(ParameterVector(own.names, parameters), levels)[0]

    total, in_own, in_rows = model.log_likelihood(own, eta)
    assert total < 0
    expected = by_differences(lambda x: value(x, eta), own.values.copy())
    np.testing.assert_allclose(in_own, expected, atol=2e-6)
    in_eta = np.zeros(len(eta))
    in_eta[model.rows] = in_rows
    np.testing.assert_allclose(
        in_eta, by_differences(lambda x: value(own.values, x), eta), atol=2e-6
    )
    assert np.abs(in_eta).max() > 0.01


@pytest.mark.parametrize("tau", TAUS)
def test_the_gradient_of_all_forms_together_equals_differences(tau: float) -> None:
    claims = read(drawn_rows(EVERY_FORM, n_items=5))
    block, own = judged(claims, hardness=tau)
    assert len(block.observations) == len(EVERY_FORM)
    _, _, gradient = block.log_likelihood(own)

    def value(x: Floats) -> float:
        return block.log_likelihood(ParameterVector(block.names, x))[0]

    np.testing.assert_allclose(gradient, by_differences(value, own.values.copy()), atol=5e-6)
    for name in ("m", "gamma", "source", "psi"):
        assert np.abs(gradient[block.names.slices[name]]).max() > 1e-3


def test_gradients_of_claims_add_up_to_those_of_their_rows() -> None:
    claims = read(drawn_rows(EVERY_FORM, n_items=5))
    block, own = judged(claims)
    by_claim = block.claim_gradients(own)
    total = np.bincount(claims.matrix.source_index, by_claim, minlength=claims.matrix.n_sources)
    gradient = ParameterVector(block.names, block.log_likelihood(own)[2])
    np.testing.assert_allclose(total, gradient["source"], atol=1e-9)


@pytest.mark.parametrize("name", [name for name in EVERY_FORM if name != "several"])
def test_known_truth_leaves_one_hypothesis(name: str) -> None:
    claims = claims_of(name)
    block, own = judged(claims, known=known_truth(claims, name))
    found = block.posterior(own)
    matrix, item = claims.matrix, item_of(claims, "e00", name)
    statements = slice(*matrix.statement_start[item : item + 2])
    values = np.array(matrix.values.to_pylist())[matrix.value_index[statements]]
    true = EVERY_FORM[name].classes[0]
    np.testing.assert_allclose(found.plausibility[statements], values == true, atol=1e-12)
    assert found.unclaimed[item] == float(true not in values)
