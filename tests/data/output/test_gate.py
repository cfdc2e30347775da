"""No number that cannot be leaves a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from veracity import Claims, MajorityVote, discover
from veracity.data.output.gate import check_plausibility, check_rates
from veracity.errors import ImpossibleResult
from veracity.models.base import Judgement

CLAIMS = [("ann", "sky", "blue"), ("bob", "sky", "green"), ("ann", "sea", "grey")]
IMPOSSIBLE = [np.nan, np.inf, -np.inf, -1e-12, 1.0 + 1e-12, 2.0]


@pytest.mark.parametrize("number", IMPOSSIBLE)
@pytest.mark.parametrize("place", range(3))
def test_an_impossible_plausibility_is_named(number: float, place: int) -> None:
    matrix = Claims.from_triples(CLAIMS).matrix
    plausibility = np.full(3, 0.5)
    plausibility[place] = number
    value = matrix.values[int(matrix.value_index[place])].as_py()
    with pytest.raises(ImpossibleResult, match=f"the value '{value}' of 'value' of '(sky|sea)'"):
        check_plausibility(matrix, plausibility)


@pytest.mark.parametrize("number", IMPOSSIBLE[1:])
def test_an_impossible_rate_is_named(number: float) -> None:
    sources = Claims.from_triples(CLAIMS).matrix.sources
    with pytest.raises(ImpossibleResult, match="the source 'bob' a fpr"):
        check_rates(sources, {"tpr": np.array([0.0, np.nan]), "fpr": np.array([1.0, number])})


class Broken(MajorityVote):
    """A vote that goes wrong for the last statement."""

    def _judge(self, claims: Any) -> Judgement:
        found = super()._judge(claims)
        found.plausibility[-1] = np.nan
        return found


def test_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ImpossibleResult, match="fault of veracity"):
        discover(Claims.from_triples(CLAIMS), model=Broken()).save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("duplicates", ["all", "auto", "latest"])
@pytest.mark.parametrize("kind", ["single", "multiple"])
@pytest.mark.parametrize("times", [1, 3, 50])
def test_who_repeats_itself_in_full_claims_more_than_it_speaks_about(
    duplicates: Any, kind: Any, times: int
) -> None:
    said = [("ann", "e", "x")] * times + [("ann", "e", "y")]
    claims = Claims.from_triples(said, duplicates=duplicates, attributes={"value": kind})
    run = discover(claims)
    assert np.isfinite(run.model.plausibility_).all()
