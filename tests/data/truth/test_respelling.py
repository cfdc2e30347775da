"""Which reading option would make a given value mean a claimed one."""

from __future__ import annotations

from typing import Any

import pytest

from veracity import Attribute
from veracity.data.read.settings import Options, Settings
from veracity.data.truth.respelling import RESPELLINGS, Respellings, best_respelling


def hint(value: str, claimed: list[str], **options: Any) -> str | None:
    """Return the simplest option that helps, in its first words."""
    settings = Settings.of(Options(**options))  # type: ignore[typeddict-item]
    number = best_respelling([Respellings(settings).of("a", value, claimed)])
    return None if number is None else RESPELLINGS[number].hint.format(name="a")


@pytest.mark.parametrize(
    ("value", "claimed", "option"),
    [
        ("Positive", "positive", "--casefold ignores"),
        (" positive", "positive", "--strip ignores"),
        ("new  york", "new york", "--strip ignores"),
        ("Cafe\u0301", "Caf\u00e9", "--unicode NFC ignores"),
        ("x\u00b2", "x2", "--unicode NFKC ignores"),
        ("1.0", "1", "--compare a=decimal makes"),
        ("1000", "1,000", "--compare a=number compares"),
        ("2 January 2006", "2006-01-02", "--compare a=date compares"),
        (" YES ", "yes", "--strip and --casefold ignore"),
        (" \uff39\uff25\uff33", "yes", "--strip, --casefold and --unicode NFKC ignore"),
    ],
)
def test_the_simplest_option_is_named(value: str, claimed: str, option: str) -> None:
    assert (hint(value, ["something else", claimed]) or "").startswith(option)


@pytest.mark.parametrize("value", ["negative", "1.5", "3 January 2006", "x"])
def test_other_values_are_no_respellings(value: str) -> None:
    assert hint(value, ["positive", "1", "2006-01-02", ""]) is None


def test_options_in_force_are_not_named_again() -> None:
    assert hint("Positive", ["positive"], strip=True) == "--casefold ignores case."
    assert hint(" Positive", ["positive"], casefold=True) == "--strip ignores extra white space."


def test_who_asks_for_text_is_offered_no_numbers() -> None:
    text = {"a": Attribute(values="text")}
    assert hint("1.0", ["1"], attributes=text) is None
    assert hint("X", ["x"], attributes=text) == "--casefold ignores case."
    decimal = {"a": Attribute(values="decimal")}
    said = hint("1000", ["1,000"], attributes=decimal)
    assert said == "--compare a=number compares values as numbers."


def test_a_function_of_your_own_stays_in_force() -> None:
    def first_letter(text: str) -> str:
        return text[0]

    said = hint("Positive", ["plus"], canonical=first_letter)
    assert said == "--casefold ignores case."


def test_the_option_that_helps_most_values_wins() -> None:
    respellings = Respellings(Settings())
    claimed = ["new york", "bern"]
    found = [respellings.of("a", value, claimed) for value in ("Bern", "BERN", " new york")]
    assert best_respelling(found) == 6  # white space and case
    assert best_respelling(found[:2]) == 0
    assert best_respelling([{}, {}]) is None
