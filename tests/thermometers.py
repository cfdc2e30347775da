"""A small world of numbers: thermometers of which one is best, one biased, one stuck."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

SPREAD = {"roof": 1.0, "garden": 0.8, "cellar": 1.5, "station": 0.7, "park": 0.9, "airport": 0.15}
COLUMNS = ("source", "entity", "attribute", "value")


def thermometers(
    n_hours: int = 60, seed: int = 0, form: str = "{:.1f}"
) -> tuple[pa.Table, pa.Table]:
    """Return claims and truth."""
    random = np.random.default_rng(seed)
    rows, truth = [], []
    for hour in range(n_hours):
        warm = random.normal(12.0, 6.0)
        said = {name: warm + random.normal(0.0, sd) for name, sd in SPREAD.items()}
        said |= {"harbour": warm + 2.5 + random.normal(0.0, 0.4), "mill": 14.2}
        if hour == 3:
            said["roof"] *= 10
        rows += [(name, f"hour {hour}", "warm", form.format(value)) for name, value in said.items()]
        truth.append((f"hour {hour}", "warm", f"{warm:.3f}"))
    return _table(rows, COLUMNS), _table(truth, COLUMNS[1:])


def with_colours(claims: pa.Table) -> pa.Table:
    """Return claims with a contest of values about the same entities."""
    hours = sorted(set(claims["entity"].to_pylist()))
    words = ("blue", "grey", "red")
    rows = [
        (source, hour, "sky", words[(place * 7 + number) % (1 + number % 3)])
        for place, hour in enumerate(hours)
        for number, source in enumerate(("ann", "bob", "cat", "dan"))
    ]
    return pa.concat_tables([claims, _table(rows, COLUMNS)])


def _table(rows: Sequence[tuple[str, ...]], names: tuple[str, ...]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
