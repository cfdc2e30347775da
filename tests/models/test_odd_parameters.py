"""Seeds and weights at the edge of what a number can be are used or refused, by every model."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from veracity import Claims
from veracity.errors import ConvergenceWarning, InputError, InvalidParameter
from veracity.models import MODELS, make_model

NAMES = [name for name in MODELS if name not in ("gtm", "mean", "median", "grbm-paper")]
TIED: dict[str, list[Any]] = {"source": ["a", "b"], "entity": ["e", "e"], "value": ["x", "y"]}


def _weighted(weight: float) -> Claims:
    table = {"source": ["a", "b", "c"], "entity": ["e"] * 3, "value": ["x", "x", "y"]}
    return Claims.from_frame({**table, "weight": [weight, 1.0, weight]})


@pytest.mark.parametrize("seed", [None, "x", 1.5, -1])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_seed_is_refused(name: str, seed: Any) -> None:
    with pytest.raises(InvalidParameter, match="random_state must be a whole number"):
        make_model(name, random_state=seed).fit(TIED)


@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-300, 1e-9, 1e9])
@pytest.mark.parametrize("name", NAMES)
def test_small_and_large_weights_give_finite_plausibilities(name: str, weight: float) -> None:
    claims = _weighted(weight)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make_model(name).fit(claims)
    assert np.isfinite(model.plausibility_).all()


@pytest.mark.parametrize("weight", [1.1e9, 1e18, 1e300, np.inf, -1.0])
def test_weights_beyond_all_measure_are_refused(weight: float) -> None:
    with pytest.raises(InputError, match="Expected a number from 0 to 1,000,000,000"):
        _weighted(weight)
