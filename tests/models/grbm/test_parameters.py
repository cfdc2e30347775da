"""Parameters by name: where they lie, and what stays when their axes change."""

from __future__ import annotations

import numpy as np

from veracity.models.grbm.parameters import ParameterNames, ParameterVector, same_place

EXAMPLE = ParameterNames({"m": (), "source": ("source",)}, {"source": 3})


def attribute(n_sources: int, n_classes: int) -> ParameterNames:
    axes = {"prior": ("class",), "habit": ("source", "class")}
    return ParameterNames(axes, {"source": n_sources, "class": n_classes})


def numbered(names: ParameterNames) -> ParameterVector:
    """Return a vector that holds the place of each of its numbers."""
    return ParameterVector(names, np.arange(float(names.size)))


def test_arrays_lie_one_after_the_other_and_are_views() -> None:
    names = ParameterNames.joined({"": EXAMPLE, "0": attribute(2, 3), "1": attribute(1, 2)})
    assert names.size == (1 + 3) + (3 + 2 * 3) + (2 + 1 * 2)
    vector = numbered(names)
    assert vector.number("m") == 0.0
    assert vector["source"].tolist() == [1.0, 2.0, 3.0]
    assert vector["0.habit"].tolist() == [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]
    group = vector.group("0")
    assert group["habit"].tolist() == vector["0.habit"].tolist()
    group["prior"] = -1.0
    assert vector["0.prior"].tolist() == [-1.0, -1.0, -1.0]
    assert "0.prior" in vector
    assert "prior" not in vector


def test_what_is_taken_can_be_put_back() -> None:
    vector = numbered(EXAMPLE)
    taken = vector.take(["source", "m"])
    assert taken.tolist() == [1.0, 2.0, 3.0, 0.0]
    other = EXAMPLE.zeros()
    other.put(["source", "m"], taken)
    assert np.array_equal(other.values, vector.values)
    assert vector.take([]).size == 0


def test_a_block_finds_its_own_among_all() -> None:
    whole, part = attribute(4, 3), attribute(3, 3)
    place = whole.places(part, {"source": np.array([2, -1, 0])})  # the second is new
    found = numbered(whole).resized(part, {"source": np.array([2, -1, 0])})
    habit = numbered(whole)["habit"]
    assert np.array_equal(found["prior"], numbered(whole)["prior"])
    assert np.array_equal(found["habit"], [habit[2], np.zeros(3), habit[0]])
    assert np.array_equal(place[place >= 0], found.values[place >= 0])
    assert (place < 0).sum() == 3


def test_axes_grow_at_their_end_and_names_may_be_new() -> None:
    before, after = attribute(2, 2), attribute(3, 3)
    grown = numbered(before).resized(after, {})
    assert grown["prior"].tolist() == [0.0, 1.0, 0.0]
    assert grown["habit"].tolist() == [[2.0, 3.0, 0.0], [4.0, 5.0, 0.0], [0.0, 0.0, 0.0]]
    assert np.array_equal(grown.resized(before, {}).values, numbered(before).values)
    one = ParameterVector(EXAMPLE, np.ones(4))
    assert one.resized(ParameterNames({"gamma": (), "m": ()}, {}), {}).values.tolist() == [0.0, 1.0]
    assert same_place(2, 4).tolist() == [0, 1, -1, -1]
    assert same_place(3, 2).tolist() == [0, 1]
