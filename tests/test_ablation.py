"""The ablation takes away what it says: every variant answers differently from the default."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.variants import DEFAULT, NO_PRIORS, VARIANTS, changed

from veracity import Claims
from veracity.data.arrays import Floats
from veracity.datasets import synthetic
from veracity.datasets.synthetic import AttributeSpec, SourceSpec

#: Claims in each of which some part of the default has something to do.
SETS = ("features that tell", "a column derived from the value", "few copies", "many copies")


@cache
def drawn(name: str) -> Claims:
    """Draw claims of a kind."""
    if name == "features that tell":
        hasty = synthetic.category("yes", "no")
        careful = SourceSpec(
            reliability=lambda seen: np.where(seen["claim_hasty"] == "no", 0.9, 0.3)
        )
        three = AttributeSpec("class", domain="closed", n_values=3)
        return synthetic.draw(
            20, 300, [three], sources=careful, features={"claim_hasty": hasty}, random_state=0
        ).claims
    if name == "a column derived from the value":
        tables = synthetic.draw_tables(
            20, 300, [AttributeSpec("value", clustering=2.0)], random_state=0
        )
        length = [sum(map(ord, value)) % 2 for value in tables.claims["value"].to_pylist()]
        return Claims.from_frame(tables.claims.append_column("claim_length", pa.array(length)))
    n_sources, copiers = {"few copies": (20, 0.1), "many copies": (12, 0.25)}[name]
    sources = SourceSpec(
        reliability=0.7, items_per_source=200, copiers=copiers, copy_probability=0.95
    )
    return synthetic.draw(n_sources, 400, sources=sources, random_state=2).claims


@cache
def plausibility(variant: str, name: str) -> Floats:
    """Return what a variant makes of drawn claims."""
    return VARIANTS[variant].fitted(drawn(name)).plausibility_


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != DEFAULT])
def test_a_variant_is_not_the_default(variant: str) -> None:
    differences = (
        np.abs(plausibility(variant, name) - plausibility(DEFAULT, name)).max() for name in SETS
    )
    assert any(difference > 1e-3 for difference in differences)


def test_settings_are_put_back() -> None:
    place, values = next(iter(NO_PRIORS.items()))
    module = import_module(place)
    before = {name: getattr(module, name) for name in values}
    with changed(place, values):
        assert {name: getattr(module, name) for name in values} == dict(values)
    assert {name: getattr(module, name) for name in values} == before
    assert before != dict(values)
