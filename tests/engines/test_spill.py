"""Objects in files: what several blocks share may grow while one of them is written."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity.data.read.scratch import Scratch
from veracity.engines.spill import Spill
from veracity.models.grbm.curvature import SharedSums


class Busy:
    """Writing it takes so long that another thread asks its owner for something."""

    def __init__(self, owner: SharedSums) -> None:
        self.owner = owner

    def __reduce__(self) -> tuple[Any, ...]:
        vars(self.owner)["found"] = "by another thread"
        return str, ("written",)


def shared() -> SharedSums:
    sums = SharedSums(np.arange(2.0), np.arange(3.0), np.arange(4.0))
    vars(sums)["cross"] = Busy(sums)
    return sums


def test_what_is_shared_may_grow_while_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="changed size"):
        pickle.dumps(shared())
    spill = Spill(Scratch(tmp_path))
    spill.put({"sums": shared(), "numbers": np.arange(5)}, "one.block")
    found = spill.get("one.block")
    assert found["sums"].cross == "written"
    np.testing.assert_array_equal(found["sums"].of_source, np.arange(4.0))
    np.testing.assert_array_equal(found["numbers"], np.arange(5))
