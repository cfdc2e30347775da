"""Outline: the values of an item as an indented list, each below the one that it lies within."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from veracity.data.hierarchy.hierarchy import Hierarchy


class Line(NamedTuple):
    """A value on its level.

    ``plausibility`` of a value that nobody claims is what those within it have together: it is at
    least that.
    """

    value: str
    indent: int
    plausibility: float
    claimed: bool


def outline(hierarchy: Hierarchy, plausibility: Mapping[str, float]) -> list[Line]:
    """Return the claimed values, and others where they part, the most plausible first.

    >>> places = Hierarchy.of({"Bern": "Switzerland", "Basel": "Switzerland"})
    >>> [(line.value, line.indent) for line in outline(places, {"Bern": 0.6, "Basel": 0.3})]
    [('Switzerland', 0), ('Bern', 1), ('Basel', 1)]
    """
    shown: dict[str, str] = {}
    claimed: dict[str, float] = {}
    below: dict[str, dict[str, None]] = {}
    for value, path in zip(plausibility, hierarchy.paths(list(plausibility)), strict=True):
        keys = ["", *map(hierarchy.key, path)]
        shown.update(zip(keys[1:], path, strict=True))
        claimed[keys[-1]] = plausibility[value]
        for above, key in pairwise(keys):
            below.setdefault(above, {})[key] = None
    return _lines("", 0, shown, claimed, below)


def _lines(
    key: str,
    indent: int,
    shown: Mapping[str, str],
    claimed: Mapping[str, float],
    below: Mapping[str, Mapping[str, None]],
) -> list[Line]:
    """Return the lines below a node; one that nobody claims and that decides nothing is passed."""
    blocks = []
    for child in below.get(key, ()):
        while child not in claimed and len(below[child]) == 1:
            (child,) = below[child]
        deeper = _lines(child, indent + 1, shown, claimed, below)
        inside = sum(line.plausibility for line in deeper if line.indent == indent + 1)
        own = claimed.get(child, inside)
        blocks.append([Line(shown[child], indent, own, child in claimed), *deeper])
    blocks.sort(key=lambda block: -block[0].plausibility)
    return [line for block in blocks for line in block]


def left_over(lines: list[Line]) -> float:
    """Return the probability that the truth lies within none of the values."""
    total = sum(line.plausibility for line in lines if line.indent == 0)
    return min(max(1.0 - total, 0.0), 1.0)
