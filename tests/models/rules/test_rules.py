"""Rules act on plausibilities as if one went through all worlds."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.rules.told import (
    Statement,
    Told,
    ToldOneByOne,
    beliefs_after,
    by_all_worlds,
    claims_of,
    random_rules,
    random_world,
    rules_of,
)

from veracity import GTM, Attribute, Claims, MajorityVote
from veracity.data.rules.table import Rules
from veracity.errors import InputError, InvalidParameter
from veracity.models.base import TruthModel
from veracity.models.rules import components
from veracity.models.rules.worlds import Breach, Worlds

PARIS = ("born_in", "Paris", "country", "France", "implies", None)
ANN: dict[Statement, float] = {
    ("ann", "born_in", "Paris"): 0.6,
    ("ann", "born_in", "Rome"): 0.3,
    ("ann", "country", "France"): 0.4,
    ("ann", "country", "Italy"): 0.5,
}


def claims_about(beliefs: dict[Statement, float], **attributes: Attribute) -> Claims:
    items: dict[tuple[str, str], list[str]] = {}
    for entity, attribute, value in beliefs:
        items.setdefault((entity, attribute), []).append(value)
    # An entity that rules do not touch, so that every attribute is there.
    items |= {("other", name): ["w"] for name in "abc" if ("e0", name) not in items}
    return claims_of(items, **attributes)


def fitted(beliefs: dict[Statement, float], rules: Any, **options: Any) -> TruthModel:
    told = beliefs | {("other", name, "w"): 0.5 for name in "abc"}
    kind = options.pop("kind", Told)
    claims = claims_about(beliefs, **options.pop("attributes", {}))
    model: TruthModel = kind(told)
    return model.fit(claims, rules=rules, **options)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_plausibilities_are_those_of_all_worlds(seed: int) -> None:
    random = np.random.default_rng(seed)
    beliefs = random_world(random, 4)
    rules = random_rules(random, int(random.integers(1, 7)))
    found = beliefs_after(fitted(beliefs, rules))
    for statement, p in by_all_worlds(beliefs, rules).items():
        assert found[statement] == pytest.approx(p, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_so_are_those_of_values_that_may_be_true_together(seed: int) -> None:
    random = np.random.default_rng(seed)
    beliefs = random_world(random, 3)
    rules = random_rules(random, int(random.integers(1, 7)))
    several = {"b": Attribute("multiple")}
    found = beliefs_after(fitted(beliefs, rules, attributes=several))
    for statement, p in by_all_worlds(beliefs, rules, lists="b").items():
        assert found[statement] == pytest.approx(p, abs=1e-9)


def test_a_model_may_judge_every_statement_by_itself() -> None:
    beliefs = ANN | {("ann", "born_in", "Rome"): 0.9}
    rules = rules_of([PARIS, ("born_in", "Rome", "country", "France", "excludes", 1.0)])
    found = beliefs_after(fitted(beliefs, rules, kind=ToldOneByOne))
    expected = by_all_worlds(beliefs, rules, lists=("born_in", "country"))
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_hard_implication_orders_plausibilities(seed: int) -> None:
    random = np.random.default_rng(seed)
    beliefs = random_world(random, 5)
    rules = rules_of([("a", "w", "b", "x", "implies", None), ("b", "x", "c", "y", "implies", None)])
    found = beliefs_after(fitted(beliefs, rules))
    for entity in range(5):
        chain = [(f"e{entity}", *end) for end in (("a", "w"), ("b", "x"), ("c", "y"))]
        for first, second in itertools.pairwise(chain):
            if first in found and second in found:
                assert found[first] <= found[second] + 1e-12


def test_worked_out_by_hand() -> None:
    found = beliefs_after(fitted(ANN, rules_of([PARIS])))
    # Worlds with Paris and without France are gone: 0.6 x 0.6 of all.
    left = 1.0 - 0.36
    assert found["ann", "born_in", "Paris"] == pytest.approx(0.24 / left)
    assert found["ann", "country", "France"] == pytest.approx(0.4 / left)
    assert found["ann", "country", "Italy"] == pytest.approx(0.5 * 0.4 / left)


def test_a_soft_rule_lies_between_none_and_a_hard_one() -> None:
    def paris(weight: float | None) -> float:
        return beliefs_after(fitted(ANN, rules_of([(*PARIS[:5], weight)])))[
            "ann", "born_in", "Paris"
        ]

    weights = [paris(weight) for weight in (0.0, 0.5, 1.0, 2.0, 20.0, None)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] == 0.6
    assert weights[-2] == pytest.approx(weights[-1], abs=1e-8)


def test_a_rule_of_weight_0_changes_nothing_to_the_bit() -> None:
    beliefs = random_world(np.random.default_rng(3), 6)
    found = fitted(beliefs, rules_of([("a", "w", "b", "x", "implies", 0.0)]))
    plain = fitted(beliefs, None)
    assert found.statements_.to_arrow() == plain.statements_.to_arrow()
    assert found.truths_.to_arrow() == plain.truths_.to_arrow()
    assert any("weight 0" in str(note) for note in found.notes_)


def test_rules_that_touch_nothing_change_nothing_to_the_bit() -> None:
    beliefs = random_world(np.random.default_rng(4), 6)
    found = fitted(beliefs, rules_of([("a", "nowhere", "b", "x", "implies", None)]))
    assert found.statements_.to_arrow() == fitted(beliefs, None).statements_.to_arrow()
    notes = [str(note) for note in found.notes_ if note.subject == "rules"]
    assert "Nobody claims 1 statement that rules speak of" in notes[0]
    assert "nowhere" in notes[0]
    assert "No claims meet the 1 rule" in notes[1]


def test_a_conclusion_that_nobody_claims_speaks_against_what_is_claimed() -> None:
    rules = rules_of([("born_in", "Rome", "country", "Vatican", "implies", None)])
    found = beliefs_after(fitted(ANN, rules))
    # With Rome, only the 0.1 of values that nobody claims is left of country.
    left = 1.0 - 0.3 * 0.9
    assert found["ann", "born_in", "Rome"] == pytest.approx(0.3 * 0.1 / left)
    assert found["ann", "country", "Italy"] == pytest.approx(0.7 * 0.5 / left)


def test_yes_and_no_are_statements_of_rules() -> None:
    beliefs = {
        ("ann", "dead", "yes"): 0.7,
        ("ann", "job", "pilot"): 0.8,
        ("ann", "job", "none"): 0.1,
    }
    rows = [("s", "ann", "dead", "yes"), ("t", "ann", "dead", "no")]
    rows += [("s", "ann", "job", "pilot"), ("t", "ann", "job", "none")]
    columns = ("source", "entity", "attribute", "value")
    frame = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    claims = Claims.from_frame(frame, attributes={"job": Attribute("single")})
    rules = rules_of([("job", "pilot", "dead", "no", "implies", None)])
    found = beliefs_after(Told(beliefs).fit(claims, rules=rules))
    left = 1.0 - 0.8 * 0.7
    assert found["ann", "dead", "yes"] == pytest.approx(0.7 * 0.2 / left)
    assert found["ann", "job", "pilot"] == pytest.approx(0.8 * 0.3 / left)
    assert found["ann", "job", "none"] == pytest.approx(0.1 / left)


def test_verdicts_follow_and_are_noted() -> None:
    beliefs = ANN | {("ann", "country", "Italy"): 0.55}
    model = fitted(beliefs, rules_of([PARIS]))
    believed = {row["attribute"]: row["value"] for row in model.truths_.to_pylist()}
    assert believed["country"] == "France"
    (note,) = [note for note in model.notes_ if note.subject == "rules"]
    assert "1 rule acts on 2 items" in note.text
    assert "country of ann (Italy before, France now)" in note.text


def test_spelling_is_that_of_the_claims() -> None:
    items = {("ann", "born_in"): ["Paris", "Rome"], ("ann", "country"): ["France", "Italy"]}
    rows = [("s", *key, value) for key, values in items.items() for value in values]
    columns = ("source", "entity", "attribute", "value")
    frame = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    frame["source"] = ["s", "t", "s", "t"]
    claims = Claims.from_frame(frame, casefold=True, attributes={"*": Attribute("single")})
    rules = rules_of([("born_in", "PARIS", "country", "france", "implies", None)])
    found = beliefs_after(Told(ANN).fit(claims, rules=rules))
    assert found["ann", "born_in", "Paris"] == pytest.approx(0.24 / 0.64)


def test_a_sure_model_does_not_make_a_world_impossible() -> None:
    beliefs = {("ann", "born_in", "Paris"): 1.0, ("ann", "country", "Italy"): 1.0}
    beliefs[("ann", "country", "France")] = 0.0
    found = beliefs_after(fitted(beliefs, rules_of([PARIS])))
    assert found["ann", "born_in", "Paris"] <= found["ann", "country", "France"] + 1e-12
    assert all(0.0 <= p <= 1.0 for p in found.values())


def test_known_truth_spreads_by_rules() -> None:
    known = {"entity": ["ann"], "attribute": ["born_in"], "value": ["Paris"]}
    found = beliefs_after(fitted(ANN, rules_of([PARIS]), known_truth=known))
    assert found["ann", "country", "France"] == pytest.approx(1.0)
    assert found["ann", "country", "Italy"] == pytest.approx(0.0)


@pytest.mark.parametrize("entity", ["ann", "bea"])
def test_known_truth_that_nobody_claims_spreads_by_rules(entity: str) -> None:
    # Nobody claims Nice of ann, and nobody says where bea was born.
    beliefs = ANN | {("bea", "country", "France"): 0.2, ("bea", "country", "Italy"): 0.7}
    rules = rules_of([("born_in", "Nice", "country", "France", "implies", None), PARIS])
    known = {"entity": [entity], "attribute": ["born_in"], "value": ["Nice"]}
    model = fitted(beliefs, rules, known_truth=known)
    found = beliefs_after(model)
    assert found[entity, "country", "France"] == pytest.approx(1.0)
    assert found[entity, "country", "Italy"] == pytest.approx(0.0)
    again = model._judge_as_fitted(model.claims_).plausibility
    assert again.tolist() == pytest.approx(model.plausibility_.tolist(), abs=1e-12)
    note = [str(note) for note in model.notes_ if note.subject == "rules"][-1]
    assert f"country of {entity} (Italy before, France now)" in note


def test_known_truth_about_a_boolean_that_nobody_speaks_of_spreads() -> None:
    rows = [("s", "bob", "dead", "yes"), ("t", "bob", "dead", "no")]
    rows += [("s", "ann", "job", "pilot"), ("t", "ann", "job", "none")]
    columns = ("source", "entity", "attribute", "value")
    frame = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    claims = Claims.from_frame(frame, attributes={"job": Attribute("single")})
    beliefs = {
        ("bob", "dead", "yes"): 0.5,
        ("ann", "job", "pilot"): 0.8,
        ("ann", "job", "none"): 0.1,
    }
    rules = rules_of([("dead", "yes", "job", "none", "implies", None)])
    rows_known = {"entity": ["ann"], "attribute": ["dead"]}
    for word, p in (("yes", 0.0), ("no", 0.8)):
        known = rows_known | {"value": [word]}
        found = beliefs_after(Told(beliefs).fit(claims, rules=rules, known_truth=known))
        assert found["ann", "job", "pilot"] == pytest.approx(p, abs=1e-9)


def test_known_truth_that_breaks_hard_rules_is_named() -> None:
    known = {
        "entity": ["ann"] * 2,
        "attribute": ["born_in", "country"],
        "value": ["Paris", "Italy"],
    }
    with pytest.raises(
        InputError, match=r"known truth about 'ann' \('born_in', 'country'\).*Rule 1"
    ):
        fitted(ANN, rules_of([PARIS]), known_truth=known)
    soft = fitted(ANN, rules_of([(*PARIS[:5], 3.0)]), known_truth=known)
    assert beliefs_after(soft)["ann", "country", "Italy"] == 1.0


def test_too_many_linked_items_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(components, "MOST_WORLDS", 8)
    with pytest.raises(InputError) as caught:
        fitted(ANN, rules_of([PARIS]))
    message = str(caught.value)
    assert "'ann': 'born_in', 'country' have 9 joint states, and at most 8" in message
    assert "Rule 1" in message


@pytest.mark.parametrize("model", [MajorityVote(), GTM()])
def test_models_without_probabilities_refuse_rules(model: Any) -> None:
    with pytest.raises(InvalidParameter, match="does not give the probabilities of values"):
        model.fit(claims_about(ANN), rules=rules_of([PARIS]))


def test_an_unknown_attribute_is_named_before_the_fit() -> None:
    rules = rules_of([("born", "Paris", "country", "France", "implies", None)])
    with pytest.raises(InputError, match=r"about 'born', but no claim is. Did you mean 'born_in'"):
        fitted(ANN, rules)


def test_worlds_without_a_possible_one_are_told() -> None:
    always = (0, 1)
    worlds = Worlds([2, 2], [Breach(0, always, 1, always, np.inf)])
    found, impossible = worlds.marginals([np.array([[0.5, 0.5]])] * 2)
    assert impossible == [0]
    assert np.isnan(found[0]).all()


def test_rules_are_taken_from_frames_and_kept_apart_from_the_model() -> None:
    table = {"if_attribute": ["born_in"], "if_value": ["Paris"]}
    table |= {"then_attribute": ["country"], "then_value": ["France"]}
    model = fitted(ANN, table)
    assert beliefs_after(model) == beliefs_after(fitted(ANN, Rules.of(table)))
    assert model.predict_plausibility(claims_about(ANN))["plausibility"].to_pylist() != (
        model.statements_["plausibility"].to_pylist()
    )
    assert "rules" not in model.get_params()
