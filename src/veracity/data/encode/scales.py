"""Ordered values: the levels of an attribute from low to high, declared, numbered or recognised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from veracity.data.clean.levels import folded
from veracity.errors import InputError, listing, suggestion

#: An ordered attribute has no more levels than this; beyond, values are better seen as numbers.
MOST_LEVELS = 24
#: Words that are commonly put in order, from low to high. The values of an attribute are
#: recognised if all of them belong to one of these.
FAMILIAR = (
    ("very low", "low", "medium", "high", "very high"),
    ("very low", "low", "moderate", "high", "very high"),
    ("none", "low", "medium", "high", "critical"),
    ("info", "low", "medium", "high", "critical"),
    ("informational", "low", "medium", "high", "critical"),
    ("low", "medium", "high", "urgent"),
    ("none", "mild", "moderate", "severe"),
    ("none", "minimal", "mild", "moderate", "severe"),
    ("none", "slight", "moderate", "severe", "extreme"),
    ("absent", "mild", "moderate", "severe"),
    ("minor", "moderate", "major", "critical"),
    ("negligible", "minor", "moderate", "major", "catastrophic"),
    ("trivial", "minor", "major", "critical", "blocker"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "neutral", "likely", "very likely"),
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("bad", "poor", "fair", "good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("not relevant", "partially relevant", "relevant", "highly relevant"),
    ("irrelevant", "partially relevant", "relevant", "highly relevant"),
)


def order_of(
    name: str, values: Sequence[str], n_values: int, declared: Sequence[str]
) -> tuple[str, ...]:
    """Return the levels of an ordered attribute from low to high, as its values are spelled.

    Parameters
    ----------
    name
        The attribute.
    values
        Its distinct values; none if there are too many to look at.
    n_values
        How many there are.
    declared
        The order that the user gives; empty to go by numbers or familiar words.
    """
    if n_values > MOST_LEVELS:
        raise InputError(
            f"Attribute {name!r} is said to be ordered, but has {n_values:,} values. Expected "
            f"{MOST_LEVELS} at most. Merge spellings with --casefold or --strip, or, if they are "
            f"numbers, compare them as such (--compare {name}=number)."
        )
    if declared:
        return _as_declared(name, values, declared)
    found = numbered(values) or familiar(values)
    if found is None:
        raise InputError(
            f"The order of the values of {name!r} is not known: {listing(sorted(values))}. Name "
            f"them from low to high, as in --order {name}=low,medium,high."
        )
    return found


def numbered(values: Sequence[str]) -> tuple[str, ...] | None:
    """Return values that are all numbers by their size, with the steps that nobody claims.

    >>> numbered(["5", "1", "2", "4"])
    ('1', '2', '3', '4', '5')
    >>> numbered(["0.5", "10", "7"])
    ('0.5', '7', '10')
    """
    numbers = {}
    for value in values:
        number = number_of(value)
        if number is None:
            return None
        numbers[number] = value
    if len(numbers) < len(values) or not numbers:  # 1 and 1.00: two spellings of one number
        return None
    low, high = min(numbers), max(numbers)
    step = _common_step(sorted(numbers))
    n_levels = int((high - low) / step) + 1 if step else 1
    if n_levels <= min(2 * len(numbers), MOST_LEVELS):  # fill the few gaps
        levels = [low + step * place for place in range(n_levels)]
    else:
        levels = sorted(numbers)
    return tuple(numbers.get(level) or _plain(level) for level in levels)


def familiar(values: Sequence[str]) -> tuple[str, ...] | None:
    """Return values that all belong to a scale that is commonly used, from low to high.

    >>> familiar(["Severe", "None", "mild"])
    ('None', 'mild', 'moderate', 'Severe')
    """
    by_word = {folded(value): value for value in values}
    if len(by_word) < max(len(values), 2):
        return None
    for words in FAMILIAR:
        if set(by_word) <= set(words):
            places = [words.index(word) for word in by_word]
            between = words[min(places) : max(places) + 1]
            # Words in between that nobody uses are levels only if most of them are used.
            used = [word for word in between if word in by_word]
            kept = between if len(between) <= len(used) + 1 else used
            return tuple(by_word.get(word, word) for word in kept)
    return None


def number_of(value: str) -> Fraction | None:
    """Return a plain number, None if the text is none."""
    try:
        return Fraction(value.strip().replace("\u2212", "-")) if "/" not in value else None
    except ValueError:
        return None


def _common_step(numbers: Sequence[Fraction]) -> Fraction:
    """Return the largest step that leads from each number to the next; 0 of a single number."""
    step = Fraction(0)
    for one, other in pairwise(numbers):
        gap = other - one
        common = math.lcm(step.denominator, gap.denominator)
        step = Fraction(math.gcd(int(step * common), int(gap * common)), common)
    return step


def _plain(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def _as_declared(name: str, values: Sequence[str], declared: Sequence[str]) -> tuple[str, ...]:
    """Return the declared levels, as the values are spelled; refuse values that are no level."""
    spelled = {value: value for value in values if value in declared}
    by_word = {folded(level): level for level in declared}
    left = []
    for value in values:
        level = by_word.get(folded(value))
        if value in spelled:
            continue
        if level is None:
            left.append(value)
        elif level in spelled:
            raise InputError(
                f"The values {spelled[level]!r} and {value!r} of {name!r} are one level. Merge "
                "their spellings with --casefold or --strip."
            )
        else:
            spelled[level] = value
    if left:
        raise InputError(
            f"The order of {name!r} lacks {listing(sorted(left))}.{suggestion(left[0], declared)} "
            f"It is given as {listing(declared)}. Add them to --order {name}=..., or leave the "
            "claims out."
        )
    return tuple(spelled.get(level, level) for level in declared)
