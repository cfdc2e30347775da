"""Repeated claims: a time decides, else all count with weight 1/sqrt(m)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity import Attribute, Claims, MajorityVote, discover
from veracity.workflow import open_run

SINGLE = {"*": Attribute("single")}
Said = Counter[tuple[str, str, str, int, float]]


def make(rows: list[tuple[Any, ...]], names: str = "source entity value", **options: Any) -> Claims:
    """Make claims of rows with the named columns."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names.split())}
    return Claims.from_frame(columns, **options)


def said(claims: Claims) -> Said:
    """Count who says what, with which weight."""
    matrix = claims.matrix
    item = matrix.item_of_claim
    return Counter(
        (
            matrix.sources[int(matrix.source_index[i])].as_py(),
            matrix.entities[int(matrix.entity_index[item[i]])].as_py(),
            matrix.values[int(matrix.value_index[matrix.statement_index[i]])].as_py(),
            int(matrix.claim_value[i]),
            round(float(matrix.claim_weight[i]), 9),
        )
        for i in range(matrix.n_claims)
    )


def notes(claims: Claims) -> list[str]:
    """Return the notes on repeated claims."""
    return [note.text for note in claims.notes if note.subject == "duplicates"]


def test_without_a_time_all_count() -> None:
    rows = [("a", "x", "1"), ("a", "x", "1"), ("a", "x", "1"), ("a", "x", "2"), ("b", "x", "2")]
    claims = make(rows, attributes=SINGLE)
    assert said(claims) == {
        ("a", "x", "1", 1, 0.5): 3,
        ("a", "x", "2", 1, 0.5): 1,
        ("b", "x", "2", 1, 1.0): 1,
    }
    assert notes(claims) == [
        "3 claims repeat or contradict what the same source says about the same item. There is no "
        "time column, so all count: m claims of a source about an item have weight 1/sqrt(m) each."
    ]


def test_nobody_who_repeats_has_a_weight() -> None:
    assert make([("a", "x", "1"), ("b", "x", "1")]).matrix.weight is None
    timed = make([("a", "x", "1", 1), ("a", "x", "2", 2)], "source entity value time")
    assert timed.matrix.weight is None


def test_weights_of_the_user_are_multiplied() -> None:
    rows = [("a", "x", "1", 2.0), ("a", "x", "2", 4.0), ("b", "x", "2", 3.0)]
    claims = make(rows, "source entity value weight", attributes=SINGLE)
    half = round(0.5**0.5, 9)
    assert said(claims) == {
        ("a", "x", "1", 1, round(2 * 0.5**0.5, 9)): 1,
        ("a", "x", "2", 1, round(4 * 0.5**0.5, 9)): 1,
        ("b", "x", "2", 1, 3.0): 1,
    }
    assert half < 1


def test_ties_in_time_share_their_weight() -> None:
    rows = [("a", "x", "1", 1), ("a", "x", "2", 7), ("a", "x", "3", 7), ("b", "x", "1", None)]
    claims = make(rows, "source entity value time", attributes=SINGLE)
    share = round(0.5**0.5, 9)
    assert said(claims) == {
        ("a", "x", "2", 1, share): 1,
        ("a", "x", "3", 1, share): 1,
        ("b", "x", "1", 1, 1.0): 1,
    }
    replaced, repeated = notes(claims)
    assert replaced.startswith("Set aside 1 claim that the same source replaced by a later one")
    assert "the same time" in repeated


def test_yes_and_no_of_one_source() -> None:
    claims = make([("a", "x", "yes"), ("a", "x", "no"), ("a", "x", "yes"), ("b", "x", "no")])
    share = round(3**-0.5, 9)
    assert said(claims) == {
        ("a", "x", "yes", 1, share): 2,
        ("a", "x", "yes", 0, share): 1,
        ("b", "x", "yes", 0, 1.0): 1,
    }


def test_a_list_is_no_repeat() -> None:
    rows = [("a", "x", "1"), ("a", "x", "2"), ("a", "x", "2"), ("b", "x", "1"), ("b", "x", "3")]
    claims = make(rows, attributes={"*": "multiple"})
    share = round(0.5**0.5, 9)
    assert said(claims) == {
        ("a", "x", "1", 1, 1.0): 1,
        ("a", "x", "2", 1, share): 2,
        ("b", "x", "1", 1, 1.0): 1,
        ("b", "x", "3", 1, 1.0): 1,
    }


def test_the_vote_adds_up_weights() -> None:
    rows = [("a", "x", "1")] * 4 + [("b", "x", "2"), ("c", "x", "3")]
    model = MajorityVote(smoothing=0).fit(make(rows, attributes=SINGLE))
    found = {row["value"]: row["plausibility"] for row in model.statements_.to_arrow().to_pylist()}
    assert found == pytest.approx({"1": 0.5, "2": 0.25, "3": 0.25})
    counted = {row["source"]: row["n_claims"] for row in model.sources_.to_arrow().to_pylist()}
    assert counted == {"a": 4, "b": 1, "c": 1}


cells = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from("xy"),
    st.sampled_from(["1", "2", "yes", "no"]),
    st.sampled_from([None, 1, 2, 3]),
)


@given(st.lists(cells, min_size=1, max_size=16), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_plays_no_part(
    rows: list[tuple[Any, ...]], random: Any, timed: bool
) -> None:
    names = "source entity value time" if timed else "source entity value"
    shuffled = list(rows)
    random.shuffle(shuffled)
    one, other = make(rows, names), make(shuffled, names)
    assert one.attributes == other.attributes
    assert said(one) == said(other)
    assert notes(one) == notes(other)


@given(st.lists(cells, min_size=1, max_size=16), st.booleans())
def test_claims_in_use_count_as_they_did(rows: list[tuple[Any, ...]], timed: bool) -> None:
    names = "source entity value time" if timed else "source entity value"
    claims = make(rows, names)
    (profile,) = claims.attributes
    told = {"value": Attribute(profile.kind, profile.domain, "text", profile.positive)}
    again = Claims.from_frame(
        claims.in_use(), attributes=told, duplicates=claims.settings.duplicates_in_use
    )
    assert said(again) == said(claims)
    weights = sum(weight**2 * count for (*_, weight), count in said(claims).items())
    if profile.kind != "multiple":  # each source and item has a sum of squares of 1
        assert weights == pytest.approx(len({key[:2] for key in said(claims)}))


def test_a_saved_run_counts_repeats_as_the_run_did(tmp_path: Path) -> None:
    rows = [(f"s{s}", f"e{e}", "AB"[(s * e + t * (s == 2)) % 2]) for s in range(4) for e in range(9)
            for t in range(1 + s % 3)]  # fmt: skip
    claims = make(rows, attributes=SINGLE)
    run = discover(claims, model=MajorityVote())
    run.save(tmp_path / "run", report=False)
    opened = open_run(tmp_path / "run").claims
    assert said(opened) == said(claims)
    assert claims.matrix.weight is not None
    np.testing.assert_allclose(np.sort(opened.matrix.claim_weight), np.sort(claims.matrix.weight))


class TestOrders:
    """Columns that put claims in order, where there is no time."""

    ORDERED = "source entity value claim_order"

    @pytest.mark.parametrize("name", ["claim_order", "order", "Order"])
    def test_the_last_claim_is_kept(self, name: str) -> None:
        rows = [("a", "x", "1", 17), ("a", "x", "2", 5), ("b", "x", "2", 6), ("b", "y", "2", 30)]
        claims = make(rows, f"source entity value {name}", attributes=SINGLE)
        assert claims.columns.roles["time"] == name
        assert claims.matrix.n_claims == 3
        assert claims.time is not None
        assert set(claims.feature_types) == ({name} if name == "claim_order" else set())

    def test_places_in_a_list_are_no_times(self) -> None:
        rows = [(s, b, f"{b}{n}", n) for s in "abc" for b in "xyz" for n in (1, 2, 3)]
        claims = make(rows, self.ORDERED)
        assert "time" not in claims.columns.roles
        assert claims.attributes[0].kind == "multiple"
        assert list(claims.feature_types) == ["claim_order"]

    @pytest.mark.parametrize("cell", ["first", "2020-01-01"])
    def test_only_numbers_are_in_order(self, cell: str) -> None:
        claims = make([("a", "x", "1", cell), ("a", "x", "2", "7")], self.ORDERED)
        assert "time" not in claims.columns.roles

    def test_a_time_comes_first(self) -> None:
        rows = [("a", "x", "1", 17, 1), ("a", "x", "2", 5, 2)]
        claims = make(rows, f"{self.ORDERED} time", attributes=SINGLE)
        assert claims.columns.roles["time"] == "time"
        assert [key[2] for key in said(claims)] == ["2"]

    def test_an_order_of_a_shop_is_none(self) -> None:
        claims = make([("a", "x", "1", 17), ("a", "x", "2", 5)], "source entity value order_id")
        assert "time" not in claims.columns.roles
