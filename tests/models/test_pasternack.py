"""Sums, Average·Log, Investment and PooledInvestment, against rounds done by hand.

The graph is the same throughout: a says 1 about x and y, b says 1 about x, c says 2 about x.
"""

from __future__ import annotations

from math import log
from typing import Any

import pytest

from veracity import (
    Attribute,
    AverageLog,
    Claims,
    Investment,
    PooledInvestment,
    Sums,
    TruthModel,
)
from veracity.errors import InvalidParameter

OPEN = {"*": Attribute("single", "open")}
GRAPH = [("a", "x", "1"), ("a", "y", "1"), ("b", "x", "1"), ("c", "x", "2")]


def claims_of(rows: list[tuple[Any, ...]], names: str = "source entity value") -> Claims:
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names.split())}
    return Claims.from_frame(columns, attributes=OPEN)


def plausibilities(model: TruthModel, claims: Claims) -> dict[tuple[str, str], float]:
    statements = model.fit(claims).statements_
    keys = zip(statements["entity"].to_pylist(), statements["value"].to_pylist(), strict=True)
    return dict(zip(keys, statements["plausibility"].to_pylist(), strict=True))


def trusts(model: Sums | Investment) -> list[float]:
    trust: list[float] = model.source_parameters_["trust"].to_pylist()
    return trust


def test_sums_after_one_round() -> None:
    model = Sums(max_iter=1)
    found = plausibilities(model, claims_of(GRAPH))
    # All answers are believed alike: T = (2, 1, 1), over the largest (1, 1/2, 1/2).
    assert trusts(model) == pytest.approx([1, 1 / 2, 1 / 2])
    # B(x = 1) = 1 + 1/2, B(x = 2) = 1/2.
    assert found == pytest.approx({("x", "1"): 3 / 4, ("x", "2"): 1 / 4, ("y", "1"): 1})


def test_sums_after_two_rounds() -> None:
    model = Sums(max_iter=2)
    found = plausibilities(model, claims_of(GRAPH))
    # B = (3/2, 1/2, 1), over the largest (1, 1/3, 2/3); T = (1 + 2/3, 1, 1/3).
    assert trusts(model) == pytest.approx([1, 3 / 5, 1 / 5])
    assert found["x", "1"] == pytest.approx(8 / 9)  # (1 + 3/5) to 1/5


def test_average_log_after_one_and_two_rounds() -> None:
    rows = [("a", "x", "1"), ("a", "y", "1")]
    rows += [("b", "x", "2"), ("b", "z", "1"), ("b", "v", "1"), ("b", "w", "1")]
    model = AverageLog(max_iter=1)
    # T = (log 2, log 4) * 1.
    assert plausibilities(model, claims_of(rows))["x", "1"] == pytest.approx(1 / 3)
    assert trusts(model) == pytest.approx([log(2) / log(4), 1])
    # What a says is believed by 1/2, what b says by 1: T = (1/2 log 2, log 4).
    model = AverageLog(max_iter=2)
    assert plausibilities(model, claims_of(rows))["x", "1"] == pytest.approx(1 / 5)


def test_average_log_counts_votes_where_nobody_has_two_claims() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    found = plausibilities(AverageLog(), claims_of(rows))
    assert found == pytest.approx({("x", "1"): 2 / 3, ("x", "2"): 1 / 3})


def test_who_says_much_wins_in_sums_but_not_in_average_log() -> None:
    rows = [("prolific", f"only {k}", "1") for k in range(30)]
    rows += [(name, f"shared {k}", "1") for name in ("ann", "bob", "cat") for k in range(3)]
    rows += [("prolific", "x", "wrong")]
    rows += [(name, "x", "right") for name in ("ann", "bob", "cat")]
    claims = claims_of(rows)
    assert plausibilities(Sums(), claims)["x", "wrong"] > 0.99
    # Each round multiplies trust by log 31 = 3.4 for one, by 3 log 4 = 4.2 for those who agree.
    assert plausibilities(AverageLog(), claims)["x", "right"] > 0.95


def test_investment_after_one_round() -> None:
    model = Investment(max_iter=1)
    found = plausibilities(model, claims_of(GRAPH))
    # With trust 1, a puts 1/2 in each of its answers: H = (3/2, 1, 1/2) for x = 1, x = 2, y = 1.
    # By votes, B = (2/3, 1/3, 1), so that one unit is paid back 4/9, 1/3, 2.
    # T(a) = 1/2 (4/9 + 2) = 11/9, T(b) = 4/9, T(c) = 1/3.
    assert trusts(model) == pytest.approx([1, 4 / 11, 3 / 11])
    # Up to the same factor, H(x = 1) = 11/18 + 4/9 and H(x = 2) = 1/3.
    for_1, for_2 = (19 / 18) ** 1.2, (1 / 3) ** 1.2
    assert found["x", "1"] == pytest.approx(for_1 / (for_1 + for_2))
    assert found["y", "1"] == 1


def test_investment_after_two_rounds() -> None:
    model = Investment(max_iter=2)
    plausibilities(model, claims_of(GRAPH))
    # One unit is paid back B / H = H ** 0.2, with H = (19/18, 1/3, 11/18).
    a = 11 / 18 * ((19 / 18) ** 0.2 + (11 / 18) ** 0.2)
    b = 4 / 9 * (19 / 18) ** 0.2
    c = 1 / 3 * (1 / 3) ** 0.2
    assert trusts(model) == pytest.approx([1, b / a, c / a])


def test_pooled_investment_after_one_round() -> None:
    model = PooledInvestment(max_iter=1)
    found = plausibilities(model, claims_of(GRAPH))
    # H is as for Investment; B = (1/2, 1/2, 1), so that one unit is paid back 1/3, 1/2, 2.
    # T(a) = 1/2 (1/3 + 2) = 7/6, T(b) = 1/3, T(c) = 1/2.
    assert trusts(model) == pytest.approx([1, 2 / 7, 3 / 7])
    # H(x = 1) = 7/12 + 1/3 = 11/12, H(x = 2) = 1/2; B goes with H ** 2.4.
    for_1, for_2 = (11 / 12) ** 2.4, (1 / 2) ** 2.4
    assert found["x", "1"] == pytest.approx(for_1 / (for_1 + for_2), abs=1e-6)
    assert found["y", "1"] == 1


def test_pooled_investment_after_two_rounds() -> None:
    model = PooledInvestment(max_iter=2)
    plausibilities(model, claims_of(GRAPH))
    grown_1, grown_2 = (11 / 12) ** 1.4, (1 / 2) ** 1.4
    paid_1, paid_2 = grown_1 / (grown_1 + grown_2), grown_2 / (grown_1 + grown_2)
    a, b, c = 7 / 12 * (paid_1 + 1), 1 / 3 * paid_1, 1 / 2 * paid_2  # y pays back what was put in
    assert trusts(model) == pytest.approx([1, b / a, c / a])


def test_pooled_investment_settles_ties_by_votes() -> None:
    # The two answers collect the same, so that three sources have no more trust than one.
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "1"), ("d", "x", "2")]
    for max_iter in (20, 200):
        model = PooledInvestment(max_iter=max_iter)
        found = plausibilities(model, claims_of(rows))
        assert found["x", "1"] == pytest.approx(0.5, abs=1e-6)
        assert model.truths_["value"].to_pylist() == ["1"]


def test_a_source_that_only_denies_is_heard_beside_others() -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "1", 0), ("c", "x", "1", 0)]
    asserted = claims_of(rows, "source entity value asserts")
    # Something else than 1 has two votes to one, and so has the trust that goes with it.
    assert plausibilities(Sums(max_iter=1), asserted)["x", "1"] == pytest.approx(1 / 3)
    assert plausibilities(Sums(max_iter=2), asserted)["x", "1"] == pytest.approx(1 / 5)


def test_weights_are_votes() -> None:
    rows = [("a", "x", "1", 3.0), ("b", "x", "2", 1.0), ("c", "x", "2", 1.0)]
    weighted = claims_of(rows, "source entity value weight")
    # T = (3, 1, 1); B(x = 1) = 3 * 3, B(x = 2) = 1 + 1.
    assert plausibilities(Sums(max_iter=1), weighted)["x", "1"] == pytest.approx(9 / 11)
    # By votes B = (3/5, 2/5), all of which is paid back: H = B.
    for_1, for_2 = 0.6**1.2, 0.4**1.2
    found = plausibilities(Investment(max_iter=1), weighted)
    assert found["x", "1"] == pytest.approx(for_1 / (for_1 + for_2))


@pytest.mark.parametrize("model", [Investment(), PooledInvestment()], ids=repr)
def test_a_thousand_rounds_neither_overflow_nor_lose_the_ranking(model: Investment) -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")]
    rows += [(name, f"y{k}", "1") for name in "abc" for k in range(3)]
    rows += [("d", "z", "1"), ("d", "w", "1"), ("e", "z", "2")]
    found = plausibilities(model.set_params(max_iter=1000), claims_of(rows))
    assert all(0 <= plausibility <= 1 for plausibility in found.values())
    assert found["x", "1"] > found["x", "2"]


def test_growth_must_not_shrink() -> None:
    with pytest.raises(InvalidParameter, match="growth must be a number, 1 or more"):
        Investment(growth=0.5).fit(claims_of(GRAPH))
