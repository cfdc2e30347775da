"""Recalibration: plausibilities that agree with how often verdicts on labelled items are right.

    logit p' = shift + scale logit p

of each verdict, with normal priors of precision 5 and 10 around 0 and 1: three labels change
little, three hundred decide. The other values of an item share what is left, as before, and the
verdict stays the most plausible one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.models.grbm.labels.questions import Answers, Questions

SHIFT_PRECISION, SCALE_PRECISION = 5.0, 10.0
#: Plausibilities nearer to 0 or 1 count as this near.
NEAR = 1e-6


@dataclass(frozen=True)
class Recalibration:
    """The map from plausibilities to those that labels agree with."""

    shift: float = 0.0
    scale: float = 1.0

    @classmethod
    def fit(cls, plausibility: Floats, is_right: Mask) -> Recalibration:
        """Fit the map to verdicts whose plausibility does not rest on their own label."""
        from scipy.optimize import minimize

        level, sign = _logit(plausibility), np.where(is_right, 1.0, -1.0)

        def loss(x: Floats) -> tuple[float, Floats]:
            odds = sign * (x[0] + x[1] * level)
            pull = -sign / (1.0 + np.exp(odds))
            penalty = 0.5 * (SHIFT_PRECISION * x[0] ** 2 + SCALE_PRECISION * (x[1] - 1.0) ** 2)
            slope = (SHIFT_PRECISION * x[0], SCALE_PRECISION * (x[1] - 1.0))
            value = np.logaddexp(0.0, -odds).sum() + penalty
            return float(value), np.array([pull.sum(), pull @ level]) + slope

        # Of two verdicts the more plausible one stays so.
        bounds = [(None, None), (0.0, None)]
        found = minimize(loss, np.array([0.0, 1.0]), jac=True, method="L-BFGS-B", bounds=bounds)
        return cls(*map(float, found.x))

    def apply(self, questions: Questions, p: Answers) -> Answers:
        """Return recalibrated plausibilities."""
        best, before = questions.believed(p)
        after = 1.0 / (1.0 + np.exp(-(self.shift + self.scale * _logit(before))))
        after = np.maximum(after, _least(questions, p, best, before))
        rest = np.where(before < 1.0, (1.0 - after) / np.maximum(1.0 - before, NEAR), 0.0)
        statement = p.statement * rest[questions.of_statement]
        none = p.none * rest
        by_none = questions.is_two_sided & (p.none > p.statement[best])
        statement[best[~by_none]] = after[~by_none]
        return Answers(statement, np.where(by_none, after, none))


def _least(questions: Questions, p: Answers, best: Indices, before: Floats) -> Floats:
    """Return the plausibility at which each verdict would no longer be the most plausible.

    That of two sides is a half to the bit, so that rounding does not decide for one.
    """
    others = p.statement.copy()
    others[best] = 0.0
    second = np.maximum.reduceat(others, questions.start)
    least = second / np.maximum(1.0 - before + second, NEAR)
    return np.where(questions.is_two_sided, 0.5, least)


def _logit(p: Floats) -> Floats:
    inside = np.clip(p, NEAR, 1.0 - NEAR)
    return np.asarray(np.log(inside) - np.log1p(-inside))
