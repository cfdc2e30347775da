"""Held-out claims: what is hidden, what a gain is, and that the model stays as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.machines import every_kind
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import GRBM, Attribute, ClaimMatrix, Claims
from veracity.data.encode.denials import REDUNDANT, claim_roles
from veracity.models.grbm.held_out import HIDDEN_SHARE, Gain, gain_of, hide


def hidden_labels(claims: Claims, seed: int = 0) -> set[tuple[str, str]]:
    """Return source and entity of what is hidden."""
    matrix = claims.matrix
    _, hidden = hide(matrix, claim_roles(matrix), seed)
    sources, entities = matrix.sources.to_pylist(), matrix.entities.to_pylist()
    entity = matrix.entity_index[matrix.item_of_claim[hidden]]
    return {
        (sources[s], entities[e]) for s, e in zip(matrix.source_index[hidden], entity, strict=True)
    }


def visible_sources(matrix: ClaimMatrix, part: Any) -> set[int]:
    """Return the items about which somebody is still heard."""
    return set(matrix.item_of_claim[part != REDUNDANT].tolist())


def test_gain_is_a_mean_with_its_standard_error() -> None:
    gain = gain_of(np.array([-1.0, -2.0, -3.0]), np.array([-2.0, -2.0, -5.0]))
    # Differences 1, 0, 2: mean 1, standard deviation 1, over three claims.
    assert gain.mean == pytest.approx(1.0)
    assert gain.standard_error == pytest.approx(1 / 3**0.5)
    assert gain.z_score == pytest.approx(3**0.5)
    assert gain.n_claims == 3


def test_no_claims_or_no_spread_are_no_gain() -> None:
    nothing = np.empty(0)
    assert gain_of(nothing, nothing) == Gain(0.0, 0.0, 0)
    assert gain_of(nothing, nothing).z_score == 0.0
    assert gain_of(np.array([-1.0]), np.array([-3.0])).z_score == 0.0


def test_about_a_fifth_is_hidden_and_never_all_of_an_item() -> None:
    claims = world([0.7] * 10, 300, share=0.4).claims
    matrix = claims.matrix
    roles, hidden = hide(matrix, claim_roles(matrix), 0)
    assert 0.8 * HIDDEN_SHARE < len(hidden) / matrix.n_claims < 1.1 * HIDDEN_SHARE
    assert (roles.role[hidden] == REDUNDANT).all()
    assert visible_sources(matrix, roles.role) == set(range(matrix.n_items))
    shown = np.setdiff1d(np.arange(matrix.n_claims), hidden)
    assert np.array_equal(roles.role[shown], claim_roles(matrix).role[shown])


def test_a_source_alone_is_never_hidden() -> None:
    rows = [(f"s{item}", f"e{item}", "v") for item in range(50)]
    matrix = Claims.from_triples(rows, attributes={"*": OPEN}).matrix
    _, hidden = hide(matrix, claim_roles(matrix), 0)
    assert len(hidden) == 0


def test_what_is_hidden_depends_on_the_seed_not_on_the_order_of_rows() -> None:
    drawn = world([0.7] * 6, 60)
    turned = {name: column[::-1] for name, column in drawn.columns.items()}
    again = Claims.from_frame(turned, attributes={"*": CLOSED})
    assert hidden_labels(drawn.claims) == hidden_labels(again)
    assert hidden_labels(drawn.claims) != hidden_labels(drawn.claims, seed=1)


def test_all_that_a_source_says_about_an_item_is_hidden_together() -> None:
    rng = np.random.default_rng(0)
    columns = {
        "source": [f"s{i}" for i in rng.integers(0, 8, 600)],
        "entity": [f"e{i}" for i in rng.integers(0, 40, 600)],
        "value": [f"v{i}" for i in rng.integers(0, 4, 600)],
    }
    claims = Claims.from_frame(columns, attributes={"*": Attribute("multiple")})
    matrix = claims.matrix
    roles, hidden = hide(matrix, claim_roles(matrix), 0)
    shown = set(matrix.pair_of_claim[roles.role != REDUNDANT].tolist())
    assert len(hidden) > 40
    assert not shown & set(matrix.pair_of_claim[hidden].tolist())


def test_denials_of_single_values_are_hidden_but_not_asked_about() -> None:
    rng = np.random.default_rng(1)
    columns = {
        "source": [f"s{i}" for i in range(8) for _ in range(40)],
        "entity": [f"e{i}" for _ in range(8) for i in range(40)],
        "value": [f"v{i}" for i in rng.integers(0, 3, 320)],
        "asserts": rng.integers(0, 2, 320).tolist(),
    }
    matrix = Claims.from_frame(columns, attributes={"*": CLOSED}).matrix
    roles, hidden = hide(matrix, claim_roles(matrix), 0)
    assert (matrix.claim_value[hidden] == 1).all()
    assert ((roles.role == REDUNDANT) & (matrix.claim_value == 0)).any()


@pytest.mark.parametrize(
    "attribute", [CLOSED, OPEN, BOOLEAN], ids=["confusion", "one-coin", "per-statement"]
)
def test_held_out_claims_are_foreseen_better_than_by_guessing(attribute: Attribute) -> None:
    n_values = 2 if attribute is BOOLEAN else 3
    drawn = world([0.85] * 8, 100, n_values=n_values, attribute=attribute, share=0.7)
    model = GRBM(features="never").fit(drawn.claims)
    foreseen = model.held_out(drawn.claims)
    assert len(foreseen) > 60
    assert (foreseen < 0).all()
    by_guess = -np.log(n_values + (attribute is OPEN))
    assert foreseen.mean() > by_guess + 0.1


def fingerprint(model: GRBM, claims: Any) -> tuple[Any, ...]:
    """Return all that a fitted model says."""
    _, arrays = model._state()
    return (
        model.predict(claims).to_pylist(),
        model.parameters(claims).to_pylist(),
        {name: array.tobytes() for name, array in arrays.items()},
        model.score(claims),
    )


@pytest.mark.parametrize("reliability", ["linear", "mlp"])
def test_held_out_leaves_the_model_as_it_is(reliability: str) -> None:
    drawn = world([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], 60)
    skill = {f"s{place:02d}": 6.0 - place for place in range(6)}
    columns = {**drawn.columns, "source_skill": [skill[name] for name in drawn.columns["source"]]}
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    model = GRBM(reliability, features="always", max_iter=200).fit(claims)
    before = fingerprint(model, claims)
    first = model.held_out(claims)
    assert fingerprint(model, claims) == before
    assert np.array_equal(model.held_out(claims), first)
    other = world([0.6] * 4, 30, seed=9)
    extra = {**other.columns, "source_skill": [1.0] * len(other.columns["source"])}
    model.held_out(Claims.from_frame(extra, attributes={"*": CLOSED}))
    assert fingerprint(model, claims) == before


def test_held_out_claims_of_every_kind_have_finite_probabilities() -> None:
    claims = every_kind()
    foreseen = GRBM(features="never").fit(claims).held_out(claims)
    assert np.isfinite(foreseen).all()
    assert (foreseen <= 0).all()
