"""Hashes of labels: the same everywhere, and well scattered."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import labels

from veracity.data.labels.hashes import hash_at, label_hash


def test_hashes_stay_what_they_are() -> None:
    """A change here changes how ties were broken in every earlier run."""
    assert label_hash(pa.array(["blue", "", "é"]), 0).tolist() == [
        1754902161459767606,
        0,
        9041499159166402258,
    ]


@given(st.lists(labels, min_size=1, max_size=10, unique=True), st.integers(-5, 2**40))
def test_a_label_has_its_hash_wherever_it_stands(texts: list[str], seed: int) -> None:
    together = label_hash(pa.array(texts), seed)
    assert [label_hash(pa.array([text]), seed)[0] for text in texts] == together.tolist()
    padded = pa.array(["first", *texts, "last"]).slice(1, len(texts))
    assert (label_hash(padded, seed) == together).all()
    assert len(set(together.tolist())) == len(texts)


def test_hash_at_takes_either_way() -> None:
    texts = pa.array(["a", "b", "c"])
    for index in ([2], [0, 0, 1, 2, 2]):
        expected = label_hash(texts.take(pa.array(index)), 3)
        assert (hash_at(texts, np.array(index), 3) == expected).all()


def test_hashes_are_scattered() -> None:
    hashes = label_hash(pa.array([str(number) for number in range(10_000)]), 7)
    ones = [(hashes >> np.uint64(bit) & np.uint64(1)).mean() for bit in range(64)]
    assert 0.47 < min(ones) <= max(ones) < 0.53
