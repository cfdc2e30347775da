"""Families that were found: which of them count for less."""

from __future__ import annotations

import numpy as np
import pytest

from veracity.data.arrays import Indices
from veracity.workflow.jury.agreement import MISSING
from veracity.workflow.jury.families import is_doubtful


def verdicts(skills: list[float], shared: float, seed: int = 0) -> Indices:
    """Draw verdicts on four classes; the first two judges share many of their answers."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, 600)
    said = np.array(
        [np.where(rng.random(600) < skill, truth, rng.integers(0, 4, 600)) for skill in skills]
    )
    same = rng.random(600) < shared
    said[1, same] = said[0, same]
    return said


@pytest.mark.parametrize(
    ("family", "others", "doubtful"),
    [(0.9, 0.5, False), (0.5, 0.8, True), (0.7, 0.7, True)],
)
def test_only_a_family_that_is_better_than_most_is_trusted(
    family: float, others: float, doubtful: bool
) -> None:
    said = verdicts([family] * 2 + [others] * 6, shared=0.9)
    assert is_doubtful(said, [0, 1]) is doubtful


def test_missing_verdicts_and_few_others() -> None:
    said = verdicts([0.9] * 2 + [0.5] * 6, shared=0.9)
    said[:, ::3] = MISSING
    assert not is_doubtful(said, [0, 1])
    assert is_doubtful(said[:4], [0, 1])
