"""Correction pairs of L-BFGS: steps, and the changes of the gradient along them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from veracity.models.grbm.vectors import Vector, combined, products

#: A step, the change of the gradient along it, and the product of both.
Pair = tuple[Vector, Vector, float]

#: The least product of step and change, relative to their lengths, that is more than rounding.
LEAST_PRODUCT = 1e-10
#: The least curvature along a step, relative to the damping. With less, the function itself is
#: concave there, the damping barely makes up for it, and the next step would be far too long.
LEAST_CURVATURE = 0.1


class Pairs:
    """The latest pairs, oldest first.

    Attributes
    ----------
    damping
        The pairs are those of the function plus ``damping / 2 |x|^2``.
    """

    def __init__(self, limit: int, pairs: Iterable[Pair] = (), damping: float = 0.0) -> None:
        """Hold up to `limit` pairs, starting with the given ones."""
        self._held: deque[Pair] = deque(pairs, limit)
        self.damping = damping

    def remember(self, step: Vector, change: Vector) -> None:
        """Add a pair if it shows positive curvature; drop the oldest if there are too many."""
        product, of_step, of_change = products(step, change)
        enough = product >= LEAST_CURVATURE * self.damping * of_step
        if enough and product > LEAST_PRODUCT * (of_step * of_change) ** 0.5:
            self._held.append((step, change, product))

    def damp(self, damping: float) -> None:
        """Change the damping; drop the pairs that show no positive curvature with the new one."""
        more, self.damping = damping - self.damping, damping
        for _ in range(len(self) if more else 0):
            step, change, _ = self._held.popleft()
            self.remember(step, combined(change, more, step))

    def clear(self) -> None:
        """Forget all pairs."""
        self._held.clear()

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._held)

    def __reversed__(self) -> Iterator[Pair]:
        return reversed(self._held)

    @property
    def last(self) -> Pair:
        """The latest pair."""
        return self._held[-1]
