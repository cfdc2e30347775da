"""Likelihood of one rate of each source, given its claims.

A rate r is moved on an unbounded scale, its level l. Its lower end is guessing, with odds c:

    r = (c + e^l) / (c + e^l + 1)

Let q be the probability that a claim's statement is true, given all other claims. The probability
of the claim is linear in the rate, alpha + beta r. So the claims of a source, with all levels
shifted by s, have the likelihood

    L(s) = product of (alpha + beta r(l + s))^weight

It is computed on a Chebyshev grid about the fitted rate, and interpolated. Each source needs only
sums over its claims: an outline, which says how far the grid has to reach, then log L at its 13
nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.polynomial.chebyshev import chebvander

from veracity.data.arrays import Floats, sum_by
from veracity.data.compiled import compiled

Indices = npt.NDArray[np.integer]

#: L is worked out at so many shifts, and interpolated to so many.
N_NODES, N_FINE = 13, 81
#: They reach this far to both sides, in standard errors that are widened, with a bound.
REACH, WIDENED, LARGEST_ERROR = 3.5, 2.0, 3.0
#: The level of a rate that is at a bound.
LOWEST, HIGHEST = -7.0, 12.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """What claims say about a rate of their sources; all but the first, one entry for each claim.

    Attributes
    ----------
    n_sources
        Number of sources.
    source
        Who claims.
    level
        That of the fitted rate.
    chance
        c, the odds of being right by guessing.
    alpha, beta
        The probability of what is said is alpha + beta r.
    weight
        How many claims it stands for.
    """

    n_sources: int
    source: Indices
    level: Floats
    chance: Floats
    alpha: Floats
    beta: Floats
    weight: Floats

    @cached_property
    def outline(self) -> Outline:
        """How much there is, and about where."""
        information = np.stack([self._information(0.0), self._information(1.0)], axis=1)
        return Outline(
            sum_by(self.source, self.weight, self.n_sources),
            sum_by(self.source, self.weight * self.level, self.n_sources),
            information,
        )

    def _information(self, shift: float) -> Floats:
        odds = np.exp(self.level + shift)
        slope = odds / (self.chance + odds + 1.0) ** 2
        said = self.alpha + self.beta * (self.chance + odds) / (self.chance + odds + 1.0)
        each = (self.beta * slope) ** 2 / np.maximum(said * (1.0 - said), 1e-9)
        return sum_by(self.source, self.weight * each, self.n_sources)

    def at_nodes(self, reach: Floats) -> Floats:
        """Return log L of each source at the nodes, which reach so far; (n_sources, N_NODES)."""
        log_likelihood = np.zeros((self.n_sources, N_NODES))
        add_log_likelihood(
            self.source, self.level, self.chance, self.alpha, self.beta, self.weight,
            reach, NODES, log_likelihood,
        )  # fmt: skip
        return log_likelihood


@dataclass(frozen=True, eq=False)
class Outline:
    """How much evidence there is on each source, and about where; adds over claims.

    Attributes
    ----------
    n_claims
        How many claims of each source there are; (n_sources,).
    level
        The sum of their levels; (n_sources,).
    information
        At the fitted level, and at one above it; (n_sources, 2).
    """

    n_claims: Floats
    level: Floats
    information: Floats

    def __add__(self, other: Outline) -> Outline:
        return Outline(
            self.n_claims + other.n_claims,
            self.level + other.level,
            self.information + other.information,
        )

    @property
    def mean_level(self) -> Floats:
        """The mean level of each source, 0 where it says nothing; (n_sources,)."""
        return np.asarray(self.level / np.maximum(self.n_claims, 1e-12))

    @property
    def reach(self) -> Floats:
        """How far the nodes of each source reach: a few generous standard errors; (n_sources,).

        The information is that of the fitted level or of one above it, the larger: a source at the
        level of chance says nothing about how far below it is, but much about how far above.
        """
        information = self.information.max(axis=1)
        return np.asarray(REACH / np.sqrt(1.0 / LARGEST_ERROR**2 + information / WIDENED))


@dataclass(frozen=True, eq=False)
class Curves:
    """log L of each source, as a function of its level.

    Attributes
    ----------
    n_claims, mean_level, reach
        Of each source; see `Outline`.
    at_nodes
        log L at the nodes; (n_sources, N_NODES).
    """

    n_claims: Floats
    mean_level: Floats
    reach: Floats
    at_nodes: Floats

    @classmethod
    def of(cls, outline: Outline, at_nodes: Floats) -> Curves:
        """Put an outline and what was worked out within its reach together."""
        return cls(outline.n_claims, outline.mean_level, outline.reach, at_nodes)

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return len(self.n_claims)

    def about(self, sources: Indices | slice) -> tuple[Floats, Floats]:
        """Return levels about the fitted one, and log L there, of some sources; (n, N_FINE)."""
        shift = FINE * self.reach[sources][:, None]
        values = self.at_nodes[sources] @ INTERPOLATE
        return self.mean_level[sources][:, None] + shift, values - values.max(axis=1, keepdims=True)


def level_of(rate: Floats, chance: Floats | float) -> Floats:
    """Return the level of a rate."""
    odds = rate / np.maximum(1.0 - rate, np.exp(-HIGHEST)) - chance
    return np.asarray(np.clip(np.log(np.maximum(odds, np.exp(LOWEST))), LOWEST, HIGHEST))


def rate_of(level: Floats, chance: Floats | float) -> Floats:
    """Return the rate at a level."""
    odds = chance + np.exp(level)
    return np.asarray(odds / (odds + 1.0))


def _nodes() -> tuple[Floats, Floats, Floats]:
    """Return nodes and fine points in (-1, 1), and what turns values at the one into the other."""
    nodes = np.cos((2 * np.arange(N_NODES) + 1) * np.pi / (2 * N_NODES))
    fine = np.linspace(nodes.min(), nodes.max(), N_FINE)
    # By Chebyshev polynomials, which are orthogonal over the nodes: the same bits in every process.
    terms = chebvander(nodes, N_NODES - 1) * (2.0 / N_NODES)
    terms[:, 0] /= 2.0
    return nodes, fine, terms @ chebvander(fine, N_NODES - 1).T


NODES, FINE, INTERPOLATE = _nodes()


@compiled
def add_log_likelihood(
    source: Any,
    level: Any,
    chance: Any,
    alpha: Any,
    beta: Any,
    weight: Any,
    reach: Any,
    nodes: Any,
    log_likelihood: Any,
) -> None:
    """Add log(alpha + beta r) of claims at each node to their sources' sums."""
    for claim in range(len(source)):
        s = source[claim]
        for node in range(len(nodes)):
            odds = chance[claim] + np.exp(level[claim] + nodes[node] * reach[s])
            said = alpha[claim] + beta[claim] * odds / (odds + 1.0)
            log_likelihood[s, node] += weight[claim] * np.log(max(said, 1e-300))
