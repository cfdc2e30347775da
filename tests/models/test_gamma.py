"""The gamma function and its like, beside scipy and values known by other means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from veracity.models.gamma import chances_above, digamma, digammas, log_gammas

#: From nearly nothing to millions, and closely around the zeros of the functions.
POINTS = np.concatenate([np.exp(np.linspace(-20, 15, 400)), np.linspace(0.9, 2.5, 401)])


def test_log_gamma() -> None:
    assert log_gammas(POINTS) == pytest.approx(special.gammaln(POINTS), rel=1e-14, abs=1e-15)
    exact = [0.0, 0.0, np.log(2.0), np.log(6.0), 0.5 * np.log(np.pi)]
    assert log_gammas(np.array([1.0, 2.0, 3.0, 4.0, 0.5])) == pytest.approx(exact, abs=1e-15)


def test_digamma() -> None:
    assert digammas(POINTS) == pytest.approx(special.digamma(POINTS), rel=1e-13, abs=1e-14)
    euler = 0.577215664901532861
    exact = [-euler, 1.0 - euler, -euler - 2.0 * float(np.log(2.0))]
    assert [digamma(x) for x in (1.0, 2.0, 0.5)] == pytest.approx(exact, rel=1e-15)


def test_chi_squared() -> None:
    draw = np.random.default_rng(0)
    degrees = np.concatenate([draw.integers(1, 20, 2000), draw.integers(1, 3000, 2000)])
    statistic = degrees * np.exp(draw.normal(0.0, 0.6, len(degrees)))
    found = chances_above(degrees.astype(np.float64), statistic)
    assert found == pytest.approx(special.chdtrc(degrees, statistic), rel=1e-11, abs=1e-290)


def test_chi_squared_with_two_degrees_of_freedom_falls_by_a_power_of_e() -> None:
    statistic = np.array([0.0, 1e-9, 1.0, 4.0, 30.0, 600.0])
    found = chances_above(np.full(len(statistic), 2.0), statistic)
    assert found == pytest.approx(np.exp(-statistic / 2), rel=1e-13)
