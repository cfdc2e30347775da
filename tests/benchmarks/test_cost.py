"""What stages cost is told by functions that fits really call."""

from __future__ import annotations

from dataclasses import asdict, replace

import cost
from measure import measure


def test_every_stage_of_a_fit_is_found() -> None:
    world = replace(cost.BASE, claims=3_000, sources=50)
    found = measure(cost.discover_in_blocks, asdict(world), "grbm", repeats=1).result
    seconds = cost.in_columns(found)
    assert tuple(seconds) == cost.COLUMNS
    assert min(seconds.values()) > 0.0
    assert found["calls"][cost.CALLS["evaluate"][0]] > found["iterations"]
