"""The curvature by which a fit goes on: what items tell, and that it adds up over blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from tests.machines import closed
from tests.models.grbm.test_moving import somewhere
from tests.objectives import block_of, near, objective_of

from veracity.data.arrays import Floats
from veracity.data.encode.denials import SET_ASIDE
from veracity.models.grbm import fitting
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.observation import confusion, item_batches
from veracity.models.grbm.observation.confusion import Confusion, shared_by_items


@pytest.mark.parametrize("n_classes", [2, 3])
def test_products_are_those_of_the_gradients_of_items(
    n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (confusion, item_batches):
        monkeypatch.setattr(module, "STRETCH", 7)
    claims = closed(200, n_classes)
    matrix = claims.matrix
    own_range = AttributeRange(
        "value", "confusion", 0, matrix.n_items, n_classes, 0.5, n_classes > 2, True
    )
    objective = objective_of(claims, 1, ranges=[own_range])
    block = block_of(objective)
    ((found, own, eta),) = block.models(block.own(near(objective, 0.4, 3)))
    model = cast(Confusion, found)
    place = shared_by_items(own.names)
    assert len(place) == n_classes * (1 + 2)
    expected = np.zeros((len(place), len(place)))
    for item in range(matrix.n_items):
        role = np.where(matrix.item_of_claim == item, block.data.roles.role, SET_ASIDE)
        roles = replace(block.data.roles, role=role.astype(np.uint8))
        alone = Confusion(
            replace(block.data, roles=roles), own_range, objective.spec.attributes[0], block.place
        )
        # Who says nothing about the item keeps what it has.
        slope = alone.log_likelihood(own, eta)[1][place]
        expected += np.outer(slope, slope)
    np.testing.assert_allclose(model.own_information(own, eta)[1], expected, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_curvature_leaves_few_steps(n_classes: int) -> None:
    objective = objective_of(closed(3000, n_classes), 1)
    found = fitting.fit(objective, 200, 1e-9)
    assert found.converged
    assert len(found.history) < 60
    part = MovingPart(objective)
    x = found.x[objective.is_free]
    gradient = part.evaluate(x)[1]
    step = part.curvature_at(x)(0.0)(gradient)
    assert float(gradient @ step) < 1e-3  # twice what another step would gain


def test_curvature_is_positive() -> None:
    part = MovingPart(objective_of(closed(400, 3), 1))
    curvature = part.curvature_at(somewhere(part, 1))
    rng = np.random.default_rng(0)
    for damping in (0.0, 3.0, 1e4):
        direction: Floats = rng.normal(size=len(part.marks))
        assert float(direction @ curvature(damping)(direction)) > 0


def test_damping_adds_to_the_curvature_in_every_direction() -> None:
    part = MovingPart(objective_of(closed(400, 3), 1))
    curvature = part.curvature_at(somewhere(part, 1))
    size = len(part.marks)

    def whole(damping: float) -> Floats:
        divide = curvature(damping)
        return np.linalg.inv(np.stack([divide(row) for row in np.eye(size)]))

    np.testing.assert_allclose(whole(7.0), whole(0.0) + 7.0 * np.eye(size), rtol=1e-5, atol=1e-4)
