"""Correction pairs of L-BFGS: steps, and the changes of the gradient along them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.vectors import Filed, Vector, combined, dots, products

#: The least product of step and change, relative to their lengths, that is more than rounding.
LEAST_PRODUCT = 1e-10
#: The least curvature along a step, relative to the damping. With less, the function itself is
#: concave there, the damping barely makes up for it, and the next step would be far too long.
LEAST_CURVATURE = 0.1


@dataclass(frozen=True)
class Pair:
    """A step, and the change of the gradient along it.

    Attributes
    ----------
    step, change
        The vectors.
    product, of_step, of_change
        The product of both, and their squares.
    """

    step: Vector
    change: Vector
    product: float
    of_step: float
    of_change: float

    @classmethod
    def of(cls, step: Vector, change: Vector) -> Pair:
        """Work out the products."""
        return cls(step, change, *products(step, change))

    def damped(self, more: float) -> Pair:
        """Return the pair of the function plus ``more / 2 |x|^2``."""
        return Pair(
            self.step,
            combined(self.change, more, self.step),
            self.product + more * self.of_step,
            self.of_step,
            self.of_change + 2.0 * more * self.product + more**2 * self.of_step,
        )

    def is_usable(self, damping: float) -> bool:
        """Whether it shows enough positive curvature."""
        enough = self.product >= LEAST_CURVATURE * damping * self.of_step
        lengths = max(self.of_step * self.of_change, 0.0) ** 0.5
        return enough and self.product > LEAST_PRODUCT * lengths


class Pairs:
    """The latest pairs, oldest first.

    Attributes
    ----------
    damping
        The pairs are those of the function plus ``damping / 2 |x|^2``.
    """

    def __init__(self, limit: int) -> None:
        """Hold up to `limit` pairs."""
        self._limit, self.damping = limit, 0.0
        self._held: list[Pair] = []
        # Products of each step with later changes and with later steps; NaN until they are needed.
        self._between = np.empty((2, 0, 0))

    @classmethod
    def restored(
        cls, limit: int, vectors: Iterable[tuple[Vector, Vector]], numbers: dict[str, Any]
    ) -> Pairs:
        """Return the pairs that had these steps and changes, and these `numbers`, to the bit."""
        found = cls(limit)
        found.damping = numbers["damping"]
        found._held = [
            Pair(*both, *own) for both, own in zip(vectors, numbers["products"], strict=True)
        ]
        found._between = np.array(numbers["between"]).reshape(2, len(found), len(found))
        return found

    @property
    def numbers(self) -> dict[str, Any]:
        """What to keep of the pairs beside their vectors; plain numbers."""
        own = [[pair.product, pair.of_step, pair.of_change] for pair in self._held]
        return {"damping": self.damping, "products": own, "between": self._between.tolist()}

    def remember(self, step: Vector, change: Vector) -> None:
        """Add a pair if it shows positive curvature; drop the oldest if there are too many."""
        pair = Pair.of(step, change)
        if not pair.is_usable(self.damping):
            return
        self._keep(range(max(len(self) + 1 - self._limit, 0), len(self)))
        self._held.append(pair)
        self._between = np.pad(self._between, ((0, 0), (0, 1), (0, 1)), constant_values=np.nan)

    def damp(self, damping: float) -> None:
        """Change the damping; drop the pairs that show no positive curvature with the new one."""
        more, self.damping = damping - self.damping, damping
        if more:
            self._held = [pair.damped(more) for pair in self._held]
            of_change, of_step = self._between
            of_change += more * of_step
            self._keep([n for n, pair in enumerate(self._held) if pair.is_usable(damping)])

    def _keep(self, which: Iterable[int]) -> None:
        """Drop all others."""
        chosen = list(which)
        self._held = [self._held[place] for place in chosen]
        # In one order, since sums over what lies apart in memory are rounded otherwise.
        self._between = np.ascontiguousarray(self._between[:, chosen][:, :, chosen])

    def clear(self) -> None:
        """Forget all pairs."""
        self._keep(())

    def __len__(self) -> int:
        return len(self._held)

    @property
    def steps(self) -> list[Vector]:
        """The steps, oldest first."""
        return [pair.step for pair in self._held]

    @property
    def changes(self) -> list[Vector]:
        """The changes of the gradient, oldest first."""
        return [pair.change for pair in self._held]

    @property
    def curvatures(self) -> list[float]:
        """The product of each step and its change."""
        return [pair.product for pair in self._held]

    def products_with_later(self) -> Floats:
        """Return the products of steps with later changes, by step and change; (n, n).

        The rest is not to be used. The vectors are on this machine.
        """
        steps: list[Floats | Filed] = self.steps  # type: ignore[assignment]
        for late in range(1, len(self)):
            if np.isnan(self._between[0, 0, late]):
                pair = self._held[late]
                last: tuple[Floats | Filed, ...] = pair.change, pair.step  # type: ignore[assignment]
                self._between[:, :late, late] = dots(steps[:late], *last)
        return np.asarray(self._between[0])
