"""Verdicts against known truth."""

from __future__ import annotations

from typing import Any

import pytest

from veracity import Attribute, Claims, GroundTruth, MajorityVote
from veracity.errors import InputError
from veracity.evaluation.metrics import Evaluation, evaluate

Rows = list[tuple[Any, ...]]


def judge(claims: Rows, truth: Rows, names: str = "entity value", **options: Any) -> Evaluation:
    """Vote on claims and compare with the truth."""
    read = Claims.from_triples(claims, **options)
    known = {name: [row[i] for row in truth] for i, name in enumerate(names.split())}
    truths = MajorityVote().fit(read).truths_
    return evaluate(truths, GroundTruth.from_frame(known), read)


CLAIMS: Rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("a", "y", "3"), ("b", "z", "4")]


def test_accuracy_over_the_items_that_have_a_claim() -> None:
    found = judge(CLAIMS, [("x", "1"), ("y", "9"), ("z", "4"), ("unclaimed", "7")])
    assert found == Evaluation(n_truth_items=4, n_items=3, n_right=2, accuracy=2 / 3)
    assert found.precision is None
    assert found.as_dict()["n_right"] == 2


def test_any_of_several_true_values_is_right() -> None:
    assert judge(CLAIMS, [("x", "7"), ("x", "1"), ("y", "8"), ("y", "9")]).n_right == 1


def test_repeated_truth_counts_once() -> None:
    assert judge(CLAIMS, [("x", "1"), ("x", "1")]).n_truth_items == 1


def test_truth_is_compared_in_the_form_of_the_claims() -> None:
    claims: Rows = [("a", "x", "1,000"), ("b", "x", "1000"), ("c", "x", "7")]
    number = {"*": Attribute("single", values="number")}
    assert judge(claims, [("x", "1e3")], attributes=number).accuracy == 1
    assert judge(claims, [("x", "1e3")]).accuracy == 0
    shouted: Rows = [("a", "x", "Rome"), ("b", "x", "rome")]
    assert judge(shouted, [("x", " ROME ")], casefold=True, strip=True).accuracy == 1


NAMED: Rows = [("a", "x", "size", "1"), ("b", "y", "size", "2")]


def test_attribute_missing_from_the_truth() -> None:
    assert judge(NAMED, [("x", "1"), ("y", "1")]).accuracy == 0.5


def test_attribute_missing_from_the_claims() -> None:
    truth: Rows = [("x", "size", "1"), ("y", "size", "9")]
    found = judge(CLAIMS, truth, "entity attribute value")
    assert (found.n_items, found.n_right) == (2, 1)


def test_attributes_are_kept_apart() -> None:
    claims: Rows = [("a", "x", "size", "1"), ("a", "x", "age", "2")]
    truth: Rows = [("x", "size", "1"), ("x", "age", "1"), ("x", "colour", "1")]
    found = judge(claims, truth, "entity attribute value")
    assert (found.n_truth_items, found.n_items, found.n_right) == (3, 2, 1)


def test_missing_attribute_is_no_guess_where_there_are_several() -> None:
    claims: Rows = [("a", "x", "size", "1"), ("a", "x", "age", "2")]
    with pytest.raises(InputError, match="Expected attributes that both tables share"):
        judge(claims, [("x", "1")])


def test_other_attributes_are_an_error() -> None:
    with pytest.raises(InputError, match="about 'height', but the claims are about 'size'"):
        judge(NAMED, [("x", "height", "1")], "entity attribute value")


def test_no_shared_item_is_an_error() -> None:
    with pytest.raises(InputError, match=r"shares no item.*'q'.*'x'"):
        judge(CLAIMS, [("q", "1")])


def test_precision_recall_and_f1() -> None:
    claims: Rows = [
        ("a", "x", "1"),
        ("a", "x", "2"),
        ("b", "x", "1"),
        ("b", "x", "2"),
        ("c", "x", "1"),
        ("c", "x", "3"),
    ]
    # Believed are 1 and 2; true are 1, 3 and 4.
    found = judge(claims, [("x", "1"), ("x", "3"), ("x", "4")], attributes={"*": "multiple"})
    assert found.precision == pytest.approx(1 / 2)
    assert found.recall == pytest.approx(1 / 3)
    assert found.f1 == pytest.approx(0.4)
    assert found.accuracy == 1


def test_precision_where_nothing_is_right() -> None:
    claims: Rows = [("a", "x", "1"), ("a", "x", "2")]
    found = judge(claims, [("x", "9")], attributes={"*": "multiple"})
    assert (found.precision, found.recall, found.f1, found.accuracy) == (0, 0, 0, 0)


def test_boolean_truth() -> None:
    claims: Rows = [("a", "x", "yes"), ("b", "x", "no"), ("c", "x", "no"), ("a", "y", "yes")]
    assert judge(claims, [("x", "no"), ("y", "no")]).accuracy == 0.5
