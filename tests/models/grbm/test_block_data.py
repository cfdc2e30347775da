"""Blocks as the passes see them: claims about known items, and room for what is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.machines import every_kind
from tests.objectives import block_of, objective_of
from tests.worlds import BOOLEAN, world

from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.observation.base import Posterior, Scores


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
    assert len(found.plausibility) == matrix.n_statements
    assert len(found.likelihood) == len(found.unclaimed) == len(found.hardness) == matrix.n_items
    scores = Scores.empty(matrix)
    assert len(scores.statement) == matrix.n_statements
    assert len(scores.unclaimed) == matrix.n_items
