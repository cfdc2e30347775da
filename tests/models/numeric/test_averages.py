"""Mean and median, against numbers done by hand."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import pytest
from tests.numeric import Rows, column, number, numeric, plausibility

from veracity import Attribute, Claims, Mean, Median

SEA: Rows = [("a", "sea", "10"), ("b", "sea", "11"), ("c", "sea", "15")]


def weighted(*claims: tuple[float, float]) -> Claims:
    """Make claims about one item of (number, weight)."""
    names = [f"s{index}" for index in range(len(claims))]
    return Claims.from_frame(
        {
            "source": names,
            "entity": ["x"] * len(claims),
            "value": [value for value, _ in claims],
            "weight": [weight for _, weight in claims],
        },
        attributes={"*": Attribute("single", values="number")},
    )


def test_mean_with_the_interval_of_student() -> None:
    # Deviations -2, -1, 3: s^2 = 14 / 2 = 7; the 97.5 % quantile of t with 2 degrees is 4.302653.
    model = Mean().fit(numeric(SEA))
    error = sqrt(7 / 3)
    assert number(model, "sea") == 12
    assert column(model, "standard_error")["sea"] == pytest.approx(error)
    assert column(model, "low")["sea"] == pytest.approx(12 - 4.302653 * error, rel=1e-6)
    assert column(model, "high")["sea"] == pytest.approx(12 + 4.302653 * error, rel=1e-6)


def test_plausibility_is_the_probability_of_being_nearest() -> None:
    # Halfway between the claims are 10.5 and 13.
    truth = NormalDist(12, sqrt(7 / 3))
    assert plausibility(Mean().fit(numeric(SEA))) == pytest.approx(
        {
            ("sea", "10"): truth.cdf(10.5),
            ("sea", "11"): truth.cdf(13) - truth.cdf(10.5),
            ("sea", "15"): 1 - truth.cdf(13),
        }
    )


def test_weighted_mean() -> None:
    # (10 + 12 + 2 * 15) / 4 = 13. n = 4^2 / 6 = 8/3, the variance of the claims is
    # (9 + 1 + 2 * 4) / 4 = 4.5, and that of the mean 4.5 / (n - 1) = 2.7.
    model = Mean().fit(weighted((10, 1), (12, 1), (15, 2)))
    assert number(model, "x") == 13
    assert column(model, "standard_error")["x"] == pytest.approx(sqrt(2.7))


@pytest.mark.parametrize("model", [Mean(), Median()])
def test_one_claim_has_no_standard_error(model: Mean | Median) -> None:
    model.fit(numeric([("a", "x", "3"), ("a", "y", "5"), ("b", "y", "5")]))
    assert column(model, "value") == {"x": "3", "y": "5"}
    assert column(model, "standard_error") == {"x": None, "y": 0}
    assert column(model, "low")["x"] is column(model, "high")["x"] is None
    assert plausibility(model) == {("x", "3"): 1, ("y", "5"): 1}


def test_claims_without_weight_are_not_heard() -> None:
    model = Mean().fit(weighted((10, 1), (99, 0)))
    assert number(model, "x") == 10
    assert plausibility(model) == {("x", "10"): 1, ("x", "99"): 0}


@pytest.mark.parametrize(
    ("claims", "median"),
    [
        ([(1, 1), (2, 1), (900, 1)], 2),
        ([(1, 1), (2, 1), (4, 1), (900, 1)], 3),
        ([(1, 1), (2, 1), (3, 3)], 3),  # half of the weight is 2.5: 1 and 2 have 2 of it
        ([(1, 2), (2, 1), (3, 1)], 1.5),  # 1 has just half of it
    ],
)
def test_median(claims: list[tuple[float, float]], median: float) -> None:
    assert number(Median().fit(weighted(*claims)), "x") == median


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [
        (5, None, None),  # a binomial (5, 1/2) is below 1 with 1/32, more than 2.5 %
        (6, 1, 6),  # below 1 with 1/64
        (8, 1, 8),  # below 2 with 9/256
        (9, 2, 8),  # below 2 with 10/512
    ],
)
def test_median_interval_is_made_of_order_statistics(
    n: int, low: float | None, high: float | None
) -> None:
    model = Median().fit(numeric([(f"s{place}", "x", str(place)) for place in range(1, n + 1)]))
    assert column(model, "low")["x"] == low
    assert column(model, "high")["x"] == high


def test_median_standard_error_of_maritz_and_jarrett() -> None:
    # Beta(2, 2) is at most x with 3 x^2 - 2 x^3, so that the three claims have weights of 7, 13
    # and 7 of 27; about the median they are -1, 0 and 2.
    model = Median().fit(numeric([("a", "x", "4"), ("b", "x", "5"), ("c", "x", "7")]))
    variance = (7 + 4 * 7) / 27 - ((-7 + 2 * 7) / 27) ** 2
    assert column(model, "standard_error")["x"] == pytest.approx(sqrt(variance))


def test_the_median_does_not_mind_one_source_far_off() -> None:
    rows: Rows = [("a", "x", "10"), ("b", "x", "11"), ("c", "x", "12"), ("d", "x", "1e6")]
    assert number(Median().fit(numeric(rows)), "x") == 11.5
    assert number(Mean().fit(numeric(rows)), "x") == pytest.approx(250_008.25)
