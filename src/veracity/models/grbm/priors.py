"""Where the parameters of an attribute start, and how strongly they are held there.

All of it rests on counts of claims, so that the counts of blocks of items add up to those of all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices

#: Items with so few sources tell how often sources agree, not how often they are right.
THIN = 3
#: How strongly each such item holds the log-odds of truth where the claims have them.
HOLD_PER_THIN_ITEM = 0.1
#: A prior so strong that a parameter stays where it is.
NOT_AT_ALL = 1e6


@dataclass(frozen=True, eq=False)
class NoPrior:
    """Of an attribute without parameters of its own."""

    centre = penalty = curvature = np.zeros(0)


@dataclass(frozen=True, eq=False)
class BinaryPrior:
    """Of the statements of an attribute that are judged each by itself.

    Own parameters: log-odds of truth b_0, d of the attribute, and the deviation of each source.

    Attributes
    ----------
    claimed, spoken
        How many statements all sources claim, and speak about.
    n_statements, n_thin
        Number of statements, and of items about which few sources speak.
    n_claims, n_spoken
        Claims of each source, and statements that it speaks about; (n_sources,).
    """

    #: How strongly they are drawn to nothing: half, or in the same proportion, of what the two
    #: symmetric parameters of classes are.
    TRUTH, SAID, SOURCE_SAID = 0.5, 0.5, 1.0

    claimed: float
    spoken: float
    n_statements: int
    n_thin: int
    n_claims: Indices
    n_spoken: Floats

    @cached_property
    def centre(self) -> Floats:
        """Where each parameter is drawn to: b_0 to the share of claims, all else to nothing."""
        centre = np.zeros(2 + len(self.n_claims))
        centre[0] = np.log((self.claimed + 1.0) / (self.spoken - self.claimed + 1.0))
        return centre

    @cached_property
    def penalty(self) -> Floats:
        """How strongly each parameter is drawn to its centre."""
        return np.concatenate(
            [
                [self.TRUTH + HOLD_PER_THIN_ITEM * self.n_thin, self.SAID],
                np.where(self.n_claims >= 2, self.SOURCE_SAID, NOT_AT_ALL),
            ]
        )

    @property
    def curvature(self) -> Floats:
        """A rough curvature of each parameter."""
        spread = 0.2
        return self.penalty + spread * np.concatenate(
            [[self.n_statements, self.spoken], self.n_spoken]
        )


@dataclass(frozen=True, eq=False)
class ClassPrior:
    """Of a closed attribute whose items are judged by classes that sources confuse.

    Attributes
    ----------
    n_said
        How often each class is claimed; (K,).
    n_items, n_thin
        Number of items, and of those about which few sources speak.
    n_claims
        Claims of each source; (n_sources,).
    heavy
        The places of sources with deviations B.
    """

    #: How strongly b, a, C, A and B are drawn to nothing.
    PRIOR, SAID, CONFUSED, SOURCE_SAID, SOURCE_CONFUSED = 1.0, 1.0, 1.0, 2.0, 5.0

    n_said: Indices
    n_items: int
    n_thin: int
    n_claims: Indices
    heavy: Indices

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.n_said)

    @cached_property
    def centre(self) -> Floats:
        """Where each parameter is drawn to: b to the shares of claims, all else to nothing."""
        centre = np.zeros(len(self.penalty))
        counts = self.n_said + 1.0
        centre[: self.k] = np.log(counts) - np.mean(np.log(counts))
        return centre

    @cached_property
    def penalty(self) -> Floats:
        """How strongly each parameter is drawn to its centre."""
        k = self.k
        return np.concatenate(
            [
                np.full(k, self.PRIOR + HOLD_PER_THIN_ITEM * self.n_thin),
                np.full(k, self.SAID),
                np.full(k * k, self.CONFUSED),
                np.repeat(np.where(self.n_claims >= k, self.SOURCE_SAID, NOT_AT_ALL), k),
                np.full(len(self.heavy) * k * k, self.SOURCE_CONFUSED),
            ]
        )

    @property
    def curvature(self) -> Floats:
        """A rough curvature of each parameter."""
        k, total = self.k, float(self.n_claims.sum())
        spread = 0.5 / k
        more: Floats = np.concatenate(
            [
                np.full(k, self.n_items * spread),
                np.full(k, total * spread),
                np.full(k * k, total * spread / k),
                np.repeat(self.n_claims * spread, k),
                np.repeat(self.n_claims[self.heavy] * spread / k, k * k),
            ]
        )
        return self.penalty + more


Prior = NoPrior | BinaryPrior | ClassPrior
