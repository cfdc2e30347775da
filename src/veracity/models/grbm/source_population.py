"""The population of sources, by empirical Bayes, and the interval of each source in it.

The levels of a rate (see `rate_likelihood`) are normal over sources, with mean mu and standard
deviation tau. Both maximise the marginal likelihood, with a weak prior, so that a handful of
sources does not make all alike, or all unlike. Their errors count, too: that of mu adds to the
variance, and densities are averaged over three values of tau.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.models.grbm.bounded_search import minimise_within
from veracity.models.grbm.rate_likelihood import Curves

#: What lies below an interval, and above it.
TAIL = 0.05
#: A source with more than this speaks more than once. What it denies without a word counts by how
#: plausible that is, and rounding must not make it a second claim.
ONCE = 1.0 + 1e-9
#: So many sources tell how much all scatter.
SOURCES_ENOUGH = 400
#: How strongly log tau is drawn to 0, which is what the fit assumes, and mu to the plain mean.
PRECISION_OF_LOG_TAU, PRECISION_OF_MEAN = 0.5, 1.0
#: Bounds of log tau, and of its standard error.
LEAST, LARGEST, LARGEST_ERROR = -3.0, 1.5, 1.0
#: log tau is taken so many standard errors larger: an interval too wide misleads less than one too
#: narrow, and where tau is known well, this is nothing.
CAUTION = 0.5
#: Where, in standard errors, and how much tau counts: the nodes of Gauss and Hermite.
TAU_NODES = ((-(3.0**0.5), 1 / 6), (0.0, 2 / 3), (3.0**0.5, 1 / 6))
#: Sources that are worked on at a time; and if all of them come in parts, to save memory.
BLOCK, SMALL_BLOCK = 20_000, 2_000


@dataclass(frozen=True)
class SourcePopulation:
    """How the levels of sources are spread.

    Attributes
    ----------
    mean, mean_error
        mu, and its standard error.
    log_deviation, log_deviation_error
        log tau, and its standard error.
    """

    mean: float
    mean_error: float = 0.0
    log_deviation: float = 0.0
    log_deviation_error: float = 0.0

    @classmethod
    def of(cls, curves: Curves) -> SourcePopulation:
        """Estimate it from the sources with more than one claim, or some of them."""
        telling = some_that_tell(np.flatnonzero(tells(curves.n_claims)))
        if not len(telling):
            return cls(float(curves.mean_level.mean()))
        marginal = _Marginal(*curves.about(telling), float(curves.mean_level[telling].mean()))
        start = np.array([marginal.centre, 0.0])
        lower, upper = np.array([-np.inf, LEAST]), np.array([np.inf, LARGEST])
        found = minimise_within(marginal, start, lower, upper)
        return cls(*marginal.with_errors(*found.tolist()))

    def at_least_as_the_fit_has_it(self) -> SourcePopulation:
        """Return the same with tau of 1 or more."""
        return replace(self, log_deviation=max(self.log_deviation, 0.0))

    def density(self, level: Floats, log_likelihood: Floats) -> Floats:
        """Return the density of each source's level, at the levels of its curve; rows sum to 1."""
        total = np.zeros_like(level)
        for away, share in TAU_NODES:
            log_tau = self.log_deviation + (CAUTION + away) * self.log_deviation_error
            variance = np.exp(2 * log_tau) + self.mean_error**2
            total += share * _weights(level - self.mean, log_likelihood, variance)[0]
        return total


def tells(n_claims: Floats) -> Mask:
    """Mark the sources with more than one claim, which tell how much all scatter."""
    return np.asarray(n_claims > ONCE)


def some_that_tell(telling: Indices) -> Indices:
    """Return enough of the sources that tell how much all scatter."""
    return telling[:: -(-len(telling) // SOURCES_ENOUGH) or 1]


def interval_shifts(
    curves: Curves, population: SourcePopulation | None = None, together: int = BLOCK
) -> tuple[Floats, Floats]:
    """Return by how much each source's levels are to be moved for the two ends of its interval.

    Sources that make one claim are not taken to be as much alike as the others may be: nothing is
    known of them, not even that they are of the same sort.
    """
    ends = np.zeros((2, curves.n_sources))
    often = tells(curves.n_claims)
    population = population or SourcePopulation.of(curves)
    for which, spread in ((often, population), (~often, population.at_least_as_the_fit_has_it())):
        sources = np.flatnonzero(which)
        for first in range(0, len(sources), together):
            block = sources[first : first + together]
            level, log_likelihood = curves.about(block)
            density = spread.density(level, log_likelihood)
            for end, share in zip(ends, (TAIL, 1.0 - TAIL), strict=True):
                end[block] = _quantile(level, density, share) - curves.mean_level[block]
    return ends[0], ends[1]


@dataclass(frozen=True, eq=False)
class _Marginal:
    """The negative marginal log-likelihood of mu and log tau, with the hold on both.

    `level` and `log_likelihood` are the curves of sources, `centre` their mean level.
    """

    level: Floats
    log_likelihood: Floats
    centre: float

    def __call__(self, at: Floats) -> tuple[float, Floats]:
        """Return it with its gradient."""
        mu, log_tau = at
        variance = np.exp(2 * log_tau)
        away = self.level - mu
        weight, log_mass = _weights(away, self.log_likelihood, variance)
        value = log_mass - len(away) * log_tau
        value -= 0.5 * (
            PRECISION_OF_LOG_TAU * log_tau**2 + PRECISION_OF_MEAN * (mu - self.centre) ** 2
        )
        ascent = [
            (weight * away).sum() / variance - PRECISION_OF_MEAN * (mu - self.centre),
            (weight * away**2).sum() / variance - len(away) - PRECISION_OF_LOG_TAU * log_tau,
        ]
        return -value, -np.array(ascent)

    def with_errors(self, mu: float, log_tau: float) -> tuple[float, float, float, float]:
        """Return mu and log tau, each followed by its standard error."""
        step = 0.05
        hessian = [
            (
                self(np.array([mu + da, log_tau + db]))[1]
                - self(np.array([mu - da, log_tau - db]))[1]
            )
            / (2 * step)
            for da, db in ((step, 0.0), (0.0, step))
        ]
        error_of_mu = hessian[0][0] ** -0.5 if hessian[0][0] > 0 else PRECISION_OF_MEAN**-0.5
        error_of_tau = hessian[1][1] ** -0.5 if hessian[1][1] > 0 else LARGEST_ERROR
        return mu, float(error_of_mu), log_tau, float(min(error_of_tau, LARGEST_ERROR))


def _weights(away: Floats, log_likelihood: Floats, variance: float) -> tuple[Floats, float]:
    """Return the density of each source's level, rows summing to 1, and the log of all masses."""
    score = log_likelihood - 0.5 * away**2 / variance
    top = score.max(axis=1, keepdims=True)
    weight = np.exp(score - top)
    mass = weight.sum(axis=1, keepdims=True)
    return weight / mass, float((np.log(mass) + top).sum())


def _quantile(level: Floats, density: Floats, share: float) -> Floats:
    """Return the level below which a share of each row's density lies."""
    below = np.cumsum(density, axis=1) - 0.5 * density
    row = np.arange(len(level))
    after = np.clip((below < share).sum(axis=1), 1, level.shape[1] - 1)
    left, right = below[row, after - 1], below[row, after]
    part = np.clip((share - left) / np.maximum(right - left, 1e-300), 0.0, 1.0)
    start = level[row, after - 1]
    return np.asarray(start + part * (level[row, after] - start))
