"""Numbers in blocks are what they are in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.engines.worlds import HERE, in_memory, in_place

from veracity import GRBM, Attribute

NUMBERS = {"*": Attribute("single", values="number")}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two numeric attributes, one of them with relative errors."""
    rng = np.random.default_rng(2)
    lines = ["source,entity,attribute,value"]
    for item in range(60):
        depth, price = rng.normal(0.0, 9.0), rng.lognormal(4.0, 1.5)
        for source in rng.choice(9, 6, replace=False).tolist():
            read = depth + rng.normal(0.0, 0.3 + 0.2 * source)
            asked = price * np.exp(rng.normal(0.0, 0.1 + 0.02 * source))
            lines.append(f"s{source},e{item:02},depth,{read:.4f}")
            lines.append(f"s{source},e{item:02},price,{asked:.4f}")
    path = tmp_path_factory.mktemp("numbers") / "claims.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("place", HERE)
def test_blocks_are_judged_as_in_memory(table: Path, place: str) -> None:
    whole = GRBM().fit(in_memory(table, attributes=NUMBERS))
    parts = GRBM().fit(in_place(table, place, 100, attributes=NUMBERS))
    order = [("attribute", "ascending"), ("entity", "ascending")]
    one, other = (model.truths_.to_arrow().sort_by(order) for model in (whole, parts))
    assert one["entity"].equals(other["entity"])
    for name in ("value", "low", "high", "plausibility"):
        here, there = (np.array(t[name].to_pylist(), np.float64) for t in (one, other))
        np.testing.assert_allclose(here, there, rtol=1e-6)
