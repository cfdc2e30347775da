"""Why a value is believed: terms that add up to the log-odds of the model, in every form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.machines import ROWS, every_kind
from tests.panels import panel
from tests.worlds import BOOLEAN, CLOSED, OPEN, world

from veracity import GRBM, RBM, Attribute, BinaryGRBM, ClaimMatrix, Claims
from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels
from veracity.errors import InputError
from veracity.models.explanation import CERTAIN, Explanation, find_item, log_odds_of
from veracity.models.grbm.observation.evidence import HARDNESS, IMPOSSIBLE, OTHERS
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import softplus


def middling(model: GRBM) -> tuple[Any, ParameterVector, Floats]:
    """Return how the only attribute is judged if no item is hard, and at which parameters."""
    block, x = model.fitted_model.bind(model.claims_)
    ((found, own, eta),) = block.models(x)
    (attribute,) = block.spec.attributes
    easy = replace(found.parameters.range, hardness=0.0)
    return type(found)(block.data, easy, attribute, block.place), own, eta


def values_of(matrix: ClaimMatrix, item: int) -> list[str]:
    """Return the claimed values of an item, in the order of its statements."""
    first, last = matrix.statement_start[item : item + 2]
    found: list[str] = take_labels(matrix.values, matrix.value_index[first:last]).to_pylist()
    return found


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
    model = GRBM(features="never").fit(denying(20, CLOSED))
    assert set(model.forms_.values()) == {"one-coin"}
    coin, own, eta = middling(model)
    matrix, checked = model.claims_.matrix, 0
    for item in range(60):
        joint = coin.log_joint(own, eta, item)[:, 0]
        one_unclaimed = joint[-1] - np.log(20 - (len(joint) - 1))
        explained = log_odds(model.explainer(model.claims_).item(item))
        for value, score in zip(values_of(matrix, item), joint[:-1], strict=True):
            assert explained[value] == pytest.approx(score - one_unclaimed, abs=1e-9)
            checked += 1
    assert checked > 100


def test_terms_in_open_domains_and_what_repetition_takes_sum_to_the_log_odds() -> None:
    model = GRBM(features="never").fit(denying(4, OPEN))
    assert set(model.forms_.values()) == {"lures"}
    lures, own, eta = middling(model)
    explainer = model.explainer(model.claims_)
    for item in range(60):
        joint = lures.log_joint(own, eta, item)[:, 0]
        explanation = explainer.item(item)
        explained = log_odds(explanation)
        for place, value in enumerate(values_of(model.claims_.matrix, item)):
            (evidence,) = [one for one in explanation.statements if one.value == value]
            first = evidence.adjustments[0]
            assert first.reason == "wrong values are repeated, too"
            if np.isfinite(joint[place]):  # not a value that is only denied
                expected = joint[place] - joint[-1]
                assert explained[value] + first.log_odds == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("n_values", "attribute"), [(4, OPEN), (20, CLOSED)])
def test_bills_in_plain_numbers_are_those_of_arrays(n_values: int, attribute: Attribute) -> None:
    claims = denying(n_values, attribute)
    model = GRBM(features="never").fit(claims)
    explainer: Any = model.explainer(claims)
    block, x = model.fitted_model.bind(claims)
    ((found, own, eta),) = block.models(x)
    coin: Any = found
    tables, others, scores = coin.tables(own, eta), float(coin.log_others(own)[0]), block.scores(x)
    wrong = np.exp(-softplus(tables.level))
    denied = np.log(wrong) - np.log1p(-np.exp(-others) * np.minimum(wrong, 1.0 - 1e-12))
    for item in range(claims.matrix.n_items):
        bills = explainer.bills(item)
        place = np.array([claim for bill in bills for claim in bill.claims])
        row, weight, names = (
            each[place] for each in (coin.arrays.row, coin.arrays.weight, coin.arrays.names)
        )
        added = weight * np.where(names, tables.level[row] + others, denied[row])
        assert [term for bill in bills for term in bill.added] == pytest.approx(added, abs=1e-12)
        all_wrong = (weight[names, None] * tables.log_wrong[row[names]]).sum(axis=0)
        nobody = coin._unclaimed_constants(own)[item]
        reference = nobody + np.logaddexp.reduce(all_wrong + coin.hardness.log_weight)
        own_scores = {bill.statement: scores.statement[bill.statement] for bill in bills}
        for bill in bills:
            score, reached = own_scores[bill.statement], dict(bill.reached)
            rest = [own_scores[one] for one in own_scores if one != bill.statement]
            against = np.logaddexp.reduce([*rest, scores.unclaimed[item]])
            for reason, expected in ((HARDNESS, score - reference), (OTHERS, score - against)):
                shown = min(max(expected, IMPOSSIBLE), -IMPOSSIBLE)
                assert reached[reason] == pytest.approx(shown, abs=1e-12)


def test_confusion_terms_sum_to_the_log_odds_against_the_other_classes() -> None:
    model = GRBM(features="never").fit(denying(3, CLOSED))
    assert set(model.forms_.values()) == {"confusion"}
    classes, own, eta = middling(model)
    score = classes.class_scores(own, eta, monotone=False)  # (n_items, 3)
    explainer = model.explainer(model.claims_)
    for item in range(60):
        explained = log_odds(explainer.item(item))
        for value, found in explained.items():
            place = classes.parameters.classes.index(value)
            others = np.delete(score[item], place).mean()
            assert found == pytest.approx(score[item, place] - others, abs=1e-9)


def test_per_statement_terms_sum_to_the_log_odds_of_being_true() -> None:
    model = GRBM(features="never").fit(every_kind())
    assert model.forms_["author"] == "per-statement"
    block, own = model.fitted_model.bind(model.claims_)
    plausibility = block.posterior(own).plausibility
    matrix = model.claims_.matrix
    explained = log_odds(model.explain("book", "author"))
    item = find_item(matrix, "book", "author")
    p = plausibility[matrix.statement_start[item] : matrix.statement_start[item + 1]]
    for value, expected in zip(values_of(matrix, item), np.log(p / (1 - p)), strict=True):
        assert explained[value] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["confusion", "lures"])
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
    kin = {"source_kin": ["a" if row[0] in ("ann", "bob") else row[0] for row in ROWS]}
    return [
        pytest.param(GRBM(features="never"), denying(4, OPEN), id="lures"),
        pytest.param(GRBM(features="never"), denying(20, CLOSED), id="one coin"),
        pytest.param(GRBM(features="never"), denying(3, CLOSED), id="confusion"),
        pytest.param(GRBM(features="never"), every_kind(), id="every kind"),
        pytest.param(GRBM(features="always"), every_kind(), id="features"),
        pytest.param(GRBM(allow_adversaries=True), denying(3, CLOSED), id="adversaries"),
        pytest.param(GRBM(family="source_kin"), every_kind(kin), id="families"),
        pytest.param(
            GRBM(domain="source_kin", smooth="claim_size"),
            every_kind({**kin, "claim_size": list(range(len(ROWS)))}),
            id="domains and smooth functions",
        ),
        pytest.param(GRBM(class_prior="uniform"), denying(3, CLOSED), id="class prior"),
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
    assert reasons == {
        "wrong values are repeated, too",
        "hard item: the claims count less",
        "evidence for other values",
        "claims err together",
        "share of the claims",
    }


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


def test_members_of_a_family_weigh_less() -> None:
    drawn = world([0.8] * 6, 60, n_values=3)
    kin = [int(name in ("s00", "s01", "s02", "s03")) for name in drawn.columns["source"]]
    kin = [1 if one else 10 + place for place, one in enumerate(kin)]  # the others are strangers
    columns = {**drawn.columns, "source_kin": [f"k{one}" for one in kin]}
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    plain = GRBM(features="never").fit(claims)
    model = GRBM(features="never", family="source_kin")
    model.fit(claims)
    model.fitted_model = replace(plain.fitted_model, spec=model.fitted_model.spec)
    alone, related = plain.explain("e0000"), model.explain("e0000", claims=claims)
    for before, after in zip(by_value(alone), by_value(related), strict=True):
        kept = {term.source: term.log_odds for term in after.terms}
        for term in before.terms:
            weight = 0.5 if term.source <= "s03" else 1.0  # four of them: 4 ** -0.5
            assert kept[term.source] == pytest.approx(weight * term.log_odds)


def by_value(explanation: Explanation) -> list[Any]:
    """Return the evidence for each value, in the order of values."""
    return sorted(explanation.statements, key=lambda evidence: evidence.value)


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
    "attribute", [CLOSED, OPEN, BOOLEAN], ids=["confusion", "lures", "boolean"]
)
def test_an_item_of_known_truth_can_be_explained(attribute: Attribute) -> None:
    drawn = world([0.8] * 5, 60, n_values=2, attribute=attribute)
    model = GRBM(features="never").fit(drawn.claims, known_truth=drawn.known(1))
    explanation = model.explain("e0000")
    assert explanation.statements
    assert all(len(evidence.terms) > 0 for evidence in explanation.statements)


# Claims that count for less


@pytest.fixture(scope="module")
def judged() -> GRBM:
    """Return a fit to a panel with declared families, one judge of which is asked twice."""
    claims = Claims.from_frame(panel(), attributes={"*": CLOSED})
    return GRBM(features="never", family="source_family").fit(claims)


def test_members_of_a_family_count_for_less_and_are_counted(judged: GRBM) -> None:
    explanation = judged.explain("e00")
    weights = {term.source: term.weight for term in explanation.statements[0].terms}
    assert weights["j0"] == weights["j1"] == weights["j2"] == pytest.approx(3**-0.5)
    assert weights["j3"] == weights["j4"] == pytest.approx(2**-0.5)
    assert weights["j5"] == 1.0
    gpt, llama = explanation.families
    assert (gpt.family, gpt.n_sources) == ("gpt", 3)
    assert gpt.counted == pytest.approx(3**0.5)
    assert str(llama) == "2 sources of family 'llama': counted as 1.4"


def test_repeated_claims_count_for_less(judged: GRBM) -> None:
    terms = judged.explain("e00").statements[0].terms
    assert [term.weight for term in terms if term.source == "j6"] == pytest.approx([0.5**0.5] * 2)


def test_the_text_says_how_much_claims_count(judged: GRBM) -> None:
    lines = str(judged.explain("e00")).splitlines()
    assert lines[:3] == [
        "value of e00",
        "3 sources of family 'gpt': counted as 1.7",
        "2 sources of family 'llama': counted as 1.4",
    ]
    assert any(line.endswith(", counts 0.58)") for line in lines if " j0 " in line)
    assert not any("counts" in line for line in lines if " j5 " in line)


def test_families_add_up_to_the_plausibility_too(judged: GRBM) -> None:
    for evidence in judged.explain("e01").statements:
        assert evidence.log_odds == pytest.approx(log_odds_of(evidence.plausibility), abs=1e-8)


def test_without_families_nothing_is_said_about_them() -> None:
    columns = {name: cells for name, cells in panel().items() if name != "source_family"}
    model = GRBM(features="never").fit(Claims.from_frame(columns, attributes={"*": CLOSED}))
    assert model.explain("e00").families == ()
    assert "family" not in str(model.explain("e00"))


def test_a_model_that_takes_claims_as_they_are_gives_them_weight_one() -> None:
    columns = {name: cells for name, cells in panel().items() if name != "source_family"}
    model = RBM().fit(Claims.from_frame(columns, attributes={"*": CLOSED}))
    terms = model.explain("e00").statements[0].terms
    assert {term.weight for term in terms} == {1.0}
