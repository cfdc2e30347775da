"""Levels of an order, as users write them down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from veracity.arguments import must_be
from veracity.errors import InvalidParameter

#: An order names no more levels than this, enough for those from 0 to 100.
MOST_DECLARED = 101


def folded(level: str) -> str:
    """Return a level as it is compared with others: without regard to case, space and dashes.

    >>> folded(" Very_High ")
    'very high'
    """
    return " ".join(level.casefold().replace("_", " ").replace("-", " ").split() or [level])


def read_order(order: Any) -> tuple[str, ...]:
    """Check the levels of an order, from low to high."""
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise must_be("order", "a list of values from low to high", order)
    levels = tuple(str(level) for level in order)
    if len(levels) < 2:
        raise InvalidParameter(
            f"order must name two values or more, from low to high. Got {list(levels)!r} instead."
        )
    if len(levels) > MOST_DECLARED:
        raise InvalidParameter(
            f"order names {len(levels):,} values; expected {MOST_DECLARED} at most, since what is "
            "learned of a source grows with the square of their number. If they are numbers, "
            'leave order out and compare them as such (values="number"); else merge levels.'
        )
    for place, level in enumerate(levels):
        if level in levels[:place]:
            raise InvalidParameter(f"order names {level!r} twice. Name each value once.")
    return levels
