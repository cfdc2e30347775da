"""Groups of what is joined pairwise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from veracity.models.grbm.groups import first_of_groups


def test_a_chain_is_one_group_and_what_is_alone_is_another() -> None:
    one, other = np.array([4, 2, 0]), np.array([2, 1, 4])
    assert first_of_groups(one, other, 6).tolist() == [0, 0, 0, 3, 0, 5]


@pytest.mark.parametrize("n_pairs", [0, 20, 60, 300])
def test_groups_are_those_of_the_graph(n_pairs: int) -> None:
    one, other = np.random.default_rng(n_pairs).integers(0, 100, (2, n_pairs))
    graph = coo_array((np.ones(n_pairs), (one, other)), shape=(100, 100))
    _, group = connected_components(graph, directed=False)
    expected = [int(np.flatnonzero(group == each)[0]) for each in group]
    assert first_of_groups(one.astype(np.int32), other, 100).tolist() == expected
