"""Every model keeps the contract of `veracity.testing`, and judges any table that can be read."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.claim_rows import Row, read, tables

from veracity.errors import ConvergenceWarning
from veracity.models import MODELS, make_model
from veracity.testing import Check, checks_for


def each_promise() -> Iterator[object]:
    """Pair every model with the checks that concern it; one that cannot be made stands alone."""
    for name in MODELS:
        try:
            model = make_model(name)
        except Exception as error:
            yield pytest.param(name, error, id=f"{name}-import")
            continue
        for check in checks_for(model):
            yield pytest.param(name, check, id=f"{name}-{check}")


@pytest.mark.parametrize(("name", "check"), list(each_promise()))
def test_every_model_keeps_the_contract(name: str, check: Check | Exception) -> None:
    if isinstance(check, Exception):
        raise check
    model = make_model(name)
    check(model)
    assert repr(model) == repr(make_model(name)), "a check changed the parameters"
    assert not model.__sklearn_is_fitted__(), "a check fitted the model itself, not a copy"


@settings(max_examples=25)
@given(rows=tables(max_size=16), weighted=st.booleans())
@example(rows=[Row("a", "x", "multiple", "1", asserts=0)], weighted=False)
def test_any_table_is_judged_and_by_its_rows_in_any_order(rows: list[Row], weighted: bool) -> None:
    rows = [Row("a", "x", "number", "1"), *rows]  # which some models cannot do without
    claims = read(rows, weighted=weighted)
    shuffled = read(random.Random(0).sample(rows, len(rows)), weighted=weighted)
    for name in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model, again = make_model(name).fit(claims), make_model(name).fit(shuffled)
        plausibility = model.plausibility_
        assert len(plausibility) == claims.matrix.n_statements, name
        assert np.isfinite(plausibility).all(), name
        assert plausibility.min() >= 0, name
        assert plausibility.max() <= 1, name
        np.testing.assert_allclose(again.plausibility_, plausibility, atol=1e-6, err_msg=name)
        items = {(row["entity"], row["attribute"]) for row in model.truths_.to_pylist()}
        assert items == {row.item for row in rows}, name
