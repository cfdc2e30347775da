"""CRH, against rounds done by hand."""

from __future__ import annotations

from math import log

import pytest
from tests.numeric import Rows, column, drawn, number, numeric, parameters, plausibility

from veracity import CRH, Attribute, Claims, Mean
from veracity.errors import InvalidParameter

SINGLE = {"*": Attribute("single")}
#: b is right about all three items if the majority is; a is wrong about y, and c about x.
VOTES: Rows = [
    *(("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2")),
    *(("a", "y", "1"), ("b", "y", "2"), ("c", "y", "2")),
    *(("a", "z", "1"), ("b", "z", "1"), ("c", "z", "1")),
]
#: The median is 1, the mean 2; distances from the mean are 2, 1 and 3.
THREE: Rows = [("a", "x", "0"), ("b", "x", "1"), ("c", "x", "5")]


def test_one_round_of_votes() -> None:
    # Two of nine votes are lost, so that one lost vote is 9/2 mean losses: a and c have 4.5 / 3,
    # b, without a loss, has 0.5 / 3, and all together 9.5 / 3.
    model = CRH(max_iter=1, tol=None).fit(Claims.from_triples(VOTES, attributes=SINGLE))
    a, b = log(9.5 / 4.5), log(9.5 / 0.5)
    assert parameters(model, "weight") == pytest.approx({"a": a, "b": b, "c": a})
    assert plausibility(model)["x", "1"] == pytest.approx((a + b) / (2 * a + b))
    assert plausibility(model)["z", "1"] == 1


def test_the_worst_source_has_no_weight_where_losses_are_divided_by_the_largest() -> None:
    model = CRH(scale="max", max_iter=1, tol=None)
    model.fit(Claims.from_triples(VOTES, attributes=SINGLE))
    assert parameters(model, "weight") == pytest.approx({"a": 0, "b": log(9), "c": 0}, abs=1e-6)


def test_one_round_of_absolute_losses() -> None:
    # Distances from the median are 1, 0 and 4: in parts of their mean 0.6, 0 and 2.4.
    model = CRH(max_iter=1, tol=None).fit(numeric(THREE))
    total = 0.6 + 0.5 + 2.4
    assert parameters(model, "weight") == pytest.approx(
        {"a": log(total / 0.6), "b": log(total / 0.5), "c": log(total / 2.4)}
    )
    assert number(model, "x") == 1


def test_one_round_of_squared_losses() -> None:
    # Squared distances from the mean are 4, 1 and 9 of 14; the truth is then the weighted mean.
    model = CRH(loss="squared", least_loss=1e-9, max_iter=1, tol=None).fit(numeric(THREE))
    a, b, c = log(14 / 4), log(14), log(14 / 9)
    assert parameters(model, "weight") == pytest.approx({"a": a, "b": b, "c": c})
    assert number(model, "x") == pytest.approx((b + 5 * c) / (a + b + c))


def test_squares_are_divided_by_the_deviation_of_the_item() -> None:
    # Distances on y are ten times those on x, and so is the deviation: squares divided by it are
    # ten times as large, 40, 10 and 90, if those on x are 4, 1 and 9.
    rows: Rows = [*THREE, ("b", "y", "0"), ("c", "y", "10"), ("a", "y", "50")]
    model = CRH(loss="squared", max_iter=1, tol=None).fit(numeric(rows))
    assert parameters(model, "weight") == pytest.approx(
        {"a": log(154 / 94), "b": log(154 / 41), "c": log(154 / 19)}
    )


def test_attributes_of_both_types_count_alike() -> None:
    # One attribute of numbers in another unit changes nothing, since losses are divided by their
    # mean over the attribute.
    def fit(unit: float) -> CRH:
        rows = [(*row[:2], "colour", f"c{row[2]}") for row in VOTES]
        rows += [(*row[:2], "size", str(unit * float(row[2]))) for row in THREE]
        settings = {"size": Attribute("single", values="number"), "colour": Attribute("single")}
        return CRH().fit(Claims.from_triples(rows, attributes=settings))

    assert parameters(fit(1), "weight") == pytest.approx(parameters(fit(1000), "weight"))
    assert column(fit(1), "standard_error")["y"] is None


def test_unlike_sources_are_told_apart() -> None:
    claims, truth = drawn(1)
    error = {}
    for name, model in {"mean": Mean(), "median": CRH(), "squares": CRH("squared")}.items():
        model.fit(claims)
        off = [number(model, f"e{item}") - true for item, true in enumerate(truth)]
        error[name] = sum(distance**2 for distance in off)
    assert error["median"] < error["squares"] < error["mean"] / 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "cubic"}, "loss must be absolute or squared. Got 'cubic'"),
        ({"scale": "mean"}, "scale must be sum or max. Got 'mean'"),
        ({"least_loss": 0}, "least_loss must be above 0. Got 0"),
        ({"max_iter": 0}, "max_iter must be 1 or more"),
    ],
)
def test_bad_parameters(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        CRH().set_params(**given).fit(numeric(THREE))
