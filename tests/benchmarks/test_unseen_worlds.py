"""Made worlds: the same every time, and the true model is as good as it should be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from unseen_worlds import (
    KINDS,
    SILENT,
    TOGETHER,
    WORLDS,
    Setting,
    _of_family,
    hard_items,
    make,
    one_sided,
)

from veracity import MajorityVote
from veracity.evaluation.metrics import evaluate

MADE = [world for world in WORLDS if not world.startswith("drawn: ")]


@pytest.mark.parametrize("world", MADE)
def test_the_true_model_is_ahead_of_the_vote(world: str) -> None:
    made = make(world, 0)
    vote = evaluate(MajorityVote().fit(made.claims).truths_, made.truth, made.claims)
    assert made.oracle is not None
    assert vote.accuracy - 0.01 <= made.oracle < 0.99
    assert made.oracle > 0.7


def test_a_seed_always_gives_the_same_claims() -> None:
    first, again, other = (make("families, 4 values", seed) for seed in (1, 1, 2))
    table = first.claims.in_use()
    assert table.equals(again.claims.in_use())
    assert not table.equals(other.claims.in_use())
    assert first.oracle == again.oracle


def test_every_kind_is_there_in_closed_domains_and_most_in_open_ones() -> None:
    assert all(f"{kind}, {n} values" in WORLDS for kind in KINDS for n in (2, 4))
    assert sum(world.endswith(", open") for world in MADE) == len(KINDS) - 3


def test_one_sided_sources_say_one_value() -> None:
    said, _ = one_sided(Setting.of(4, False, 0))
    assert all(len(set(row[row != SILENT])) == 1 for row in said)


def test_what_a_family_says_sums_to_one() -> None:
    setting = Setting.of(3, False, 0)
    own = np.array([0.5, 0.7])
    pairs = np.array(list(itertools.product(range(3), repeat=2))).T  # (members, what both say)
    likelihood = np.exp(_of_family(setting, pairs, own, 0.6))  # (pairs, truth)
    np.testing.assert_allclose(likelihood.sum(axis=0), 1.0)
    # Both right: together by the family's answer, or one of them, or both by themselves.
    right = 0.6 * np.prod(TOGETHER + (1 - TOGETHER) * own)
    right += 0.4 * np.prod((1 - TOGETHER) * own)
    assert likelihood[0, 0] == pytest.approx(right)


def test_hardness_is_summed_out() -> None:
    said, likelihood = hard_items(Setting.of(2, False, 0))
    assert likelihood.shape == (said.shape[1], 2)
    assert np.isfinite(likelihood).all()
