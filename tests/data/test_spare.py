"""Arrays kept for the next time."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from veracity.data.spare import CACHE_LINE, SpareArrays


@pytest.mark.parametrize("shape", [(1, 1), (7, 4), (1000, 8), (3, 5)])
def test_arrays_begin_at_a_cache_line(shape: tuple[int, ...]) -> None:
    array = SpareArrays().take(*shape)
    assert array.shape == shape
    assert array.ctypes.data % CACHE_LINE == 0
    assert array.flags.c_contiguous
    array[...] = 1.0
    assert array.sum() == array.size


def test_an_array_that_was_given_back_is_taken_again() -> None:
    spare = SpareArrays()
    array = spare.take(5, 2)
    spare.give_back(array)
    assert spare.take(5, 2) is array
    assert spare.take(5, 2) is not array


def test_an_array_of_another_shape_is_not_taken() -> None:
    spare = SpareArrays()
    spare.give_back(spare.take(5, 2))
    assert spare.take(4, 2).shape == (4, 2)


def test_arrays_are_not_pickled() -> None:
    spare = SpareArrays()
    spare.give_back(spare.take(1000, 8))
    assert len(pickle.dumps(spare)) < 200


def test_empty_arrays_are_not_kept() -> None:
    spare = SpareArrays()
    held = spare.take(2, 3)
    spare.give_back(held)
    spare.give_back(np.empty((0, 3)))
    assert spare.take(2, 3) is held
