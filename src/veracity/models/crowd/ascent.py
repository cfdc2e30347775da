"""Ascent: expectation maximisation on ballots, with fewer passes to the same end.

Plain steps come first. Then steps are extrapolated; see `veracity.models.crowd.extrapolation`. The
objective never falls, and the fit has converged when beliefs change by no more than the tolerance;
see `typical_change`. Without a tolerance all steps are plain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from veracity.data.arrays import Floats
from veracity.models.crowd.crowd_kernels import Likelihoods
from veracity.models.crowd.extrapolation import Extrapolation
from veracity.models.per_source import Resuming
from veracity.models.views.by_class import Ballots, Tally
from veracity.models.views.by_class_blocks import BallotsInBlocks

AnyBallots = Ballots | BallotsInBlocks


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

    def __init__(self, ballots: AnyBallots, learn: Learn, tol: float | None) -> None:
        self._ballots, self._learn = ballots, learn
        self._is_plain = tol is None
        self._extrapolation = Extrapolation(float(ballots.cell_weight.sum()))
        self.tally: Tally = ballots.start()
        self.counts: Tally = self.tally
        self._next: Tally = self.tally

    def step(self) -> dict[str, float]:
        """Do a pass over all votes; return the objective, and how much beliefs change."""
        self.counts = self._next
        objective, tally = self._pass()
        if self._extrapolation.fell(objective):
            self.counts = self.tally
            objective, tally = self._pass()
            self._extrapolation.fell(objective)
        change = self._ballots.change(tally, self.tally)
        self._next = tally
        if not self._is_plain:
            following = self._extrapolation.after(self.counts.counts, tally.counts)
            self._next = tally.with_counts(following)
        self.tally = tally
        return {"log_likelihood": objective, "change": change}

    def _pass(self) -> tuple[float, Tally]:
        """Learn from the counts, and count again; also return the objective."""
        learned = self._learn(self._ballots, self.counts)
        tally = self._ballots.expect(learned.likelihoods, self.tally)
        return tally.log_likelihood + learned.log_prior, tally

    # Going on later

    def resuming(self) -> Resuming:
        """Return how to resume the fit."""
        return Resuming(self._state, self._go_on)

    def _state(self) -> dict[str, Floats]:
        state = {"counts": self.counts.counts, "next": self._next.counts}
        return {**state, **self._extrapolation.state()}

    def _go_on(self, state: dict[str, Floats]) -> None:
        self.counts = self.tally.with_counts(state["counts"])
        self.tally = self._pass()[1]
        self._next = self.tally.with_counts(state["next"])
        self._extrapolation.restore(state)
