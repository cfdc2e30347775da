"""The steps from the sum of an item's evidence to the plausibility of a value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats
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
        steps = [] if repeated is None else [(REPEATED, _bounded(repeated))]
        score = float(self.scores.statement[statement])
        steps.append((HARDNESS, _bounded(score - reference)))
        others = [float(self.scores.statement[one]) for one in statements if one != statement]
        rest = np.array([*others, float(self.scores.unclaimed[item])])
        rest = rest[rest > -np.inf]
        against = float(np.logaddexp.reduce(rest)) if len(rest) else -math.inf
        steps.append((OTHERS, _bounded(score - against)))
        steps.append((TOGETHER, log_odds_of(float(self.part[statement]))))
        return steps


def _bounded(log_odds: float) -> float:
    """Return log-odds within what is shown of certainty."""
    if math.isnan(log_odds):
        return IMPOSSIBLE
    return min(max(log_odds, IMPOSSIBLE), -IMPOSSIBLE)
