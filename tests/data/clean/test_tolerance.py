"""Numbers within a tolerance are one statement."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity import Attribute, Claims, MajorityVote, discover
from veracity.data.clean.tolerance import Tolerance
from veracity.data.truth.known import FALSE, TRUE, UNKNOWN, KnownTruth
from veracity.errors import InvalidParameter
from veracity.workflow import open_run

Rows = list[tuple[Any, ...]]


def about(*numbers: Any) -> Rows:
    """Make claims about one item, each by a source of its own."""
    return [(f"s{place}", "x", str(value)) for place, value in enumerate(numbers)]


def read(rows: Rows, tolerance: float | str, **options: Any) -> Claims:
    """Read claims with a tolerance."""
    return Claims.from_triples(rows, attributes={"*": Attribute(tolerance=tolerance)}, **options)


def supporters(claims: Claims) -> dict[str, int]:
    """Return how many sources claim each value."""
    statements = MajorityVote().fit(claims).statements_
    columns = (statements[name].to_pylist() for name in ("value", "supporters"))
    return dict(zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("given", "tolerance"),
    [
        (0.5, Tolerance(absolute=0.5)),
        ("0.5", Tolerance(absolute=0.5)),
        (0, Tolerance()),
        ("1%", Tolerance(relative=0.01)),
        (" 2.5 % ", Tolerance(relative=0.025)),
    ],
)
def test_tolerance_is_a_number_or_a_percentage(given: float | str, tolerance: Tolerance) -> None:
    assert Tolerance.of(given) == tolerance


@pytest.mark.parametrize("given", ["", "%", "one", -1, "-1%", "nan", float("inf"), True])
def test_bad_tolerance(given: Any) -> None:
    with pytest.raises(InvalidParameter, match="tolerance must be a number, zero or more"):
        Attribute(tolerance=given)


def test_tolerance_is_for_numbers() -> None:
    assert Attribute(tolerance=1).values == "number"
    with pytest.raises(InvalidParameter, match="cannot be set for dates"):
        Attribute(values="date", tolerance=1)
    with pytest.raises(InvalidParameter, match="cannot be set for boolean"):
        Attribute("boolean", tolerance=1)


@pytest.mark.parametrize(
    ("numbers", "tolerance", "expected"),
    [
        # The most claimed comes first, and stands for all.
        ((10, 10.1, 10.1, 10.2), 0.1, {"10.1": 4}),
        # Of equals the smaller comes first; 12 is too far from 10, though not from 11.
        ((10, 11, 12), 1, {"10": 2, "12": 1}),
        ((10, 11, 11, 12, 13), 1, {"11": 4, "13": 1}),
        # As much as the tolerance is within it, rounding or not: 0.8 - 0.7 is above 0.1.
        ((0.7, 0.8), 0.1, {"0.7": 2}),
        ((-5, -5.5, 5), 0.5, {"-5.5": 2, "5": 1}),
        # One per cent of 100 is 1, of 1000 it is 10.
        ((100, 101, 102, 1000, 1009, 1011), "1%", {"100": 2, "102": 1, "1000": 2, "1011": 1}),
        ((-100, -100, -101), "1%", {"-100": 3}),
        ((0, 0.001), "1%", {"0": 1, "0.001": 1}),
        ((10, 11), 0, {"10": 1, "11": 1}),
        (("1,000", "1000.0", 1001), 1, {"1,000": 3}),
    ],
)
def test_which_numbers_are_one(
    numbers: tuple[Any, ...], tolerance: float | str, expected: dict[str, int]
) -> None:
    assert supporters(read(about(*numbers), tolerance)) == expected


def test_what_is_no_number_stays() -> None:
    assert supporters(read(about(10, 10.1, "ten"), 1)) == {"10": 2, "ten": 1}


def test_items_are_apart() -> None:
    rows = [("a", "x", "1"), ("b", "x", "2"), ("a", "y", "2"), ("b", "y", "2"), ("c", "y", "3")]
    claims = read(rows, 1)
    assert claims.matrix.n_statements == 2
    assert supporters(claims) == {"1": 2, "2": 3}


def test_attributes_have_their_own() -> None:
    rows = [
        *(("a", "x", "size", "1"), ("b", "x", "size", "2")),
        *(("a", "x", "code", "1"), ("b", "x", "code", "2")),
    ]
    claims = Claims.from_triples(rows, attributes={"size": Attribute(tolerance=1)})
    assert claims.matrix.n_statements == 3
    size, code = sorted(claims.attributes, key=lambda profile: profile.name, reverse=True)
    assert (size.numeric, size.tolerance, size.n_values) == (True, 1, 1)
    assert (code.numeric, code.tolerance, code.n_values) == (False, None, 2)


def test_a_note_counts_the_claims() -> None:
    claims = read(about(10, 10.1, 10.1, 10.2, 50), 0.1)
    (note,) = [note for note in claims.notes if note.subject == "tolerance"]
    assert note.count == 2
    assert "'10' with '10.1'" in str(note)
    assert not [note for note in read(about(1, 5), 0.1).notes if note.subject == "tolerance"]


def test_a_source_that_says_nearly_the_same_twice_speaks_once() -> None:
    rows: Rows = [("a", "x", "10.0"), ("a", "x", "10.1"), ("b", "x", "10.1"), ("c", "x", "20")]
    told = {"*": Attribute("single", tolerance=0.2)}
    claims = Claims.from_triples(rows, attributes=told, duplicates="latest")
    assert supporters(claims) == {"10.1": 2, "20": 1}
    (note,) = [note for note in claims.notes if note.subject == "duplicates"]
    assert note.count == 1
    told = {"*": Attribute("multiple", tolerance=0.2)}
    several = Claims.from_triples(rows, attributes=told, duplicates="latest")
    assert supporters(several) == {"10.1": 2, "20": 1}


def test_zero_and_one_are_numbers_if_they_are_said_to_be() -> None:
    claims = Claims.from_triples(about(0, 1, 1), attributes={"*": Attribute(values="number")})
    assert [(profile.kind, profile.numeric) for profile in claims.attributes] == [("single", True)]
    assert Claims.from_triples(about(0, 1, 1)).attributes[0].kind == "boolean"


numbers = st.lists(st.integers(0, 40), min_size=1, max_size=15)


@given(numbers=numbers, tolerance=st.sampled_from([0.5, 1, 3, "10%"]), seed=st.randoms())
def test_order_and_names_play_no_part(numbers: list[int], tolerance: Any, seed: Any) -> None:
    shown = supporters(read(about(*numbers), tolerance))
    mixed = list(numbers)
    seed.shuffle(mixed)
    assert supporters(read(about(*mixed), tolerance)) == shown
    assert sum(shown.values()) == len(numbers)
    # What stands for a group is not within the tolerance of what stood before it.
    reach = Tolerance.of(tolerance)
    centres = sorted(float(value) for value in shown)
    for low, high in pairwise(centres):
        if reach.relative == 0:
            assert high - low > reach.absolute


def test_known_truth_matches_the_nearest_number_within_the_tolerance() -> None:
    rows: Rows = [("a", "x", "10"), ("b", "x", "11.5"), ("a", "y", "10"), ("a", "z", "10")]
    claims = read(rows, 1)
    truth = {"entity": ["x", "y"], "value": ["11", "12"]}
    known = KnownTruth.of(truth, claims)
    # x: 11 is within 1 of both, and nearer to 11.5; y: 12 is too far from 10; z is not known.
    assert known.statement.tolist() == [FALSE, TRUE, FALSE, UNKNOWN]
    assert known.unclaimed["entity"].to_pylist() == ["y"]
    assert known.number.tolist()[:2] == [11, 12]


def test_known_numbers_without_tolerance_have_to_be_the_same() -> None:
    claims = Claims.from_triples(about("1,000", 1001), attributes={"*": Attribute(values="number")})
    assert KnownTruth.of({"entity": ["x"], "value": ["1e3"]}, claims).statement.tolist() == [1, 0]
    assert KnownTruth.of({"entity": ["x"], "value": ["1002"]}, claims).statement.tolist() == [0, 0]


def test_a_saved_run_keeps_numbers_and_tolerance(tmp_path: Path) -> None:
    rows = {
        "source": ["a", "b", "c", "a", "b"],
        "entity": ["x", "x", "x", "y", "y"],
        "value": ["10", "10.1", "10.1", "0", "1"],
    }
    attributes = {"value": Attribute("single", "open", tolerance="2%")}
    run = discover(rows, model="vote", attributes=attributes)
    again = open_run(run.save(tmp_path / "out")).claims
    assert again.attributes == run.claims.attributes
    assert supporters(again) == supporters(run.claims) == {"10.1": 3, "0": 1, "1": 1}
    plain = discover(rows, model="vote", attributes={"value": Attribute(values="number")})
    assert open_run(plain.save(tmp_path / "plain")).claims.attributes[0].numeric
