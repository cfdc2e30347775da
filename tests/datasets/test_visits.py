"""Who visits what: distinct items, evenly spread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.datasets.synthetic import SourceSpec
from veracity.datasets.synthetic.visits import items_by_source, scatter


@given(size=st.integers(1, 300), n_groups=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_scatter_permutes_each_group(size: int, n_groups: int, seed: int) -> None:
    group = np.repeat(np.arange(n_groups), size)
    position = np.tile(np.arange(size), n_groups)
    place = scatter(np.random.default_rng(seed), position, group, n_groups, size)
    assert (np.sort(place.reshape(n_groups, size), axis=1) == np.arange(size)).all()


@pytest.mark.parametrize("size", [3, 4, 10, 16, 100, 1000])
def test_scatter_is_even(size: int) -> None:
    """First places are taken evenly, and two neighbours are as independent as they can be."""
    n_groups = 60_000
    group, position = np.repeat(np.arange(n_groups), 2), np.tile([0, 1], n_groups)
    place = scatter(np.random.default_rng(0), position, group, n_groups, size)
    first, second = place.reshape(-1, 2).T
    expected = n_groups / size
    chi_square = ((np.bincount(first, minlength=size) - expected) ** 2 / expected).sum()
    assert abs(chi_square - (size - 1)) < 5 * np.sqrt(2 * size)
    gap = np.bincount((second - first) % size, minlength=size)[1:]
    expected = n_groups / (size - 1)
    chi_square = ((gap - expected) ** 2 / expected).sum()
    assert chi_square < size + 5 * np.sqrt(2 * size)


def test_two_sources_meet_as_often_as_chance_has_it() -> None:
    n_items, each, n_sources = 1000, 300, 40
    group, position = np.repeat(np.arange(n_sources), each), np.tile(np.arange(each), n_sources)
    place = scatter(np.random.default_rng(1), position, group, n_sources, n_items)
    visited = np.zeros((n_sources, n_items))
    visited[group, place] = 1
    shared = (visited @ visited.T)[np.triu_indices(n_sources, 1)]
    assert shared.mean() == pytest.approx(each**2 / n_items, rel=0.02)
    assert shared.std() == pytest.approx(np.sqrt(90 * 0.7 * 0.7), rel=0.15)  # hypergeometric


@given(
    n_sources=st.integers(1, 60),
    n_items=st.integers(1, 200),
    tail=st.floats(0, 3),
    one_claim_share=st.floats(0, 1),
    data=st.data(),
)
def test_counts_are_possible_and_average_what_was_asked(
    n_sources: int, n_items: int, tail: float, one_claim_share: float, data: st.DataObject
) -> None:
    mean = data.draw(st.floats(1, n_items))
    spec = SourceSpec(items_per_source=mean, tail=tail, one_claim_share=one_claim_share)
    counts = items_by_source(np.random.default_rng(0), spec, n_sources, n_items)
    assert counts.min() >= 1
    assert counts.max() <= n_items
    n_single = round(one_claim_share * n_sources)
    assert (counts == 1).sum() >= n_single
    assert abs(counts.sum() - n_single - mean * (n_sources - n_single)) <= n_sources
