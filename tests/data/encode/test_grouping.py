"""Distinct keys, and their places."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.data.encode.grouping import numbered


@pytest.mark.parametrize("stop", [5, 100])
def test_keys_are_numbered_by_a_table_or_by_search(stop: int) -> None:
    found, place = numbered(np.array([4, 0, 4, 2, 0]), stop)
    assert (found.tolist(), place.tolist()) == ([0, 2, 4], [2, 0, 2, 1, 0])
