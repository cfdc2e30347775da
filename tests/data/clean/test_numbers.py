"""Labels as numbers."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import NASTY

from veracity import Attribute, Claims
from veracity.data.clean.numbers import numbers_at, numbers_of, statement_numbers
from veracity.data.clean.values import canonical_number

texts = st.one_of(
    st.sampled_from(NASTY),
    st.floats(allow_nan=False).map(str),
    st.integers().map(str),
    st.from_regex(r"[+-]?[0-9,. ]{0,6}(e[+-]?[0-9]{1,3})?", fullmatch=True),
)


@given(st.lists(texts, max_size=20))
def test_numbers_are_those_of_the_canonical_form(labels: list[str]) -> None:
    found = numbers_of(pa.array(labels, pa.string())).tolist()
    for text, number in zip(labels, found, strict=True):
        canonical = canonical_number(text)
        assert math.isnan(number) if canonical is None else number == float(canonical)


def test_each_place_has_its_number() -> None:
    labels = pa.array(["b", "2", "1,000", "unused"])
    found = numbers_at(labels, np.array([2, 1, 2, 0]))
    assert found.tolist() == pytest.approx([1000, 2, 1000, math.nan], nan_ok=True)


def test_only_declared_attributes_have_numbers() -> None:
    rows = [("a", "x", "size", "1"), ("a", "x", "code", "2"), ("b", "x", "size", "small")]
    claims = Claims.from_triples(rows, attributes={"size": Attribute("single", values="number")})
    found = dict(
        zip(claims.matrix.value_index.tolist(), statement_numbers(claims.matrix), strict=True)
    )
    by_label = {claims.matrix.values[index].as_py(): number for index, number in found.items()}
    assert by_label == pytest.approx({"1": 1, "2": math.nan, "small": math.nan}, nan_ok=True)


def test_claims_keep_the_numbers_that_a_tolerance_merged() -> None:
    rows = [("a", "x", "10"), ("b", "x", "10.4"), ("c", "x", "20"), ("d", "x", "?")]
    claims = Claims.from_triples(rows, attributes={"*": Attribute("single", tolerance=0.5)})
    by_source = dict(zip(claims.matrix.source_index.tolist(), claims.numbers.tolist(), strict=True))
    assert by_source == pytest.approx({0: 10, 1: 10.4, 2: 20, 3: math.nan}, nan_ok=True)
