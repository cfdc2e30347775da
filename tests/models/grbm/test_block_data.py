"""Blocks as the passes see them: clusters of wrong values, and claims about known items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.machines import every_kind
from tests.objectives import block_of, objective_of
from tests.worlds import BOOLEAN, world

from veracity import Claims
from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.block_data import cluster_offsets
from veracity.models.grbm.observation.base import Posterior


def log_probability(wrong: list[int]) -> float:
    """Draw the wrong claims one after the other from Polya's urn of three colours."""
    value, seen, total = 0.0, [0] * len(wrong), 0
    for colour, count in enumerate(wrong):
        for _ in range(count):
            value += np.log((3.0 + seen[colour]) / (9.0 + total))
            seen[colour] += 1
            total += 1
    return float(value + sum(wrong) * np.log(3.0))


def test_wrong_values_that_cluster_are_a_dirichlet_multinomial() -> None:
    # Three values with 4, 2 and 1 claims, and one that nobody claims: if the first is true, the
    # three wrong claims come from Dirichlet(al, al, al) over the two others and the unseen one,
    # against a third for each in the plain model.
    values = ["a"] * 4 + ["b"] * 2 + ["c"]
    claims = Claims.from_triples([(f"s{i}", "e", value) for i, value in enumerate(values)])
    matrix = claims.matrix
    counts = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    of_statement, of_unseen = cluster_offsets(matrix, counts, 3.0)
    assert of_statement[0] == pytest.approx(log_probability([2, 1, 0]))
    assert of_statement[2] == pytest.approx(log_probability([4, 2, 0]))
    assert of_unseen[0] == pytest.approx(log_probability([4, 2, 1]))
    plain = block_of(objective_of(claims)).data
    clustered = plain.clustered()
    np.testing.assert_allclose(clustered.offset - plain.offset, of_statement)
    np.testing.assert_allclose(clustered.offset_unseen - plain.offset_unseen, of_unseen)


def test_only_what_is_known_is_heard_about_known_items() -> None:
    rates = [0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.65, 0.6]
    drawn = world(rates, 120, n_values=2, attribute=BOOLEAN)
    matrix = drawn.claims.matrix
    known = KnownTruth.of(drawn.known(10), drawn.claims)
    data = block_of(objective_of(drawn.claims, known=known)).data.about_known()
    heard = set(matrix.item_of_claim[data.roles.role > 0].tolist())
    assert heard == set(np.flatnonzero(known.settled).tolist())
    assert len(heard) == 10
    nothing = replace(known, statement=np.full_like(known.statement, -1))
    for given in (None, nothing):
        data = block_of(objective_of(drawn.claims, known=given)).data
        assert not (data.about_known().roles.role > 0).any()


def test_posterior_has_room_for_everything() -> None:
    matrix = every_kind().matrix
    found = Posterior.empty(matrix)
    assert len(found.plausibility) == len(found.score) == matrix.n_statements
    assert len(found.likelihood) == len(found.unclaimed) == matrix.n_items
