"""A rough curvature of the likelihood, from which L-BFGS starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask, sum_by

#: Rows that are worked on at a time.
BLOCK = 65_536
#: Binary digits that are kept of numbers which are to stay alike.
GRID = 30


@dataclass(frozen=True, eq=False)
class SharedSums:
    """The information of claims in what they share, in that and their sources, and in sources.

    Sums of disjoint sets of claims add; (n_shared, n_shared), (n_shared, n_sources), (n_sources,).
    """

    square: Floats
    cross: Floats
    of_source: Floats

    @classmethod
    def of(
        cls, design: Floats, weight: Floats, source: npt.NDArray[np.int64], n_sources: int
    ) -> SharedSums:
        """Add up rows.

        Parameters
        ----------
        design
            What each row multiplies m, gamma and beta by; (n_rows, n_shared).
        weight
            Information of the claims of each row; (n_rows,).
        source
            Of each row.
        n_sources
            Number of sources.
        """
        n_shared = design.shape[1]
        square, cross = np.zeros((n_shared, n_shared)), np.zeros((n_shared, n_sources))
        for first in range(0, len(design), BLOCK):
            block = slice(first, first + BLOCK)
            weighted = np.ascontiguousarray((design[block] * weight[block, None]).T)
            square += weighted @ design[block]
            for column, total in zip(weighted, cross, strict=True):
                total += sum_by(source[block], column, n_sources)
        return cls(square, cross, sum_by(source, weight, n_sources))


@dataclass(frozen=True, eq=False)
class SharedCurvature:
    """The curvature in what all claims share (m, gamma, beta) and in the deviations of sources.

    As if the truth were known: a regression of being right. Deviations are eliminated first, since
    what a source's own number can say, the others need not.

    Attributes
    ----------
    square, cross, diagonal
        In what is shared, in that and deviations, and in these; with the strength of the priors.
    damping
        How much more there is of it in every direction.
    """

    square: Floats
    cross: Floats
    diagonal: Floats
    damping: float = 0.0

    @classmethod
    def of(cls, sums: SharedSums, hold: Floats, hold_source: Floats) -> SharedCurvature:
        """Add the strength of the priors, (n_shared,) and (n_sources,), to what claims tell."""
        return cls(sums.square + np.diag(hold), sums.cross, sums.of_source + hold_source)

    @cached_property
    def _inverse(self) -> Floats:
        """The inverse of the curvature in what is shared, once deviations are eliminated."""
        left = (self.cross / (self.diagonal + self.damping)) @ self.cross.T
        return inverse_of(self.square - left, self.damping)

    def divide(self, shared: Floats, own: Floats) -> tuple[Floats, Floats]:
        """Divide a gradient by the curvature."""
        # Plain sums: threaded linear algebra costs more than it brings.
        diagonal = self.diagonal + self.damping
        shared = self._inverse @ (shared - np.einsum("ks,s->k", self.cross, own / diagonal))
        return shared, (own - np.einsum("k,ks->s", shared, self.cross)) / diagonal


def inverse_of(square: Floats, damping: float) -> Floats:
    """Add the damping to the diagonal of a matrix, and return the inverse."""
    return np.asarray(np.linalg.inv(square + damping * np.eye(len(square))), np.float64)


@dataclass(frozen=True, eq=False)
class Placed:
    """Some parameters, of which some move.

    Attributes
    ----------
    moves
        Marks those that move.
    place
        Where these come among all that move.
    """

    moves: Mask
    place: Indices

    @classmethod
    def all(cls, place: Indices) -> Placed:
        """Return parameters that all move."""
        return cls(np.ones(len(place), np.bool_), place)

    def spread(self, x: Floats, otherwise: float = 0.0) -> Floats:
        """Return a number for each of them: its own if it moves, else `otherwise`."""
        found = np.full(len(self.moves), otherwise)
        found[self.moves] = x[self.place]
        return found


@dataclass(frozen=True, eq=False)
class Curvature:
    """The curvature in the parameters that move.

    Attributes
    ----------
    shared
        In the parameters in which eta is linear, and in the deviations of sources.
    rest
        In each of the others by itself.
    linear, source
        The parameters in which eta is linear, and the deviations of sources.
    together
        Parameters that are looked at together instead, and the curvature in them; of each attribute
        that has such.
    damping
        How much more there is of it in every direction.
    """

    shared: SharedCurvature
    rest: Floats
    linear: Placed
    source: Placed
    together: Sequence[tuple[Placed, Floats]] = ()
    damping: float = 0.0

    def damped(self, damping: float) -> Curvature:
        """Return the curvature with so much more of it in every direction."""
        return replace(self, shared=replace(self.shared, damping=damping), damping=damping)

    @cached_property
    def _damped_rest(self) -> Floats:
        """The curvature in each of the others, damped."""
        return np.asarray(self.rest + self.damping)

    @cached_property
    def _inverses(self) -> list[Floats]:
        """The inverses of what is looked at together."""
        return [inverse_of(square, self.damping) for _, square in self.together]

    def divide(self, gradient: Floats) -> Floats:
        """Divide a gradient by the curvature."""
        linear, source = self.linear, self.source
        shared, own = self.shared.divide(linear.spread(gradient), source.spread(gradient))
        step = gradient / self._damped_rest
        step[linear.place] = shared[linear.moves]
        step[source.place] = own[source.moves]
        for (some, _), inverse in zip(self.together, self._inverses, strict=True):
            step[some.place] = on_grid(inverse @ some.spread(gradient))[some.moves]
        return step


def on_grid(numbers: Floats) -> Floats:
    """Round numbers to about nine digits of the largest.

    What is alike in the claims, such as two classes that are claimed as often, stays alike to the
    last digit: rounding would tell them apart, and choose between answers that are tied.

    >>> on_grid(np.array([1.0, 1.0 + 1e-15, 1e-17])).tolist()
    [1.0, 1.0, 0.0]
    """
    largest = float(np.abs(numbers).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return numbers
    unit = 2.0 ** (np.ceil(np.log2(largest)) - GRID)
    return np.asarray(np.round(numbers / unit) * unit)
