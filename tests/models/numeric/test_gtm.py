"""GTM, against a step done by hand, and as a model that keeps its word."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from tests.numeric import NUMBER, Rows, column, drawn, number, numeric, parameters, plausibility

from veracity import GTM, Claims, Mean
from veracity.errors import InvalidParameter

#: The median is 1, the sum of squares about the mean 14, the standard deviation sqrt(7).
THREE: Rows = [("a", "x", "0"), ("b", "x", "1"), ("c", "x", "5")]


def test_one_step_by_hand() -> None:
    model = GTM(max_iter=1, tol=None).fit(numeric(THREE))
    # E step, all variances being 10/11: 1 / r^2 = 1 + 3 * 1.1, t = r^2 * 1.1 * sum of z.
    z = {"a": -1 / sqrt(7), "b": 0.0, "c": 4 / sqrt(7)}
    r2 = 1 / 4.3
    t = r2 * 1.1 * 3 / sqrt(7)
    # M step: 2 beta = 20, 2 (alpha + 1) = 22, and one claim.
    variance = {source: (20 + (each - t) ** 2 + r2) / 23 for source, each in z.items()}
    assert parameters(model, "variance") == pytest.approx(variance)
    # The truth, given these variances.
    precision = 1 + sum(1 / each for each in variance.values())
    mean = sum(z[source] / variance[source] for source in z) / precision
    assert number(model, "x") == pytest.approx(1 + sqrt(7) * mean)
    error = sqrt(7 / precision)
    assert column(model, "standard_error")["x"] == pytest.approx(error)
    # The 97.5 % quantile of t with 2 degrees of freedom is 4.302653.
    assert column(model, "high")["x"] == pytest.approx(
        number(model, "x") + 4.302653 * error, rel=1e-6
    )


def test_the_objective_by_hand() -> None:
    # One item with two claims, whose covariance under the model is that of z plus a shared truth.
    model = GTM(max_iter=1, tol=None).fit(numeric([("a", "x", "1"), ("b", "x", "3")]))
    z = np.array([-1, 1]) / sqrt(2)
    variance = 10 / 11
    covariance = np.full((2, 2), 1.0) + np.eye(2) * variance
    density = -0.5 * (np.log(np.linalg.det(covariance)) + z @ np.linalg.solve(covariance, z))
    prior = -2 * (11 * np.log(variance) + 10 / variance)
    assert model.history_[0]["log_posterior"] == pytest.approx(density + prior)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("known", [False, True])
def test_the_objective_never_falls(seed: int, known: bool) -> None:
    claims, truth = drawn(seed, n_items=40, share=0.4)
    given = {"entity": ["e0", "e1"], "value": truth[:2]} if known else None
    model = GTM(alpha=1, beta=0.1, tol=1e-9).fit(claims, known_truth=given)
    objective = [record["log_posterior"] for record in model.history_]
    assert model.converged_
    assert len(objective) > 5
    assert all(after >= before - 1e-9 for before, after in pairwise(objective))


def test_sources_are_ranked_by_their_deviations() -> None:
    claims, _ = drawn(3)
    variance = parameters(GTM().fit(claims), "variance")
    means = [np.mean([variance[f"s{3 * group + one}"] for one in range(3)]) for group in range(4)]
    assert means == sorted(means)


def test_unlike_sources_are_told_apart_and_intervals_keep_their_word() -> None:
    covered, error, error_of_mean = [], [], []
    for seed in range(3):
        claims, truth = drawn(seed)
        model, mean = GTM().fit(claims), Mean().fit(claims)
        low, high = column(model, "low"), column(model, "high")
        for item, true in enumerate(truth):
            name = f"e{item}"
            covered.append(low[name] <= true <= high[name])
            error.append((number(model, name) - true) ** 2)
            error_of_mean.append((number(mean, name) - true) ** 2)
    assert 0.92 <= np.mean(covered) <= 0.98
    assert np.mean(error) < np.mean(error_of_mean) / 4


def test_outliers_are_set_aside() -> None:
    rows: Rows = [(f"s{place}", "x", str(100 + place % 3)) for place in range(12)]
    rows.append(("far", "x", "1e9"))
    with_all = GTM(max_deviations=None).fit(numeric(rows))
    without = GTM().fit(numeric(rows))
    assert number(without, "x") == pytest.approx(101, abs=0.1)
    assert number(with_all, "x") > 1e6
    (note,) = [note for note in without.notes_ if note.subject == "outliers"]
    assert note.count == 1
    assert plausibility(without)["x", "1e9"] == 0


def test_relative_error_as_in_the_paper() -> None:
    rows: Rows = [("a", "x", "100"), ("b", "x", "104"), ("c", "x", "300")]
    assert number(GTM().fit(numeric(rows)), "x") > 110
    assert number(GTM(max_relative_error=0.9).fit(numeric(rows)), "x") < 104


def test_known_truth_holds_and_teaches() -> None:
    # Where claims differ, b is always right: without being told so, a and b are alike.
    rows: Rows = [("a", f"e{item}", "10") for item in range(9)]
    rows += [("b", f"e{item}", "20") for item in range(9)]
    untold = GTM(alpha=1, beta=1).fit(numeric(rows))
    given = {"entity": [f"e{item}" for item in range(6)], "value": ["20"] * 5 + ["21"]}
    told = GTM(alpha=1, beta=1).fit(numeric(rows), known_truth=given)
    assert number(untold, "e8") == pytest.approx(15)
    assert number(told, "e8") > 17
    assert column(told, "value")["e0"] == "20"
    assert column(told, "standard_error")["e0"] == 0
    assert column(told, "value")["e5"] == "21"  # which nobody claims
    variance = parameters(told, "variance")
    assert variance["b"] < variance["a"] / 2


def test_weights_count_as_so_many_claims() -> None:
    columns = {"source": ["a", "b"], "entity": ["x", "x"], "value": [1, 3], "weight": [3, 1]}
    model = GTM(max_iter=1, tol=None).fit(Claims.from_frame(columns, attributes=NUMBER))
    # The median is 1, the mean 1.5, the variance (3 / 4 + 9 / 4) / 4, and 1.5 for n - 1.
    z, r2 = 2 / sqrt(1.5), 1 / (1 + 4 * 1.1)
    t = r2 * 1.1 * z
    assert parameters(model, "variance") == pytest.approx(
        {"a": (20 + 3 * (t**2 + r2)) / 25, "b": (20 + (z - t) ** 2 + r2) / 23}
    )


def test_items_without_a_scale_teach_nothing() -> None:
    rows: Rows = [("a", "x", "3"), ("a", "y", "5"), ("b", "y", "5")]
    model = GTM().fit(numeric(rows))
    assert column(model, "value") == {"x": "3", "y": "5"}
    assert column(model, "standard_error") == {"x": None, "y": None}
    assert plausibility(model) == {("x", "3"): 1, ("y", "5"): 1}
    assert parameters(model, "variance") == pytest.approx({"a": 10 / 11, "b": 10 / 11})


def test_new_claims_are_judged_by_the_variances_learned() -> None:
    claims, _ = drawn(4)
    model = GTM().fit(claims)
    new = numeric([("s0", "new", "10"), ("s11", "new", "20")])
    unseen = numeric([("p", "new", "10"), ("q", "new", "20")])
    assert float(model.predict(new)["value"][0].as_py()) < 12
    assert float(model.predict(unseen)["value"][0].as_py()) == pytest.approx(15)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": 0}, "alpha must be above 0. Got 0"),
        ({"beta": -1}, "beta must be above 0. Got -1"),
        ({"sigma": float("nan")}, "sigma must be above 0. Got nan"),
        ({"mu": float("inf")}, "mu must be a number. Got inf"),
        ({"centre": "mode"}, "centre must be median or mean. Got 'mode'"),
        ({"max_deviations": 0}, "max_deviations must be None or above 0. Got 0"),
    ],
)
def test_bad_parameters(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        GTM().set_params(**given).fit(numeric(THREE))
