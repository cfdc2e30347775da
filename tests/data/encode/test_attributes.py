"""Kind and domain of attributes: inferred with a reason, or as the user says."""

from __future__ import annotations

import itertools

import pytest

from veracity import Attribute, Claims
from veracity.data.encode.attributes import AttributeCounts, boolean_words, profile_attribute
from veracity.data.encode.lists import ListCounts
from veracity.errors import InvalidParameter


def counts(
    n_items: int = 100,
    n_values: int = 100,
    values: tuple[str, ...] = (),
    n_several: int = 0,
    **lists: int,
) -> AttributeCounts:
    """Return counts of an ordinary attribute, but for what is given."""
    lists = {"n_speakings": 100, "n_again": n_several, "n_lists": n_several, **lists}
    return AttributeCounts("size", n_items, n_values, values, ListCounts(**lists))


@pytest.mark.parametrize(
    ("n_several", "kind", "reason"),
    [
        (0, "single", "no source names several values"),
        (24, "single", "only 24.0% of the times"),
        (25, "multiple", "25% of the times"),
        (100, "multiple", "100% of the times"),
    ],
)
def test_kind_by_how_often_several_are_named(n_several: int, kind: str, reason: str) -> None:
    profile = profile_attribute(counts(n_several=n_several), Attribute())
    assert profile.kind == kind
    assert reason in profile.kind_reason


@pytest.mark.parametrize(
    ("n_values", "n_items", "domain"),
    [
        (1, 100, "open"),
        (2, 6, "closed"),
        (2, 5, "open"),
        (24, 72, "closed"),
        (24, 71, "open"),
        (25, 10_000, "open"),
    ],
)
def test_domain_by_how_often_values_are_reused(n_values: int, n_items: int, domain: str) -> None:
    profile = profile_attribute(counts(n_items, n_values), Attribute())
    assert profile.domain == domain
    assert f"over {n_items:,} items" in profile.domain_reason


def test_the_user_knows_better() -> None:
    profile = profile_attribute(counts(n_several=100), Attribute("single", "closed"))
    assert (profile.kind, profile.kind_reason) == ("single", "as you said")
    assert (profile.domain, profile.domain_reason) == ("closed", "as you said")


def test_a_boolean_is_closed() -> None:
    profile = profile_attribute(counts(n_values=2, values=("no", "yes")), Attribute())
    assert (profile.kind, profile.domain) == ("boolean", "closed")
    assert "'no' and 'yes'" in profile.kind_reason
    assert not profile.implies_denials
    with pytest.raises(InvalidParameter, match="cannot be open"):
        profile_attribute(counts(n_values=2, values=("no", "yes")), Attribute(domain="open"))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("True", "FALSE"), ("true", "false")),
        (("no",), ("yes", "no")),
        (("0", "1"), ("1", "0")),
        (("1",), None),
        (("yes", "false"), None),
        (("true", "false", "unknown"), None),
        (("false", "False"), None),
        ((), None),
    ],
)
def test_boolean_words(values: tuple[str, ...], words: tuple[str, str] | None) -> None:
    assert boolean_words(values) == words


def test_settings_by_name_and_for_the_rest() -> None:
    rows = [("s", "e", name, "v") for name in ("a", "b", "c")]
    claims = Claims.from_triples(
        rows, attributes={"a": "multiple", "b": Attribute(domain="closed"), "*": "boolean"}
    )
    kinds = {profile.name: (profile.kind, profile.domain) for profile in claims.attributes}
    assert kinds == {
        "a": ("multiple", "open"),
        "b": ("single", "closed"),
        "c": ("boolean", "closed"),
    }


def test_settings_of_an_attribute_that_is_not_there() -> None:
    claims = Claims.from_triples([("s", "e", "size", "v")], attributes={"sise": "single"})
    with pytest.raises(InvalidParameter, match=r"no attribute 'sise'.*Did you mean 'size'"):
        claims.matrix  # noqa: B018


def test_values_at_different_times_are_corrections() -> None:
    columns = {"source": ["a", "a"], "entity": ["x", "x"], "value": ["1", "2"]}
    assert Claims.from_frame(columns).attributes[0].kind == "multiple"
    timed = Claims.from_frame(columns | {"time": ["2020-01-01", "2020-01-02"]})
    assert timed.attributes[0].kind == "single"
    biased = [(f"j{j}", f"e{e}", answer) for e in range(6) for j in range(4) for answer in "AB"]
    (profile,) = Claims.from_triples(biased).attributes
    assert (profile.kind, profile.domain) == ("single", "closed")
    listed = Claims.from_frame(columns | {"time": ["2020-01-01", "2020-01-01"]})
    assert listed.attributes[0].kind == "multiple"


@pytest.mark.parametrize(
    ("n_again", "n_list_sources", "n_regular_sources", "n_numbers", "n_decimals", "reason"),
    [
        (61, 8, 8, 0, 0, "often repeat themselves"),
        (30, 8, 3, 0, 0, "rarely do so"),
        (30, 8, 8, 99, 60, "numbers with decimals"),
    ],
)
def test_repeats_and_corrections_are_no_lists(
    n_again: int,
    n_list_sources: int,
    n_regular_sources: int,
    n_numbers: int,
    n_decimals: int,
    reason: str,
) -> None:
    said = counts(
        n_several=30,
        n_again=n_again,
        n_list_sources=n_list_sources,
        n_regular_sources=n_regular_sources,
        n_numbers=n_numbers,
        n_decimals=n_decimals,
    )
    profile = profile_attribute(said, Attribute())
    assert profile.kind == "single"
    assert reason in profile.kind_reason
    assert profile_attribute(said, Attribute("multiple")).kind == "multiple"


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_rows_does_not_change_the_kind(order: tuple[int, ...]) -> None:
    said = [("A", 1), ("A", 2), ("B", 1)]
    rows = [("ann", "e", *said[place]) for place in order]
    columns = dict(zip(("source", "entity", "value", "time"), zip(*rows, strict=True), strict=True))
    (profile,) = Claims.from_frame(
        {name: list(cells) for name, cells in columns.items()}
    ).attributes
    assert profile.kind == "multiple"  # at time 1, A and B


def test_judges_who_are_asked_twice_give_no_lists() -> None:
    rows = [
        (f"j{j}", f"e{e}", "ABC"[(e + turn * (j == 3 or e % 3 == 0)) % 3])
        for e in range(30)
        for j in range(4)
        for turn in range(2)
    ]
    (profile,) = Claims.from_triples(rows).attributes
    assert profile.kind == "single"
    biased = [(f"j{j}", f"e{e}", answer) for e in range(6) for j in range(4) for answer in "AB"]
    (profile,) = Claims.from_triples(biased).attributes
    assert (profile.kind, profile.domain) == ("single", "closed")
    listed = [(f"s{s}", f"b{b}", f"a{b + n}") for b in range(30) for s in range(4)
              for n in range(1 + (b + s) % 3)]  # fmt: skip
    assert Claims.from_triples(listed).attributes[0].kind == "multiple"


def test_saying_the_same_twice_is_no_list() -> None:
    claims = Claims.from_triples([("a", "x", "1"), ("a", "x", "1")])
    assert claims.attributes[0].kind == "single"


def test_denials_are_no_list() -> None:
    claims = Claims.from_frame(
        {"source": ["a"] * 3, "entity": ["x"] * 3, "value": ["1", "2", "3"], "asserts": [1, 0, 0]}
    )
    assert claims.attributes[0].kind == "single"


def test_profile_as_plain_data() -> None:
    profile = profile_attribute(counts(), Attribute()).as_dict()
    assert profile["name"] == "size"
    assert profile["n_values"] == 100
