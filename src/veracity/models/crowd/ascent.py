"""Ascent: expectation maximisation on ballots, with fewer and cheaper passes to the same end.

Plain steps come first. Then steps are extrapolated, and now and then the items that still change
are worked on by themselves; see `veracity.models.crowd.extrapolation` and
`veracity.models.views.by_class_part`. Neither lowers the likelihood, and the fit has converged when
a plain step changes no belief by more than the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.crowd.crowd_kernels import Likelihoods
from veracity.models.crowd.extrapolation import PLAIN_STEPS, Extrapolation
from veracity.models.per_source import Resuming, largest_change
from veracity.models.views.by_class import Ballots, Tally
from veracity.models.views.by_class_blocks import BallotsInBlocks
from veracity.models.views.by_class_part import BallotPart

AnyBallots = Ballots | BallotsInBlocks | BallotPart

#: After so many passes over all votes there is one stage with part of them.
PASSES_PER_PART = 4
#: The part holds at most this share of the items, those that change most.
LARGEST_PART = 0.2
#: An item that changes by less than this share of the tolerance is left alone.
STILL = 0.1
#: The passes over a part cost at most as much as so many over all votes.
PART_COST = 4.0


@dataclass(frozen=True, eq=False)
class Step:
    """What the maximisation step learns from counts.

    Attributes
    ----------
    likelihoods
        For the next expectation step.
    log_prior
        What prior distributions add to the log-likelihood.
    """

    likelihoods: Likelihoods
    log_prior: float = 0.0


Learn = Callable[[AnyBallots, Tally], Step]


class Ascent:
    """A fit by expectation maximisation.

    Attributes
    ----------
    tally
        What the last pass counted.
    counts
        What the parameters of the last pass were learned from.
    """

    def __init__(self, ballots: Ballots | BallotsInBlocks, learn: Learn, tol: float | None) -> None:
        self._ballots, self._learn, self._tol = ballots, learn, tol
        self._extrapolation = Extrapolation()
        self._n_passes = 0
        self._moving = np.empty(0, np.int64)  # items to be worked on by themselves
        self.tally: Tally = ballots.start()
        self.counts: Tally = self.tally
        self._next: Tally = self.tally

    def step(self) -> dict[str, float]:
        """Do a pass over all votes; return the objective, and the largest change of a belief."""
        if len(self._moving):
            self._work_on_part()
        self.counts = self._next
        learned, tally = self._pass(self.counts)
        objective = tally.log_likelihood + learned.log_prior
        if self._extrapolation.fell(objective):
            self.counts = self.tally
            learned, tally = self._pass(self.counts)
            objective = tally.log_likelihood + learned.log_prior
            self._extrapolation.fell(objective)
        change = self._ballots.change(tally, self.tally)
        self._plan(tally, change)
        self.tally = tally
        return {"log_likelihood": objective, "change": change}

    def _pass(self, counts: Tally) -> tuple[Step, Tally]:
        learned = self._learn(self._ballots, counts)
        return learned, self._ballots.expect(learned.likelihoods)

    def _plan(self, tally: Tally, change: float) -> None:
        """Decide where the next pass starts from."""
        self._n_passes += 1
        self._next = tally
        if self._tol is None or change <= self._tol:
            return
        is_turn = self._n_passes > PLAIN_STEPS and self._n_passes % PASSES_PER_PART == 0
        if is_turn and isinstance(self._ballots, Ballots):
            self._moving = moving_items(self._ballots, tally, self.tally, self._tol)
        if len(self._moving):
            self._extrapolation.forget()
            return
        following = self._extrapolation.after(self.counts.counts, tally.counts)
        self._next = tally.with_counts(following)

    def _work_on_part(self) -> None:
        """Let the moving items come to rest while the others stay as they are."""
        assert isinstance(self._ballots, Ballots)
        assert self._tol is not None
        learned = self._learn(self._ballots, self.counts)
        part = BallotPart.of(self._ballots, self._moving, learned.likelihoods, self.tally)
        cost = len(part.poll.vote_cell) / max(len(self._ballots.poll.vote_cell), 1)
        ended = climb(part, self._learn, self._tol, max(int(PART_COST / cost), 1))
        self.tally = self._next = part.put_back(ended)
        self._moving = self._moving[:0]

    # Going on later

    def resuming(self) -> Resuming:
        """Return how to resume the fit."""
        return Resuming(self._state, self._go_on)

    def _state(self) -> dict[str, Floats]:
        return {
            "counts": self.counts.counts,
            "next": self._next.counts,
            "moving": self._moving,
            "passes": np.array([self._n_passes]),
            **self._extrapolation.state(),
        }

    def _go_on(self, state: dict[str, Floats]) -> None:
        self.counts = self.tally.with_counts(state["counts"])
        self.tally = self._pass(self.counts)[1]
        self._next = self.tally.with_counts(state["next"])
        self._moving = state["moving"].astype(np.int64)
        self._n_passes = int(state["passes"][0])
        self._extrapolation.restore(state)


def climb(part: BallotPart, learn: Learn, tol: float, max_iter: int) -> Tally:
    """Iterate on a part until no belief of it changes by more than half the tolerance."""
    extrapolation = Extrapolation(plain_steps=0)
    tally = following = part.start
    for _ in range(max_iter):
        counts = following
        learned = learn(part, counts)
        new = part.expect(learned.likelihoods)
        if extrapolation.fell(new.log_likelihood + learned.log_prior):
            counts = tally
            learned = learn(part, counts)
            new = part.expect(learned.likelihoods)
            extrapolation.fell(new.log_likelihood + learned.log_prior)
        change = largest_change(new.belief, tally.belief)
        tally = new
        if change <= tol / 2:
            break
        following = tally.with_counts(extrapolation.after(counts.counts, tally.counts))
    return tally


def moving_items(ballots: Ballots, new: Tally, old: Tally, tol: float) -> Indices:
    """Return the items that change most; none if that is not worth a stage of its own."""
    change = np.abs(new.belief - old.belief)
    poll = ballots.poll
    first_answer = poll.answer_start[poll.question_start[:-1]]
    largest = np.maximum.reduceat(change, np.minimum(first_answer, len(change) - 1))
    n_most = int(LARGEST_PART * len(largest))
    if n_most < 1:
        return np.empty(0, np.int64)
    least = np.partition(largest, len(largest) - n_most)[len(largest) - n_most]
    return np.flatnonzero((largest > least) & (largest > STILL * tol))
