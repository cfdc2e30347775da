"""From scores to plausibilities: tempered, mixed with shares, monotone and never certain."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.claim_rows import Row, read, tables
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import GRBM, Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.observation.base import Scores
from veracity.models.grbm.plausibility import claim_shares, plausibilities, tempered

KINDS = {"open": OPEN, "closed": CLOSED, "boolean": BOOLEAN, "multiple": Attribute("multiple")}


def test_tempering_is_averaged_over_how_much_claims_hang_together() -> None:
    rng = np.random.default_rng(0)
    x = np.array([0.0, 0.5, 2.0, 10.0])
    drawn = rng.gamma(2.0, 0.7 / 2.0, 400_000)
    expected = np.exp(-drawn[:, None] * x).mean(axis=0)
    np.testing.assert_allclose(tempered(x), expected, atol=2e-3)


def test_a_plausibility_by_hand() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("d", "y", "1"), ("d", "z", "3")]
    matrix = Claims.from_triples(rows, attributes={"*": CLOSED}).matrix
    scores = Scores(np.array([-1.0, -3.0, -1.0, -1.0]), np.array([-4.0, -1.5, -9.0]))
    found = plausibilities(matrix, scores, matrix.claim_weight)
    f = [1.0, (1 + 0.35 * 2) ** -2, (1 + 0.35 * 3) ** -2]  # the third is the value nobody claims
    share = [(2 + 0.5 / 3) / 3.5, (1 + 0.5 / 3) / 3.5]
    expected = [0.6 * one / sum(f) + 0.4 * other for one, other in zip(f, share, strict=False)]
    assert found[:2].tolist() == pytest.approx(expected)


def test_shares_count_who_names_a_value_by_weight() -> None:
    rows = [Row("a", "x", "open", "1"), Row("b", "x", "open", "2", weight=3.0)]
    matrix = read([*rows, Row("d", "x", "open", "1", asserts=0)]).matrix
    # Two values and one that nobody claims share half a claim among them.
    assert claim_shares(matrix, matrix.claim_weight).tolist() == pytest.approx(
        [(1 + 0.5 / 3) / 4.5, (3 + 0.5 / 3) / 4.5]
    )
    several = [Row("a", "x", "multiple", "1"), Row("b", "x", "multiple", "2")]
    matrix = read(several, weighted=False).matrix  # who names another value denies this one
    assert claim_shares(matrix, matrix.claim_weight).tolist() == pytest.approx([0.5, 0.5])


@st.composite
def judged(draw: st.DrawFn) -> tuple[ClaimMatrix, Scores]:
    """Draw claims of all kinds, and scores of their values."""
    matrix = read(draw(tables(max_size=20)), weighted=False).matrix
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    size = draw(st.sampled_from([0.1, 1.0, 30.0]))
    return matrix, Scores(
        -size * rng.exponential(size=matrix.n_statements),
        -size * rng.exponential(size=matrix.n_items),
    )


@settings(max_examples=40)
@given(judged())
def test_values_that_compete_are_at_most_certain_together(case: tuple[ClaimMatrix, Scores]) -> None:
    matrix, scores = case
    found = plausibilities(matrix, scores, matrix.claim_weight)
    assert found.min() >= 0
    assert found.max() <= 1
    total = matrix.sum_by_item(found)[matrix.kind_is("single")]
    assert (total <= 1 + 1e-12).all()


@settings(max_examples=40)
@given(judged(), st.integers(0, 19), st.floats(0.01, 20))
def test_a_better_score_is_never_less_plausible(
    case: tuple[ClaimMatrix, Scores], place: int, more: float
) -> None:
    matrix, scores = case
    place %= matrix.n_statements
    raised = scores.statement.copy()
    raised[place] += more
    before = plausibilities(matrix, scores, matrix.claim_weight)
    after = plausibilities(matrix, Scores(raised, scores.unclaimed), matrix.claim_weight)
    assert after[place] >= before[place] - 1e-12


def plausibility_of(model: GRBM, sources: list[str], attribute: Attribute, word: str) -> float:
    """Return how plausible a value is that these sources claim of a new entity."""
    n = len(sources)
    later: dict[str, Any] = {"source": sources, "entity": ["new"] * n, "value": [word] * n}
    (row,) = model.predict(Claims.from_frame(later, attributes={"*": attribute})).to_pylist()
    assert row["value"] == word
    return float(row["plausibility"])


@pytest.mark.parametrize("kind", KINDS)
def test_more_sources_that_agree_make_it_more_plausible_and_never_certain(kind: str) -> None:
    attribute = KINDS[kind]
    drawn = world([0.75] * 10, 80, n_values=2, attribute=attribute, seed=5)
    model = GRBM(features="never").fit(drawn.claims)
    word = "yes" if kind == "boolean" else "v1"
    found = [
        plausibility_of(model, [f"s{place:02d}" for place in range(count)], attribute, word)
        for count in range(1, 11)
    ]
    assert all(more > fewer for fewer, more in pairwise(found))
    assert 0.8 < found[-1] < 0.99


@pytest.mark.parametrize("n_sources", [3, 5, 10])
def test_an_open_item_on_which_all_agree_is_believed(n_sources: int) -> None:
    drawn = world([0.7] * 10, 100, n_values=6, attribute=OPEN)
    model = GRBM(features="never").fit(drawn.claims)
    assert model.forms_ == {"value": "lures"}
    sources = [f"s{place:02d}" for place in range(n_sources)]
    assert plausibility_of(model, sources, OPEN, "something else") > 0.5


def test_an_answer_is_the_value_with_the_largest_plausibility() -> None:
    drawn = world([0.8, 0.7, 0.6, 0.5, 0.4], 100)
    model = GRBM(features="never").fit(drawn.claims)
    matrix, shown = drawn.claims.matrix, np.asarray(model.plausibility_)
    best: Floats = np.maximum.reduceat(shown, matrix.statement_start[:-1])
    for row in model.truths_.to_pylist():
        item = matrix.entities.to_pylist().index(row["entity"])
        assert row["plausibility"] == best[item]
