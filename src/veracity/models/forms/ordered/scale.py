"""Scale: what is learned about one ordered attribute, and the steps that learn it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.forms.ordered.answers import (
    LEAST_SPREAD,
    LOG_SPREAD,
    MOST_SPREAD,
    STRETCH,
    Sources,
    slopes,
)

#: The centre of bias, stretch and log-spread over sources. Nothing in the claims tells a bias or
#: stretch that all sources share, so that only the centre of the spread is learned.
CENTRE = np.array([0.0, 1.0, np.log(0.7)])
#: Their variances over sources, before any is seen, which count as much as those of some sources.
VARIANCE = np.array([0.1, 0.04, 0.1])
VARIANCE_COUNTS = 5.0
#: Random and attentive answers of each source, before it is heard.
RANDOM, ATTENTIVE = 1.0, 9.0
#: Random answers by the habit of all sources, before it is heard.
HABIT = 10.0
#: The largest step of a number in one iteration, and how many pairs of levels are worked on at a
#: time, each source having K x K.
LARGEST_STEP = 0.5
AT_A_TIME = 2_000_000


@dataclass(frozen=True, eq=False)
class Counts:
    """What a pass over claims counts of one attribute.

    Attributes
    ----------
    said
        How often each source said a level, by the level believed; (n_sources, K truth, K said).
    of_level
        How many items are believed to be of each level; (K,).
    log_likelihood
        The logarithm of the probability of the claims.
    """

    said: Floats
    of_level: Floats
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class Scale:
    """What is known about an ordered attribute.

    Attributes
    ----------
    name
        The attribute.
    order
        Its levels from low to high.
    prior
        The probability of each level before anybody speaks; (K,).
    sources
        How each source answers; the last is one that was never heard.
    variance
        Of bias, stretch and log-spread over sources; (3,).
    """

    name: str
    order: tuple[str, ...]
    prior: Floats
    sources: Sources
    variance: Floats

    @classmethod
    def start(cls, name: str, order: tuple[str, ...], n_sources: int) -> Scale:
        """Return a scale before any claim is seen."""
        n_levels = len(order)
        level = np.full(n_levels, 1 / n_levels)
        everybody = _unheard(CENTRE, level).at(np.zeros(n_sources + 1, np.int64))
        return cls(name, order, level, everybody, VARIANCE)

    @property
    def n_levels(self) -> int:
        """How many levels there are."""
        return len(self.order)

    def learned(self, counts: Counts) -> Scale:
        """Return the scale that explains the counts better, and the most plausible sources."""
        heard = self.sources.at(np.arange(len(counts.said)))
        centre = self.sources.placing[-1]
        parts = [
            _step(heard.at(part), counts.said[part], centre, self.variance)
            for part in _parts(len(heard), self.n_levels)
        ]
        placing = np.concatenate([part[0] for part in parts])
        uncertainty = np.concatenate([part[1] for part in parts])
        at_random = np.concatenate([part[2] for part in parts])  # (n_sources, K)
        of_source = counts.said.sum(axis=(1, 2))
        # Sources that say nothing about this attribute tell nothing about the others.
        speaks = of_source > 0
        centre = centre.copy()
        if speaks.any():  # not if all of them deny
            centre[LOG_SPREAD] = placing[speaks, LOG_SPREAD].mean()
        squares = ((placing - centre) ** 2 + uncertainty)[speaks].sum(axis=0)
        variance = (squares + VARIANCE_COUNTS * VARIANCE) / (speaks.sum() + VARIANCE_COUNTS)
        n_random = at_random.sum(axis=1)
        random = (n_random + RANDOM) / (of_source + RANDOM + ATTENTIVE)
        common = at_random.sum(axis=0) + 1
        common /= common.sum()
        habit = (at_random + HABIT * common) / (n_random + HABIT)[:, None]
        prior = (counts.of_level + 1) / (counts.of_level.sum() + self.n_levels)
        sources = Sources(placing, random, habit).followed_by(_unheard(centre, common))
        return replace(self, prior=prior, sources=sources, variance=variance)


def _unheard(centre: Floats, habit: Floats) -> Sources:
    """Return a source that was never heard."""
    return Sources(centre[None, :], np.array([RANDOM / (RANDOM + ATTENTIVE)]), habit[None, :])


def largest_change(new: Scale, old: Scale) -> float:
    """Return by how much an iteration changed the prior of a level, or a typical source."""
    placing = np.sqrt(np.mean((new.sources.placing - old.sources.placing) ** 2))
    return float(max(np.abs(new.prior - old.prior).max(), placing))


def _parts(n_sources: int, n_levels: int) -> list[np.typing.NDArray[np.int64]]:
    return np.array_split(np.arange(n_sources), max(1, -(-n_sources * n_levels**2 // AT_A_TIME)))


def _step(
    sources: Sources, said: Floats, centre: Floats, variance: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return better placings, their variances, and how often each level was said at random.

    One step of Fisher scoring towards the placing that is most plausible, given the answers that
    were not at random.
    """
    n_levels = said.shape[1]
    attentive = sources.attentive()
    is_random = sources.random_answers()[:, None, :] / sources.mixed(attentive)
    at_random = said * is_random
    heard = said - at_random
    slope = slopes(sources.placing, n_levels)
    gradient = np.einsum("sjk,sjkp->sp", heard, slope) - (sources.placing - centre) / variance
    weight = heard.sum(axis=2)[:, :, None] * attentive
    information = np.einsum("sjk,sjkp,sjkq->spq", weight, slope, slope) + np.diag(1 / variance)
    spread = np.linalg.inv(information)
    step = np.einsum("spq,sq->sp", spread, gradient)
    placing = sources.placing + np.clip(step, -LARGEST_STEP, LARGEST_STEP)
    placing[:, LOG_SPREAD] = np.clip(placing[:, LOG_SPREAD], LEAST_SPREAD, MOST_SPREAD)
    return placing, np.einsum("spp->sp", spread), at_random.sum(axis=1)


@dataclass(frozen=True, eq=False)
class Manner:
    """How each source answers, in levels; all (n_sources,).

    ``reliability`` is the probability that it says the right level, ``bias`` by how many levels it
    is too high on average, ``spread`` the standard deviation of that, ``stretch`` how far apart it
    sees neighbouring levels, and ``random`` the share of its answers that are at random.
    """

    reliability: Floats
    bias: Floats
    spread: Floats
    stretch: Floats
    random: Floats


def manner(scale: Scale) -> Manner:
    """Describe how each source of a scale answers items whose levels are as frequent as usual."""
    heard = scale.sources.at(np.arange(len(scale.sources) - 1))
    found = [_errors(heard.at(part), scale.prior) for part in _parts(len(heard), scale.n_levels)]
    reliability, bias, square = np.concatenate(found, axis=1)
    spread = np.sqrt(np.maximum(square - bias**2, 0.0))
    return Manner(reliability, bias, spread, heard.placing[:, STRETCH], heard.random)


def _errors(sources: Sources, prior: Floats) -> Floats:
    """Return the share of right answers, the mean error and its mean square; (3, n_sources)."""
    level = np.arange(len(prior))
    error = level[None, :] - level[:, None]
    joint = prior[:, None] * sources.answers()  # (n_sources, K, K)
    weights = np.stack([error == 0, error, error**2]).astype(float)
    return np.asarray(np.einsum("sjk,wjk->ws", joint, weights))
