"""The steps from the sum of an item's evidence to the plausibility of a value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from veracity.data.arrays import Floats, numbers_of
from veracity.models.explanation import CERTAIN, log_odds_of
from veracity.models.grbm.observation.base import Scores

#: The reasons of the steps.
HARDNESS = "hard item: the claims count less"
REPEATED = "wrong values are repeated, too"
OTHERS = "evidence for other values"
TOGETHER = "claims err together"
SHARE = "share of the claims"
LABELS = "weighed and recalibrated by labels"
#: The log-odds of what the model holds to be impossible.
IMPOSSIBLE = log_odds_of(CERTAIN / 2)

#: A reason, and the log-odds once it is allowed for.
Step = tuple[str, float]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of statements, and the part of its item that each has by them.

    See `veracity.models.grbm.plausibility.tempered_parts`.
    """

    scores: Scores
    part: Floats

    def steps(
        self,
        item: int,
        statements: range,
        statement: int,
        reference: float,
        repeated: float | None = None,
    ) -> list[Step]:
        """Return the log-odds of a statement after each step from the sum of its claims.

        Parameters
        ----------
        item, statements, statement
            The item, all its statements, and the one in question.
        reference
            The score that the sum of the claims is relative to.
        repeated
            The log-odds once it is allowed for that wrong values are repeated; None if not.
        """
        of_statement, unclaimed, part = self._numbers
        score = of_statement[statement]
        rest = list(of_statement[statements.start : statements.stop])
        rest[statement - statements.start] = unclaimed[item]
        steps = [
            (HARDNESS, _bounded(score - reference)),
            (OTHERS, _bounded(score - log_sum_exp(rest))),
            (TOGETHER, log_odds_of(part[statement])),
        ]
        return steps if repeated is None else [(REPEATED, _bounded(repeated)), *steps]

    @cached_property
    def _numbers(self) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
        """Scores of statements and of unclaimed values, and the parts of statements."""
        scores = self.scores
        return numbers_of(scores.statement), numbers_of(scores.unclaimed), numbers_of(self.part)


def log_sum_exp(numbers: Sequence[float]) -> float:
    """Return the logarithm of the sum of what numbers are the logarithms of."""
    top = max(numbers, default=-math.inf)
    if math.isinf(top):
        return top
    return top + math.log(sum([math.exp(number - top) for number in numbers]))


def _bounded(log_odds: float) -> float:
    """Return log-odds within what is shown of certainty."""
    if IMPOSSIBLE <= log_odds <= -IMPOSSIBLE:
        return log_odds
    return -IMPOSSIBLE if log_odds > 0.0 else IMPOSSIBLE  # also of what is no number
