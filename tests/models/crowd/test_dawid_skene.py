"""Dawid-Skene, against the paper's example, crowd-kit, and claims written out in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.claim_rows import read, tables
from tests.crowd_peers import (
    CLOSED,
    REAL,
    assert_never_falls,
    columns_of,
    drawn_labels,
    fit_theirs,
    read_closed,
    their_plausibility,
)

from veracity import Attribute, Claims, DawidSkene, OneCoin
from veracity.errors import InvalidParameter
from veracity.models.base import TruthModel
from veracity.models.crowd.mace import MACE

#: Table 1 of the paper: five anaesthetists class patients, the first of them three times each.
PATIENTS = """
111 1 1 1 1, 333 4 3 3 4, 112 2 1 2 2, 222 3 1 2 1, 222 3 2 2 2, 222 3 3 2 2, 122 2 1 1 1,
333 3 4 3 3, 222 2 2 2 3, 232 2 2 2 3, 444 4 4 4 4, 222 3 3 4 3, 111 1 1 1 1, 222 3 2 1 2,
121 1 1 1 1, 111 2 1 1 1, 111 1 1 1 1, 111 1 1 1 1, 222 2 2 2 1, 222 1 3 2 2, 222 2 2 2 2,
222 2 2 2 1, 222 3 2 2 2, 221 2 2 2 2, 111 1 1 1 1, 111 1 1 1 1, 232 2 2 2 2, 111 1 1 1 1,
111 1 1 1 1, 112 1 1 2 1, 111 1 1 1 1, 333 3 2 3 3, 111 1 1 1 1, 222 2 2 2 2, 222 3 2 3 2,
433 4 3 4 3, 221 2 2 3 2, 232 3 2 3 3, 333 3 4 3 2, 111 1 1 1 1, 111 1 1 1 1, 121 2 1 1 1,
232 2 2 2 2, 121 1 1 1 1, 222 2 2 2 2
"""


def anaesthetists() -> Claims:
    """Return the claims of the paper; a class that is given twice has the weight 2."""
    rows = [
        (str(observer), str(patient), said, float(given.count(said)))
        for patient, line in enumerate(PATIENTS.replace("\n", " ").split(","))
        for observer, given in enumerate(line.split(), 1)
        for said in sorted(set(given))
    ]
    columns = columns_of(rows, "source entity value weight")
    return Claims.from_frame(columns, attributes=CLOSED, duplicates="all")


def test_the_anaesthetists_of_the_paper() -> None:
    model = DawidSkene().fit(anaesthetists())
    assert model.classes_["probability"].to_pylist() == pytest.approx(
        [0.40, 0.42, 0.11, 0.07], abs=0.005
    )
    first = [row for row in model.confusion_.to_pylist() if row["source"] == "1"]
    assert [(row["truth"], row["said"]) for row in first[:5]] == [
        ("1", "1"), ("1", "2"), ("1", "3"), ("1", "4"), ("2", "1"),
    ]  # fmt: skip
    assert [row["probability"] for row in first] == pytest.approx(
        [0.89, 0.11, 0, 0, 0.07, 0.88, 0.05, 0, 0, 0.34, 0.66, 0, 0, 0, 0.56, 0.44], abs=0.006
    )


@pytest.mark.parametrize("n_iter", [1, 40])
@pytest.mark.parametrize("name", REAL)
def test_as_crowd_kit_after_as_many_iterations(name: str, n_iter: int, data_folder: Path) -> None:
    claims = read_closed(data_folder, name)
    theirs = fit_theirs("DawidSkene", claims, n_iter=n_iter, tol=-1)
    mine = DawidSkene(max_iter=n_iter, tol=None).fit(claims)
    expected = their_plausibility(claims, theirs.probas_)
    assert mine.plausibility_ == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["rte", "dog", "general_knowledge"])
def test_as_crowd_kit_when_both_have_converged(name: str, data_folder: Path) -> None:
    claims = read_closed(data_folder, name)
    theirs = fit_theirs("DawidSkene", claims, n_iter=60, tol=-1)
    mine = DawidSkene(tol=1e-8).fit(claims)
    assert mine.converged_
    expected = their_plausibility(claims, theirs.probas_)
    assert mine.plausibility_ == pytest.approx(expected, abs=1e-6)
    priors = theirs.priors_.sort_values().to_numpy()
    assert np.sort(mine.classes_["probability"].to_numpy()) == pytest.approx(priors, abs=1e-6)


def test_as_crowd_kit_on_drawn_labels_of_many_classes() -> None:
    rows = drawn_labels(seed=3, n_items=200, n_sources=20, n_classes=7)
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    theirs = fit_theirs("DawidSkene", claims, n_iter=30, tol=-1)
    mine = DawidSkene(max_iter=30, tol=None).fit(claims)
    expected = their_plausibility(claims, theirs.probas_)
    assert mine.plausibility_ == pytest.approx(expected, abs=1e-6)


def lists_and_answers() -> tuple[Claims, Claims]:
    """Return lists of values, and the same as answers of yes and no to every value."""
    rng = np.random.default_rng(5)
    lists, answers = [], []
    for entity in range(25):
        values = [f"v{k}" for k in range(4)]
        named = {s: [v for v in values if rng.random() < 0.45] or ["v0"] for s in "abcdef"}
        claimed = {value for some in named.values() for value in some}
        for source, some in named.items():
            lists += [(source, f"e{entity}", value) for value in some]
            answers += [
                (source, f"e{entity} {value}", "yes" if value in some else "no")
                for value in sorted(claimed)
            ]
    return (
        Claims.from_frame(columns_of(lists), attributes={"*": Attribute("multiple")}),
        Claims.from_frame(columns_of(answers), attributes={"*": Attribute("boolean")}),
    )


@pytest.mark.parametrize(
    "model",
    [
        DawidSkene(max_iter=15, tol=None),
        DawidSkene(prior=0.5, prior_diagonal=1.0, max_iter=15, tol=None),
        OneCoin(max_iter=15, tol=None),
        MACE(n_restarts=1, max_iter=15),
    ],
    ids=str,
)
def test_naming_some_values_says_no_to_all_others(model: TruthModel) -> None:
    lists, answers = lists_and_answers()
    mine = model.fit(lists).statements_.to_pylist()
    found = {f"{row['entity']} {row['value']}": row["plausibility"] for row in mine}
    same = model.fit(answers).statements_.to_pylist()
    assert found == pytest.approx({row["entity"]: row["plausibility"] for row in same}, abs=1e-9)


def test_open_attributes_are_treated_as_by_one_coin() -> None:
    columns = columns_of(drawn_labels())
    claims = Claims.from_frame(columns, attributes={"*": Attribute("single", "open")})
    mine, coin = DawidSkene(tol=1e-7).fit(claims), OneCoin(tol=1e-7).fit(claims)
    assert mine.plausibility_ == pytest.approx(coin.plausibility_, abs=1e-12)
    assert any("No confusion matrix for value" in note.text for note in mine.notes_)
    assert len(mine.confusion_) == 0


def test_pseudo_counts_by_hand() -> None:
    # One item, a and b say 1, c says 2: shares 2/3 and 1/3. a's cell (said 1) counts 2/3 and 1/3,
    # its cell (said 2) nothing; to each half a count is added, and one more on the diagonal.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    model = DawidSkene(prior=0.5, prior_diagonal=1.0, max_iter=1, tol=None).fit(claims)
    of_a = {
        (row["truth"], row["said"]): row["probability"]
        for row in model.confusion_.to_pylist()
        if row["source"] == "a"
    }
    assert of_a == pytest.approx(
        {
            ("1", "1"): (2 / 3 + 1.5) / (2 / 3 + 1.5 + 0.5),
            ("2", "1"): (1 / 3 + 0.5) / (1 / 3 + 0.5 + 1.5),
        }
    )


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("prior", [0.0, 0.7])
@given(rows=tables())
def test_the_likelihood_never_falls(rows: list[Any], prior: float) -> None:
    model = DawidSkene(prior, 2 * prior, max_iter=30, tol=None).fit(read(rows))
    found = np.array([record["log_likelihood"] for record in model.history_])
    assert (np.diff(found) >= -1e-8 * (1 + np.abs(found[:-1]))).all()


def test_the_likelihood_rises_on_drawn_labels() -> None:
    claims = Claims.from_frame(columns_of(drawn_labels()), attributes=CLOSED)
    assert_never_falls(DawidSkene().fit(claims).history_)
    assert_never_falls(DawidSkene(prior=0.1, prior_diagonal=1.0).fit(claims).history_)


def test_a_source_that_swaps_classes_is_read_the_other_way_round() -> None:
    rows = []
    for i in range(40):
        truth = "1" if i % 2 else "2"
        rows += [(s, f"e{i}", truth) for s in "abc"]
        rows.append(("liar", f"e{i}", "2" if truth == "1" else "1"))
    model = DawidSkene(prior=0.1).fit(Claims.from_frame(columns_of(rows), attributes=CLOSED))
    new = Claims.from_frame(columns_of([("liar", "new", "1")]), attributes=CLOSED)
    # The liar says 1 where the truth is 2, so 1 is not to be believed.
    assert model.predict_plausibility(new)["plausibility"].to_pylist()[0] < 0.05


def test_new_sources_are_taken_for_average_and_new_values_for_open() -> None:
    claims = Claims.from_frame(columns_of(drawn_labels()), attributes=CLOSED)
    model = DawidSkene(prior=0.1).fit(claims)
    stranger = [("stranger", "new", "v0"), ("stranger", "odd", "never seen")]
    found = model.predict_plausibility(Claims.from_frame(columns_of(stranger), attributes=CLOSED))
    right, odd = found["plausibility"].to_pylist()
    prior = {row["value"]: row["probability"] for row in model.classes_.to_pylist()}
    assert prior["v0"] < right < 1
    reliability = np.mean(model.source_parameters_["reliability"].to_numpy())
    assert odd == pytest.approx(reliability)  # of two answers, hers and another


def test_known_truth_of_a_class_that_nobody_claims_for_the_item() -> None:
    # All say 1 of e0, but it is 2, a class that is claimed elsewhere.
    rows = [(s, f"e{i}", "1" if i < 3 else "2") for i in range(6) for s in "abc"]
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    known = {"entity": ["e0"], "value": ["2"]}
    model = DawidSkene(max_iter=1, tol=None).fit(claims, known_truth=known)
    assert model.classes_["probability"].to_pylist() == pytest.approx([2 / 6, 4 / 6])
    of_a = [row for row in model.confusion_.to_pylist() if row["source"] == "a"]
    assert [row["probability"] for row in of_a] == pytest.approx([1, 0, 1 / 4, 3 / 4], abs=1e-9)
    row = model.truths_.to_pylist()[-1]
    assert (row["entity"], row["value"]) == ("e0", "2")


def test_parameters_are_checked() -> None:
    with pytest.raises(InvalidParameter, match="prior_diagonal must be a number, zero or more"):
        DawidSkene(prior_diagonal=-1).fit(columns_of(drawn_labels()))
