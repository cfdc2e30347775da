"""What the tests of drawn data share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from veracity.datasets.synthetic import SyntheticTables

Judge = Callable[[SyntheticTables], Any]


@pytest.fixture
def judged() -> Judge:
    """Return a function that gives the claims as a pandas frame, each with ``is_true``."""

    def judge(drawn: SyntheticTables) -> Any:
        claims = drawn.claims.to_pandas()
        truth = drawn.truth.to_pandas().assign(is_true=True)
        keys = ["entity", "attribute", "value"]
        judged = claims.merge(truth, how="left", on=keys, validate="many_to_one")
        judged["is_true"] = judged["is_true"].notna()
        return judged

    return judge
