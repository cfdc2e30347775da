"""Claims about numbers for tests: drawn from sources of different precision, or by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity import Attribute, Claims
from veracity.data.arrays import Floats

NUMBER = {"*": Attribute("single", values="number")}
Rows = list[tuple[Any, ...]]

#: The deviations of twelve sources: some precise, some not.
DEVIATIONS = np.repeat([0.5, 1.0, 3.0, 8.0], 3)


def numeric(rows: Rows, **options: Any) -> Claims:
    """Read (source, entity, number) as claims about numbers."""
    return Claims.from_triples(rows, attributes=options.pop("attributes", NUMBER), **options)


def drawn(seed: int, n_items: int = 300, share: float = 0.7) -> tuple[Claims, Floats]:
    """Draw claims with normal errors; return them, and the truth of e0, e1, and so on."""
    draw = np.random.default_rng(seed)
    truth = draw.normal(50, 20, n_items)
    rows = [
        (f"s{source}", f"e{item}", f"{draw.normal(truth[item], deviation):.4f}")
        for item in range(n_items)
        for source, deviation in enumerate(DEVIATIONS)
        if draw.random() < share
    ]
    return numeric(rows), truth


def column(model: Any, name: str) -> dict[str, Any]:
    """Return a column of a fitted model's truths, by entity."""
    truths = model.truths_
    return dict(zip(truths["entity"].to_pylist(), truths[name].to_pylist(), strict=True))


def number(model: Any, entity: str) -> float:
    """Return the number that a fitted model believes."""
    return float(column(model, "value")[entity])


def plausibility(model: Any) -> dict[tuple[str, str], float]:
    """Return the plausibility of each (entity, value)."""
    found = model.statements_
    keys = zip(found["entity"].to_pylist(), found["value"].to_pylist(), strict=True)
    return dict(zip(keys, found["plausibility"].to_pylist(), strict=True))


def parameters(model: Any, name: str) -> dict[str, float]:
    """Return what was learned about each source."""
    table = model.source_parameters_
    return dict(zip(table["source"].to_pylist(), table[name].to_pylist(), strict=True))
