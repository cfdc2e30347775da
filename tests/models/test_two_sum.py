"""Tests of sums that do not depend on the order of their terms."""

from __future__ import annotations

import math
import random

import numpy as np

from veracity.models.crowd.crowd_kernels import on_grid
from veracity.models.two_sum import two_sum
from veracity.models.views.by_class import COMMON_REACH, grid_of


def test_a_sum_with_its_rest_is_exact_in_any_order() -> None:
    draw = random.Random(1)
    terms = [draw.gauss(0.0, 1.0) * 10.0 ** draw.randrange(-9, 10) for _ in range(200)]
    for _ in range(20):
        draw.shuffle(terms)
        total, rest = 0.0, 0.0
        for term in terms:
            total, rest = two_sum(total, rest, term)
        assert total + rest == math.fsum(terms)


def test_sums_on_a_grid_are_exact_in_any_parts() -> None:
    draw = np.random.default_rng(1)
    terms = draw.random(1000) * 10.0 ** draw.integers(-6, 3, 1000)
    grid = float(grid_of(np.array([terms.sum()]))[0])
    rounded = np.array([on_grid(term, grid) for term in terms])
    assert np.abs(rounded - terms).max() < 1e-15 * terms.sum()
    whole = rounded.sum()
    for n_parts in (2, 7, 100):
        parts = np.array_split(draw.permutation(rounded), n_parts)
        assert sum(float(np.cumsum(part)[-1]) for part in parts) == whole


def test_equal_numbers_have_the_same_mean_however_many_there_are() -> None:
    number = 0.1 + 0.2
    means = set()
    for size in (1, 2, 3, 7, 49, int(COMMON_REACH)):
        grid = float(grid_of(np.array([float(size)]))[0])
        means.add(sum(on_grid(number, grid) for _ in range(size)) / size)
    assert len(means) == 1
    assert abs(means.pop() - number) < 1e-13


def test_grids_of_nothing_and_of_extremes() -> None:
    assert grid_of(np.zeros(2)).tolist() == [0.0, 0.0]  # changes no number
    tiny, huge = grid_of(np.array([1e-300, 1e300])).tolist()
    assert math.isclose(on_grid(1e-300, tiny), 1e-300)
    assert math.isclose(on_grid(1e300, huge), 1e300)
