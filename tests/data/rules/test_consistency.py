"""Rules that cannot hold together are refused by name."""

from __future__ import annotations

import pytest

from veracity.data.encode.attributes import AttributeProfile
from veracity.data.rules.consistency import checked
from veracity.data.rules.rule import Rule
from veracity.errors import InputError

SINGLE = ("a", "b", "c")


def rules(*texts: str) -> list[Rule]:
    """Make rules of texts such as ``a=1 implies b=2 (1.5)``."""
    made = []
    for number, text in enumerate(texts, start=1):
        first, kind, second, *weight = text.split()
        if_attribute, if_value, then_attribute, then_value = *first.split("="), *second.split("=")
        given = float(weight[0].strip("()")) if weight else None
        ends = (if_attribute, if_value, then_attribute, then_value)
        made.append(Rule(number, *ends, kind, given))  # type: ignore[arg-type]
    return made


def check(*texts: str) -> int:
    profiles = [AttributeProfile(name, "single", "open", 9, 9, "", "") for name in SINGLE]
    profiles.append(AttributeProfile("list", "multiple", "open", 9, 9, "", ""))
    return len(checked(rules(*texts), profiles, lambda _, value: value.casefold()))


@pytest.mark.parametrize(
    "texts",
    [
        ("a=1 implies b=1", "b=1 implies c=1", "a=1 implies c=1"),
        ("a=1 implies b=1", "a=2 implies b=1"),
        ("a=1 implies b=1", "b=1 implies a=1 (20)"),
        ("a=1 implies b=1", "a=1 implies b=2 (1)"),
        ("a=1 implies list=1", "a=1 implies list=2"),
        ("list=1 implies list=2", "list=2 excludes list=3"),
        ("a=1 implies b=1", "a=1 excludes b=2"),
    ],
)
def test_rules_that_can_hold_together_are_taken(texts: tuple[str, ...]) -> None:
    assert check(*texts) == len(texts)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("a=1 implies d=1",), "about 'd', but no claim is"),
        (("a=1 implies lists=1",), "Did you mean 'list'"),
        (("a=x implies a=X",), "names one statement twice"),
        (("a=1 implies b=1", "c=1 implies b=1", "a=1 implies b=1 (2)"), "Rule 3 repeats rule 1"),
        (("a=1 excludes b=1", "b=1 excludes a=1"), "Rule 2 repeats rule 1"),
        (("a=1 implies b=1", "b=1 implies a=1"), "Rules 1 and 2 go round in a circle"),
        (
            ("c=2 implies b=1", "a=1 implies b=1", "b=1 implies c=1", "c=1 implies a=1"),
            "Rules 2, 3 and 4 go round in a circle: a = 1 implies b = 1 implies c = 1 implies a",
        ),
        (("a=1 implies b=1", "a=1 implies b=2"), "b has one value, not both 1 and 2"),
        (("a=1 implies b=1", "a=1 excludes b=1"), "Rules 1 and 2 contradict one another"),
        (("a=1 implies a=2",), "Rule 1 contradicts itself"),
        (
            ("a=1 implies b=1", "b=1 implies c=1", "c=2 implies b=2", "a=1 excludes c=1"),
            "Rules 1, 2 and 4 contradict one another",
        ),
    ],
)
def test_others_are_refused_by_name(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(*texts)
    assert message in str(caught.value)
