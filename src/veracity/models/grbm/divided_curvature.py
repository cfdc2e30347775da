"""The curvature of parameters in shards, and the direction of descent that follows from it.

Of the parameters of sources, the curvature is diagonal, but for what ties their deviations to m,
gamma and g. So owners can divide by it once these few have been worked out, and what owners have to
tell for that are sums.

The two-loop recursion of L-BFGS needs the products of the direction with all steps and changes. It
only ever adds multiples of them to the gradient. So owners tell the products of all these vectors
once, the recursion is done on the multiples, and owners put the direction together (Chen, Wang and
Zhou, 2014, "Large-scale L-BFGS using MapReduce"). The head of each vector is here, and takes part
as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.engines.shards import Shards
from veracity.models.grbm.curvature import Placed, inverse_of, on_grid
from veracity.models.grbm.divided import Divided
from veracity.models.grbm.lbfgs import SolveApart
from veracity.models.grbm.pairs import Pairs
from veracity.models.grbm.vectors import dot


@dataclass(frozen=True, eq=False)
class TailCurvature:
    """The curvature of the parameters of a shard.

    Attributes
    ----------
    diagonal
        In each by itself.
    cross
        In deviations of sources and what they are tied to; (n_shared, n_deviations).
    """

    diagonal: Floats
    cross: Floats

    def eliminated(self, damping: float) -> Floats:
        """Return what the deviations take from the curvature in what they are tied to."""
        own = self.diagonal[: self.cross.shape[1]] + damping
        return np.asarray(np.einsum("ks,ls->kl", self.cross / own, self.cross), np.float64)


@dataclass(frozen=True, eq=False)
class HeadCurvature:
    """The curvature of the parameters that all sources share.

    Attributes
    ----------
    rest
        In each by itself.
    linear, square
        m, gamma and a linear g, and the curvature in all of them.
    together
        Other parameters that are looked at together, and the curvature in them.
    """

    rest: Floats
    linear: Placed
    square: Floats
    together: Sequence[tuple[Placed, Floats]]


@dataclass(frozen=True, eq=False)
class DividedCurvature:
    """The curvature of all parameters."""

    head: HeadCurvature
    tail: Shards[TailCurvature]

    def damped(self, damping: float) -> DividedSolve:
        """Return what divides by it, with so much more of it in every direction."""
        left = np.sum(self.tail.told(TailCurvature.eliminated, shared=(damping,)), axis=0)
        return DividedSolve(self, damping, inverse_of(self.head.square - left, damping))


@dataclass(frozen=True, eq=False)
class DividedSolve(SolveApart):
    """Divides by a curvature.

    Attributes
    ----------
    curvature, damping
        What it divides by.
    inverse
        The inverse in what deviations are tied to, once these are eliminated.
    """

    curvature: DividedCurvature
    damping: float
    inverse: Floats

    @cached_property
    def _inverses(self) -> list[Floats]:
        return [inverse_of(square, self.damping) for _, square in self.curvature.head.together]

    def divide_head(self, head: Floats, of_tail: Floats) -> tuple[Floats, Floats]:
        """Divide the head of a gradient, given what its tail says of what is tied to it.

        Also returns the step in all of that.
        """
        own = self.curvature.head
        step = head / (own.rest + self.damping)
        shared = self.inverse @ (own.linear.spread(head) - of_tail)
        step[own.linear.place] = shared[own.linear.moves]
        for (some, _), inverse in zip(own.together, self._inverses, strict=True):
            step[some.place] = on_grid(inverse @ some.spread(head))[some.moves]
        return step, shared

    def direction(self, gradient: Divided, pairs: Pairs) -> Divided:
        """Return the quasi-Newton direction of descent."""
        steps: list[Any] = pairs.steps
        changes: list[Any] = pairs.changes
        tails = [vector.tail for vector in (gradient, *changes, *steps)]
        told = self.curvature.tail.told(_products, *tails, shared=(self.damping,))
        products = Products(*(np.sum(part, axis=0) for part in zip(*told, strict=True)))
        found = _Recursion(self, gradient, steps, changes, products)
        found.recur(pairs.curvatures)
        shared = (self.damping, found.before, found.tied, found.after)
        return Divided(-found.head, self.curvature.tail.made(_put_together, *tails, shared=shared),
                       gradient.plan)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Products:
    """Products of the tails of steps S with those of the gradient and changes, V; D the diagonal.

    Attributes
    ----------
    plain
        S V'.
    divided
        V / D V'.
    tied
        C / D V', of the deviations in V and what they are tied to.
    """

    plain: Floats
    divided: Floats
    tied: Floats


class _Recursion:
    """The two-loop recursion on a head and on the multiples of what the tail consists of.

    The tail is (`before` V + `tied` C) / D + `after` S, once it is divided, and `before` V until
    then.
    """

    def __init__(
        self,
        solve: DividedSolve,
        gradient: Divided,
        steps: list[Divided],
        changes: list[Divided],
        products: Products,
    ) -> None:
        self._solve, self._products = solve, products
        self._steps = [step.head for step in steps]
        self._changes = [change.head for change in changes]
        self.head = gradient.head.copy()
        self.before = np.zeros(1 + len(steps))
        self.before[0] = 1.0
        self.tied = np.zeros(len(products.tied))
        self.after = np.zeros(len(steps))

    def recur(self, curvatures: list[float]) -> None:
        """Go through the pairs, the latest first and last."""
        numbers = range(len(curvatures))
        shares = np.zeros(len(curvatures))
        scale = self._scale(curvatures[-1]) if curvatures else 1.0
        for pair in reversed(numbers):
            product = dot(self._steps[pair], self.head) + self._products.plain[pair] @ self.before
            shares[pair] = product / curvatures[pair]
            self.head -= shares[pair] * self._changes[pair]
            self.before[1 + pair] -= shares[pair]
        self._divide()
        for part in (self.head, self.before, self.tied):
            part *= scale
        for pair in numbers:
            more = self._of_change(pair) / curvatures[pair] - shares[pair]
            self.head -= more * self._steps[pair]
            self.after[pair] -= more

    def _divide(self) -> None:
        """Divide by the curvature."""
        self.head, shared = self._solve.divide_head(self.head, self._products.tied @ self.before)
        self.tied = -shared

    def _of_change(self, pair: int) -> float:
        """Return the product with a change, after the division."""
        found = dot(self._changes[pair], self.head)
        found += self._products.divided[1 + pair] @ self.before
        found += self._products.tied[:, 1 + pair] @ self.tied
        return float(found + self._products.plain[:, 1 + pair] @ self.after)

    def _scale(self, curvature: float) -> float:
        """Return by how much the last step was longer than the first curvature made it."""
        change, of_tail = self._changes[-1], self._products.tied[:, -1]
        head, shared = self._solve.divide_head(change, of_tail)
        product = dot(change, head) + self._products.divided[-1, -1] - of_tail @ shared
        return float(curvature / product)


# What owners are told to do


def _products(own: TailCurvature, gradient: Floats, *others: Any) -> tuple[Floats, Floats, Floats]:
    """Return the products of a shard; see `Products`."""
    *vectors, damping = others
    n_pairs = len(vectors) // 2
    given = [gradient, *vectors[:n_pairs]]
    diagonal, n_deviations = own.diagonal + damping, own.cross.shape[1]
    divided = np.zeros((len(given), len(given)))
    tied = np.zeros((len(own.cross), len(given)))
    for place, vector in enumerate(given):
        quotient = vector / diagonal
        divided[place] = [dot(quotient, other) for other in given]
        tied[:, place] = [dot(row, quotient[:n_deviations]) for row in own.cross]
    plain = [[dot(step, vector) for vector in given] for step in vectors[n_pairs:]]
    return np.reshape(plain, (n_pairs, len(given))), divided, tied


def _put_together(own: TailCurvature, gradient: Floats, *others: Any) -> Floats:
    """Return the direction of a shard."""
    *vectors, damping, before, tied, after = others
    n_pairs, n_deviations = len(vectors) // 2, own.cross.shape[1]
    found = np.zeros_like(gradient)
    for share, vector in zip(before, [gradient, *vectors[:n_pairs]], strict=True):
        found += share * vector
    found[:n_deviations] += np.einsum("k,ks->s", tied, own.cross)
    found /= own.diagonal + damping
    for share, step in zip(after, vectors[n_pairs:], strict=True):
        found += share * step
    return np.negative(found, out=found)
