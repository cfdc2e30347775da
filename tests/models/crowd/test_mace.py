"""MACE, against crowd-kit and sums done by hand; its restarts, and very many claims on an item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.special import digamma
from tests.claim_rows import read, tables
from tests.crowd_peers import (
    CLOSED,
    assert_never_falls,
    columns_of,
    drawn_labels,
    fit_theirs,
    likelihoods,
    read_closed,
    their_plausibility,
)

from veracity import MACE, Attribute, Claims
from veracity.errors import InvalidParameter


def drawn(**options: Any) -> Claims:
    """Return drawn labels as claims."""
    return Claims.from_frame(columns_of(drawn_labels(**options)), attributes=CLOSED)


def test_one_iteration_of_expectation_maximisation_by_hand() -> None:
    # a, b say 1, c says 2: shares 2/3 and 1/3. At first answers are made up half the time, each
    # class alike, so that a right answer is known with probability (1/2) / (1/4 + 1/2) = 2/3.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    model = MACE(variational=False, smoothing=0.1, n_restarts=1, max_iter=1).fit(claims)
    made_up = {"a": 1 - 2 / 3 * 2 / 3, "b": 1 - 2 / 3 * 2 / 3, "c": 1 - 2 / 3 * 1 / 3}
    theta = {source: (count + 0.05) / 1.1 for source, count in made_up.items()}
    found = {row["source"]: row["spam"] for row in model.source_parameters_.to_pylist()}
    assert found == pytest.approx(theta)
    strategy = {source: (count + 0.05) / (count + 0.1) for source, count in made_up.items()}
    shown = {row["source"]: row["probability"] for row in model.strategy_.to_pylist()}
    assert shown == pytest.approx(strategy)
    # If 1 is true, a and b may know it and c makes up 2; if 2 is true, the other way round.
    wrong = {s: theta[s] * strategy[s] for s in "abc"}
    right = {s: wrong[s] + 1 - theta[s] for s in "abc"}
    one, two = right["a"] * right["b"] * wrong["c"], wrong["a"] * wrong["b"] * right["c"]
    assert model.plausibility_ == pytest.approx([one / (one + two), two / (one + two)])


def test_one_iteration_of_variational_bayes_by_hand() -> None:
    # As above; parameters are replaced by exponents of the expected logarithms.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    model = MACE(spam_prior=(2.0, 3.0), strategy_prior=4.0, n_restarts=1, max_iter=1).fit(claims)
    wrong, right = {}, {}
    for source, made_up in {"a": 5 / 9, "b": 5 / 9, "c": 7 / 9}.items():
        spam = np.exp(digamma(2 + made_up) - digamma(6))
        know = np.exp(digamma(3 + 1 - made_up) - digamma(6))
        strategy = np.exp(digamma(4 + made_up) - digamma(8 + made_up))
        wrong[source], right[source] = spam * strategy, spam * strategy + know
    one, two = right["a"] * right["b"] * wrong["c"], wrong["a"] * wrong["b"] * right["c"]
    assert model.plausibility_ == pytest.approx([one / (one + two), two / (one + two)])
    spam_of_c = model.source_parameters_.to_pylist()[2]["spam"]
    assert spam_of_c == pytest.approx((2 + 7 / 9) / 6)


@pytest.mark.parametrize("variational", [True, False])
def test_the_same_optimum_as_crowd_kit(variational: bool) -> None:
    # Their start is random, so that only the optimum can be compared.
    claims = drawn(n_items=80)
    method = "vb" if variational else "em"
    theirs = fit_theirs("MACE", claims, n_restarts=1, n_iter=300, method=method)
    model = MACE(variational, smoothing=0.01, n_restarts=1, max_iter=300).fit(claims)
    expected = their_plausibility(claims, theirs.probas_)
    # They smooth the two outcomes of a coin as little as one of the classes, we half of it each.
    assert model.plausibility_ == pytest.approx(expected, abs=1e-6 if variational else 1e-2)


def test_the_same_optimum_as_crowd_kit_on_real_labels(data_folder: Path) -> None:
    claims = read_closed(data_folder, "dog")
    theirs = fit_theirs("MACE", claims, n_restarts=1, n_iter=50)
    model = MACE(n_restarts=1, max_iter=50).fit(claims)
    expected = their_plausibility(claims, theirs.probas_)
    # After 50 iterations ours still changes by less than 1e-4.
    assert model.history_[-1]["change"] < 1e-4
    assert model.plausibility_ == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("variational", [True, False])
@given(rows=tables())
def test_the_likelihood_never_falls(rows: list[Any], variational: bool) -> None:
    model = MACE(variational, n_restarts=2, max_iter=25).fit(read(rows))
    found = likelihoods(model.history_)
    assert (np.diff(found) >= -1e-8 * (1 + np.abs(found[:-1]))).all()


@pytest.mark.parametrize("variational", [True, False])
def test_the_likelihood_rises_on_drawn_labels(variational: bool) -> None:
    assert_never_falls(MACE(variational).fit(drawn()).history_)


def test_restarts_restart_and_the_best_is_kept() -> None:
    claims = drawn(n_items=30, n_sources=5, share=0.5)
    early = MACE(variational=False, n_restarts=6, max_iter=3).fit(claims)
    assert len(set(early.restarts_)) == 6
    assert early.history_[-1]["log_likelihood"] == max(early.restarts_)
    other = MACE(variational=False, n_restarts=6, max_iter=3, random_state=1).fit(claims)
    assert other.restarts_[0] == early.restarts_[0]  # the first start is the vote
    assert not set(other.restarts_[1:]) & set(early.restarts_[1:])
    again = MACE(variational=False, n_restarts=6, max_iter=3).fit(claims)
    assert again.restarts_ == early.restarts_


def test_restarts_do_not_depend_on_who_the_sources_are() -> None:
    rows = drawn_labels(n_items=30, n_sources=5)
    renamed = [(f"z{9 - int(source[1:])}", entity, value) for source, entity, value in rows]
    mine, other = (
        MACE(variational=False, n_restarts=4, max_iter=5).fit(
            Claims.from_frame(columns_of(some), attributes=CLOSED)
        )
        for some in (rows, renamed)
    )
    assert mine.restarts_ == pytest.approx(other.restarts_, rel=1e-12)
    assert mine.plausibility_ == pytest.approx(other.plausibility_, abs=1e-9)


def test_two_thousand_claims_on_an_item_do_not_underflow() -> None:
    # 1,200 say 1 of x and 800 say 2, who all agree on the other items.
    rows = [(f"s{i}", "x", "1" if i < 1200 else "2") for i in range(2000)]
    rows += [(f"s{i}", f"e{k}", str(1 + k % 2)) for i in range(2000) for k in range(2)]
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    for variational in (True, False):
        model = MACE(variational, n_restarts=2).fit(claims)
        assert np.isfinite(likelihoods(model.history_)).all()
        found = {
            (row["entity"], row["value"]): row["plausibility"]
            for row in model.statements_.to_pylist()
        }
        assert found["x", "1"] == pytest.approx(1)
        assert found["x", "1"] + found["x", "2"] == pytest.approx(1)


def test_a_source_that_always_says_the_same_is_found_out() -> None:
    rows = [("spammer", f"e{i}", "1") for i in range(40)]
    rows += [(s, f"e{i}", "1" if i % 2 else "2") for i in range(40) for s in "ab"]
    model = MACE().fit(Claims.from_frame(columns_of(rows), attributes=CLOSED))
    spam = {row["source"]: row["spam"] for row in model.source_parameters_.to_pylist()}
    assert spam["spammer"] > 0.9 > 0.1 > max(spam["a"], spam["b"])
    said = [row for row in model.strategy_.to_pylist() if row["source"] == "spammer"]
    assert [row["said"] for row in said] == ["1"]


def test_open_questions_have_no_strategy() -> None:
    columns = columns_of(drawn_labels())
    claims = Claims.from_frame(columns, attributes={"*": Attribute("single", "open")})
    model = MACE(n_restarts=1).fit(claims)
    assert len(model.strategy_) == 0
    assert_never_falls(model.history_)


def test_parameters_are_checked() -> None:
    claims = columns_of(drawn_labels())
    with pytest.raises(InvalidParameter, match="n_restarts must be 1 or more"):
        MACE(n_restarts=0).fit(claims)
    with pytest.raises(InvalidParameter, match="strategy_prior must be a number above 0"):
        MACE(strategy_prior=0).fit(claims)
    with pytest.raises(InvalidParameter, match="spam_prior must be two numbers"):
        MACE(spam_prior=(1,)).fit(claims)  # type: ignore[arg-type]
