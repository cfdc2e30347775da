"""What a source answers, level by level, for each level that may be true."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from veracity.data.arrays import Array, Floats, Indices

#: The share of attentive answers that could be anything, so that nothing is impossible.
SLIPS = 1e-4
#: Bounds of the logarithm of the spread, in levels.
LEAST_SPREAD, MOST_SPREAD = -2.5, 2.5
#: Bias, stretch and the logarithm of the spread, in this order, are the placing of a source.
BIAS, STRETCH, LOG_SPREAD = range(3)


@dataclass(frozen=True, eq=False)
class Sources:
    """How sources answer on a scale of K levels.

    With probability 1 - r, a source sees a truth at level j at

        x  =  c + stretch (j - c) + bias + spread e,    e ~ N(0, 1),

    c being the middle of the scale, and says the level that is nearest to x. Otherwise it answers
    at random, by its habit. A stretch below 1 is a tendency to the middle.

    Attributes
    ----------
    placing
        Bias, stretch and the logarithm of the spread of each source; (n_sources, 3).
    random
        The share r of random answers; (n_sources,).
    habit
        The probability of each level among them; (n_sources, K).
    """

    placing: Floats
    random: Floats
    habit: Floats

    def __len__(self) -> int:
        return len(self.random)

    def at(self, place: Indices) -> Sources:
        """Return some of the sources."""
        return Sources(self.placing[place], self.random[place], self.habit[place])

    def attentive(self) -> Floats:
        """Return the probability of each level said, given the truth, of answers not at random."""
        return placed(self.placing, self.habit.shape[1])

    def answers(self) -> Floats:
        """Return the probability of each level said, given the truth; (n_sources, K truth, K)."""
        return self.mixed(self.attentive())

    def mixed(self, attentive: Floats) -> Floats:
        """Mix answers with random ones."""
        return (1 - self.random)[:, None, None] * attentive + self.random_answers()[:, None, :]

    def random_answers(self) -> Floats:
        """Return the probability that a source says a level at random; (n_sources, K)."""
        return np.asarray(self.random[:, None] * self.habit)

    def followed_by(self, other: Sources) -> Sources:
        """Return these sources and others."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in vars(self))
        return replace(self, **dict(zip(vars(self), map(np.concatenate, pairs), strict=True)))


def placed(placing: Floats, n_levels: int) -> Floats:
    """Return the probability of each level said, given the truth, by bias, stretch and spread."""
    middle = (n_levels - 1) / 2
    away = np.arange(n_levels) - middle
    seen = placing[:, [STRETCH]] * away + placing[:, [BIAS]]  # (n_sources, K), from the middle
    between = np.arange(n_levels - 1) + 0.5 - middle
    z = (between - seen[..., None]) / np.exp(placing[:, LOG_SPREAD])[:, None, None]
    ends = np.zeros((*seen.shape, 1))
    below = np.concatenate([ends, ndtr(z), ends + 1], axis=2)
    above = np.concatenate([ends + 1, ndtr(-z), ends], axis=2)
    # Of two differences that are equal, the one of small numbers is exact.
    share = np.where(
        below[..., 1:] + below[..., :-1] > 1,
        above[..., :-1] - above[..., 1:],
        below[..., 1:] - below[..., :-1],
    )
    return np.asarray((1 - SLIPS) * share + SLIPS / n_levels)


def slopes(placing: Floats, n_levels: int) -> Floats:
    """Return how the logarithm of `placed` changes with each number; (n_sources, K, K, 3)."""
    step = 1e-4
    changes: list[Array] = []
    for number in range(placing.shape[1]):
        by = np.zeros(placing.shape[1])
        by[number] = step
        up, down = placed(placing + by, n_levels), placed(placing - by, n_levels)
        changes.append((np.log(up) - np.log(down)) / (2 * step))
    return np.stack(changes, axis=-1)
