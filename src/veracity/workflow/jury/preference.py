"""What a judge prefers beyond what is right: for the first answer, for the longer one, for yes.

Of each verdict it is known whether the judge took the side in question, y, and how plausible it is
by all *other* judges that this side is right, q. Given the truth t = ±1 the judge takes the side
with the probability

    P(y = 1 | t) = σ(b + a t)

so a is its skill, and b its preference in log-odds: 0 for a judge that errs equally often both
ways. The truth is not known, so the likelihood of a verdict is the mixture

    q P(y | t = 1) + (1 - q) P(y | t = -1)

which is maximised with weak normal priors. Errors of b allow for questions that a judge answers
more than once (the sandwich estimator, by question).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, ndtr, ndtri

from veracity.data.arrays import Floats, Indices

#: Mean and standard deviation of the priors of skill and preference, in log-odds.
SKILL, PREFERENCE = (1.0, 1.5), (0.0, 2.0)
#: Intervals hold 90 %.
REACH = float(ndtri(0.95))
#: Verdicts below which nothing is said.
MIN_VERDICTS = 30


@dataclass(frozen=True)
class Preference:
    """A preference in log-odds, with its 90 % interval and the p-value of there being none."""

    log_odds: float
    error: float

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.log_odds - REACH * self.error

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.log_odds + REACH * self.error

    @property
    def p_value(self) -> float:
        """How likely so large a preference is where there is none."""
        return float(2.0 * ndtr(-abs(self.log_odds) / self.error))


def share_at_even_odds(log_odds: float) -> float:
    """Return how often a side is taken where nothing else speaks for either.

    >>> share_at_even_odds(0.0)
    0.5
    """
    return float(expit(log_odds))


def estimate_preference(took: Floats, right: Floats, question: Indices) -> Preference | None:
    """Estimate the preference of a judge for a side; None where there are too few verdicts.

    Parameters
    ----------
    took
        Whether the judge took the side, 1 or 0; (n_verdicts,).
    right
        How plausible it is, by others, that the side is right; (n_verdicts,).
    question
        A number for the question of each verdict; (n_verdicts,).
    """
    if len(took) < MIN_VERDICTS:
        return None
    centre = np.array([SKILL[0], PREFERENCE[0]])
    precision = np.array([SKILL[1], PREFERENCE[1]]) ** -2.0

    def negative(x: Floats) -> tuple[float, Floats]:
        log_likelihood, gradient = _of_verdicts(x, took, right)
        pull = precision * (x - centre)
        value = -log_likelihood.sum() + 0.5 * float(pull @ (x - centre))
        return value, pull - gradient.sum(axis=0)

    found = minimize(negative, centre, jac=True, method="L-BFGS-B")
    error = _sandwich(found.x, took, right, question, precision)[1]
    return Preference(float(found.x[1]), error)


def _of_verdicts(x: Floats, took: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return log-likelihood and gradient of each verdict; (n_verdicts,) and (n_verdicts, 2)."""
    a, b = x
    if_right, if_wrong = expit(b + a), expit(b - a)
    up = right * np.where(took == 1, if_right, 1.0 - if_right)
    down = (1.0 - right) * np.where(took == 1, if_wrong, 1.0 - if_wrong)
    total = np.maximum(up + down, 1e-300)
    pull_up = up / total * (took - if_right)
    pull_down = down / total * (took - if_wrong)
    return np.log(total), np.stack([pull_up - pull_down, pull_up + pull_down], axis=1)


def _sandwich(
    x: Floats, took: Floats, right: Floats, question: Indices, precision: Floats
) -> Floats:
    """Return the standard errors of skill and preference, whatever repeats within a question."""
    step = 1e-4
    columns = []
    for direction in np.eye(2):
        ahead = _of_verdicts(x + step * direction, took, right)[1].sum(axis=0)
        behind = _of_verdicts(x - step * direction, took, right)[1].sum(axis=0)
        columns.append((behind - ahead) / (2 * step))
    bread = np.linalg.inv(np.stack(columns) + np.diag(precision))
    return sandwich_errors(bread, _of_verdicts(x, took, right)[1], question)


def sandwich_errors(bread: Floats, gradient: Floats, question: Indices) -> Floats:
    """Return standard errors by the sandwich of inverse curvature and summed gradients.

    Of the two, the sandwich and the inverse curvature alone, the larger counts: with few questions
    the former is too small.
    """
    _, place = np.unique(question, return_inverse=True)
    sums = np.zeros((int(place.max(initial=-1)) + 1, gradient.shape[1]))
    np.add.at(sums, place, gradient)
    covariance = bread @ (sums.T @ sums) @ bread
    return np.sqrt(np.maximum(np.diag(covariance), np.maximum(np.diag(bread), 1e-12)))
