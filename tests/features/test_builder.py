"""FeatureBuilder: what is used, what is left out and why, and the vectors that come of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.machines import every_kind, visible_units

from veracity import Claims, FeatureBuilder
from veracity.data.arrays import Floats
from veracity.errors import InputError, InvalidParameter
from veracity.features import FeatureRows

N = 120


def columns(**features: Any) -> dict[str, Any]:
    """Return claims by six sources about twenty entities, with features."""
    rng = np.random.default_rng(0)
    entity, source = (index.ravel() for index in np.indices((20, 6)))
    return {
        "source": [f"s{i}" for i in source],
        "entity": [f"e{i}" for i in entity],
        "attribute": ["a"] * N,
        "value": [f"v{i}" for i in rng.integers(0, 3, N)],
        **features,
    }


def claims_with(**features: Any) -> Claims:
    return Claims.from_frame(columns(**features), attributes={"a": "single"})


def reasons(claims: Claims, wanted: Any = "auto") -> dict[str, tuple[bool, str]]:
    builder = FeatureBuilder(wanted).fit(claims)
    return {choice.name: (choice.used, choice.reason) for choice in builder.choices_}


def vectors(rows: FeatureRows, claims: Claims) -> dict[str, Floats]:
    """Return each feature of each claim about its own statement, in input order."""
    own = rows.values[rows.of_claims(claims.matrix.statement_index)]
    return dict(zip(rows.names, own[np.argsort(claims.matrix.row)].T, strict=True))


RNG = np.random.default_rng(1)
CERTAINTY = RNG.normal(size=N)
KIND = RNG.choice(["owner", "press", "blog"], N).tolist()


def test_choices_and_their_reasons() -> None:
    said = columns()["value"]
    claims = claims_with(
        claim_certainty=CERTAINTY,
        claim_same=[3] * N,
        claim_id=range(N),
        claim_text=[f"text {i}" for i in range(N)],
        claim_length=[float(value[1:]) for value in said],
        source_one=["x"] * N,
        claim_empty=[None] * N,
        claim_kind=KIND,
        claim_flag=(CERTAINTY > 0).tolist(),
    )
    found = reasons(claims)
    assert found["claim_certainty"] == (True, "120 distinct numbers")
    assert found["claim_same"] == (False, "constant")
    assert found["source_one"] == (False, "constant")
    assert found["claim_empty"] == (False, "constant")
    assert found["claim_id"] == (False, "all distinct whole numbers")
    assert found["claim_text"] == (False, "almost all distinct")
    assert not found["claim_length"][0]
    assert "derived from the value, which explains 100%" in found["claim_length"][1]
    assert found["claim_kind"] == (True, "3 categories")
    assert found["claim_flag"] == (True, "2 distinct numbers")
    assert "claims of source" not in found
    assert found["claims of statement"][0] is False
    assert "to use it, name it" in found["claims of statement"][1]
    assert "order in item" not in found


def test_named_features_are_used_even_if_odd() -> None:
    claims = claims_with(claim_id=range(N), claim_certainty=CERTAINTY)
    found = reasons(claims, ["claim_id", "values of item"])
    assert found["claim_id"][0]
    assert found["claim_certainty"] == (False, "not asked for")
    assert found["claims of statement"] == (False, "not asked for")
    assert reasons(claims, [])["claim_id"] == (False, "not asked for")


def test_choices_read_well() -> None:
    builder = FeatureBuilder(["claim_kind"]).fit(claims_with(claim_kind=KIND, claim_n=[1] * N))
    by_name = {choice.name: choice for choice in builder.choices_}
    assert str(by_name["claim_kind"]) == "claim_kind: used, 3 categories"
    assert str(by_name["claim_n"]) == "claim_n: left out, not asked for"
    assert by_name["claim_n"].as_dict() == {
        "name": "claim_n",
        "used": False,
        "reason": "not asked for",
    }


def test_unknown_names_and_bins() -> None:
    claims = claims_with(claim_certainty=CERTAINTY)
    with pytest.raises(InvalidParameter, match=r"no feature 'claim_certainy'. Did you mean"):
        FeatureBuilder(["claim_certainy"]).fit(claims)
    with pytest.raises(InvalidParameter, match="claims of statement"):
        FeatureBuilder(["something else"]).fit(claims)
    with pytest.raises(InvalidParameter, match="bins must be 2 or more"):
        FeatureBuilder(bins=1).fit(claims)


def test_infinite_numbers_are_refused_when_claims_are_read() -> None:
    with pytest.raises(InputError, match="claim_certainty"):
        claims_with(claim_certainty=[float("inf"), *CERTAINTY[1:]])


@pytest.mark.parametrize("bins", [None, 8])
def test_rows_reproduce_the_features_of_every_claim(bins: int | None) -> None:
    missing = [None if i % 7 == 0 else x for i, x in enumerate(CERTAINTY)]
    claims = claims_with(claim_certainty=missing, claim_kind=KIND)
    builder = FeatureBuilder(["claim_certainty", "claim_kind"], bins).fit(claims)
    rows = builder.transform(claims)
    assert len(np.unique(rows.values, axis=0)) == rows.n_rows
    if bins:
        assert rows.n_rows <= 3 * 9
    found = vectors(rows, claims)
    for kind in set(KIND):
        expected = [float(label == kind) for label in KIND]
        np.testing.assert_array_equal(found[f"claim_kind = {kind}"], expected)
    absent = np.array([cell is None for cell in missing])
    np.testing.assert_array_equal(found["claim_certainty is missing"], absent)
    scaled = builder.numbers_[0].scaled(CERTAINTY[~absent])
    np.testing.assert_allclose(
        found["claim_certainty"][~absent], scaled, atol=0.0 if bins is None else 1.5
    )


def test_times_give_order_and_age() -> None:
    days = [f"2020-01-{1 + i % 28:02}" for i in range(N)]
    claims = claims_with(time=days)
    found = reasons(claims)
    assert found["order in item"][0]
    assert found["age in item"][0]
    builder = FeatureBuilder(["order in item"]).fit(claims)
    with pytest.raises(InvalidParameter, match="'order in item' needs claims with a time"):
        builder.transform(claims_with())


def test_statement_features_give_denials_another_row() -> None:
    extra = {"claim_n": [float(i % 4) for i in range(len(every_kind()))]}
    claims = every_kind(extra)
    builder = FeatureBuilder(["claim_n", "claims of statement"]).fit(claims)
    rows = builder.transform(claims)
    matrix = claims.matrix
    assert rows.row_of.shape[1] > 1
    assert rows.names == ("claim_n", "claims of statement")
    statistic = builder.statement_numbers_[0]
    counts = np.log1p(matrix.sum_by_statement((matrix.claim_value == 1).astype(np.float64)))
    numbers = np.array(extra["claim_n"])
    for statement in range(matrix.n_statements):
        for claim, _ in visible_units(matrix, statement):
            row = rows.row_of[rows.row_of_claim[claim], rows.state_of_statement[statement]]
            assert row >= 0
            expected = [
                builder.numbers_[0].scaled(numbers[matrix.row[claim]]),
                statistic.scaled(counts[statement]),
            ]
            np.testing.assert_allclose(rows.values[row], expected)


def test_without_statement_features_there_is_one_state() -> None:
    claims = claims_with(claim_kind=KIND)
    rows = FeatureBuilder().fit(claims).transform(claims)
    assert rows.row_of.shape == (rows.n_rows, 1)
    assert not rows.state_of_statement.any()


def test_no_feature_at_all() -> None:
    claims = claims_with()
    rows = FeatureBuilder([]).fit(claims).transform(claims)
    assert rows.values.shape == (1, 0)


def test_new_claims() -> None:
    builder = FeatureBuilder(["claim_kind", "claim_certainty"]).fit(
        claims_with(claim_kind=KIND, claim_certainty=CERTAINTY)
    )
    new = {"source": ["x", "y"], "entity": ["e", "e"], "value": ["1", "2"]}
    claims = Claims.from_frame({**new, "claim_kind": ["owner", "god"], "claim_certainty": [0, 99]})
    found = vectors(builder.transform(claims), claims)
    assert found["claim_kind = owner"].tolist() == [1.0, 0.0]
    assert sum(found[f"claim_kind = {kind}"][1] for kind in set(KIND)) == 0.0
    assert found["claim_certainty"][1] <= 4.0


def test_new_claims_of_another_schema() -> None:
    builder = FeatureBuilder(["claim_kind", "claim_certainty"]).fit(
        claims_with(claim_kind=KIND, claim_certainty=CERTAINTY)
    )
    with pytest.raises(InvalidParameter, match=r"no feature column 'claim_certainty'.*claim_kind"):
        builder.transform(claims_with(claim_kind=KIND))
    with pytest.raises(InvalidParameter, match=r"no feature column 'claim_kind'.*Did you mean"):
        builder.transform(claims_with(claim_kinds=KIND, claim_certainty=CERTAINTY))
    with pytest.raises(InvalidParameter, match="'claim_certainty' was a number"):
        builder.transform(claims_with(claim_kind=KIND, claim_certainty=KIND))
