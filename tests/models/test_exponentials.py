"""Tests of exponentials and logarithms in plain arithmetic, against those of numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from veracity.data.compiled import compiled
from veracity.models.exponentials import exp_of, log1p_of, log_of


@compiled
def exponentials(x: Any, found: Any) -> None:
    for place in range(len(x)):
        found[place] = exp_of(x[place])


@compiled
def logarithms(x: Any, found: Any) -> None:
    for place in range(len(x)):
        found[place] = log_of(x[place])


@compiled
def logarithms_past_1(x: Any, found: Any) -> None:
    for place in range(len(x)):
        found[place] = log1p_of(x[place])


DRAW = np.random.default_rng(0)
NEAR_0 = np.append(0.0, DRAW.normal(size=2000) * 10.0 ** DRAW.integers(-20, 3, 2000))
POSITIVE = 10.0 ** DRAW.uniform(-300, 300, 2000)


@pytest.mark.parametrize(
    ("ours", "one", "numpys", "x"),
    [
        (exponentials, exp_of, np.exp, NEAR_0),
        (logarithms, log_of, np.log, np.append(POSITIVE, 1.0 + np.abs(NEAR_0))),
        (logarithms_past_1, log1p_of, np.log1p, np.abs(NEAR_0)),
    ],
)
def test_they_are_right_to_the_last_digits_wherever_a_number_stands(
    ours: Callable[..., Any], one: Callable[..., Any], numpys: Callable[..., Any], x: Any
) -> None:
    found = np.empty(len(x))
    ours(x, found)
    np.testing.assert_allclose(found, numpys(x), rtol=1e-15, atol=0.0)
    again = np.empty(len(x) - 3)
    ours(x[3:], again)
    assert np.array_equal(again, found[3:])
    assert [one(number) for number in x[:50]] == found[:50].tolist()


def test_extremes() -> None:
    assert [exp_of(x) for x in (-np.inf, -709.0, 0.0, -0.0, 710.0, np.inf)] == [
        0.0, 0.0, 1.0, 1.0, np.inf, np.inf,
    ]  # fmt: skip
    assert np.isnan(exp_of(np.nan))
    assert exp_of(-708.0) == pytest.approx(np.exp(-708.0), rel=1e-15)
    assert exp_of(709.0) == pytest.approx(np.exp(709.0), rel=1e-15)
    assert log_of(1.0) == 0.0
