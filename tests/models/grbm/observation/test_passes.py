"""Attributes that are judged in one pass are judged as if each had one of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.objectives import block_of, objective_of

from veracity import Attribute, Claims
from veracity.data.encode.denials import SET_ASIDE
from veracity.models.grbm.attributes import AttributeRange, Form
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.observation.base import ClaimRates, Posterior, Scores
from veracity.models.grbm.observation.joined_items import JoinedItems
from veracity.models.grbm.parameters import ParameterVector

#: Forms take turns, so that no two attributes that are judged together lie side by side.
FORMS: tuple[Form, ...] = ("lures", "one-coin", "per-statement")
KINDS = {
    "lures": Attribute("single", "open"),
    "one-coin": Attribute("single", "closed"),
    "per-statement": Attribute("multiple"),
}
N_ATTRIBUTES = 9


@pytest.fixture
def claims() -> Claims:
    rng = np.random.default_rng(5)
    n = 900
    kinds = {f"a{number}": KINDS[FORMS[number % 3]] for number in range(N_ATTRIBUTES)}
    columns = {
        "source": [f"s{number}" for number in rng.integers(0, 8, n)],
        "entity": [f"e{number}" for number in rng.integers(0, 20, n)],
        "attribute": [f"a{number}" for number in rng.integers(0, N_ATTRIBUTES, n)],
        "value": [f"v{number}" for number in rng.integers(0, 4, n)],
        "asserts": (rng.random(n) > 0.15).astype(int).tolist(),
        "weight": rng.choice([0.5, 1.0, 2.0], n).tolist(),
    }
    return Claims.from_frame(columns, attributes=kinds)


def judged(claims: Claims, **options: object) -> tuple[BlockObjective, ParameterVector]:
    """Return the block of the claims, and parameters near their centre."""
    ranges, first = [], 0
    for number, profile in enumerate(claims.matrix.profiles):
        form, last = FORMS[number % 3], first + profile.n_items
        n_classes = {"lures": 0, "one-coin": 4 + number, "per-statement": 2}[form]
        hardness = 0.0 if form == "per-statement" else 0.5
        ranges.append(AttributeRange(profile.name, form, first, last, n_classes, hardness))
        first = last
    z = np.linspace(-1.0, 1.0, claims.matrix.n_sources)
    objective = objective_of(claims, 2, ranges=ranges, log_claim_count=z, **options)  # type: ignore[arg-type]
    block = block_of(objective)
    noise = np.random.default_rng(1).normal(size=len(objective.centre))
    return block, ParameterVector(block.names, objective.centre + 0.5 * noise)


def test_attributes_alike_are_judged_in_one_pass(claims: Claims) -> None:
    block, _ = judged(claims)
    assert len(block.observations) == N_ATTRIBUTES
    assert len(block.passes) == 2 + N_ATTRIBUTES // 3


@pytest.mark.parametrize("floor", [1.0, 0.0])
def test_likelihood_and_gradient_are_sums_over_attributes(claims: Claims, floor: float) -> None:
    block, own = judged(claims, floor=floor)
    found, value = Posterior.empty(claims.matrix), 0.0
    counted, plain = np.zeros((2, block.data.n_rows))
    of_groups = {}
    for (model, parameters, eta), group in zip(block.models(own), block.observations, strict=True):
        more, of_groups[group], delta = model.log_likelihood(parameters, eta)
        model.judge(parameters, eta, found)
        value += more
        (counted if model.uses_claim_count else plain)[model.rows] += delta
    gradient = block.gradient(own, plain, block.eta(own)[2], of_groups, counted)
    together, _, slope = block.log_likelihood(own)
    assert together == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(slope, gradient, atol=1e-9)
    posterior = block.posterior(own)
    for name in ("plausibility", "unclaimed", "likelihood", "hardness"):
        np.testing.assert_allclose(getattr(posterior, name), getattr(found, name), atol=1e-12)


def test_scores_and_rates_are_those_of_each_attribute(claims: Claims) -> None:
    block, own = judged(claims)
    scores, rates = Scores.empty(claims.matrix), ClaimRates.empty(claims.matrix)
    for model, parameters, eta in block.models(own):
        model.score(parameters, eta, scores)
        model.rate(parameters, eta, rates)
    for name in ("statement", "unclaimed"):
        expected = getattr(scores, name)
        np.testing.assert_allclose(getattr(block.scores(own), name), expected, atol=1e-12)
    for name in ("right", "tpr", "fpr", "slope"):
        expected = getattr(rates, name)
        np.testing.assert_allclose(getattr(block.rates(own), name), expected, atol=1e-12)


def test_held_out_claims_are_foretold_in_their_order(claims: Claims) -> None:
    block, own = judged(claims)
    hidden = np.arange(0, claims.matrix.n_claims, 7)
    expected = []
    for model, parameters, eta in block.models(own):
        about = block.data.claims_of(model.parameters.range.first, model.parameters.range.last)
        here = hidden[(hidden >= about.start) & (hidden < about.stop)]
        expected.append(model.heldout_log_prob(parameters, eta, here))
    found = block.heldout_log_prob(own, hidden)
    np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-12)


def test_gradients_of_claims_are_those_of_each_attribute(claims: Claims) -> None:
    block, own = judged(claims)
    found = block.claim_gradients(own)
    data, row = block.data.by_claim(), block.data.row
    for (model, parameters, eta), group in zip(block.models(own), block.observations, strict=True):
        attribute = block.spec.attributes[int(group)]
        alone = type(model)(data, model.parameters.range, attribute, block.place)
        expected = alone.log_likelihood(parameters, eta[row])[2]
        np.testing.assert_allclose(found[alone.rows], expected, atol=1e-12)


def test_joined_items_are_those_of_each_attribute_one_after_the_other(claims: Claims) -> None:
    block, _ = judged(claims)
    role = block.data.roles.role.copy()
    role[::3] = SET_ASIDE
    data = replace(block.data, roles=replace(block.data.roles, role=role))
    ranges = [model.parameters.range for model in block.observations.values()][::2]
    joined, parts = JoinedItems.of(data, ranges), [data.item_arrays(own) for own in ranges]
    rows = joined.rows[joined.row]
    np.testing.assert_array_equal(rows, np.concatenate([part.rows[part.row] for part in parts]))
    assert len(joined.rows) == sum(len(part.rows) for part in parts)
    for name in ("weight", "offset", "offset_unseen"):
        expected = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(getattr(joined, name), expected)
    n_statements = np.cumsum([0, *(part.roles.n_statements for part in parts)])
    expected = np.concatenate(
        [part.roles.statement_index + n for part, n in zip(parts, n_statements, strict=False)]
    )
    np.testing.assert_array_equal(joined.roles.statement_index, expected)
    n_claims = np.cumsum([0, *(part.roles.n_claims for part in parts)])
    expected = np.concatenate(
        [part.roles.speaker + n for part, n in zip(parts, n_claims, strict=False)]
    )
    np.testing.assert_array_equal(joined.roles.speaker, expected)
