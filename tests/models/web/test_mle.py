"""MLE, against EM by hand and against a plain EM on the table with every yes and no written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sayings import mixed_claims, written_out
from tests.strategies import Row, as_columns, contested, shuffled

import veracity
from veracity import MLE, Attribute, Claims
from veracity.data.arrays import Floats
from veracity.errors import ConvergenceWarning, InvalidParameter
from veracity.models.web.mle import Silence

OPEN = {"*": Attribute("single", "open")}
FORMS: list[Silence] = ["ignored", "evidence"]


def table(rows: list[tuple[Any, ...]], names: str = "source entity value") -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names.split())}


def by_label(model: MLE) -> dict[tuple[str, str], float]:
    statements = model.statements_
    keys = zip(statements["entity"].to_pylist(), statements["value"].to_pylist(), strict=True)
    return dict(zip(keys, statements["plausibility"].to_pylist(), strict=True))


def rates(model: MLE) -> dict[str, tuple[float, float]]:
    found = model.source_parameters_
    numbers = zip(found["tpr"].to_pylist(), found["fpr"].to_pylist(), strict=True)
    return dict(zip(found["source"].to_pylist(), numbers, strict=True))


@pytest.mark.parametrize(
    ("silence", "rows"),
    [
        # Where silence is ignored: a and b claim x = 1 and deny x = 2, c the other way round.
        ("ignored", [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]),
        # Where it is evidence, the same follows from a and b being silent about y, and c about x.
        ("evidence", [("a", "x", "1"), ("b", "x", "1"), ("c", "y", "2")]),
    ],
)
def test_an_iteration_by_hand(silence: Silence, rows: list[tuple[str, str, str]]) -> None:
    model = MLE(silence, max_iter=1, tol=None).fit(Claims.from_frame(table(rows), attributes=OPEN))
    # Each source claims 1 of 2: it starts at a = (1 + 1) / (2 + 2) = 1/2 and b = 1/4, d = 1/2.
    # A claim doubles the odds, a denial takes them times (1/2) / (3/4) = 2/3.
    half = Fraction(1, 2)
    first, second = Fraction(8, 11), Fraction(8, 17)  # odds 2 2 2/3 = 8/3, and 2/3 2/3 2 = 8/9
    assert 1 - 1 / (1 + 2 * 2 * Fraction(2, 3)) == first
    assert 1 - 1 / (1 + 2 * Fraction(2, 3) ** 2) == second
    both, neither = first + second, 2 - first - second
    a_tpr, a_fpr = first / both, (1 - first) / neither
    c_tpr, c_fpr = second / both, (1 - second) / neither
    assert rates(model)["a"] == pytest.approx((a_tpr, a_fpr))
    assert rates(model)["b"] == pytest.approx((a_tpr, a_fpr))
    assert rates(model)["c"] == pytest.approx((c_tpr, c_fpr))
    prior = half * both
    assert model.learned_.shared["prior"][0] == pytest.approx(prior)
    odds = prior / (1 - prior) * (a_tpr / a_fpr) ** 2 * (1 - c_tpr) / (1 - c_fpr)
    assert by_label(model)["x", "1"] == pytest.approx(odds / (1 + odds))


def test_silence_counts_in_one_form_only() -> None:
    # Of x and y each has one value. Where silence is ignored, nobody speaks against either, and a
    # source starts at a = 2/3 and b = 1/3: odds 2 2 = 4 for x and 2 for y, which two say and one.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "y", "1")]
    model = MLE(max_iter=1, tol=None).fit(table(rows))
    # All rates are now 1: a claim of what nobody denies says nothing, and the prior is left.
    assert list(by_label(model).values()) == pytest.approx([(4 / 5 + 2 / 3) / 2] * 2)
    evidence = by_label(MLE("evidence").fit(table(rows)))
    assert evidence["x", "1"] > evidence["y", "1"]


def plain_em(claims: Floats, denies: Floats, n_iter: int) -> tuple[Floats, list[float]]:
    """EM on tables of yes and no, (n_sources, n_statements); plausibilities, and likelihoods."""
    claimed, spoken = claims.sum(1), claims.sum(1) + denies.sum(1)
    a = (claimed + 1) / (spoken + 2)
    b, d = a / 2, 0.5
    likelihoods = []
    for iteration in range(n_iter + 1):
        true = d * np.prod(a[:, None] ** claims * (1 - a[:, None]) ** denies, 0)
        false = (1 - d) * np.prod(b[:, None] ** claims * (1 - b[:, None]) ** denies, 0)
        likelihoods.append(float(np.log(true + false).sum()))
        p = true / (true + false)
        if iteration < n_iter:
            a = np.clip(claims @ p / ((claims + denies) @ p), 1e-6, 1 - 1e-6)
            b = np.clip(claims @ (1 - p) / ((claims + denies) @ (1 - p)), 1e-6, 1 - 1e-6)
            d = float(p.mean())
    return p, likelihoods


@pytest.mark.parametrize("silence", FORMS)
@pytest.mark.parametrize("weights", [False, True])
def test_every_kind_of_claim_against_a_plain_em(silence: Silence, weights: bool) -> None:
    claims = mixed_claims(weights)
    model = MLE(silence, max_iter=5, tol=None).fit(claims)
    p, likelihoods = plain_em(*written_out(claims.matrix, silence == "evidence"), 5)
    np.testing.assert_allclose(model.plausibility_, p, rtol=1e-9)
    found = [record["log_likelihood"] for record in model.history_]
    np.testing.assert_allclose(found, likelihoods[1:], rtol=1e-9)


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("silence", FORMS)
@given(rows=contested, known=st.booleans())
def test_the_likelihood_never_falls(silence: Silence, rows: list[Row], known: bool) -> None:
    truth = {key: values[:1] for key, values in as_columns(rows).items() if key != "source"}
    model = MLE(silence, tol=None, max_iter=40)
    model.fit(as_columns(rows), known_truth=truth if known else None)
    likelihoods = [record["log_likelihood"] for record in model.history_]
    assert len(likelihoods) == 40
    assert all(after >= before - 1e-9 * abs(before) for before, after in pairwise(likelihoods))


@pytest.mark.parametrize("silence", FORMS)
def test_known_truth_holds_and_teaches(silence: Silence) -> None:
    # a and b are two against one, but what is known goes with c: so it does on the last item.
    rows = [(s, f"x{i}", "2" if s == "c" else "1") for i in range(6) for s in "abc"]
    truth = table([(f"x{i}", "2") for i in range(5)], "entity value")
    alone = MLE(silence).fit(table(rows))
    taught = MLE(silence).fit(table(rows), known_truth=truth)
    assert set(alone.truths_["value"].to_pylist()) == {"1"}
    assert set(taught.truths_["value"].to_pylist()) == {"2"}
    found = by_label(taught)
    assert all(found[f"x{i}", "2"] == 1 and found[f"x{i}", "1"] == 0 for i in range(5))
    assert found["x5", "2"] > 0.99
    assert rates(taught)["c"][0] > 0.99 > 0.01 > rates(taught)["a"][0]


@pytest.mark.parametrize("word", ["yes", "no"])
def test_boolean_sources_of_one_mind_are_believed(word: str) -> None:
    for n_sources, n_items in [(1, 1), (3, 1), (3, 4)]:
        rows = [(f"s{s}", f"x{i}", word) for s in range(n_sources) for i in range(n_items)]
        claims = Claims.from_frame(table(rows), attributes={"*": Attribute("boolean")})
        truths = MLE().fit_predict(claims)
        assert truths["value"].to_pylist() == [word] * n_items
        assert not any(truths["tie"].to_pylist())


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("silence", FORMS)
@settings(max_examples=6)
@given(rows=contested, seed=st.integers(0, 9))
def test_rows_and_names_of_sources_do_not_matter(
    silence: Silence, rows: list[Row], seed: int
) -> None:
    renamed = [(f"the {row[0][::-1]}", *row[1:]) for row in shuffled(rows, seed)]
    model = MLE(silence, max_iter=20, tol=None)
    mine, theirs = (
        model.fit(as_columns(table_rows)).statements_.to_arrow() for table_rows in (rows, renamed)
    )
    keys = ["entity", "attribute", "value"]
    order = [(key, "ascending") for key in keys]
    mine, theirs = mine.sort_by(order), theirs.sort_by(order)
    assert mine.select(keys).equals(theirs.select(keys))
    assert mine["plausibility"].to_pylist() == pytest.approx(
        theirs["plausibility"].to_pylist(), abs=1e-7
    )


def test_a_source_that_was_not_seen_is_like_the_average() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("a", "y", "1"), ("c", "y", "2")]
    model = MLE(max_iter=3, tol=None).fit(table(rows))
    tpr, fpr = np.mean(list(rates(model).values()), axis=0)
    prior = model.learned_.shared["prior"][0]
    odds = prior / (1 - prior) * tpr / fpr
    found = model.predict_plausibility(table([("new", "z", "1")]))["plausibility"].to_pylist()
    assert found == pytest.approx([odds / (1 + odds)])


@pytest.mark.parametrize("silence", FORMS)
def test_a_saved_model_predicts_the_same(silence: Silence, tmp_path: Path) -> None:
    claims = mixed_claims()
    model = MLE(silence).fit(claims)
    loaded = veracity.load(model.save(tmp_path / "model"))
    assert loaded.get_params() == model.get_params()
    mine, theirs = (m.predict_plausibility(claims).to_arrow() for m in (model, loaded))
    assert theirs.equals(mine)
    np.testing.assert_array_equal(mine["plausibility"].to_numpy(), model.plausibility_)


def test_an_unfinished_fit_says_so() -> None:
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        model = MLE(max_iter=1, tol=1e-12).fit(mixed_claims())
    assert not model.converged_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"silence": "golden"}, "silence must be 'ignored' or 'evidence'. Got 'golden'"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        MLE(**parameters).fit(mixed_claims())
