"""Ordered values are suggested where disagreements are near misses, and not elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from veracity import Attribute, Claims
from veracity.data.encode.near_misses import disagreements, ordered_notes
from veracity.datasets import incidents


def rated(labels: list[str], near: bool, n_items: int = 300, seed: int = 0) -> Claims:
    """Claims of levels whose errors are neighbours, or any other level."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        truth = int(rng.integers(len(labels)))
        for source in range(4):
            other = truth + rng.choice([-1, 1]) if near else int(rng.integers(len(labels)))
            level = truth if rng.random() < 0.6 else min(max(other, 0), len(labels) - 1)
            rows.append((f"s{source}", f"e{item}", "grade", labels[level]))
    columns = zip(*rows, strict=True)
    names = ("source", "entity", "attribute", "value")
    return Claims.from_frame(
        dict(zip(names, map(list, columns), strict=True)), attributes={"grade": Attribute("single")}
    )


@pytest.mark.parametrize("labels", [["1", "2", "3", "4"], ["bad", "poor", "fair", "good"]])
def test_near_misses_are_noticed(labels: list[str]) -> None:
    (note,) = ordered_notes(rated(labels, near=True).matrix)
    assert "--compare grade=ordered" in note.text
    assert note.subject == "ordered"


@pytest.mark.parametrize(
    ("labels", "near"),
    [
        (["1", "2", "3", "4"], False),
        (["2", "4", "1", "3"], True),  # codes whose order means nothing
        (["1", "2"], True),
        (["red", "green", "blue", "grey"], True),
    ],
)
def test_nothing_is_said_otherwise(labels: list[str], near: bool) -> None:
    assert ordered_notes(rated(labels, near).matrix) == []


def test_nothing_is_said_of_what_is_ordered_already() -> None:
    ordered = {"severity": Attribute(values="ordered")}
    assert ordered_notes(Claims.from_frame(incidents.claims(), attributes=ordered).matrix) == []
    assert len(ordered_notes(Claims.from_frame(incidents.claims()).matrix)) == 1


def test_disagreements_are_pairs_of_claims() -> None:
    item, level = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 1, 1])
    found = disagreements(item, level, 3)
    assert found is not None
    assert found.pairs.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert found.distance == pytest.approx(4 / 3)
    assert found.n_items == 1
    assert disagreements(np.array([0, 0]), np.array([1, 1]), 3) is None
