"""The order of rows decides neither what kind an attribute is nor which claims count."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity import Claims

Row = tuple[str, str, str, int]
rows = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(["e", "f"]),
        st.sampled_from(["A", "B", "C"]),
        st.integers(1, 3),
    ),
    min_size=1,
    max_size=8,
)


def _encoded(said: list[Row]) -> tuple[str, list[tuple[object, ...]]]:
    names = ("source", "entity", "value", "time")
    claims = Claims.from_frame(dict(zip(names, map(list, zip(*said, strict=True)), strict=True)))
    weight = claims.matrix.claim_weight.round(9).tolist()
    source = claims.matrix.source_index.tolist()
    statement = claims.matrix.statement_index.tolist()
    return claims.attributes[0].kind, sorted(zip(source, statement, weight, strict=True))


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_claim_made_again_later_is_no_other_claim_in_another_order(
    order: tuple[int, ...],
) -> None:
    said = [("ann", "e", "A", 1), ("ann", "e", "A", 2), ("ann", "e", "B", 1)]
    assert _encoded([said[place] for place in order]) == _encoded(said)


@given(said=rows, data=st.data())
def test_rows_in_another_order_are_the_same_claims(said: list[Row], data: st.DataObject) -> None:
    assert _encoded(data.draw(st.permutations(said))) == _encoded(said)
