"""Rates of sources, against sums done by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from veracity import Attribute, Claims
from veracity.models.source_rates import rates_given_plausibility

Rows = list[tuple[str, str, int]]  # source, value, asserts


def rates(rows: Rows, plausibility: list[float], kind: Any, domain: Any = None) -> list[Any]:
    """Return (reliability, tpr, fpr) of each source, None for what is not known."""
    columns = {
        "source": [row[0] for row in rows],
        "entity": ["x"] * len(rows),
        "value": [row[1] for row in rows],
        "asserts": [row[2] for row in rows],
    }
    told = {"*": Attribute(kind, domain)}
    matrix = Claims.from_frame(columns, attributes=told, duplicates="all").matrix
    found = rates_given_plausibility(matrix, np.array(plausibility))
    return [
        tuple(None if np.isnan(rate) else pytest.approx(rate) for rate in triple)
        for triple in zip(found.reliability, found.tpr, found.fpr, strict=True)
    ]


VOTES: Rows = [("a", "1", 1), ("b", "1", 1), ("c", "2", 1)]


@pytest.mark.parametrize(("domain", "n_false"), [("open", 2), ("closed", 1)])
def test_single(domain: str, n_false: int) -> None:
    # Who names a value speaks about one true value and all the false ones.
    assert rates(VOTES, [2 / 3, 1 / 3], "single", domain) == [
        (2 / 3, 2 / 3, (1 / 3) / n_false),
        (2 / 3, 2 / 3, (1 / 3) / n_false),
        (1 / 3, 1 / 3, (2 / 3) / n_false),
    ]


def test_multiple() -> None:
    rows: Rows = [("a", "1", 1), ("a", "2", 1), ("b", "1", 1)]
    assert rates(rows, [1.0, 0.5], "multiple") == [
        (0.75, 1.0, 1.0),
        (1.0, 1 / 1.5, 0.0),
    ]


def test_boolean() -> None:
    rows: Rows = [("a", "yes", 1), ("b", "no", 1)]
    assert rates(rows, [0.8], "boolean") == [(0.8, 1.0, 1.0), (pytest.approx(0.2), 0.0, 0.0)]


def test_who_only_denies_speaks_about_that_statement_alone() -> None:
    rows: Rows = [("a", "1", 1), ("b", "1", 0), ("c", "2", 1), ("c", "1", 0)]
    found = rates(rows, [0.75, 0.25], "single", "closed")
    assert found[1] == (0.25, 0.0, 0.0)
    # c names 2; that it also denies 1 adds to its claims, not to what it speaks about.
    assert found[2] == (0.25, 0.25, 0.75)


@pytest.mark.parametrize("kind", ["multiple", "boolean"])
def test_who_claims_and_denies_the_same_has_said_nothing(kind: str) -> None:
    assert rates([("a", "yes", 1), ("a", "yes", 0)], [0.8], kind) == [(0.5, 0.5, 0.5)]


def test_what_is_not_known_is_nan() -> None:
    assert rates([("a", "yes", 1)], [1.0], "boolean") == [(1.0, 1.0, None)]
    assert rates([("a", "yes", 1)], [0.0], "boolean") == [(0.0, None, 1.0)]
