"""Yes/no items as two statements: the same as if yes and no were two values of an item."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.machines import By, answers, every_kind, some_theta, units_of
from tests.objectives import block_of, paper_objective

from veracity import Attribute, BinaryGRBM, Claims
from veracity.models.grbm.contrastive_divergence import binary_machine
from veracity.models.grbm.observation.units import (
    Units,
    diverge,
    summarise,
    summarise_machines,
)

B_0 = 0.4
RATES = np.array([0.9, 0.8, 0.7]), np.array([0.1, 0.25, 0.3])


def as_two_values(claims: Claims) -> Claims:
    """Return the same claims about items with two values."""
    matrix = claims.matrix
    sources, entities = matrix.sources.to_pylist(), matrix.entities.to_pylist()
    columns = {
        "source": [sources[i] for i in matrix.source_index],
        "entity": [entities[i] for i in matrix.entity_index[matrix.item_of_claim]],
        "attribute": ["open"] * matrix.n_claims,
        "value": np.where(matrix.claim_value == 1, "yes", "no").tolist(),
    }
    return Claims.from_frame(columns, attributes={"open": Attribute("single", "closed")})


def mirrored(units: Units, claims: Claims) -> Units:
    """Return units with the denial of each yes/no statement as a machine."""
    yes_no = claims.matrix.kind_is("boolean")[claims.matrix.item_of_statement]
    return replace(units, mirrored=np.flatnonzero(yes_no))


def contested(claims: Claims) -> Claims:
    """Return the claims about items of which some say yes and some no."""
    matrix = claims.matrix
    sources, entities = matrix.sources.to_pylist(), matrix.entities.to_pylist()
    item = matrix.item_of_claim
    share = np.bincount(item, matrix.claim_value) / np.bincount(item)
    kept = np.flatnonzero((share[item] > 0) & (share[item] < 1))
    columns = {
        "source": [sources[matrix.source_index[i]] for i in kept],
        "entity": [entities[matrix.entity_index[item[i]]] for i in kept],
        "attribute": ["open"] * len(kept),
        "value": ["yes" if matrix.claim_value[i] else "no" for i in kept],
    }
    return Claims.from_frame(columns)


def test_denials_are_what_a_second_value_would_be() -> None:
    claims = contested(answers(200, *RATES, seed=1))
    assert claims.matrix.kind_is("boolean").all()
    apart = as_two_values(claims)
    found = []
    for each, units in (
        (claims, mirrored(units_of(claims), claims)),
        (apart, units_of(apart)),
    ):
        names = each.matrix.sources.to_pylist()
        by_name = some_theta(3, 2)
        order = [int(name[1:]) for name in names]
        theta = type(by_name)(*(column[order] for column in by_name))
        found.append(summarise(units, theta, B_0))
    (ours, evidence), (both, of_both) = found
    assert ours.log_likelihood == pytest.approx(both.log_likelihood)
    assert ours.delta_global == pytest.approx(both.delta_global)
    # The log-odds are those of yes less those of no.
    other, values = apart.matrix, apart.matrix.values.to_pylist()
    entities = other.entities.to_pylist()
    by_value = {
        (entities[other.entity_index[item]], values[other.value_index[i]]): of_both[i]
        for i, item in enumerate(other.item_of_statement)
    }
    names = claims.matrix.entities.to_pylist()
    for i, entity in enumerate(names[place] for place in claims.matrix.entity_index):
        expected = by_value[entity, "yes"] - by_value[entity, "no"]
        assert evidence[i] == pytest.approx(expected)


@pytest.mark.parametrize("by", ["source", "claim", "statement"])
def test_parts_add_up_and_sampling_agrees(by: By) -> None:
    claims = every_kind()
    units = mirrored(units_of(claims, by), claims)
    assert len(units.mirrored) == 2
    theta = some_theta(units.n_rows, 3)
    whole, _ = summarise(units, theta, B_0)
    items = np.arange(units.roles.n_items)
    parts = [
        summarise_machines(units, theta, B_0, units.machines_of(half))
        for half in (items[::2], items[1::2])
    ]
    summed = parts[0] + parts[1]
    assert summed.log_likelihood == pytest.approx(whole.log_likelihood)
    np.testing.assert_allclose(summed.delta_theta, whole.delta_theta, atol=1e-12)
    machines = np.arange(units.n_machines)
    draws = [diverge(units, theta, B_0, machines, 30, seed).delta_theta for seed in range(2000)]
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert (np.abs(np.mean(draws, axis=0) - whole.delta_theta) < 4.5 * error + 1e-12).all()


def test_known_truth_holds_both() -> None:
    claims = answers(40, *RATES, seed=2)
    known = np.full(40, -1, np.int8)
    known[:3] = 1, 0, 1
    units = replace(mirrored(units_of(claims), claims), known=known)
    np.testing.assert_array_equal(units.known_machines[40:43], [0, 1, 0])
    theta = some_theta(units.n_rows, 3)
    whole, _ = summarise(units, theta, B_0)
    parts = summarise_machines(units, theta, B_0, np.arange(units.n_machines))
    np.testing.assert_allclose(parts.delta_theta, whole.delta_theta, atol=1e-12)


def test_the_objective_passes_it_on() -> None:
    block = block_of(paper_objective(every_kind(), one_hot=True))
    assert len(binary_machine(block).units.mirrored) == 2
    assert not len(binary_machine(block_of(paper_objective(every_kind()))).units.mirrored)


def test_a_free_bias_cannot_decide_between_yes_and_no() -> None:
    claims = answers(300, *RATES, seed=3)
    model = BinaryGRBM(features=[], tie_hidden_bias=False, one_hot=True).fit(claims)
    explained = model.explain(claims.matrix.entities[0].as_py())
    best = explained.statements[0]
    assert best.global_hidden_bias == 0.0
    total = sum(term.log_odds for term in best.terms)
    assert total == pytest.approx(np.log(best.plausibility / (1 - best.plausibility)), abs=1e-6)
    matrix, theta = claims.matrix, model.parameters(claims)
    weight = dict(zip(theta["source"].to_pylist(), theta["weight"].to_pylist(), strict=True))
    for term in best.terms:
        assert abs(term.log_odds) == pytest.approx(abs(weight[term.source]))
    assert len(best.terms) == matrix.n_sources
