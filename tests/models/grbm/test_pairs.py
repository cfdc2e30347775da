"""Pairs: their products stay those of the vectors, and the direction that of the recursion."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.data.arrays import Floats
from veracity.models.grbm import vectors
from veracity.models.grbm.lbfgs import _direction
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import whole

#: A function with a different curvature along each axis, and one that bends down along the last.
BOWL, SADDLE = np.geomspace(0.1, 100.0, 12), np.append(np.geomspace(1.0, 9.0, 11), -2.0)


def drawn(n: int, curvature: Floats, damping: float = 0.0, limit: int = 5) -> Pairs:
    """Return pairs of random steps."""
    pairs = Pairs(limit)
    pairs.damp(damping)
    rng = np.random.default_rng(3)
    for step in rng.normal(size=(n, len(curvature))):
        pairs.remember(step, (curvature + damping) * step)
    return pairs


def later(pairs: Pairs) -> Floats:
    """Return the products of steps with later changes that pairs give; 0 elsewhere."""
    return np.triu(pairs.products_with_later(), 1)


def expected(pairs: Pairs) -> Floats:
    """Return them as they are by definition."""
    steps, changes = (np.array([whole(v) for v in part]) for part in (pairs.steps, pairs.changes))
    return np.triu(steps @ changes.T, 1)


def test_products_are_kept_while_pairs_come_go_and_are_damped() -> None:
    pairs = drawn(8, BOWL)
    assert len(pairs) == 5  # the oldest are gone
    np.testing.assert_allclose(later(pairs), expected(pairs))
    for damping in (7.0, 0.5, 0.0):
        pairs.damp(damping)
        np.testing.assert_allclose(later(pairs), expected(pairs))
        pairs.remember(np.eye(12)[2], (BOWL + damping) * np.eye(12)[2])
        np.testing.assert_allclose(later(pairs), expected(pairs))
        found = [whole(a) @ whole(b) for a, b in zip(pairs.steps, pairs.changes, strict=True)]
        np.testing.assert_allclose(pairs.curvatures, found)


def test_pairs_that_bend_down_go_with_the_damping_and_take_their_products_along() -> None:
    pairs = drawn(3, SADDLE, damping=20.0)
    pairs.remember(np.eye(12)[11], (SADDLE + 20.0) * np.eye(12)[11])
    pairs.remember(np.ones(12), SADDLE + 20.0)
    later(pairs)
    assert len(pairs) == 5
    pairs.damp(1.0)
    assert len(pairs) == 4
    assert not any(np.array_equal(whole(step), np.eye(12)[11]) for step in pairs.steps)
    np.testing.assert_allclose(later(pairs), expected(pairs))
    pairs.clear()
    assert len(pairs) == 0
    assert later(pairs).shape == (0, 0)


@pytest.mark.parametrize("in_files", [False, True])
@pytest.mark.parametrize("is_curved", [False, True])
def test_the_direction_is_that_of_the_two_loop_recursion(
    monkeypatch: pytest.MonkeyPatch, is_curved: bool, in_files: bool
) -> None:
    monkeypatch.setattr(vectors, "RUN", 5)
    if in_files:
        monkeypatch.setattr(vectors, "IN_MEMORY", 3)
    pairs, gradient = drawn(5, BOWL), np.linspace(-1.0, 2.0, 12)
    if in_files:
        both = [vectors.stored(whole(v)) for v in (*pairs.steps, *pairs.changes)]
        pairs = Pairs.restored(5, zip(both[:5], both[5:], strict=True), pairs.numbers)

    def solve(vector: Floats) -> Floats:
        return vector / (1.0 + BOWL) if is_curved else vector

    steps, changes = ([whole(v) for v in part] for part in (pairs.steps, pairs.changes))
    q, shares = gradient.copy(), []
    for step, change in zip(reversed(steps), reversed(changes), strict=True):
        shares.append(step @ q / (step @ change))
        q -= shares[-1] * change
    q = solve(q) * (steps[-1] @ changes[-1]) / (changes[-1] @ solve(changes[-1]))
    for step, change, share in zip(steps, changes, reversed(shares), strict=True):
        q -= (change @ q / (step @ change) - share) * step
    found = _direction(gradient, pairs, solve if is_curved else None)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, -q, rtol=1e-9)
    np.testing.assert_array_equal(gradient, np.linspace(-1.0, 2.0, 12))


def test_restored_pairs_lead_to_the_same_bits() -> None:
    for n in range(6, 26):
        pairs, gradient = drawn(n, BOWL, limit=n - 1), np.linspace(-1.0, 2.0, 12)
        pairs.products_with_later()
        pairs.damp(0.5)
        again = Pairs.restored(n, zip(pairs.steps, pairs.changes, strict=True), pairs.numbers)
        one, other = (_direction(gradient, held, None) for held in (pairs, again))
        np.testing.assert_array_equal(one, other)
