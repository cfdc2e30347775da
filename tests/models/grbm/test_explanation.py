"""Why a value is believed: terms that add up to the log-odds of the model, in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.machines import every_kind
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import GRBM, RBM, Attribute, BinaryGRBM, Claims
from veracity.errors import InputError
from veracity.models.explanation import CERTAIN, Explanation, find_item, log_odds_of


def scores(model: GRBM, entity: str, attribute: str | None = None) -> dict[str, float]:
    """Return the untempered log-score of each value of an item, as the model works it out."""
    matrix = model.claims_.matrix
    block, own = model.fitted_model.bind(model.claims_)
    score = block.posterior(own).score
    item = find_item(matrix, entity, attribute)
    first, last = matrix.statement_start[item], matrix.statement_start[item + 1]
    values = matrix.values.to_pylist()
    return {values[matrix.value_index[s]]: float(score[s]) for s in range(first, last)}


def log_odds(explanation: Explanation) -> dict[str, float]:
    """Return the sum of the evidence for each value, term by term."""
    return {
        evidence.value: evidence.global_hidden_bias + sum(term.log_odds for term in evidence.terms)
        for evidence in explanation.statements
    }


def denying(n_values: int, attribute: Attribute) -> Claims:
    """Draw claims, some of which deny, about many items."""
    rng = np.random.default_rng(7)
    columns = {
        "source": [f"s{i}" for i in range(6) for _ in range(60)],
        "entity": [f"e{i}" for _ in range(6) for i in range(60)],
        "value": [f"v{i}" for i in rng.integers(0, n_values, 360)],
        "asserts": (rng.random(360) > 0.15).astype(int).tolist(),
    }
    return Claims.from_frame(columns, attributes={"*": attribute})


def test_one_coin_terms_sum_to_the_log_odds_against_an_unclaimed_value() -> None:
    model = GRBM(features="never").fit(denying(4, OPEN))
    assert set(model.forms_.values()) == {"one-coin"}
    block, _ = model.fitted_model.bind(model.claims_)
    for number in range(60):
        explained = log_odds(model.explain(f"e{number}"))
        # Of a value that nobody claims the score is its offset: 0, or what clusters make of it.
        unseen = block.data.offset_unseen[find_item(model.claims_.matrix, f"e{number}", None)]
        for value, score in scores(model, f"e{number}").items():
            assert explained[value] == pytest.approx(score - unseen, abs=1e-9)


def test_confusion_terms_sum_to_the_log_odds_against_the_other_classes() -> None:
    model = GRBM(features="never").fit(denying(3, CLOSED))
    assert set(model.forms_.values()) == {"confusion"}
    checked = 0
    for number in range(60):
        explained, score = log_odds(model.explain(f"e{number}")), scores(model, f"e{number}")
        if len(score) < 3:
            continue  # the score of a class that nobody claims is not kept
        checked += 1
        for value, own in score.items():
            others = [score[other] for other in score if other != value]
            assert explained[value] == pytest.approx(own - np.mean(others), abs=1e-9)
    assert checked > 20


@pytest.mark.parametrize("attribute", ["author", "open"])
def test_per_statement_terms_sum_to_the_log_odds_of_being_true(attribute: str) -> None:
    model = GRBM(features="never").fit(every_kind())
    assert model.forms_[attribute] == "per-statement"
    block, own = model.fitted_model.bind(model.claims_)
    plausibility = block.posterior(own).plausibility
    matrix = model.claims_.matrix
    values = matrix.values.to_pylist()
    for entity in {"author": ["book"], "open": ["shop", "bank"]}[attribute]:
        explained = log_odds(model.explain(entity, attribute))
        item = find_item(matrix, entity, attribute)
        for statement in range(matrix.statement_start[item], matrix.statement_start[item + 1]):
            p = plausibility[statement]
            value = values[matrix.value_index[statement]]
            assert explained[value] == pytest.approx(np.log(p / (1 - p)), abs=1e-9)


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["confusion", "one-coin"])
def test_the_best_explained_value_is_the_one_believed(attribute: Attribute) -> None:
    drawn = world([0.8] * 3 + [0.5] * 4, 60, n_values=3, attribute=attribute)
    model = GRBM(features="never").fit(drawn.claims)
    for row in model.truths_.to_pylist():
        explanation = model.explain(row["entity"])
        odds = [evidence.log_odds for evidence in explanation.statements]
        assert odds == sorted(odds, reverse=True)
        first = explanation.statements[0]
        if not row["tie"]:
            assert first.value == row["value"]
            assert first.plausibility == pytest.approx(row["plausibility"])


def test_terms_are_shown_the_weightiest_first_and_add_up() -> None:
    drawn = world([0.95, 0.8, 0.6, 0.45, 0.4, 0.35], 100, n_values=3)
    model = GRBM(features="never").fit(drawn.claims)
    text = str(model.explain("e0000"))
    assert text.startswith("value of e0000")
    blocks = text.split("\n\n")[1:]
    assert blocks
    for block in blocks:
        lines = block.splitlines()
        numbers = [float(line.split()[0]) for line in lines[1:]]
        assert numbers[-1] == pytest.approx(sum(numbers[:-1]), abs=0.0005 * len(numbers))
        terms = [abs(float(line.split()[0])) for line in lines[1:] if "(tpr" in line]
        assert terms == sorted(terms, reverse=True)
        assert any("claims err together" in line for line in lines)


def every_form() -> list[Any]:
    copies = {13 + place: (12, 0.95) for place in range(6)}
    family = world([0.55] * 12 + [0.35] * 7, 200, n_values=3, copies=copies, attribute=OPEN)
    return [
        pytest.param(GRBM(features="never"), denying(4, OPEN), id="coin, open"),
        pytest.param(GRBM(features="never"), denying(12, CLOSED), id="coin, closed"),
        pytest.param(GRBM(features="never"), denying(3, CLOSED), id="confusion"),
        pytest.param(GRBM(features="never"), every_kind(), id="every kind"),
        pytest.param(GRBM(features="always"), every_kind(), id="features"),
        pytest.param(GRBM(features="never", correlation=0), every_kind(), id="not tempered"),
        pytest.param(GRBM(allow_adversaries=True), denying(3, CLOSED), id="adversaries"),
        pytest.param(GRBM(features="never", discount_copies=True), family.claims, id="copies"),
        pytest.param(RBM(), every_kind(), id="rbm"),
        pytest.param(BinaryGRBM(max_iter=300), every_kind(), id="binary"),
    ]


@pytest.mark.parametrize(("model", "claims"), every_form())
def test_terms_and_adjustments_sum_to_the_log_odds_of_the_plausibility(
    model: Any, claims: Claims
) -> None:
    model.fit(claims)
    explainer = model.explainer(claims)
    assert explainer.plausibility == pytest.approx(model.plausibility_, abs=1e-9)
    n_statements = 0
    for item in range(claims.matrix.n_items):
        for evidence in explainer.item(item).statements:
            total = evidence.global_hidden_bias + sum(term.log_odds for term in evidence.terms)
            total += sum(step.log_odds for step in evidence.adjustments)
            p = min(max(evidence.plausibility, CERTAIN), 1 - CERTAIN)
            assert total == pytest.approx(np.log(p) - np.log1p(-p), abs=1e-8)
            assert total == pytest.approx(evidence.log_odds, abs=1e-9)
            assert all(np.isfinite(step.log_odds) for step in evidence.adjustments)
            n_statements += 1
    assert n_statements == claims.matrix.n_statements


@pytest.mark.parametrize(("probability", "log_odds"), [(0.0, -27.63), (1.0, 27.63), (0.5, 0.0)])
def test_certainty_has_log_odds_too(probability: float, log_odds: float) -> None:
    assert log_odds_of(probability) == pytest.approx(log_odds, abs=0.01)


def test_reasons_of_adjustments() -> None:
    model = GRBM(features="never").fit(every_kind())
    reasons = {
        step.reason
        for item in range(model.claims_.matrix.n_items)
        for evidence in model.explainer(model.claims_).item(item).statements
        for step in evidence.adjustments
    }
    assert reasons == {"evidence for other values", "claims err together", "share of the claims"}
    plain = GRBM(features="never", correlation=0).fit(every_kind())
    (shop,) = plain.explain("shop").statements
    assert "claims err together" not in {step.reason for step in shop.adjustments}


def test_who_claims_it_speaks_for_it_and_more_so_the_better_it_is() -> None:
    drawn = world([0.95, 0.95, 0.8, 0.5, 0.4], 200, n_values=3)
    model = GRBM(features="never").fit(drawn.claims)
    adds: dict[str, float] = {}
    for number in range(20):
        for evidence in model.explain(f"e{number:04d}").statements:
            for term in evidence.terms:
                assert term.claims == (term.says == evidence.value)
                if term.claims:
                    assert term.log_odds > 0
                    adds[term.source] = term.log_odds
    assert adds["s00"] > adds["s02"] > adds["s04"]


def test_copies_that_are_left_out_have_no_term() -> None:
    copies = {13 + place: (12, 0.95) for place in range(6)}
    drawn = world([0.55] * 12 + [0.35] * 7, 200, copies=copies, share=0.8)
    model = GRBM(features="never", discount_copies=True).fit(drawn.claims)
    family = {f"s{place}" for place in range(12, 19)}
    for evidence in model.explain("e0000").statements:
        claim_it = [term.source for term in evidence.terms if term.claims]
        assert len(family & set(claim_it)) <= 1


def test_features_of_a_claim_are_shown_with_it() -> None:
    columns: dict[str, Any] = {
        "source": ["a", "b", "c"] * 3,
        "entity": ["x"] * 3 + ["y"] * 3 + ["z"] * 3,
        "value": ["1", "1", "2", "1", "1", "1", "2", "1", "2"],
        "source_kind": ["pro", "fan", "fan"] * 3,
    }
    model = GRBM(features="always").fit(Claims.from_frame(columns, attributes={"*": CLOSED}))
    terms = {term.source: term for term in model.explain("x").statements[0].terms}
    assert terms["a"].features == {"source_kind": "pro"}
    assert terms["b"].features == {"source_kind": "fan"}


def test_an_item_of_other_claims_and_a_value_that_was_no_class() -> None:
    drawn = world([0.8] * 6, 60, n_values=3)
    model = GRBM(features="never").fit(drawn.claims)
    assert set(model.forms_.values()) == {"confusion"}
    later = {"source": ["s00", "s01", "new"], "entity": ["n"] * 3, "value": ["v0", "v0", "v9"]}
    claims = Claims.from_frame(later, attributes={"*": CLOSED})
    explanation = model.explain("n", claims=claims)
    assert [evidence.value for evidence in explanation.statements] == ["v0", "v9"]
    assert explanation.statements[1].global_hidden_bias < -25  # held to be impossible
    assert 0 <= explanation.statements[1].plausibility < explanation.statements[0].plausibility
    with pytest.raises(InputError, match="No claim is about 'nowhere'"):
        model.explain("nowhere")


@pytest.mark.parametrize(
    "attribute", [CLOSED, OPEN, BOOLEAN], ids=["confusion", "one-coin", "per-statement"]
)
def test_an_item_of_known_truth_can_be_explained(attribute: Attribute) -> None:
    drawn = world([0.8] * 5, 60, n_values=2, attribute=attribute)
    model = GRBM(features="never").fit(drawn.claims, known_truth=drawn.known(1))
    explanation = model.explain("e0000")
    assert explanation.statements
    assert all(len(evidence.terms) > 0 for evidence in explanation.statements)
