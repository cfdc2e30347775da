"""Held-out claims: what is hidden, what a gain is, and that the model stays as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.machines import every_kind
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import GRBM, Attribute, ClaimMatrix, Claims
from veracity.data.encode.denials import REDUNDANT, SET_ASIDE, claim_roles
from veracity.data.labels.hashes import Hashes
from veracity.engines.local import in_one_block
from veracity.models.grbm.held_out import (
    HIDDEN_SHARE,
    Gain,
    gain_of,
    gain_sums,
    hide,
    source_hashes,
)


def hashes_of(claims: Claims, seed: int = 0) -> Hashes:
    """Return the hashes of sources, by which lots are drawn."""
    return source_hashes(in_one_block(claims).blocks, claims.matrix.n_sources, seed)


def hidden_labels(claims: Claims, seed: int = 0) -> set[tuple[str, str]]:
    """Return source and entity of what is hidden."""
    matrix = claims.matrix
    _, hidden = hide(matrix, claim_roles(matrix), hashes_of(claims, seed))
    sources, entities = matrix.sources.to_pylist(), matrix.entities.to_pylist()
    entity = matrix.entity_index[matrix.item_of_claim[hidden]]
    return {
        (sources[s], entities[e]) for s, e in zip(matrix.source_index[hidden], entity, strict=True)
    }


def visible_sources(matrix: ClaimMatrix, part: Any) -> set[int]:
    """Return the items about which somebody is still heard."""
    return set(matrix.item_of_claim[part != REDUNDANT].tolist())


def test_gain_is_a_mean_with_its_standard_error() -> None:
    items = np.arange(3)
    gain = gain_of(np.array([-1.0, -2.0, -3.0]), np.array([-2.0, -2.0, -5.0]), items)
    # Differences 1, 0, 2: mean 1, standard deviation 1, over three claims.
    assert gain.mean == pytest.approx(1.0)
    assert gain.standard_error == pytest.approx(1 / 3**0.5)
    assert gain.z_score == pytest.approx(3**0.5)
    assert gain.n_claims == 3


def test_claims_about_the_same_item_are_one_piece_of_evidence() -> None:
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(50), 8)
    together = np.repeat(rng.normal(0.1, 1.0, 50), 8)  # what helps one claim helps them all
    alone = rng.normal(0.1, 1.0, 400)
    clustered = gain_of(together, np.zeros(400), item)
    # The error of the mean over fifty items, straight from its definition.
    of_item = together[::8] - together.mean()
    assert clustered.standard_error == pytest.approx(np.sqrt((of_item**2).sum()) / 50)
    assert clustered.standard_error > 2 * together.std() / 20
    # Where claims do not hang together, the larger of the two errors counts.
    by_claim = np.std(alone, ddof=1) / 20
    assert gain_of(alone, np.zeros(400), np.arange(400)).standard_error == pytest.approx(by_claim)
    assert gain_of(alone, np.zeros(400), item).standard_error >= by_claim * (1 - 1e-12)


def test_gains_of_blocks_add_up() -> None:
    rng = np.random.default_rng(1)
    difference, item = rng.normal(size=90), np.sort(rng.integers(0, 30, 90))
    whole = gain_of(difference, np.zeros(90), item)
    first = item < 12
    parts = [gain_sums(difference[part], item[part]) for part in (first, ~first)]
    total = Gain.of_sums({name: parts[0][name] + parts[1][name] for name in parts[0]})
    assert total.mean == pytest.approx(whole.mean)
    assert total.standard_error == pytest.approx(whole.standard_error)


def test_no_claims_or_no_spread_are_no_gain() -> None:
    nothing, nowhere = np.empty(0), np.empty(0, np.int64)
    assert gain_of(nothing, nothing, nowhere) == Gain(0.0, 0.0, 0)
    assert gain_of(nothing, nothing, nowhere).z_score == 0.0
    assert gain_of(np.array([-1.0]), np.array([-3.0]), np.zeros(1, np.int64)).z_score == 0.0


def test_about_a_fifth_is_hidden_and_never_all_of_an_item() -> None:
    claims = world([0.7] * 10, 300, share=0.4).claims
    matrix = claims.matrix
    roles, hidden = hide(matrix, claim_roles(matrix), hashes_of(claims))
    assert 0.8 * HIDDEN_SHARE < len(hidden) / matrix.n_claims < 1.1 * HIDDEN_SHARE
    assert (roles.role[hidden] == REDUNDANT).all()
    assert visible_sources(matrix, roles.role) == set(range(matrix.n_items))
    shown = np.setdiff1d(np.arange(matrix.n_claims), hidden)
    assert np.array_equal(roles.role[shown], claim_roles(matrix).role[shown])


def test_a_source_alone_is_never_hidden() -> None:
    rows = [(f"s{item}", f"e{item}", "v") for item in range(50)]
    claims = Claims.from_triples(rows, attributes={"*": OPEN})
    matrix = claims.matrix
    _, hidden = hide(matrix, claim_roles(matrix), hashes_of(claims))
    assert len(hidden) == 0


def test_what_is_hidden_depends_on_the_seed_not_on_names_or_the_order_of_rows() -> None:
    drawn = world([0.7] * 6, 60)
    usual = hidden_labels(drawn.claims)
    turned = {name: column[::-1] for name, column in drawn.columns.items()}
    again = Claims.from_frame(turned, attributes={"*": CLOSED})
    assert hidden_labels(again) == usual
    assert hidden_labels(drawn.claims, seed=1) != usual
    renamed = {name: [label[::-1] for label in column] for name, column in drawn.columns.items()}
    found = hidden_labels(Claims.from_frame(renamed, attributes={"*": CLOSED}))
    assert {(source[::-1], entity[::-1]) for source, entity in found} == usual


def test_a_trial_looks_at_a_share_of_the_items() -> None:
    claims = world([0.7] * 6, 400).claims
    matrix = claims.matrix
    all_hidden = hide(matrix, claim_roles(matrix), hashes_of(claims))[1]
    roles, hidden = hide(matrix, claim_roles(matrix), hashes_of(claims), 0.25)
    looked_at = {int(i) for i in matrix.item_of_claim[roles.role != SET_ASIDE]}
    assert 60 < len(looked_at) < 140
    assert set(hidden.tolist()) <= set(all_hidden.tolist())
    assert {int(i) for i in matrix.item_of_claim[hidden]} <= looked_at


def test_all_that_a_source_says_about_an_item_is_hidden_together() -> None:
    rng = np.random.default_rng(0)
    columns = {
        "source": [f"s{i}" for i in rng.integers(0, 8, 600)],
        "entity": [f"e{i}" for i in rng.integers(0, 40, 600)],
        "value": [f"v{i}" for i in rng.integers(0, 4, 600)],
    }
    claims = Claims.from_frame(columns, attributes={"*": Attribute("multiple")})
    matrix = claims.matrix
    roles, hidden = hide(matrix, claim_roles(matrix), hashes_of(claims))
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
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    matrix = claims.matrix
    roles, hidden = hide(matrix, claim_roles(matrix), hashes_of(claims))
    assert (matrix.claim_value[hidden] == 1).all()
    assert ((roles.role == REDUNDANT) & (matrix.claim_value == 0)).any()


@pytest.mark.parametrize(
    "attribute", [CLOSED, OPEN, BOOLEAN], ids=["confusion", "lures", "boolean"]
)
def test_held_out_claims_are_foreseen_better_than_by_guessing(attribute: Attribute) -> None:
    n_values = 2 if attribute is BOOLEAN else 3
    drawn = world([0.85] * 8, 100, n_values=n_values, attribute=attribute, share=0.7)
    model = GRBM(features="never").fit(drawn.claims)
    foreseen = model.held_out(drawn.claims)
    assert len(foreseen.claim) == len(foreseen.log_prob) > 60
    assert (foreseen.log_prob < 0).all()
    by_guess = -np.log(n_values + (attribute is OPEN))
    assert foreseen.log_prob.mean() > by_guess + 0.1


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
    model = GRBM(reliability, features="always", max_iter=40).fit(claims)
    before = fingerprint(model, claims)
    first = model.held_out(claims)
    assert fingerprint(model, claims) == before
    again = model.held_out(claims)
    assert np.array_equal(again.claim, first.claim)
    assert np.array_equal(again.log_prob, first.log_prob)
    other = world([0.6] * 4, 30, seed=9)
    extra = {**other.columns, "source_skill": [1.0] * len(other.columns["source"])}
    model.held_out(Claims.from_frame(extra, attributes={"*": CLOSED}))
    assert fingerprint(model, claims) == before


def test_held_out_claims_of_every_kind_have_finite_probabilities() -> None:
    claims = every_kind()
    foreseen = GRBM(features="never").fit(claims).held_out(claims).log_prob
    assert np.isfinite(foreseen).all()
    assert (foreseen <= 0).all()
