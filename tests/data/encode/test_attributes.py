"""Kind and domain of attributes: inferred with a reason, or as the user says."""

from __future__ import annotations

import pytest

from veracity import Attribute, Claims
from veracity.data.encode.attributes import AttributeCounts, boolean_words, profile_attribute
from veracity.errors import InvalidParameter


def counts(
    n_items: int = 100,
    n_values: int = 100,
    values: tuple[str, ...] = (),
    n_speakings: int = 100,
    n_several: int = 0,
) -> AttributeCounts:
    """Return counts of an ordinary attribute, but for what is given."""
    return AttributeCounts("size", n_items, n_values, values, n_speakings, n_several)


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
    listed = Claims.from_frame(columns | {"time": ["2020-01-01", "2020-01-01"]})
    assert listed.attributes[0].kind == "multiple"


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
