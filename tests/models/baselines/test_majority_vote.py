"""Majority vote, against counts done by hand."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Row, as_columns, contested, rows, shuffled

from veracity import Attribute, Claims, MajorityVote
from veracity.errors import InvalidParameter

CLOSED = {"*": Attribute("single", "closed")}
OPEN = {"*": Attribute("single", "open")}
MULTIPLE = {"*": Attribute("multiple")}


def plausibilities(
    rows: list[tuple[Any, ...]],
    names: str = "source entity value",
    smoothing: float = 1.0,
    **options: Any,
) -> dict[tuple[str, str], float]:
    """Return the plausibility of each (entity, value)."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names.split())}
    statements = MajorityVote(smoothing).fit(Claims.from_frame(columns, **options)).statements_
    keys = zip(statements["entity"].to_pylist(), statements["value"].to_pylist(), strict=True)
    return dict(zip(keys, statements["plausibility"].to_pylist(), strict=True))


VOTES = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("a", "y", "3")]
WEIGHTED = "source entity value weight"
ASSERTED = "source entity value asserts"


def test_open_domain_has_room_for_one_unseen_value() -> None:
    # x: D = 3, n = 3; y: D = 2, n = 1.
    assert plausibilities(VOTES, attributes=OPEN) == pytest.approx(
        {
            ("x", "1"): (2 + 1 / 3) / 4,
            ("x", "2"): (1 + 1 / 3) / 4,
            ("y", "3"): (1 + 1 / 2) / 2,
        }
    )


def test_closed_domain_has_all_values_of_the_attribute() -> None:
    # D = 3 for both.
    assert plausibilities(VOTES, attributes=CLOSED) == pytest.approx(
        {
            ("x", "1"): (2 + 1 / 3) / 4,
            ("x", "2"): (1 + 1 / 3) / 4,
            ("y", "3"): (1 + 1 / 3) / 2,
        }
    )


@pytest.mark.parametrize("smoothing", [0, 0.5, 3])
def test_smoothing(smoothing: float) -> None:
    found = plausibilities(VOTES, smoothing=smoothing, attributes=OPEN)
    assert found["x", "1"] == pytest.approx((2 + smoothing / 3) / (3 + smoothing))
    if smoothing == 0:
        assert found == pytest.approx({("x", "1"): 2 / 3, ("x", "2"): 1 / 3, ("y", "3"): 1})


def test_boolean() -> None:
    rows = [("a", "x", "yes"), ("b", "x", "yes"), ("c", "x", "no"), ("a", "y", "no")]
    assert plausibilities(rows) == pytest.approx(
        {("x", "yes"): (2 + 1 / 2) / 4, ("y", "yes"): (0 + 1 / 2) / 2}
    )
    assert plausibilities(rows, smoothing=0) == pytest.approx(
        {("x", "yes"): 2 / 3, ("y", "yes"): 0}
    )


def test_multiple_values_are_voted_on_one_by_one() -> None:
    rows = [("a", "x", "1"), ("a", "x", "2"), ("b", "x", "1"), ("c", "x", "3")]
    # Three speak about x; D = 2.
    assert plausibilities(rows, attributes=MULTIPLE) == pytest.approx(
        {("x", "1"): 2.5 / 4, ("x", "2"): 1.5 / 4, ("x", "3"): 1.5 / 4}
    )


def test_weights() -> None:
    rows = [("a", "x", "1", 3.0), ("b", "x", "2", 1.0), ("c", "x", "2", 1)]
    assert plausibilities(rows, WEIGHTED, 0, attributes=OPEN) == pytest.approx(
        {("x", "1"): 0.6, ("x", "2"): 0.4}
    )
    unweighted = [("a", "x", "1", ""), ("b", "x", "2", "1"), ("c", "x", "2", None)]
    assert plausibilities(unweighted, WEIGHTED, 0)["x", "2"] == pytest.approx(2 / 3)


def test_weights_of_several_values() -> None:
    rows = [("a", "x", "1", 3.0), ("a", "x", "2", 1.0), ("b", "x", "2", 2.0)]
    # a speaks with the larger of its weights: 3 + 2 in all.
    assert plausibilities(rows, WEIGHTED, 0, attributes=MULTIPLE) == pytest.approx(
        {("x", "1"): 3 / 5, ("x", "2"): 3 / 5}
    )


@pytest.mark.parametrize("attributes", [OPEN, CLOSED, MULTIPLE])
def test_no_weight_at_all_leaves_the_prior(attributes: dict[str, Attribute]) -> None:
    rows = [("a", "x", "1", 0), ("b", "x", "2", 0)]
    found = plausibilities(rows, WEIGHTED, 0, attributes=attributes)
    prior = {id(OPEN): 1 / 3, id(CLOSED): 1 / 2, id(MULTIPLE): 1 / 2}[id(attributes)]
    assert found == pytest.approx({("x", "1"): prior, ("x", "2"): prior})


def test_denial_passes_the_vote_on() -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "2", 1), ("c", "x", "2", 0)]
    # D = 3: c gives half a vote to 1 and half to what nobody named.
    assert plausibilities(rows, ASSERTED, 0, attributes=OPEN) == pytest.approx(
        {("x", "1"): 1.5 / 3, ("x", "2"): 1 / 3}
    )
    # D = 2: all of it goes to 1.
    assert plausibilities(rows, ASSERTED, 0, attributes=CLOSED) == pytest.approx(
        {("x", "1"): 2 / 3, ("x", "2"): 1 / 3}
    )


def test_denial_beside_a_named_value_adds_nothing() -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "2", 1)]
    more = [*rows, ("a", "x", "2", 0)]
    for attributes in (OPEN, CLOSED, MULTIPLE):
        expected = plausibilities(rows, "source entity value", attributes=attributes)
        found = plausibilities(more, ASSERTED, attributes=attributes)
        assert found == pytest.approx(expected)


def test_denials_of_multiple_values() -> None:
    rows = [("a", "x", "1", 1), ("b", "x", "1", 0), ("c", "x", "2", 1)]
    # On 1 speak a, b and c; on 2 speak a and c.
    assert plausibilities(rows, ASSERTED, 0, attributes=MULTIPLE) == pytest.approx(
        {("x", "1"): 1 / 3, ("x", "2"): 1 / 2}
    )


def test_all_repeated_claims_count_if_kept() -> None:
    rows = [("a", "x", "1"), ("a", "x", "1"), ("b", "x", "2")]
    found = plausibilities(rows, smoothing=0, attributes=OPEN, duplicates="all")
    assert found["x", "1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("smoothing", [-1, float("nan"), float("inf")])
def test_smoothing_is_checked_on_fit(smoothing: float) -> None:
    model = MajorityVote(smoothing=smoothing)
    with pytest.raises(InvalidParameter, match="smoothing must be"):
        model.fit(VOTES_FRAME)


VOTES_FRAME = {name: [row[i] for row in VOTES] for i, name in enumerate(("source", "entity"))} | {
    "value": [row[2] for row in VOTES]
}


def _tables(claims: list[Row], seed: int = 0) -> list[Any]:
    model = MajorityVote(random_state=seed).fit(as_columns(claims))
    return [model.truths_.to_arrow(), model.statements_.to_arrow(), model.sources_.to_arrow()]


@given(st.one_of(contested, rows()), st.integers(0, 99))
def test_row_order_plays_no_part(claims: list[Row], seed: int) -> None:
    assert _tables(shuffled(claims, seed)) == _tables(claims)


@given(contested, st.integers(0, 99))
def test_row_order_plays_no_part_if_times_are_distinct(claims: list[Row], seed: int) -> None:
    said = [(*row, str(time)) for time, row in enumerate([*claims, *shuffled(claims, seed)])]
    # Half of the sources think again, later, about what they said.
    said = [(*row[:3], "other", row[4]) if int(row[4]) % 2 else row for row in said]
    mixed = [said[i] for i in map(int, shuffled_numbers(len(said), seed))]
    found = []
    for order in (said, mixed):
        columns = as_columns([row[:4] for row in order]) | {"time": [row[4] for row in order]}
        model = MajorityVote().fit(columns)
        found.append([model.truths_.to_arrow(), model.sources_.to_arrow()])
    assert found[0] == found[1]


def shuffled_numbers(size: int, seed: int) -> list[str]:
    """Return the numbers below `size` in another order."""
    rows = [(str(number), "", "", "") for number in range(size)]
    return [row[0] for row in shuffled(rows, seed)]


@given(contested, st.permutations(["ann", "bob", "cat", "dan", "eve", "fay"]))
def test_names_of_sources_play_no_part(claims: list[Row], names: list[str]) -> None:
    new = dict(zip(sorted(names), (f"🦄{name}" for name in names), strict=True))
    renamed = [(new[source], *rest) for source, *rest in claims]
    before, after = _tables(claims), _tables(renamed)  # type: ignore[arg-type]
    assert after[:2] == before[:2]
    assert sorted(after[2]["n_claims"].to_pylist()) == sorted(before[2]["n_claims"].to_pylist())


@given(
    claims=contested,
    smoothing=st.floats(0, 10),
    domain=st.sampled_from(["open", "closed"]),
    weights=st.lists(st.floats(0, 100), min_size=25, max_size=25),
)
def test_plausibilities_of_single_items(
    claims: list[Row], smoothing: float, domain: Any, weights: list[float]
) -> None:
    columns = as_columns(claims) | {"weight": weights[: len(claims)]}
    read = Claims.from_frame(columns, attributes={"*": Attribute("single", domain)})
    model = MajorityVote(smoothing).fit(read)
    votes: dict[tuple[str, ...], float] = {}
    for row, weight in zip(claims, weights, strict=False):
        votes[row[1:]] = votes.get(row[1:], 0.0) + weight
    by_item: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for said in model.statements_.to_pylist():
        assert 0 <= said["plausibility"] <= 1
        item = (said["entity"], said["attribute"])
        by_item.setdefault(item, []).append((votes[(*item, said["value"])], said["plausibility"]))
    for shares in by_item.values():
        assert sum(plausibility for _, plausibility in shares) <= 1 + 1e-9
        ordered = [plausibility for _, plausibility in sorted(shares)]
        assert all(low <= high + 1e-9 for low, high in pairwise(ordered))
