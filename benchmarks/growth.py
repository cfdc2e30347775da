"""How the cost of a run grows: with claims, sources, items, attributes, classes, features, columns.

    python benchmarks/growth.py [--axes attributes columns] [--limit 1.1]

Each size is measured in a process of its own: the processor's time to read, encode and fit with a
fixed number of iterations, after a small run that compiles, and the memory at its peak. The
exponent is that of the last two sizes, where fixed costs weigh least. Above the limit, it fails.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from veracity import GRBM, Attribute, Claims
from veracity.errors import ConvergenceWarning

Columns = dict[str, Any]
#: Sizes along each axis.
SIZES: dict[str, tuple[int, ...]] = {
    "claims": (50_000, 100_000, 200_000),
    "sources": (2_000, 4_000, 8_000),
    "items": (10_000, 20_000, 40_000),
    "attributes": (250, 500, 1_000),
    "classes": (1_000, 2_000, 4_000),
    "features": (50, 100, 200),
    "columns": (2_000, 4_000, 8_000),
}
ITERATIONS = 5
#: Times shorter than this many seconds say nothing about growth.
SHORTEST = 0.5


def table(n_claims: int, n_sources: int, n_items: int, n_values: int = 3) -> Columns:
    """Draw claims of sources who are right three times in four."""
    draw = np.random.default_rng(0)
    item = draw.integers(0, n_items, n_claims)
    wrong = draw.random(n_claims) < 0.25
    value = np.where(wrong, draw.integers(0, n_values, n_claims), item % n_values)
    return {
        "source": _named("s", draw.integers(0, n_sources, n_claims)),
        "entity": _named("e", item),
        "value": _named("v", value),
    }


def _named(letter: str, numbers: Any) -> pa.Array:
    return pa.array([f"{letter}{number}" for number in numbers.tolist()])


def made(axis: str, size: int) -> tuple[Columns, dict[str, Any]]:
    """Return the table of a size, and how it is read."""
    match axis:
        case "claims":
            return table(size, 100, size // 5), {}
        case "sources":
            return table(40_000, size, 8_000), {}
        case "items":
            return table(80_000, 100, size), {}
        case "attributes":
            columns = table(20_000, 100, 4_000)
            number = np.array([int(name[1:]) for name in columns["entity"].to_pylist()])
            return {**columns, "attribute": _named("a", number % size)}, {}
        case "classes":
            closed = {"attributes": {"*": Attribute(domain="closed")}}
            return table(20_000, 100, 4_000, size), closed
        case "features":
            columns, draw = table(2_000, 50, 400), np.random.default_rng(1)
            numbers = {f"claim_{k}": draw.standard_normal(2_000) for k in range(size)}
            return {**columns, **numbers}, {}
    raise ValueError(axis)


def seconds_of(axis: str, size: int) -> float:
    """Return the processor's time of a run."""
    if axis == "columns":
        return _seconds_of_columns(size)
    columns, reading = made(axis, size)
    _fit(table(200, 5, 40), {})
    started = time.process_time()
    _fit(columns, reading)
    return time.process_time() - started


def _fit(columns: Columns, reading: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        GRBM(max_iter=ITERATIONS).fit(Claims.from_frame(columns, **reading))


def _seconds_of_columns(size: int) -> float:
    columns = table(20, 3, 5) | {f"x{number}": ["1"] * 20 for number in range(size)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.csv"
        rows = zip(*(list(map(str, column)) for column in columns.values()), strict=True)
        path.write_text("\n".join([",".join(columns), *map(",".join, rows)]) + "\n")
        started = time.process_time()
        Claims.read(path)
        return time.process_time() - started


def measured(axis: str, size: int) -> dict[str, float]:
    """Measure a size in a process of its own."""
    command = [sys.executable, __file__, "--one", axis, str(size)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def exponent(sizes: tuple[int, ...], costs: list[float]) -> float:
    """Return how a cost grows between the last two sizes: 1 if it doubles with the size."""
    return math.log(costs[-1] / costs[-2]) / math.log(sizes[-1] / sizes[-2])


def examine(axis: str, limit: float, report: Callable[[str], None]) -> bool:
    """Measure an axis and report it; return whether it grows within the limit."""
    sizes = SIZES[axis]
    found = [measured(axis, size) for size in sizes]
    seconds = [each["seconds"] for each in found]
    memory = [each["megabytes"] for each in found]
    growth = exponent(sizes, seconds) if seconds[-1] >= SHORTEST else 0.0
    in_memory = exponent(sizes, memory)
    report(
        f"{axis:10} {' '.join(f'{size:>9,}' for size in sizes)}   "
        f"{' '.join(f'{each:7.2f} s' for each in seconds)}   {growth:5.2f}   "
        f"{' '.join(f'{each:6.0f} MB' for each in memory)}   {in_memory:5.2f}"
    )
    return max(growth, in_memory) <= limit


def main() -> None:
    """Measure all axes, and fail if one grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--axes", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--limit", type=float, default=1.1)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        seconds = seconds_of(given.one[0], int(given.one[1]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "megabytes": peak}))
        return
    slow = [axis for axis in given.axes if not examine(axis, given.limit, print)]
    if slow:
        sys.exit(f"These grow faster than size^{given.limit}: {', '.join(slow)}.")


if __name__ == "__main__":
    main()
