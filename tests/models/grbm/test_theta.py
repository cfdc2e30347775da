"""Theta and the rates it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.errors import InvalidParameter
from veracity.models.grbm.theta import (
    Rates,
    Theta,
    logit,
    rates_of,
    sigmoid,
    softplus,
    theta_of,
    tied_hidden_bias,
)

rates = st.floats(1e-6, 1 - 1e-6)


@given(rates, rates)
def test_rates_to_theta_and_back(tpr: float, fpr: float) -> None:
    theta = theta_of(Rates(np.array([tpr]), np.array([fpr])))
    back = rates_of(theta)
    np.testing.assert_allclose([back.tpr[0], back.fpr[0]], [tpr, fpr], rtol=1e-8)
    assert theta.hidden_bias[0] == pytest.approx(np.log((1 - tpr) / (1 - fpr)), abs=1e-9)


def test_equation_5() -> None:
    found = rates_of(Theta(np.array([-1.0]), np.array([3.0]), np.array([7.0])))
    assert found.tpr[0] == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert found.fpr[0] == pytest.approx(1 / (1 + np.exp(1.0)))


def test_functions_of_numbers_far_out() -> None:
    far = np.array([-1e4, 0.0, 1e4])
    np.testing.assert_allclose(sigmoid(far), [0.0, 0.5, 1.0])
    np.testing.assert_allclose(softplus(far), [0.0, np.log(2), 1e4])
    np.testing.assert_allclose(logit(sigmoid(np.array([-3.0, 0.5]))), [-3.0, 0.5])
    np.testing.assert_allclose(tied_hidden_bias(far, np.zeros(3)), 0.0)


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 1.5, np.nan])
def test_rates_are_inside_0_and_1(rate: float) -> None:
    with pytest.raises(InvalidParameter, match="tpr must be between 0 and 1"):
        theta_of(Rates(np.array([rate]), np.array([0.1])))
    with pytest.raises(InvalidParameter, match="fpr must be between 0 and 1"):
        theta_of(Rates(np.array([0.7]), np.array([0.2, rate])))
