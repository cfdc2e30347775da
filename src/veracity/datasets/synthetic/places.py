"""Claims about places in a tree, by sources that are careful or careless, fine or coarse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PlaceSource:
    """A source that names places.

    Attributes
    ----------
    right
        How often it turns right at each level, on its way down to the place that it names.
    coarse
        How often it stops at a wider place, at any of the levels above the truth.
    """

    name: str
    right: float
    coarse: float = 0.0


@dataclass(frozen=True)
class DrawnPlaces:
    """Drawn claims: rows of source, entity and value, true leaves, and parents of places."""

    claims: dict[str, list[str]]
    truth: dict[str, str]
    parents: dict[str, str]


def draw_places(
    sources: Sequence[PlaceSource],
    n_items: int = 300,
    branches: Sequence[int] = (4, 4, 4),
    coverage: float = 0.6,
    random_state: int = 0,
) -> DrawnPlaces:
    """Draw claims about the leaves of a tree in which every node has as many branches.

    >>> drawn = draw_places([PlaceSource("atlas", 0.9)], n_items=3, branches=(2, 2), coverage=1)
    >>> drawn.parents["place.0.1"]
    'place.0'
    """
    random = np.random.default_rng(random_state)
    claims: dict[str, list[str]] = {"source": [], "entity": [], "value": []}
    truth = {}
    for item in range(n_items):
        way = [int(random.integers(n)) for n in branches]
        entity = f"entity {item}"
        truth[entity] = _name(way)
        for source in sources:
            if random.random() > coverage:
                continue
            said = _turned(way, branches, source.right, random)
            if random.random() < source.coarse:
                said = said[: int(random.integers(1, len(branches)))]
            for column, cell in zip(claims, (source.name, entity, _name(said)), strict=True):
                claims[column].append(cell)
    return DrawnPlaces(claims, truth, dict(_parents([], branches)))


def _turned(
    way: Sequence[int], branches: Sequence[int], right: float, random: np.random.Generator
) -> list[int]:
    """Follow a way until the first wrong turn, and go anywhere from there."""
    said: list[int] = []
    for turn, n in zip(way, branches, strict=True):
        if said == list(way[: len(said)]) and random.random() < right:
            said.append(turn)
        elif said == list(way[: len(said)]):
            said.append((turn + int(random.integers(1, n))) % n)
        else:
            said.append(int(random.integers(n)))
    return said


def _name(way: Sequence[int]) -> str:
    return ".".join(["place", *map(str, way)])


def _parents(way: list[int], branches: Sequence[int]) -> list[tuple[str, str]]:
    if not branches:
        return []
    found = []
    for turn in range(branches[0]):
        below = [*way, turn]
        if way:
            found.append((_name(below), _name(way)))
        found += _parents(below, branches[1:])
    return found
