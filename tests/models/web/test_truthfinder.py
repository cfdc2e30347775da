"""TruthFinder, against scores worked out by hand, and what values say about each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Row, as_columns, contested, shuffled

import veracity
from veracity import Attribute, Claims, TruthFinder
from veracity.errors import InputError, InvalidParameter
from veracity.models.views.one_true_value import Questions
from veracity.models.web.implication import INFLUENTIAL, Implication

OPEN = {"*": Attribute("single", "open")}
#: a and b say 1 about x, c says 2.
VOTES = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]


def claims_of(rows: list[tuple[Any, ...]], **options: Any) -> Claims:
    names = ("source", "entity", "value")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return Claims.from_frame(columns, **{"attributes": OPEN, **options})


def plausibilities(model: TruthFinder, claims: Claims) -> dict[tuple[str, str], float]:
    statements = model.fit(claims).statements_
    keys = zip(statements["entity"].to_pylist(), statements["value"].to_pylist(), strict=True)
    return dict(zip(keys, statements["plausibility"].to_pylist(), strict=True))


def one_says_much_of_two(first: str, second: str) -> float:
    return 0.4 if (first, second) == ("2", "1") else -0.2


def test_one_round() -> None:
    model = TruthFinder(max_iter=1, tol=None)
    found = plausibilities(model, claims_of(VOTES))
    # The score of a source is -ln(1 - 0.9); exp(-0.3 * score) is 0.1 ** 0.3.
    for_1, for_2 = 1 / (1 + 0.1**0.6), 1 / (1 + 0.1**0.3)
    assert model.source_parameters_["trust"].to_pylist() == pytest.approx([for_1, for_1, for_2])
    # Odds by that trust, against each other and against none of the two.
    odds_1, odds_2 = (1 - for_1) ** -0.6, (1 - for_2) ** -0.3
    whole = odds_1 + odds_2 + 1
    assert found == pytest.approx({("x", "1"): odds_1 / whole, ("x", "2"): odds_2 / whole})


def test_one_round_with_implication() -> None:
    model = TruthFinder(one_says_much_of_two, max_iter=1, tol=None)
    model.fit(claims_of(VOTES))
    # In units of a source's score: 1 has 2 + 0.5 * 1 * 0.4 = 2.2, 2 has 1 - 0.5 * 2 * 0.2 = 0.8.
    for_1, for_2 = 1 / (1 + 0.1**0.66), 1 / (1 + 0.1**0.24)
    assert model.source_parameters_["trust"].to_pylist() == pytest.approx([for_1, for_1, for_2])


def test_an_answer_by_itself_has_the_confidence_of_the_paper() -> None:
    model = TruthFinder(dampening=1.0, max_iter=1, tol=None)
    found = plausibilities(model, claims_of([("a", "x", "1")]))
    # Undamped, a source of trust 0.9 gives 1 / (1 + 0.1); of that trust, 1 / (1 + 1 - 10/11).
    assert model.source_parameters_["trust"].to_pylist() == pytest.approx([10 / 11])
    assert found["x", "1"] == pytest.approx(1 / (1 + 1 / 11))


def test_boolean_answers_share_all_of_the_odds() -> None:
    rows = [("a", "x", "yes"), ("b", "x", "yes"), ("c", "x", "no")]
    model = TruthFinder(max_iter=1, tol=None)
    found = plausibilities(model, claims_of(rows, attributes={"*": Attribute("boolean")}))
    yes, no = 1 / (1 + 0.1**0.6), 1 / (1 + 0.1**0.3)
    odds_yes, odds_no = (1 - yes) ** -0.6, (1 - no) ** -0.3
    assert found["x", "yes"] == pytest.approx(odds_yes / (odds_yes + odds_no))


def test_a_crowd_is_ranked_even_where_confidence_is_as_good_as_certain() -> None:
    rows = [(f"s{k}", "x", "1" if k < 1010 else "2") for k in range(2000)]
    model = TruthFinder().fit(claims_of(rows))
    assert model.truths_["value"].to_pylist() == ["1"]
    assert model.truths_["tie"].to_pylist() == [False]
    yes_no = [(source, entity, "yes" if value == "1" else "no") for source, entity, value in rows]
    found = plausibilities(TruthFinder(), claims_of(yes_no, attributes={"*": Attribute("boolean")}))
    assert found["x", "yes"] > 0.99


def test_it_stops_when_the_direction_of_trust_changes_little() -> None:
    model = TruthFinder().fit(claims_of([*VOTES, ("a", "y", "1"), ("c", "y", "1")]))
    changes = [record["change"] for record in model.history_]
    assert model.converged_
    assert changes[-1] <= 1e-5 < changes[-2]


# What values say about each other


def implication_of(how: Any, values: list[str]) -> dict[tuple[str, str], float]:
    claims = claims_of([(f"s{k}", "x", value) for k, value in enumerate(values)])
    matrix = claims.matrix
    found = Implication.of(how, matrix, Questions.of(matrix))
    labels = [matrix.values.to_pylist()[k] for k in matrix.value_index.tolist()]
    pairs = zip(found.speaker.tolist(), found.subject.tolist(), strict=True)
    return {
        (labels[speaker], labels[subject]): strength
        for (speaker, subject), strength in zip(pairs, found.strength.tolist(), strict=True)
    }


def test_text_is_compared_by_edit_distance() -> None:
    found = implication_of("text", ["kitten", "sitting", "xyz"])
    # Two letters are replaced and one is added, of seven; nothing is left of xyz.
    assert found["kitten", "sitting"] == pytest.approx(1 - 3 / 7 - 0.5)
    assert found["sitting", "kitten"] == pytest.approx(1 - 3 / 7 - 0.5)
    assert found["kitten", "xyz"] == pytest.approx(-0.5)
    assert len(found) == 6


def test_letters_are_compared_not_bytes() -> None:
    # One letter of two, though it takes two bytes, and one of three, though it takes four.
    assert implication_of("text", ["né", "ne"])["né", "ne"] == pytest.approx(0)
    assert implication_of("text", ["a🦄b", "aub"])["aub", "a🦄b"] == pytest.approx(1 / 6)


def test_numbers_are_compared_by_their_relative_difference() -> None:
    found = implication_of("number", ["100", "90", "-100", "0", "much"])
    assert found["90", "100"] == pytest.approx(1 - 0.1 - 0.5)
    assert found["100", "-100"] == pytest.approx(-0.5)
    assert found["0", "100"] == pytest.approx(-0.5)
    assert found["much", "100"] == 0  # speaks neither for nor against


def test_a_function_is_called_once_for_each_pair_of_values() -> None:
    called: list[tuple[str, str]] = []

    def noted(first: str, second: str) -> float:
        called.append((first, second))
        return 0.0

    rows = [
        (source, f"e{k}", value) for k in range(5) for source, value in (("a", "1"), ("b", "2"))
    ]
    TruthFinder(noted, max_iter=3, tol=None).fit(claims_of(rows))
    assert sorted(called) == [("1", "2"), ("2", "1")]


def test_of_many_values_those_with_most_sources_speak() -> None:
    n_values = INFLUENTIAL + 20
    rows = [(f"s{k}", "x", str(k)) for k in range(n_values)]
    rows += [(f"t{k}", "x", str(k)) for k in range(10)]  # the first ten values have two sources
    matrix = claims_of(rows).matrix
    found = Implication.of("number", matrix, Questions.of(matrix))
    speakers = set(found.speaker.tolist())
    assert len(speakers) == INFLUENTIAL
    assert len(found.speaker) == INFLUENTIAL * (n_values - 1)
    assert not (found.speaker == found.subject).any()
    labels = matrix.values.to_pylist()
    named = {labels[matrix.value_index[answer]] for answer in speakers}
    assert {str(k) for k in range(10)} <= named


def test_values_that_may_all_be_true_are_not_compared() -> None:
    matrix = claims_of(VOTES, attributes={"*": Attribute("multiple")}).matrix
    found = Implication.of("text", matrix, Questions.of(matrix))
    assert len(found.strength) == 0


@given(rows=contested, seed=st.integers(0, 3))
def test_row_order_makes_no_difference(rows: list[Row], seed: int) -> None:
    claims, others = (Claims.of(as_columns(each)) for each in (rows, shuffled(rows, seed)))
    for implication in (None, "text", "number", one_says_much_of_two):
        model = TruthFinder(implication, max_iter=5, tol=None)
        first = model.fit(claims).plausibility_
        second = model.fit(others).plausibility_
        assert second.tolist() == pytest.approx(first.tolist()), model


def test_predict_compares_values_too() -> None:
    model = TruthFinder("number").fit(claims_of(VOTES))
    new = claims_of([("a", "new", "100"), ("b", "new", "101"), ("c", "new", "900")])
    alike = model.predict_plausibility(new)["plausibility"].to_pylist()
    apart = model.set_params(implication=None).predict_plausibility(new)["plausibility"].to_pylist()
    assert alike[0] > apart[0]
    assert alike[2] < apart[2]


def test_a_function_has_to_be_given_again_on_load(tmp_path: Path) -> None:
    claims = claims_of(VOTES)
    model = TruthFinder(one_says_much_of_two).fit(claims)
    folder = model.save(tmp_path / "model")
    with pytest.raises(InputError, match="an implication of your own"):
        veracity.load(folder)
    loaded = veracity.load(folder, module=one_says_much_of_two)
    before, after = model.predict_plausibility(claims), loaded.predict_plausibility(claims)
    assert np.array_equal(before["plausibility"].to_pylist(), after["plausibility"].to_pylist())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TruthFinder("words"), "implication must be None, 'text', 'number' or a function"),
        (TruthFinder(lambda first, second: 2.0), "numbers from -1 to 1. It returned 2.0"),
        (TruthFinder(influence=2), "influence must be from 0 to 1"),
        (TruthFinder(dampening=0), "dampening must be a positive number"),
        (TruthFinder(initial_trust=1), "initial_trust must be between 0 and 1"),
    ],
)
def test_parameters_are_checked(model: TruthFinder, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        model.fit(claims_of(VOTES))
