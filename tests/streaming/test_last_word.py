"""What a source said last counts, in whatever portions its claims arrive."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veracity import Claims, discover
from veracity.workflow.saved_run import open_run
from veracity.workflow.updates import update

values = st.sampled_from(["blue", "green", "red"])
READING: Any = {"duplicates": "latest", "attributes": {"value": "single"}}
words = st.lists(st.tuples(st.sampled_from(["ann", "bob"]), values), min_size=2, max_size=8)


def _table(said: list[tuple[str, str]]) -> dict[str, list[str]]:
    return {
        "source": [source for source, _ in said],
        "entity": ["sky"] * len(said),
        "value": [value for _, value in said],
    }


def _last(folder: Path) -> dict[str, str]:
    claims = open_run(folder).claims.to_arrow().to_pylist()
    return {row["source"]: row["value"] for row in claims}


@pytest.mark.parametrize(("first", "second", "third"), list(product(["blue", "green"], repeat=3)))
def test_a_source_may_come_back_to_what_it_said(
    tmp_path: Path, first: str, second: str, third: str
) -> None:
    discover(_table([("ann", first)]), model="vote", **READING).save(tmp_path / "run")
    update(tmp_path / "run", _table([("ann", second), ("ann", third)]), write_tables=True)
    assert _last(tmp_path / "run") == {"ann": third}


@settings(max_examples=8)
@given(said=words, cut=st.sets(st.integers(1, 7), max_size=2))
def test_portions_leave_what_the_whole_leaves(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]], cut: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("run") / "run"
    bounds = [0, *sorted(place for place in cut if place < len(said)), len(said)]
    first, *rest = (said[start:end] for start, end in pairwise(bounds))
    discover(_table(first), model="vote", **READING).save(folder)
    for portion in rest:
        update(folder, _table(portion), write_tables=True)
    whole = Claims.from_frame(_table(said), **READING)
    assert _last(folder) == {row["source"]: row["value"] for row in whole.in_use().to_pylist()}
