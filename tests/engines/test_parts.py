"""Sources in parts: the same answers, of one part after the other."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.engines import parts
from veracity.engines.local import InMemory, LocalBlocks, OneBlock
from veracity.engines.parts import parts_of, place_in


def test_parts_are_neighbours_and_leave_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "TOGETHER", 4)
    blocks = LocalBlocks([InMemory(0), InMemory(1)])
    found = parts_of(blocks, 10)
    assert [part.tolist() for part in found] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_there_are_never_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "TOGETHER", 4)
    found = parts_of(LocalBlocks([InMemory(0)]), 1_001)
    assert len(found) == parts.MOST_PARTS
    assert np.concatenate(list(found)).tolist() == list(range(1_001))


def test_claims_in_memory_are_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "TOGETHER", 4)
    (only,) = parts_of(OneBlock(0), 10)
    assert only.tolist() == list(range(10))


def test_there_is_a_part_even_if_there_are_no_sources() -> None:
    (only,) = parts_of(LocalBlocks([InMemory(0)]), 0)
    assert not len(only)


@pytest.mark.parametrize("part", [[3, 4, 5], [2, 5, 9], [], [7]])
def test_sources_find_their_place_in_a_part(part: list[int]) -> None:
    sources = np.array([9, 0, 5, 3, 7])
    inside, place = place_in(np.array(part, np.int64), sources)
    assert inside.tolist() == [source in part for source in sources]
    assert [part[at] for at in place] == [source for source in sources if source in part]
