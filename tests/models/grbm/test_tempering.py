"""From scores to plausibilities: tempered, mixed with shares, and never another best value."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.claim_rows import Row, read, tables
from tests.worlds import BOOLEAN, CLOSED, OPEN, world
from veracity.models.grbm.tempering import claim_shares, mix_in_shares, temper

from veracity import GRBM, Attribute, Claims
from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix

KINDS = {"open": OPEN, "closed": CLOSED, "boolean": BOOLEAN, "multiple": Attribute("multiple")}


def matrix_of(rows: list[tuple[str, str, str]], attribute: Attribute = OPEN) -> ClaimMatrix:
    """Read rows of one kind."""
    return Claims.from_triples(rows, attributes={"*": attribute}).matrix


def test_evidence_is_worth_that_of_fewer_sources() -> None:
    rows = [("a", "x", "1"), ("a", "y", "1"), ("b", "y", "1"), ("c", "y", "2")]
    matrix = matrix_of(rows)
    # One source: as it is. Three, each pair correlated by 0.3: 1 / (1 + 0.3 * 2).
    assert temper(matrix, 0.3).tolist() == pytest.approx([1.0, 1 / 1.6])
    assert temper(matrix, 0.0).tolist() == [1.0, 1.0]
    assert temper(matrix, 1.0).tolist() == pytest.approx([1.0, 1 / 3])


def test_shares_count_those_who_speak() -> None:
    rows = [Row("a", "x", "open", "1"), Row("b", "x", "open", "2"), Row("c", "x", "open", "2")]
    matrix = read([*rows, Row("d", "x", "open", "1", asserts=0)], weighted=False).matrix
    # "1": one for it, three against. "2": two for it, one names another.
    assert dict(zip(matrix.values.to_pylist(), claim_shares(matrix), strict=True)) == {
        "1": pytest.approx(1 / 4),
        "2": pytest.approx(2 / 3),
    }


def test_a_source_that_names_several_values_has_one_voice() -> None:
    rows = [Row("a", "x", "open", "1"), Row("a", "x", "open", "2")]
    claims = read(rows, weighted=False)
    assert claim_shares(claims.matrix).tolist() == [0.5, 0.5]
    model = GRBM(features="never").fit(claims)
    assert model.plausibility_.sum() <= 1 + 1e-12
    several = read([Row("a", "x", "multiple", "1"), Row("a", "x", "multiple", "2")], weighted=False)
    assert claim_shares(several.matrix).tolist() == [1.0, 1.0]


def test_a_fifth_of_the_shares_is_mixed_in_by_hand() -> None:
    matrix = matrix_of([("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")])
    by_itself = np.zeros(2, np.bool_)
    p, share = np.array([0.6, 0.3]), np.array([2 / 3, 1 / 3])
    mixed = mix_in_shares(matrix, p, share, by_itself)
    assert mixed.tolist() == pytest.approx([0.8 * 0.6 + 0.2 * 2 / 3, 0.8 * 0.3 + 0.2 / 3])


def test_less_is_mixed_in_where_another_value_would_win() -> None:
    matrix = matrix_of([("a", "x", "1"), ("b", "x", "2"), ("c", "x", "2")])
    by_itself = np.zeros(2, np.bool_)
    p, share = np.array([0.5, 0.45]), np.array([1 / 3, 2 / 3])
    mixed = mix_in_shares(matrix, p, share, by_itself)
    # They would be level at a part of 0.05 / (0.05 + 1/3); nine tenths of that are mixed in.
    part = 0.9 * 0.05 / (0.05 + 1 / 3)
    assert mixed.tolist() == pytest.approx(((1 - part) * p + part * share).tolist())
    assert mixed[0] > mixed[1]


@st.composite
def judged(draw: st.DrawFn) -> tuple[ClaimMatrix, Floats]:
    """Draw claims of all kinds, and plausibilities that sum to at most 1 where values compete."""
    matrix = read(draw(tables(max_size=20)), weighted=False).matrix
    seed = draw(st.integers(0, 2**31))
    rng = np.random.default_rng(seed)
    p = rng.random(matrix.n_statements) ** rng.choice([0.2, 1.0, 5.0])
    if draw(st.booleans()):
        p = np.round(p, 1)  # so that there are ties
    single = matrix.kind_is("single")[matrix.item_of_statement]
    sums = np.bincount(matrix.item_of_statement, p, minlength=matrix.n_items)
    return matrix, np.where(single, p / np.maximum(sums, 1.0)[matrix.item_of_statement], p)


@settings(max_examples=40)
@given(judged())
def test_mixing_never_changes_which_value_is_best(case: tuple[ClaimMatrix, Floats]) -> None:
    matrix, p = case
    by_itself = ~matrix.kind_is("single")[matrix.item_of_statement]
    mixed = mix_in_shares(matrix, p, claim_shares(matrix), by_itself)
    assert mixed.min() >= 0
    assert mixed.max() <= 1 + 1e-12
    for item in range(matrix.n_items):
        here = slice(matrix.statement_start[item], matrix.statement_start[item + 1])
        before, after = p[here], mixed[here]
        if by_itself[here][0]:
            decided = before != 0.5
            assert np.array_equal((before > 0.5)[decided], (after > 0.5)[decided])
            continue
        best = before >= before.max()
        # One of the best stays so, and nothing that was behind comes level.
        assert best[int(np.argmax(after))]
        assert (after[~best] < after[best].max()).all()
        if before.sum() <= 1:
            assert after.sum() <= 1 + 1e-12


@settings(max_examples=15)
@given(rows=tables(max_size=16), correlation=st.sampled_from([0.0, 0.3, 1.0]))
def test_values_of_an_item_are_one_thing_or_the_other(rows: list[Row], correlation: float) -> None:
    claims = read(rows, weighted=False)
    model = GRBM(features="never", correlation=correlation).fit(claims)
    matrix = claims.matrix
    single = matrix.kind_is("single")
    total = np.bincount(matrix.item_of_statement, model.plausibility_, minlength=matrix.n_items)
    assert (total[single] <= 1 + 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_more_sources_that_agree_make_it_more_plausible(kind: str, correlation: float) -> None:
    attribute = KINDS[kind]
    drawn = world([0.75] * 8, 80, n_values=2, attribute=attribute, seed=5)
    model = GRBM(features="never", correlation=correlation).fit(drawn.claims)
    word = "yes" if kind == "boolean" else "v1"
    found = []
    for count in range(1, 9):
        sources = [f"s{place:02d}" for place in range(count)]
        later: dict[str, Any] = {"source": sources, "entity": "new", "value": word}
        later = {name: sources if name == "source" else [later[name]] * count for name in later}
        claims = Claims.from_frame(later, attributes={"*": attribute})
        (row,) = model.predict(claims).to_pylist()
        assert row["value"] == word
        found.append(row["plausibility"])
    assert all(more > fewer for fewer, more in pairwise(found))
    assert found[-1] <= 1.0


def test_tempering_makes_less_certain_and_changes_no_verdict() -> None:
    drawn = world([0.8] * 10, 100, seed=6)
    plain, tempered = (GRBM(features="never", correlation=c).fit(drawn.claims) for c in (0.0, 0.3))
    for one, other in zip(plain.truths_.to_pylist(), tempered.truths_.to_pylist(), strict=True):
        assert one["value"] == other["value"]
        assert other["plausibility"] <= one["plausibility"] + 1e-12
    mean = [float(np.mean(m.truths_["plausibility"].to_pylist())) for m in (plain, tempered)]
    assert mean[1] < mean[0] - 0.02


@pytest.mark.parametrize("correlation", [-0.1, 1.1])
def test_a_correlation_out_of_range_is_refused(correlation: float) -> None:
    with pytest.raises(ValueError, match="correlation must be from 0 to 1"):
        GRBM(correlation=correlation).fit(world([0.8] * 3, 5).claims)
