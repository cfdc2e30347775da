"""Fits to very many claims take fewer steps, to the same place."""

from __future__ import annotations

import numpy as np
import pytest
from tests.machines import closed
from tests.objectives import objective_of, posterior_of

from veracity.models.grbm import objective as objectives


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_rough_curvature_leads_to_the_same_place(
    n_classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = closed(n_classes=n_classes)
    plain = objectives.fit(objective_of(claims, 0), 500, 1e-12)
    monkeypatch.setattr(objectives, "MANY_CLAIMS", 1)
    objective = objective_of(claims, 0)
    quick = objectives.fit(objective, 500, 1e-12)
    assert objective.is_large
    assert quick.converged
    assert len(quick.history) <= len(plain.history)
    assert quick.objective == pytest.approx(plain.objective, rel=2 * objectives.SETTLED)
    found = [posterior_of(objective, each.x).plausibility for each in (plain, quick)]
    assert np.abs(found[0] - found[1]).mean() < 0.01
