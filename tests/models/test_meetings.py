"""Meetings of sources."""

from __future__ import annotations

import numpy as np

from veracity.models.meetings import count_meetings


def test_meetings_are_those_of_a_product_of_tables() -> None:
    draw = np.random.default_rng(0)
    source, place = draw.integers(0, 7, 300), draw.integers(0, 40, 300)
    of_place = draw.random(40)
    table = np.zeros((7, 40))
    np.add.at(table, (source, place), 1.0)
    assert np.array_equal(count_meetings(source, place, 7), table @ table.T)
    weighed = count_meetings(source, place, 7, of_place[place])
    np.testing.assert_allclose(weighed, (table * of_place) @ table.T, rtol=1e-13)


def test_nobody_meets_nobody() -> None:
    nothing = np.empty(0, np.int64)
    assert count_meetings(nothing, nothing, 2).tolist() == [[0.0, 0.0], [0.0, 0.0]]
