"""One-coin Dawid-Skene, against crowd-kit, sums done by hand, and claims written out in full."""

from __future__ import annotations

import math
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

from veracity import Attribute, Claims, MajorityVote, OneCoin
from veracity.data.arrays import Floats
from veracity.errors import InvalidParameter
from veracity.models.base import TruthModel

OPEN = {"*": Attribute("single", "open")}


def statements(model: TruthModel) -> dict[tuple[str, str], float]:
    """Return the plausibility of each (entity, value)."""
    table = model.statements_
    keys = zip(table["entity"].to_pylist(), table["value"].to_pylist(), strict=True)
    return dict(zip(keys, table["plausibility"].to_pylist(), strict=True))


def one_step(votes: dict[str, list[str]], reliability: dict[str, float], n: int) -> Floats:
    """Return the shares of answers, each with an equal prior, of `n` that are possible."""
    odds = {
        value: math.prod(
            reliability[s] if value == said else (1 - reliability[s]) / (n - 1)
            for said, speakers in votes.items()
            for s in speakers
        )
        for value in [*votes, *range(n - len(votes))]
    }
    return np.array([odds[value] for value in votes]) / sum(odds.values())


def test_one_iteration_by_hand_on_open_questions() -> None:
    # x: a and b say 1, c says 2; y: a says 3, b and c say 4. Shares of the votes: 2/3, 1/3 each.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    rows += [("a", "y", "3"), ("b", "y", "4"), ("c", "y", "4")]
    model = OneCoin(max_iter=1, tol=None).fit(Claims.from_frame(columns_of(rows), attributes=OPEN))
    reliability = {"a": 1 / 2, "b": 2 / 3, "c": 1 / 2}
    found = statements(model)
    # Three answers may be given to each: two that are, and one more.
    x = one_step({"1": ["a", "b"], "2": ["c"]}, reliability, 3)
    assert [found["x", "1"], found["x", "2"]] == pytest.approx(x)
    y = one_step({"3": ["a"], "4": ["b", "c"]}, reliability, 3)
    assert [found["y", "3"], found["y", "4"]] == pytest.approx(y)
    named = model.source_parameters_.to_pylist()
    assert {row["source"]: row["reliability"] for row in named} == pytest.approx(reliability)


def test_a_prior_is_as_good_as_right_and_wrong_claims() -> None:
    # a is right in 2/3 of one claim, and in 2 of 3 imagined ones.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    claims = Claims.from_frame(columns_of(rows), attributes=OPEN)
    model = OneCoin(prior=(2, 1), max_iter=1, tol=None).fit(claims)
    found = model.source_parameters_["reliability"].to_pylist()
    assert found == pytest.approx([(2 / 3 + 2) / 4, (2 / 3 + 2) / 4, (1 / 3 + 2) / 4])


def test_a_denial_is_a_vote_in_equal_parts_for_all_others() -> None:
    votes = drawn_labels(n_items=20)
    denied = [(source, entity, value, 1.0, 1) for source, entity, value in votes]
    written_out = list(denied)
    for place, (source, entity, value) in enumerate(votes):
        if place % 3 == 0:
            others = [f"v{k}" for k in range(3) if f"v{k}" != value]
            denied[place] = (source, entity, value, 1.0, 0)
            written_out[place] = (source, entity, others[0], 0.5, 1)
            written_out.append((source, entity, others[1], 0.5, 1))
    names = "source entity value weight asserts"
    mine, same = (
        statements(OneCoin(max_iter=20, tol=None).fit(
            Claims.from_frame(columns_of(rows, names), attributes=CLOSED, duplicates="all")
        ))
        for rows in (denied, written_out)
    )  # fmt: skip
    both = mine.keys() & same.keys()
    assert len(both) > 30
    assert [mine[key] for key in both] == pytest.approx([same[key] for key in both], abs=1e-9)


@pytest.mark.parametrize("n_iter", [1, 4])
@pytest.mark.parametrize("name", REAL)
def test_as_crowd_kit_after_as_many_iterations(name: str, n_iter: int, data_folder: Path) -> None:
    claims = read_closed(data_folder, name)
    theirs = fit_theirs("OneCoinDawidSkene", claims, n_iter=n_iter, tol=-1)
    mine = OneCoin(max_iter=n_iter, tol=None).fit(claims)
    expected = their_plausibility(claims, theirs.probas_)
    assert mine.plausibility_ == pytest.approx(expected, abs=1e-6)


def test_as_crowd_kit_when_both_have_converged() -> None:
    claims = Claims.from_frame(columns_of(drawn_labels()), attributes=CLOSED)
    theirs = fit_theirs("OneCoinDawidSkene", claims, n_iter=200, tol=-1)
    mine = OneCoin(tol=1e-9).fit(claims)
    assert mine.converged_
    expected = their_plausibility(claims, theirs.probas_)
    assert mine.plausibility_ == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", REAL)
def test_shares_of_votes_are_those_of_crowd_kit(name: str, data_folder: Path) -> None:
    claims = read_closed(data_folder, name)
    theirs = fit_theirs("MajorityVote", claims)
    mine = MajorityVote(smoothing=0).fit(claims)
    expected = their_plausibility(claims, theirs.probas_)
    assert mine.plausibility_ == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("prior", [None, (2.0, 1.0)])
@given(rows=tables())
def test_the_likelihood_never_falls(rows: list[Any], prior: tuple[float, float] | None) -> None:
    model = OneCoin(prior=prior, max_iter=30, tol=None).fit(read(rows))
    found = np.array([record["log_likelihood"] for record in model.history_])
    assert (np.diff(found) >= -1e-8 * (1 + np.abs(found[:-1]))).all()


def test_the_likelihood_rises_on_drawn_labels() -> None:
    claims = Claims.from_frame(columns_of(drawn_labels()), attributes=CLOSED)
    assert_never_falls(OneCoin().fit(claims).history_)


def test_known_truth_teaches_who_is_right() -> None:
    # Two sources agree against one; that one is known to be right elsewhere, and they are not.
    rows = [(s, f"e{i}", "1" if s == "good" else "2") for i in range(6) for s in ("good", "b", "c")]
    claims = Claims.from_frame(columns_of(rows), attributes=CLOSED)
    known = {"entity": [f"e{i}" for i in range(5)], "value": ["1"] * 5}
    assert statements(OneCoin().fit(claims))["e5", "2"] > 0.9
    told = OneCoin().fit(claims, known_truth=known)
    assert statements(told)["e5", "1"] > 0.9
    assert all(statements(told)[f"e{i}", "1"] == 1 for i in range(5))


def test_known_truth_that_nobody_claims_makes_all_of_them_wrong() -> None:
    rows = [(s, f"e{i}", "1") for i in range(4) for s in "ab"]
    claims = Claims.from_frame(columns_of(rows), attributes=OPEN)
    known = {"entity": ["e0", "e1"], "value": ["9", "9"]}
    model = OneCoin(max_iter=1, tol=None).fit(claims, known_truth=known)
    # Right about two items, by the votes, and wrong about two.
    assert model.source_parameters_["reliability"].to_pylist() == pytest.approx([0.5, 0.5])


def test_parameters_are_checked() -> None:
    with pytest.raises(InvalidParameter, match="prior must be two numbers"):
        OneCoin(prior=(1,)).fit(columns_of(drawn_labels()))  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match=r"prior\[1\] must be a number, zero or more"):
        OneCoin(prior=(1, -1)).fit(columns_of(drawn_labels()))
