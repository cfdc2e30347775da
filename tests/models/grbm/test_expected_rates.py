"""The rates that a user thinks likely, in all the forms they may be given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from veracity import Claims
from veracity.errors import InvalidParameter
from veracity.models.grbm.expected_rates import OPTIMISTIC, PESSIMISTIC, wanted_rates

KIND = ["owner", "press", None, "owner"]
SURE = [0.9, 0.6, 0.7, 0.8]


@pytest.fixture(scope="module")
def claims() -> Claims:
    """Return four claims in an order that is not that of the matrix."""
    return Claims.from_frame(
        {
            "source": ["d", "c", "b", "a"],
            "entity": ["y", "x", "y", "x"],
            "value": ["2", "1", "1", "2"],
            "source_kind": KIND,
            "claim_sure": SURE,
            "claim_doubt": [0.1, 0.2, 0.1, 0.1],
            "claim_gaps": [0.1, None, 0.1, 0.1],
            "claim_flag": [True, False, True, True],
        }
    )


def found(rates: Any, claims: Claims) -> tuple[list[float], list[float]]:
    """Return tpr and fpr in input order."""
    order = np.argsort(claims.matrix.row)
    wanted = wanted_rates(rates, claims)
    return wanted.tpr[order].tolist(), wanted.fpr[order].tolist()


def test_constant(claims: Claims) -> None:
    assert found("optimistic", claims) == ([OPTIMISTIC[0]] * 4, [OPTIMISTIC[1]] * 4)
    assert found("pessimistic", claims) == ([PESSIMISTIC[0]] * 4, [PESSIMISTIC[1]] * 4)
    assert found((0.8, 0.3), claims) == ([0.8] * 4, [0.3] * 4)


def test_by_column(claims: Claims) -> None:
    rates = {"tpr": "claim_sure", "fpr": "claim_doubt"}
    assert found(rates, claims) == (SURE, [0.1, 0.2, 0.1, 0.1])


def test_by_classes(claims: Claims) -> None:
    tpr, fpr = found({"source_kind": {"owner": (0.95, 0.02)}}, claims)
    assert tpr == [0.95, OPTIMISTIC[0], OPTIMISTIC[0], 0.95]
    assert fpr == [0.02, OPTIMISTIC[1], OPTIMISTIC[1], 0.02]
    assert found({"claim_flag": {False: (0.6, 0.5)}}, claims)[0] == [0.7, 0.6, 0.7, 0.7]


def test_by_function(claims: Claims) -> None:
    def less_with_doubt(columns: dict[str, Any]) -> Any:
        assert set(columns["source_kind"].tolist()) == {"owner", "press", "None"}
        return columns["claim_sure"] - 0.1, 0.2

    tpr, fpr = found(less_with_doubt, claims)
    np.testing.assert_allclose(tpr, np.array(SURE) - 0.1)
    assert fpr == [0.2] * 4


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ((1.0, 0.1), "tpr must be between 0 and 1, both excluded; it ranges from 1 to 1"),
        ((0.7, 0.0), "fpr must be between 0 and 1"),
        ((float("nan"), 0.1), "tpr must be between 0 and 1.*is missing for 4 claims"),
        ({"tpr": "claim_sure", "fpr": "claim_gaps"}, "and is missing for 1 claim"),
        ((0.7, 0.1, 0.1), "must give a tpr and an fpr"),
        (0.7, "must give a tpr and an fpr"),
        ((np.ones(3), 0.1), "one number each or one per claim"),
        (lambda columns: None, "must give a tpr and an fpr"),
        ("hopeful", "rates must be optimistic, pessimistic, a pair"),
        ({"tpr": "claim_sur", "fpr": "claim_doubt"}, "no feature column 'claim_sur'.*Did you mean"),
        ({"source_kid": {"owner": (0.9, 0.1)}}, "Did you mean 'source_kind'"),
        ({"source_kind": {"owners": (0.9, 0.1)}}, "No claim has source_kind = 'owners'.*'owner'"),
        ({"source_kind": {"owner": 0.9}}, "must give a tpr and an fpr"),
        ({"source_kind": {"owner": (0.9, 1.5)}}, "fpr must be between 0 and 1"),
        ({"source_kind": (0.9, 0.1)}, "must be a mapping from its classes"),
        ({"source_kind": {}, "claim_sure": {}}, "names either the columns of tpr and fpr, or one"),
    ],
)
def test_bad_rates(rates: Any, message: str, claims: Claims) -> None:
    with pytest.raises(InvalidParameter, match=message):
        wanted_rates(rates, claims)


def test_columns_of_claims_without_features() -> None:
    plain = Claims.from_triples([("a", "x", "1")])
    with pytest.raises(InvalidParameter, match="The feature columns are: none"):
        wanted_rates({"tpr": "claim_sure", "fpr": "claim_doubt"}, plain)
