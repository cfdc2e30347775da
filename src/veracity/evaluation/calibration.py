"""Whether plausibilities mean what they say: log loss, Brier score and calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.evaluation.metrics import Outcomes

BINS = 15
#: Plausibilities are kept this far from 0 and 1, so that one certain mistake is not endless.
CLIP = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Calibration:
    """Calibration of the believed values' plausibilities; smaller is better.

    Attributes
    ----------
    log_loss
        Mean surprise at what turned out true, in nats.
    brier
        Mean squared distance of the plausibility from 1 where the value is true, from 0 where not.
    ece
        Expected calibration error: the distance of plausibility from the share that is true, mean
        over 15 bins of equal width, weighted by how many items are in each.
    """

    log_loss: float
    brier: float
    ece: float


def calibration(outcomes: Outcomes) -> Calibration:
    """Measure the plausibilities of believed values against what is true.

    >>> from veracity.evaluation.metrics import Outcomes
    >>> calibration(Outcomes(np.array([0.5, 0.5]), np.array([True, False]))).brier
    0.25
    """
    plausibility, right = outcomes.plausibility, outcomes.right
    return Calibration(
        log_loss(plausibility, right),
        brier(plausibility, right),
        expected_calibration_error(plausibility, right),
    )


def log_loss(plausibility: Floats, right: npt.NDArray[np.bool_]) -> float:
    """Return −mean(log p) of what happened, with p the plausibility of it."""
    happened = np.where(right, plausibility, 1 - plausibility)
    return float(-np.log(np.clip(happened, CLIP, 1 - CLIP)).mean())


def brier(plausibility: Floats, right: npt.NDArray[np.bool_]) -> float:
    """Return mean((p − right)²)."""
    return float(np.square(plausibility - right).mean())


def expected_calibration_error(
    plausibility: Floats, right: npt.NDArray[np.bool_], bins: int = BINS
) -> float:
    """Return Σ (n_bin / n) |share right − mean p| over bins of equal width, open below."""
    place = np.clip(np.ceil(plausibility * bins).astype(np.int64) - 1, 0, bins - 1)
    surplus = np.bincount(place, plausibility - right, minlength=bins)
    return float(np.abs(surplus).sum() / len(right))
