"""Log loss, Brier score and calibration error, computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from veracity.evaluation.calibration import (
    brier,
    calibration,
    expected_calibration_error,
    log_loss,
)
from veracity.evaluation.metrics import Outcomes

PLAUSIBILITY = np.array([0.9, 0.9, 0.6, 0.2])
RIGHT = np.array([True, False, True, False])


def test_log_loss_by_hand() -> None:
    by_hand = -(math.log(0.9) + math.log(0.1) + math.log(0.6) + math.log(0.8)) / 4
    assert log_loss(PLAUSIBILITY, RIGHT) == pytest.approx(by_hand)


def test_brier_score_by_hand() -> None:
    assert brier(PLAUSIBILITY, RIGHT) == pytest.approx((0.01 + 0.81 + 0.16 + 0.04) / 4)


def test_calibration_error_by_hand() -> None:
    # Bins of a fifth: the two at 0.9 share one, of which half are right, so |0.5 - 0.9| for two of
    # the four items; 0.6 is the upper end of its bin, |1 - 0.6|; and 0.2 likewise, |0 - 0.2|.
    by_hand = 2 / 4 * 0.4 + 1 / 4 * 0.4 + 1 / 4 * 0.2
    assert expected_calibration_error(PLAUSIBILITY, RIGHT, bins=5) == pytest.approx(by_hand)


def test_bins_are_fifteen_and_closed_above() -> None:
    # 1/15 ends the first bin and 1 the last, 0 is in the first; in the first they balance out.
    found = expected_calibration_error(np.array([0.0, 1 / 15, 1.0]), np.array([False, True, True]))
    assert found == pytest.approx((1 - 1 / 15) / 3)


def test_perfect_and_perfectly_wrong_certainty() -> None:
    certain = np.ones(4)
    good = calibration(Outcomes(certain, np.ones(4, np.bool_)))
    assert (good.brier, good.ece) == (0, 0)
    assert good.log_loss == pytest.approx(0, abs=1e-12)
    bad = calibration(Outcomes(certain, np.zeros(4, np.bool_)))
    assert (bad.brier, bad.ece) == (1, 1)
    assert 30 < bad.log_loss < 40  # large, and not endless


def test_the_same_as_scikit_learn() -> None:
    random = np.random.default_rng(0)
    plausibility = random.random(200)
    right = random.random(200) < plausibility
    assert log_loss(plausibility, right) == pytest.approx(metrics.log_loss(right, plausibility))
    assert brier(plausibility, right) == pytest.approx(
        metrics.brier_score_loss(right, plausibility)
    )
