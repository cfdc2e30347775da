"""The statistics that every table of claims has."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.machines import ATTRIBUTES, every_kind

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.features import statistics


def by_claim(claims: Claims, column: Floats) -> dict[tuple[str, str], float]:
    """Return a number for each source and entity."""
    matrix = claims.matrix
    return {
        (
            matrix.sources[int(matrix.source_index[i])].as_py(),
            matrix.entities[int(matrix.entity_index[matrix.item_of_claim[i]])].as_py(),
        ): float(column[i])
        for i in range(matrix.n_claims)
    }


def test_counts_are_logarithms() -> None:
    claims = every_kind()
    matrix = claims.matrix
    of_source = by_claim(claims, statistics.claims_of_source(matrix))
    assert of_source["bob", "sky"] == np.log1p(4)
    of_item = by_claim(claims, statistics.sources_of_item(matrix))
    assert of_item["ann", "sea"] == np.log1p(1)
    assert of_item["ann", "book"] == np.log1p(4)  # sources, however many claims
    values = by_claim(claims, statistics.values_of_item(matrix))
    assert values["ann", "sky"] == np.log1p(3)
    assert values["ann", "shop"] == np.log1p(1)


def test_claims_of_statement_leaves_denials_out() -> None:
    matrix = every_kind().matrix
    labels = [matrix.values[int(i)].as_py() for i in matrix.value_index]
    found = dict(zip(labels, statistics.claims_of_statement(matrix), strict=True))
    assert found["grey"] == np.log1p(2)
    assert found["blue"] == np.log1p(1)
    assert found["red"] == 0.0


def timed(times: list[Any]) -> tuple[Claims, Floats]:
    columns = {
        "source": [f"s{i}" for i in range(len(times))],
        "entity": ["x"] * (len(times) - 1) + ["y"],
        "attribute": ["colour"] * len(times),
        "value": [f"v{i % 3}" for i in range(len(times))],
        "time": times,
    }
    claims = Claims.from_frame(columns, attributes={"colour": ATTRIBUTES["colour"]})
    assert claims.time is not None
    return claims, claims.time


def test_order_and_age() -> None:
    claims, time = timed(["2020-01-03", "2020-01-01", "2020-01-02", "2020-01-09"])
    order = by_claim(claims, statistics.order_in_item(claims.matrix, time))
    assert order == {("s0", "x"): 1.0, ("s1", "x"): 0.0, ("s2", "x"): 0.5, ("s3", "y"): 0.5}
    age = by_claim(claims, statistics.age_in_item(claims.matrix, time))
    assert age["s0", "x"] == age["s3", "y"] == 0.0
    assert age["s1", "x"] > age["s2", "x"] > 0.0


def test_claims_at_the_same_time_come_equally_late() -> None:
    claims, time = timed(["2020", "2020", "2020", "2021", "2020"])
    order = by_claim(claims, statistics.order_in_item(claims.matrix, time))
    assert order["s0", "x"] == order["s1", "x"] == order["s2", "x"] == 1 / 3
    assert order["s3", "x"] == 1.0


def test_unknown_times_do_not_count() -> None:
    claims, time = timed(["2020-01-03", None, "2020-01-01", None])
    order = by_claim(claims, statistics.order_in_item(claims.matrix, time))
    age = by_claim(claims, statistics.age_in_item(claims.matrix, time))
    assert (order["s0", "x"], order["s2", "x"]) == (1.0, 0.0)
    assert np.isnan([order["s1", "x"], order["s3", "y"], age["s1", "x"], age["s3", "y"]]).all()
