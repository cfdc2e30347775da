"""What the methods on the graph of sources and answers share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Row, as_columns, contested, shuffled

from veracity import (
    Attribute,
    AverageLog,
    Claims,
    Investment,
    PooledInvestment,
    Sums,
)
from veracity.models.views.one_true_value import Questions
from veracity.models.web.fixpoints import (
    is_given,
    ratio,
    scaled,
    shares_of_belief,
    with_something_else,
)


def questions_of(rows: list[tuple[Any, ...]], domain: Any = "open") -> Questions:
    names = ("source", "entity", "value", "asserts")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    attributes = {"*": Attribute("single", domain)}
    return Questions.of(Claims.from_frame(columns, attributes=attributes).matrix)


#: a says 1 about x, b denies it, c says 2; d says 3 about y.
DENIED = [("a", "x", "1", 1), ("b", "x", "1", 0), ("c", "x", "2", 1), ("d", "y", "3", 1)]


def test_a_denial_is_also_a_vote_for_what_nobody_claims() -> None:
    plain = questions_of(DENIED)
    questions = with_something_else(plain)
    # The vote of b goes in two parts to 2 and to something else.
    assert plain.n_votes.tolist() == [1, 1.5, 1]
    assert questions.n_votes.tolist() == [1, 1.5, 0.5, 1]
    assert questions.answer_of_statement.tolist() == [0, 1, 3]
    assert questions.question_of_answer.tolist() == [0, 0, 0, 1]
    assert questions.n_given.tolist() == [1, 1, 1, 1]
    assert questions.n_unseen.tolist() == [0, 1]
    found = questions.to_sources(np.array([1.0, 10.0, 100.0, 1000.0]))
    assert found.tolist() == [1, 55, 10, 1000]


def test_something_else_stands_for_all_other_values_of_a_closed_domain() -> None:
    questions = with_something_else(questions_of(DENIED, "closed"))
    # Three values are possible: b votes for 2 and for 3, which nobody claims about x.
    assert questions.n_votes.tolist() == [1, 1.5, 0.5, 1]


def test_without_denials_nothing_is_added() -> None:
    plain = questions_of([row for row in DENIED if row[3]])
    assert with_something_else(plain) is plain


def test_what_is_only_denied_is_not_given() -> None:
    questions = with_something_else(questions_of([("a", "x", "1", 0), ("b", "x", "1", 0)]))
    assert is_given(questions).tolist() == [False, True]
    assert shares_of_belief(questions, np.array([5.0, 0.0])).tolist() == [0, 1]


def test_shares_of_belief_fall_back_on_votes() -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "1", 1), ("c", "x", "2", 1), ("c", "y", "3", 1)]
    questions = questions_of(rows)
    assert shares_of_belief(questions, np.array([1.0, 3.0, 0.0])).tolist() == [0.25, 0.75, 1]
    found = shares_of_belief(questions, np.zeros(3))
    assert found.tolist() == pytest.approx([2 / 3, 1 / 3, 1])


def test_nothing_is_divided_by_nothing() -> None:
    assert scaled(np.array([1.0, 4.0])).tolist() == [0.25, 1]
    assert scaled(np.zeros(2)).tolist() == [0, 0]
    assert ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist() == [0.5, 0]


@given(rows=contested, seed=st.integers(0, 3))
def test_row_order_makes_no_difference(rows: list[Row], seed: int) -> None:
    claims, others = (Claims.of(as_columns(each)) for each in (rows, shuffled(rows, seed)))
    for model in (Sums(), AverageLog(), Investment(), PooledInvestment()):
        first = model.fit(claims).plausibility_
        second = model.fit(others).plausibility_
        assert second.tolist() == pytest.approx(first.tolist(), abs=1e-6), model
