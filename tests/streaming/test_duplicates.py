"""What counts of a source that speaks again, by every rule, in whatever portions it arrives."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veracity import Claims, MajorityVote
from veracity.data.read.settings import Duplicates
from veracity.errors import InputError

Row = tuple[str, str, str, int]
rows = st.tuples(
    st.sampled_from(["ann", "bob", "cat"]),
    st.sampled_from(["sky", "sea"]),
    st.sampled_from(["blue", "green", "red"]),
    st.integers(1, 3),
)
tables = st.lists(rows, min_size=2, max_size=8)
cuts = st.sets(st.integers(1, 7), max_size=2)


def _claims(said: list[Row], duplicates: str, timed: bool) -> Claims:
    names = ("source", "entity", "value", "time")[: 4 if timed else 3]
    columns = {name: [row[place] for row in said] for place, name in enumerate(names)}
    attributes: Any = {"value": "single"}
    return Claims.from_frame(columns, duplicates=duplicates, attributes=attributes)  # type: ignore[arg-type]


def _portions(said: list[Row], cut: set[int]) -> list[list[Row]]:
    bounds = [0, *sorted(place for place in cut if place < len(said)), len(said)]
    return [said[start:end] for start, end in pairwise(bounds)]


def _once(portions: list[list[Row]], timed: bool) -> list[Row]:
    """Return all rows but those that came in an earlier portion already."""
    known: set[tuple[Any, ...]] = set()
    kept = []
    for portion in portions:
        named = [row if timed else row[:3] for row in portion]
        kept += [row for row, name in zip(portion, named, strict=True) if name not in known]
        known.update(named)
    return kept


def _seen(model: MajorityVote) -> list[Any]:
    tables = (model.truths_, model.statements_)
    return [
        [
            {
                name: round(cell, 9) if isinstance(cell, float) else cell
                for name, cell in row.items()
            }
            for row in table.to_arrow().to_pylist()
        ]
        for table in tables
    ]


def _streamed(portions: list[list[Row]], rule: str, timed: bool, refit: bool) -> MajorityVote:
    first, *rest = portions
    model = MajorityVote().fit(_claims(first, rule, timed))
    for portion in rest:
        # A portion may repeat itself where the run forbids it; the run says so.
        model.partial_fit(_claims(portion, "all" if rule == "error" else rule, timed), refit=refit)
    return model


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("rule", sorted(get_args(Duplicates)))
@settings(max_examples=6)
@given(said=tables, cut=cuts, refit=st.booleans())
def test_portions_leave_what_the_whole_leaves(
    said: list[Row], cut: set[int], rule: str, timed: bool, refit: bool
) -> None:
    portions = _portions(said, cut)
    # Where one claim replaces another, or all count, every row is a claim; elsewhere one that is
    # known already has come twice.
    every = said if rule in ("latest", "all") else _once(portions, timed)
    try:
        whole = MajorityVote().fit(_claims(every, rule, timed))
    except InputError:
        with pytest.raises(InputError, match=r"more than once|speaks again"):
            _streamed(portions, rule, timed, refit)
    else:
        assert _seen(_streamed(portions, rule, timed, refit)) == _seen(whole)
