"""The order of levels: declared, by number, recognised, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from veracity import Attribute, Claims
from veracity.data.encode.attributes import AttributeProfile
from veracity.errors import InputError, InvalidParameter, VeracityError


def profile(claimed: list[str], **said: Any) -> AttributeProfile:
    table = {
        "source": [f"s{place}" for place in range(len(claimed))],
        "entity": ["e"] * len(claimed),
        "attribute": ["severity"] * len(claimed),
        "value": claimed,
    }
    claims = Claims.from_frame(table, attributes={"severity": Attribute(**said)})
    (found,) = claims.attributes
    return found


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["3", "1", "2"], ("1", "2", "3")),
        (["1", "2", "5", "4"], ("1", "2", "3", "4", "5")),
        (["10", "0.5", "7"], ("0.5", "7", "10")),
        (["0", "1"], ("0", "1")),
        (["-1", "1", "0"], ("-1", "0", "1")),
        (["high", "low", "medium"], ("low", "medium", "high")),
        (["Severe", "None", "Mild"], ("None", "Mild", "moderate", "Severe")),
        (["agree", "strongly disagree", "Disagree"], None),
        (
            ["strongly_agree", "disagree", "neutral"],
            ("disagree", "neutral", "agree", "strongly_agree"),
        ),
    ],
)
def test_orders_that_need_no_word(values: list[str], order: tuple[str, ...] | None) -> None:
    found = profile(values, values="ordered")
    assert found.form == "ordered"
    assert found.kind == "single"
    assert found.domain == "closed"
    assert found.order == (order or ("strongly disagree", "Disagree", "neutral", "agree"))


def test_a_declared_order_may_have_more_levels() -> None:
    assert profile(["b", "a"], order=["a", "b", "c"]).order == ("a", "b", "c")
    assert profile(["Low", "high"], order=["low", "medium", "high"]).order == (
        "Low",
        "medium",
        "high",
    )


def test_spellings_of_a_number_are_one_level() -> None:
    assert profile(["1", "1.0", "2"], values="ordered").order == ("1", "2")


@pytest.mark.parametrize(
    ("values", "said", "error", "match"),
    [
        (["red", "low"], {"values": "ordered"}, InputError, "--order severity=low,medium,high"),
        (["low", "hgh", "x"], {"order": ["low", "high"]}, InputError, "lacks hgh, x"),
        (["low", "Low"], {"order": ["low", "high"]}, InputError, "--casefold"),
        (["Mon", "Tue"], {"values": "ordered"}, InputError, "is not known"),
        ([str(n) for n in range(30)], {"values": "ordered"}, InputError, "has 30 values"),
        (["a"], {"order": ["a"]}, InvalidParameter, "two values or more"),
        (["a"], {"order": ["a", "b", "a"]}, InvalidParameter, "'a' twice"),
        (["a"], {"order": "a,b"}, InvalidParameter, "a list of values"),
        (["a"], {"order": ["a", "b"], "values": "number"}, InvalidParameter, "'number'"),
        (["a"], {"order": ["a", "b"], "kind": "multiple"}, InvalidParameter, "one truth"),
    ],
)
def test_what_is_refused(
    values: list[str], said: dict[str, Any], error: type[VeracityError], match: str
) -> None:
    with pytest.raises(error, match=match):
        profile(values, **said)
