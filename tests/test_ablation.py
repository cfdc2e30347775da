"""The ablation takes away what it says: every variant answers differently from the default."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.variants import DEFAULT, NO_PRIORS, VARIANTS, changed

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.datasets import synthetic
from veracity.datasets.synthetic import AttributeSpec, SourceSpec

#: Claims in each of which some part of the default has something to do.
SETS = ("features that tell", "a column derived from the value", "one-sided sources")


@cache
def drawn(name: str) -> Claims:
    """Draw claims of a kind."""
    if name == "features that tell":
        kind = synthetic.category("expert", "crowd", shares=(0.3, 0.7))
        sources = SourceSpec(
            reliability=lambda seen: np.where(seen["source_kind"] == "expert", 0.95, 0.5),
            items_per_source=20,
        )
        three = AttributeSpec("class", domain="closed", n_values=3)
        return synthetic.draw(
            200, 400, [three], sources=sources, features={"source_kind": kind}, random_state=1
        ).claims
    if name == "a column derived from the value":
        tables = synthetic.draw_tables(
            20, 300, [AttributeSpec("value", clustering=2.0)], random_state=0
        )
        length = [sum(map(ord, value)) % 2 for value in tables.claims["value"].to_pylist()]
        return Claims.from_frame(tables.claims.append_column("claim_length", pa.array(length)))
    return one_sided()


def one_sided(n_sources: int = 8, n_items: int = 300) -> Claims:
    """Draw rules that say one value or nothing, more often where it is true."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n_items)
    own = np.arange(n_sources) % 2
    speaks = rng.random((n_sources, n_items)) < np.where(truth == own[:, None], 0.5, 0.15)
    source, item = np.nonzero(speaks)
    return Claims.from_frame(
        {
            "source": [f"rule {index}" for index in source],
            "entity": [f"e{index}" for index in item],
            "value": np.array(["ham", "spam"])[own[source]].tolist(),
        },
        attributes={"*": Attribute("single", "closed")},
    )


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
