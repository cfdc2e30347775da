"""Cosine, 2-Estimates and 3-Estimates, against rounds done by hand.

The graph is the same throughout: a says 1 about x and y, b says 1 about x, c says 2 about x. So a
and b are for x = 1 and against x = 2, c is for x = 2 and against x = 1, and a is for y = 1.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Row, as_columns, contested, shuffled

from veracity import Attribute, Claims, Cosine, ThreeEstimates, TruthModel, TwoEstimates
from veracity.errors import InvalidParameter
from veracity.models.views.one_true_value import Questions
from veracity.models.views.votes import Scale, Views

GRAPH = [("a", "x", "1"), ("a", "y", "1"), ("b", "x", "1"), ("c", "x", "2")]
NAMES = "source entity value"


def claims_of(rows: list[tuple[str, str, str]], kind: Any = "single") -> Claims:
    columns = {name: [row[i] for row in rows] for i, name in enumerate(NAMES.split())}
    return Claims.from_frame(columns, attributes={"*": Attribute(kind)})


def plausibilities(model: TruthModel, claims: Claims) -> dict[tuple[str, str], float]:
    statements = model.fit(claims).statements_
    keys = zip(statements["entity"].to_pylist(), statements["value"].to_pylist(), strict=True)
    return dict(zip(keys, statements["plausibility"].to_pylist(), strict=True))


def test_views_are_for_and_against() -> None:
    matrix = claims_of(GRAPH).matrix
    assert matrix.sources.to_pylist() == ["a", "b", "c"]
    views = Views(Questions.of(matrix))
    votes_for, votes_against = views.on_answers(np.array([1.0, 10.0, 100.0]))
    assert votes_for.tolist() == [11, 100, 1]  # x = 1, x = 2, y = 1
    assert votes_against.tolist() == [100, 11, 0]
    votes_for, votes_against = views.of_sources(np.array([1.0, 10.0, 100.0]))
    assert votes_for.tolist() == [101, 1, 10]
    assert votes_against.tolist() == [10, 10, 1]
    assert views.n_of_source.tolist() == [3, 2, 2]
    assert views.n_on_answer.tolist() == [3, 3, 1]


def test_numbers_are_spread_by_range_and_by_rounding() -> None:
    numbers = np.array([0.2, 0.4, 0.5, 0.7])
    by_range = Scale.of(numbers, 1.0)(numbers)
    assert by_range.tolist() == pytest.approx([0, 0.4, 0.6, 1])
    by_rounding = Scale.of(numbers, 0.0)(numbers)
    assert by_rounding.tolist() == [0, 0, 0.5, 1]
    both = Scale.of(numbers, 0.25)(numbers)
    assert both.tolist() == pytest.approx([0, 0.1, 0.525, 1])
    same = np.full(3, 0.3)
    assert Scale.of(same, 0.5)(same).tolist() == [0.3] * 3


def test_cosine_after_one_round() -> None:
    model = Cosine(max_iter=1, tol=None)
    found = plausibilities(model, claims_of(GRAPH))
    # By votes, x = 1 is true by (2 - 1) / 3, x = 2 by -1/3, and y = 1 by 1.
    # a says (1, -1, 1): the sum is 5/3, the lengths are √3 and √(1/9 + 1/9 + 1).
    cosine = (5 / 3) / (sqrt(3) * sqrt(11 / 9))
    # b says just what is believed of x, and c just the contrary.
    a, b, c = 0.8 + 0.2 * cosine, 1.0, 0.8 - 0.2
    assert model.source_parameters_["trust"].to_pylist() == pytest.approx([a, b, c])
    assert found["x", "1"] == pytest.approx((a**3 + b**3) / (a**3 + b**3 + c**3))
    assert found["x", "2"] == pytest.approx(1 - found["x", "1"])
    assert found["y", "1"] == pytest.approx(1)


def test_two_estimates_after_one_round() -> None:
    model = TwoEstimates(spread=1, max_iter=1, tol=None)
    found = plausibilities(model, claims_of(GRAPH))
    # Nobody errs: truth is (2/3, 1/3, 1), spread (1/2, 0, 1).
    # a errs by (1/2 + 0 + 0) / 3 = 1/6, b by (1/2 + 0) / 2 = 1/4, c by (1 + 1/2) / 2 = 3/4;
    # spread: 0, (1/4 - 1/6) / (3/4 - 1/6) = 1/7, 1.
    errors = model.source_parameters_["error"].to_pylist()
    assert errors == pytest.approx([0, 1 / 7, 1])
    # x = 1: (1 + 6/7 + 1) / 3 = 20/21; x = 2: (0 + 0 + 1/7) / 3 = 1/21; y = 1: 1.
    assert found == pytest.approx({("x", "1"): 19 / 20, ("x", "2"): 0, ("y", "1"): 1})


def test_two_estimates_with_rounding_after_one_round() -> None:
    model = TwoEstimates(spread=0.5, max_iter=1, tol=None)
    plausibilities(model, claims_of(GRAPH))
    # Truth (2/3, 1/3, 1) is spread to (1/2, 0, 1) and rounded to (1, 0, 1): (3/4, 0, 1).
    # a errs by 1/4 / 3 = 1/12, b by 1/4 / 2 = 1/8, c by (1 + 3/4) / 2 = 7/8;
    # spread to 0, (1/24) / (19/24), 1 and rounded to 0, 0, 1.
    errors = model.source_parameters_["error"].to_pylist()
    assert errors == pytest.approx([0, 1 / 38, 1])


def test_three_estimates_after_one_round() -> None:
    model = ThreeEstimates(spread=1, max_iter=1, tol=None)
    found = plausibilities(model, claims_of(GRAPH))
    # As nobody errs, truth and then errors are those of 2-Estimates, all divided by 0.1.
    b = 1 / 7
    errors = model.source_parameters_["error"].to_pylist()
    assert errors == pytest.approx([0, b, 1])
    # Only b and c tell how hard x = 1 is: (1/2 / b + 1/2 / 1) / 2 = 2, and x = 2: (0 / b + 1) / 2.
    # Nobody does of y = 1, which keeps 0.1. So hardness goes from 0.1 to 2, and is spread to
    hard_1, hard_2 = 1.0, (0.5 - 0.1) / (2 - 0.1)
    # Truth is then (2 + hard (1 - b)) / 3 and (1 - hard (1 - b)) / 3, and goes up to 1.
    assert (2 + hard_1 * (1 - b)) / 3 == pytest.approx(20 / 21)
    low = (1 - hard_2 * (1 - b)) / 3
    # To judge, begin with 0.1 again and do the same round with these errors and ranges.
    true_1 = ((2 + 0.1 * (1 - b)) / 3 - low) / (1 - low)
    true_2 = ((1 - 0.1 * (1 - b)) / 3 - low) / (1 - low)
    hard_1 = (((1 - true_1) / b + true_1) / 2 - 0.1) / (2 - 0.1)
    hard_2 = (((1 - true_2) + true_2 / b) / 2 - 0.1) / (2 - 0.1)
    assert found["x", "1"] == pytest.approx(((2 + hard_1 * (1 - b)) / 3 - low) / (1 - low))
    assert (1 - hard_2 * (1 - b)) / 3 < low  # below the range is as good as at its end
    assert found["x", "2"] == 0
    assert found["y", "1"] == pytest.approx(1)


ALL = [Cosine(), TwoEstimates(), ThreeEstimates()]


#: Three agree about everything, one contradicts them and speaks alone about one item.
CONTRARY = [
    *((name, f"e{k}", "yes") for name in ("ann", "bob", "cat") for k in range(6)),
    *(("contrary", f"e{k}", "no") for k in range(6)),
    ("ann", "fine", "yes"),
    ("contrary", "alone", "yes"),
]


@pytest.mark.parametrize("model", [Cosine(), TwoEstimates()], ids=repr)
def test_who_always_contradicts_the_others_speaks_against_what_it_says(model: TruthModel) -> None:
    found = plausibilities(model, claims_of(CONTRARY, "boolean"))
    assert found["fine", "yes"] > 0.9
    assert found["alone", "yes"] < 0.1


def test_three_estimates_holds_what_nobody_contradicts_for_easy() -> None:
    # It begins with answers that are nearly all easy, and no one shows that this one is not.
    found = plausibilities(ThreeEstimates(), claims_of(CONTRARY, "boolean"))
    assert found["e0", "yes"] > 0.9
    assert found["alone", "yes"] > 0.9


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_yes_and_no_are_mirror_images(model: TruthModel) -> None:
    rows = [("a", "x", "yes"), ("b", "x", "yes"), ("c", "x", "no"), ("a", "y", "no")]
    rows += [("b", "y", "no"), ("c", "y", "yes"), ("c", "z", "yes"), ("a", "z", "yes")]
    other = {"yes": "no", "no": "yes"}
    mirrored = [(source, entity, other[value]) for source, entity, value in rows]
    first = plausibilities(model, claims_of(rows, "boolean"))
    second = plausibilities(model, claims_of(mirrored, "boolean"))
    assert {key: 1 - p for key, p in second.items()} == pytest.approx(first)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_two_sources_that_disagree_about_everything_are_a_tie(model: TruthModel) -> None:
    rows = [(name, entity, name) for name in "ab" for entity in "xy"]
    found = plausibilities(model, claims_of(rows))
    assert list(found.values()) == pytest.approx([0.5] * 4)
    assert model.truths_["tie"].to_pylist() == [True, True]


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@given(rows=contested, seed=st.integers(0, 3))
def test_row_order_makes_no_difference(rows: list[Row], seed: int) -> None:
    claims, others = (Claims.of(as_columns(each)) for each in (rows, shuffled(rows, seed)))
    for model in ALL:
        first = model.fit(claims).plausibility_
        second = model.fit(others).plausibility_
        assert second.tolist() == pytest.approx(first.tolist(), abs=1e-6), model


def test_predict_knows_the_range_of_the_fit() -> None:
    model = TwoEstimates(spread=1, max_iter=1, tol=None).fit(claims_of(GRAPH))
    # By errors (0, 1/7, 1), as above: b alone is right by 6/7, of a range from 1/21 to 1.
    found = model.predict_plausibility(claims_of([("b", "new", "1")]))
    assert found["plausibility"].to_pylist() == pytest.approx([(6 / 7 - 1 / 21) / (20 / 21)])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Cosine(damping=1.5), "damping must be from 0 to 1"),
        (TwoEstimates(spread=-1), "spread must be from 0 to 1"),
        (ThreeEstimates(spread=float("nan")), "spread must be from 0 to 1"),
        (ThreeEstimates(first_hardness=2), "first_hardness must be from 0 to 1"),
    ],
)
def test_parameters_are_checked(model: TruthModel, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        model.fit(claims_of(GRAPH))
