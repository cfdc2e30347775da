"""Explanations: terms that add up, for every kind of item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.machines import ROWS, every_kind

from veracity import RBM, BinaryGRBM, Claims
from veracity.errors import InputError, NotFitted

EXTRA: dict[str, list[Any]] = {
    "claim_sure": [float(i * 7 % 5) for i in range(len(ROWS))],
    "source_kind": [{"ann": "pro", "bob": "fan"}.get(row[0]) for row in ROWS],
}


@pytest.fixture(scope="module")
def claims() -> Claims:
    """Return claims of every kind, with features."""
    return every_kind(EXTRA)


def models() -> list[Any]:
    return [
        pytest.param(RBM(), id="rbm"),
        pytest.param(RBM(tie_hidden_bias=False), id="untied"),
        pytest.param(BinaryGRBM(), id="grbm"),
        pytest.param(BinaryGRBM(features=["claim_sure", "claims of statement"]), id="by statement"),
    ]


@pytest.mark.parametrize("model", models())
def test_terms_add_up_to_the_plausibility(model: BinaryGRBM, claims: Claims) -> None:
    model.set_params(max_iter=300).fit(claims)
    found = {
        (row["entity"], row["attribute"], row["value"]): row["plausibility"]
        for row in model.statements_.to_pylist()
    }
    checked = 0
    for entity, attribute in {(row[1], row[2]) for row in ROWS}:
        explanation = model.explain(entity, attribute)
        assert (explanation.entity, explanation.attribute) == (entity, attribute)
        for statement in explanation.statements:
            total = model.global_hidden_bias_ + sum(term.log_odds for term in statement.terms)
            assert statement.log_odds == pytest.approx(total, abs=1e-9)
            expected = found[entity, attribute, statement.value]
            assert statement.plausibility == pytest.approx(expected, abs=1e-6)
            assert 1 / (1 + np.exp(-total)) == pytest.approx(expected, abs=1e-6)
            checked += 1
        ranked = [statement.log_odds for statement in explanation.statements]
        assert ranked == sorted(ranked, reverse=True)
    assert checked == len(found)


@pytest.mark.parametrize("model", models())
def test_parameters_give_the_terms(model: BinaryGRBM, claims: Claims) -> None:
    model.set_params(max_iter=300).fit(claims)
    table = model.parameters(claims).to_pylist()
    assert [(row["source"], row["entity"]) for row in table] == [row[:2] for row in ROWS]
    assert [row["asserts"] for row in table] == [
        1 - row[4] if row[3] == "no" else row[4] for row in ROWS
    ]
    for row in table:
        sigmoid = 1 / (1 + np.exp(-(row["visible_bias"] + row["weight"])))
        assert row["tpr"] == pytest.approx(sigmoid)
        assert row["fpr"] == pytest.approx(1 / (1 + np.exp(-row["visible_bias"])))
    (ann,) = (row for row in table if (row["source"], row["entity"]) == ("ann", "shop"))
    (shop,) = model.explain("shop").statements
    (term,) = (term for term in shop.terms if term.source == "ann")
    assert term.log_odds == pytest.approx(ann["hidden_bias"] + ann["weight"])
    assert (term.tpr, term.fpr) == pytest.approx((ann["tpr"], ann["fpr"]))


def test_what_sources_say(claims: Claims) -> None:
    model = RBM().fit(claims)
    sky = {statement.value: statement for statement in model.explain("sky").statements}
    blue = {term.source: term for term in sky["blue"].terms}
    assert blue["ann"].claims
    assert (blue["bob"].claims, blue["bob"].says) == (False, "grey")
    assert (blue["dan"].claims, blue["dan"].says) == (False, "not blue")
    assert {term.source for term in sky["grey"].terms} == {"ann", "bob", "cat"}
    (shop,) = model.explain("shop").statements
    assert {term.source: term.claims for term in shop.terms} == {
        "ann": True,
        "bob": False,
        "cat": True,
        "dan": False,
    }


def test_features_behind_a_term(claims: Claims) -> None:
    (sea,) = BinaryGRBM(max_iter=300).fit(claims).explain("sea").statements
    (term,) = sea.terms
    assert term.features["source_kind"] == "pro"
    assert term.features["claim_sure"] == EXTRA["claim_sure"][5]


def test_as_text(claims: Claims) -> None:
    text = str(RBM().fit(claims).explain("sky", "colour"))
    assert text.startswith("colour of sky\n")
    assert "before anybody speaks (b_0)" in text
    assert "ann claims it (tpr" in text
    assert "dan says not blue" in text
    assert text.count("in all") == 3


def test_of_other_claims(claims: Claims) -> None:
    model = RBM().fit(claims)
    new = {"source": ["ann", "zoe"], "entity": ["sun"] * 2, "value": ["hot", "cold"]}
    explanation = model.explain("sun", claims=new)
    expected = {
        row["value"]: row["plausibility"] for row in model.predict_plausibility(new).to_pylist()
    }
    found = {statement.value: statement.plausibility for statement in explanation.statements}
    assert found == pytest.approx(expected, abs=1e-9)


def test_unknown_items(claims: Claims) -> None:
    with pytest.raises(NotFitted, match=r"explain needs a fitted model"):
        RBM().explain("sky")
    both = [("a", "x", "size", "1"), ("a", "x", "mass", "2"), ("b", "xy", "size", "3")]
    model = RBM().fit(Claims.from_triples(both))
    with pytest.raises(InputError, match=r"No claim is about 'xyz'. Did you mean 'xy'"):
        model.explain("xyz")
    with pytest.raises(InputError, match=r"Say which attribute is meant of 'x': mass, size"):
        model.explain("x")
    with pytest.raises(InputError, match=r"No claim is about 'weight' of 'x': mass, size"):
        model.explain("x", "weight")
