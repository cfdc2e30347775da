"""CATD, against rounds done by hand and quantiles from tables."""

from __future__ import annotations

import numpy as np
import pytest
from tests.numeric import Rows, drawn, number, numeric, parameters, plausibility

from veracity import CATD, Attribute, Claims, Mean
from veracity.errors import InvalidParameter
from veracity.models.web.catd import lower_quantile

#: Quantiles of chi squared at 2.5 %, as printed in tables, by degrees of freedom.
QUANTILES = {1: 0.000982, 2: 0.0506, 3: 0.216, 10: 3.247, 100: 74.222}
THREE: Rows = [("a", "x", "0"), ("b", "x", "1"), ("c", "x", "5")]


def test_quantiles_are_those_of_the_tables() -> None:
    found = lower_quantile(0.05, np.array([0.0, *QUANTILES]))
    assert found.tolist() == pytest.approx([0, *QUANTILES.values()], rel=2e-3)


def test_one_round_of_votes() -> None:
    rows: Rows = [
        *(("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")),
        *(("a", "y", "1"), ("b", "y", "2"), ("c", "y", "2")),
        *(("a", "z", "1"), ("b", "z", "1"), ("c", "z", "1")),
    ]
    claims = Claims.from_triples(rows, attributes={"*": Attribute("single")})
    model = CATD(max_iter=1, tol=None).fit(claims)
    # Three claims each; a and c are wrong once, b never, which counts as half an error.
    assert parameters(model, "weight") == pytest.approx(
        {"a": 0.2157953, "b": 0.2157953 / 0.5, "c": 0.2157953}, rel=1e-6
    )
    assert plausibility(model)["x", "1"] == pytest.approx(3 / 4)


def test_one_round_of_numbers() -> None:
    # The mean is 2, the variance 14/3: squared distances of 4, 1 and 9 are 12/14, 3/14 and 27/14.
    model = CATD(least_loss=1e-9, max_iter=1, tol=None).fit(numeric(THREE))
    chi2 = 0.000982069
    weight = {"a": chi2 * 14 / 12, "b": chi2 * 14 / 3, "c": chi2 * 14 / 27}
    assert parameters(model, "weight") == pytest.approx(weight, rel=1e-5)
    total = 1 / 12 + 1 / 3 + 1 / 27
    assert number(model, "x") == pytest.approx((1 / 3 + 5 / 27) / total)


def test_few_claims_count_little_even_if_they_all_agree() -> None:
    rows: Rows = [("long", f"e{item}", "1" if item % 10 else "2") for item in range(100)]
    rows += [(name, f"e{item}", "1") for item in range(100) for name in ("one", "two")]
    rows += [("short", "e1", "1")]
    model = CATD().fit(Claims.from_triples(rows, attributes={"*": Attribute("single")}))
    weight = parameters(model, "weight")
    assert weight["short"] < weight["long"] / 100
    assert weight["long"] < weight["one"] == weight["two"]


def test_unlike_sources_are_told_apart() -> None:
    claims, truth = drawn(2)
    error = {}
    for name, model in {"mean": Mean(), "catd": CATD()}.items():
        model.fit(claims)
        off = [number(model, f"e{item}") - true for item, true in enumerate(truth)]
        error[name] = sum(distance**2 for distance in off)
    assert error["catd"] < error["mean"] / 4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": 1.0}, "alpha must be between 0 and 1. Got 1.0"),
        ({"least_loss": -1}, "least_loss must be above 0. Got -1"),
        ({"tol": -1}, "tol must be None, or 0 or more"),
    ],
)
def test_bad_parameters(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        CATD().set_params(**given).fit(numeric(THREE))
