"""Tests of differences, against figures of the literature and sums by hand."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.evaluation.significance import PairedTest, critical_difference, paired_test


def test_exact_sign_test_by_hand() -> None:
    # One against five of six: 2 * (C(6,0) + C(6,1)) / 2^6 = 14 / 64.
    first = np.array([True, False, False, False, False, False, True, False])
    second = np.array([False, True, True, True, True, True, True, False])
    found = paired_test(first, second)
    assert (found.better, found.worse) == (1, 5)
    assert found.p == pytest.approx(14 / 64)


def test_no_difference_is_no_evidence() -> None:
    same = np.array([True, False])
    assert paired_test(same, same) == PairedTest(0, 0, 1.0)
    assert paired_test(same, ~same).p == 1.0


@pytest.mark.parametrize(("n_methods", "quantile"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_critical_difference_has_the_quantiles_of_demsar(n_methods: int, quantile: float) -> None:
    # Demšar 2006, Table 5 (a), for 5 %.
    expected = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    assert critical_difference(n_methods, 14) == pytest.approx(expected, abs=2e-3)
