"""The exchange of gradients gives what one process would find, and sends what a formula expects."""

from __future__ import annotations

import numpy as np
import pytest
from exchange import World, learn, rows


def test_two_processes_learn_what_one_would() -> None:
    world = World(sources=300, claims=4_000, numbers=2)
    told = learn(world, iterations=3)
    source, kind, right = (
        np.concatenate(of) for of in zip(world.draw(0), world.draw(1), strict=True)
    )
    cell, shape = source * world.numbers + kind, (world.sources, world.numbers)
    n_right = np.bincount(cell, right, minlength=np.prod(shape)).reshape(shape)
    count = np.bincount(cell, minlength=np.prod(shape)).reshape(shape)
    x = np.zeros(shape)
    for _ in range(3):
        x += (n_right - count / (1.0 + np.exp(-x)) - x) / (1.0 + 0.25 * count)
    np.testing.assert_allclose(np.concatenate([one.x for one in told]), x, atol=1e-4)


def test_what_is_sent_is_what_is_expected() -> None:
    world = World(sources=2_000, claims=8_000)
    told = learn(world, iterations=1)
    assert sum(one.sent for one in told) == pytest.approx(world.expected_bytes, rel=0.1)


def test_the_table_has_a_row_for_each_world() -> None:
    *_, row = rows([World(sources=100, claims=400)], iterations=1)
    assert row.startswith("| 100 | 400 |")
