"""Sayings: sums over implied denials, against a table with every yes and no written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.sayings import mixed_claims, written_out

from veracity import Attribute, Claims
from veracity.models.views.yes_no import Sayings


@pytest.mark.parametrize("everyone", [False, True])
@pytest.mark.parametrize("weights", [False, True])
def test_sums_are_those_of_the_table_written_out(everyone: bool, weights: bool) -> None:
    matrix = mixed_claims(weights).matrix
    sayings = (Sayings.of_everyone if everyone else Sayings.of_speakers)(matrix)
    claims, denies = written_out(matrix, everyone)
    random = np.random.default_rng(1)
    yes, no = random.random((2, matrix.n_sources))
    p = random.random(matrix.n_statements)
    np.testing.assert_allclose(sayings.to_statements(yes, no), yes @ claims + no @ denies)
    claimed, denied = sayings.to_sources(p)
    np.testing.assert_allclose(claimed, claims @ p)
    np.testing.assert_allclose(denied, denies @ p, atol=1e-12)


def test_who_repeats_itself_has_the_weight_of_all_its_claims() -> None:
    rows: dict[str, list[Any]] = {
        "source": ["ann", "ann", "ann", "bob"],
        "entity": ["sky"] * 4,
        "value": ["blue", "blue", "grey", "grey"],
    }
    claims = Claims.from_frame(rows, attributes={"*": Attribute("single")}, duplicates="all")
    ones = np.ones(claims.matrix.n_statements)
    for sayings in (Sayings.of_speakers(claims.matrix), Sayings.of_everyone(claims.matrix)):
        claimed, denied = sayings.to_sources(ones)
        assert claimed.tolist() == [3, 1]
        assert denied.tolist() == [0, 1]


def test_denials_are_not_stored() -> None:
    # 50 sources, each with a value of its own: 50 yes, and 2,450 no that follow from them.
    n = 50
    rows = {
        "source": [f"s{i}" for i in range(n)],
        "entity": ["x"] * n,
        "value": [f"v{i}" for i in range(n)],
    }
    sayings = Sayings.of_speakers(Claims.from_frame(rows).matrix)
    assert len(sayings.speakings) == len(sayings.claims) == n
    assert len(sayings.denials) == 0
    _, denied = sayings.to_sources(np.ones(n))
    assert denied.sum() == n * (n - 1)
