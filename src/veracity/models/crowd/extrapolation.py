"""Fewer passes to the same fixed point: squared extrapolation of expectation maximisation.

Expectation maximisation creeps at the end: each step goes a little shorter way in nearly the same
direction. After two steps from x to x1 and x2, with r = x1 - x and v = (x2 - x1) - r, the squared
extrapolation (Varadhan and Roland, Simple and globally convergent methods for accelerating the
convergence of any EM algorithm, Scandinavian Journal of Statistics, 2008) goes to

    x + 2 a r + a^2 v,    a = |r| / |v|

which is x2 for a = 1. Differences that are no more than rounding count as none, as a^2 would make
much of them. A fixed point of the steps stays one. If the objective falls there, the fit
goes on from x2, so that it never falls from one step to the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled
from veracity.models.two_sum import two_sum

#: So many plain steps come first: they decide which optimum is climbed.
PLAIN_STEPS = 30
#: How much longer a step may be than the longest so far.
GROWTH = 4.0
#: A fall of the objective, as a share of it, that is rounding.
ROUNDING = 1e-12
#: The same for each vote: the objective is a sum over votes, which may cancel each other.
ROUNDING_OF_VOTE = 1e-14
#: A difference of counts, as a share of them, that is rounding.
NOISE = 1e-13


class Extrapolation:
    """Chooses the counts from which the next step starts; none of them is negative.

    Parameters
    ----------
    n_votes
        The weight of all votes that the objective is a sum over.
    plain_steps
        How many steps come first that are not extrapolated.
    """

    def __init__(self, n_votes: float, plain_steps: int = PLAIN_STEPS) -> None:
        self._n_votes = n_votes
        self._plain_left = float(plain_steps)
        self._longest = 1.0
        self._best = -np.inf
        self._tried = False  # whether the last proposal was an extrapolation
        self._first = np.empty(0)  # where a pair of plain steps began

    def fell(self, objective: float) -> bool:
        """Whether the last extrapolation lowered the objective, so that it must be undone."""
        rounding = ROUNDING * abs(self._best) + ROUNDING_OF_VOTE * self._n_votes
        fell = self._tried and not objective >= self._best - rounding
        self._tried = False
        if fell:
            self._longest = max(self._longest / GROWTH, 1.0)
        else:
            self._best = objective
        return fell

    def after(self, start: Floats, end: Floats) -> Floats:
        """Return the counts from which the next step starts, after a step from `start` to `end`."""
        if self._plain_left > 0:
            self._plain_left -= 1
            return end
        if not len(self._first):
            self._first = start
            return end
        following, length = extrapolated(self._first, start, end, self._longest)
        if length >= self._longest:
            self._longest *= GROWTH
        self._first = np.empty(0)
        self._tried = True
        return np.asarray(following)

    def state(self) -> dict[str, Floats]:
        """Return all that it remembers, as arrays."""
        return {
            "first": self._first,
            "extrapolation": np.array(
                [self._plain_left, self._longest, self._best, float(self._tried)]
            ),
        }

    def restore(self, state: dict[str, Floats]) -> None:
        """Go on from what `state` returned."""
        self._first = state["first"]
        self._plain_left, self._longest, self._best, tried = state["extrapolation"].tolist()
        self._tried = bool(tried)


@compiled
def extrapolated(first: Any, middle: Any, last: Any, longest: float) -> Any:
    """Return the extrapolated numbers, cut off at 0, and the length a of the step."""
    step, step_rest, bend, bend_rest = 0.0, 0.0, 0.0, 0.0
    for place in range(len(first)):
        r, v = differences(first[place], middle[place], last[place])
        step, step_rest = two_sum(step, step_rest, r * r)
        bend, bend_rest = two_sum(bend, bend_rest, v * v)
    step, bend = step + step_rest, bend + bend_rest
    length = longest if bend == 0.0 else min(max(np.sqrt(step / bend), 1.0), longest)
    found = np.empty(len(first))
    for place in range(len(first)):
        r, v = differences(first[place], middle[place], last[place])
        following = last[place] + 2.0 * (length - 1.0) * r + (length * length - 1.0) * v
        found[place] = max(following, 0.0)
    return found, length


@compiled
def differences(first: float, middle: float, last: float) -> Any:
    """Return r and v of a count; 0 where they are no more than rounding."""
    r = middle - first
    v = last - middle - r
    least = NOISE * max(first, middle, last)
    return r if abs(r) > least else 0.0, v if abs(v) > least else 0.0
