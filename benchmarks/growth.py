"""How the cost of a run grows: with claims, sources, items, attributes, classes, features, columns.

    python benchmarks/growth.py [--axes attributes columns] [--models vote default] [--limit 1.1]

Each size is measured three times, in processes of their own: the processor's time and the memory at
its peak of a run after a small one, which imports and compiles. What is left of both at a tiny size
of the axis is the constant part of a run; it is measured, too, and subtracted. The medians count.
The exponent of an axis is the slope of the line through its sizes, both in logarithms, by least
squares. Above the limit, the benchmark fails and names the axis. The vote reads and encodes claims
and does little more; the default also fits, with a fixed number of iterations.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import run
from typing import Any

import numpy as np
import pyarrow as pa

from veracity import GRBM, Attribute, Claims, MajorityVote
from veracity.errors import ConvergenceWarning

Columns = dict[str, Any]
#: What an axis costs at a size: seconds of the processor, and megabytes.
Cost = tuple[float, float]
Measure = Callable[[int], Cost]

#: Sizes along each axis; the first is tiny and tells the constant part.
SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "vote": {
        "claims": (1_000, 1_000_000, 2_000_000, 4_000_000),
        "sources": (100, 75_000, 150_000, 300_000),
        "items": (100, 75_000, 150_000, 300_000),
        "attributes": (1, 10_000, 20_000, 40_000),
        "classes": (2, 50_000, 100_000, 200_000),
        "features": (1, 500, 1_000, 2_000),
        "columns": (1, 25_000, 50_000, 100_000),
    },
    "default": {
        "claims": (1_000, 200_000, 400_000, 800_000),
        "sources": (100, 10_000, 20_000, 40_000),
        "items": (100, 25_000, 50_000, 100_000),
        "attributes": (1, 1_250, 2_500, 5_000),
        "classes": (2, 25_000, 50_000, 100_000),
        "features": (1, 250, 500, 1_000),
        "columns": (1, 25_000, 50_000, 100_000),
    },
}
ITERATIONS = 5
REPEATS = 3
#: The largest size must take so many seconds above the constant part, else nothing is told.
LEAST_SECONDS = 1.0
#: Memory below so many megabytes above the constant part is no burden, however it grows.
LEAST_MEGABYTES = 20.0


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
    """Return the table of a size, and how it is read.

    Along sources, items, attributes and classes there are as many claims of each: what is new is
    said about, not only counted.
    """
    match axis:
        case "claims":
            return table(size, 100, 2_000), {}
        case "sources":
            return table(5 * size, size, 2_000), {}
        case "items":
            return table(5 * size, 100, size), {}
        case "attributes":
            columns = table(20 * size, 100, 4 * size)
            number = np.array([int(name[1:]) for name in columns["entity"].to_pylist()])
            return {**columns, "attribute": _named("a", number % size)}, {}
        case "classes":
            closed = {"attributes": {"*": Attribute(domain="closed")}}
            return table(5 * size, 100, size, size), closed
        case "features":
            columns, draw = table(2_000, 50, 400), np.random.default_rng(1)
            numbers = {f"claim_{k}": draw.standard_normal(2_000) for k in range(size)}
            return {**columns, **numbers}, {}
        case "columns":
            return table(20, 3, 5) | {f"x{number}": ["1"] * 20 for number in range(size)}, {}
    raise ValueError(axis)


def cost_of(model: str, axis: str, size: int) -> Cost:
    """Return what a run costs; to be called in a process of its own."""
    columns, reading = made(axis, size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "claims.csv"
        source: Any = _written(path, columns) if axis == "columns" else columns
        _fit(model, _written(path.with_stem("small"), table(400, 5, 40)), {})
        _fit(model, table(400, 5, 40), {})
        before, started = _peak(), time.process_time()
        _fit(model, source, reading)
        return time.process_time() - started, _peak() - before


def _fit(model: str, source: Any, reading: dict[str, Any]) -> None:
    read = Claims.read if isinstance(source, Path) else Claims.from_frame
    estimator = MajorityVote() if model == "vote" else GRBM(max_iter=ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(read(source, **reading))


def _written(path: Path, columns: Columns) -> Path:
    rows = zip(*(list(map(str, column)) for column in columns.values()), strict=True)
    path.write_text("\n".join([",".join(columns), *map(",".join, rows)]) + "\n")
    return path


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_a_process(model: str, axis: str) -> Measure:
    """Return what measures a size of an axis in a process of its own."""

    def measure(size: int) -> Cost:
        command = [sys.executable, __file__, "--one", model, axis, str(size)]
        done = run(command, check=True, capture_output=True, text=True)
        seconds, megabytes = json.loads(done.stdout.splitlines()[-1])
        return seconds, megabytes

    return measure


@dataclass(frozen=True)
class Growth:
    """What an axis costs above its constant part, and how fast that grows.

    Attributes
    ----------
    sizes
        The sizes, without the tiny one.
    seconds, megabytes
        At each size.
    """

    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    megabytes: tuple[float, ...]

    @property
    def in_time(self) -> float:
        """The exponent of the processor's time; 0 if it is too short to tell."""
        return exponent(self.sizes, self.seconds, LEAST_SECONDS)

    @property
    def in_memory(self) -> float:
        """The exponent of memory; 0 if it is too little to tell."""
        return exponent(self.sizes, self.megabytes, LEAST_MEGABYTES)

    def faults(self, limit: float) -> list[str]:
        """Say what grows faster than the limit, or was too short to tell."""
        if self.seconds[-1] < LEAST_SECONDS:
            return [
                f"{self.name}: {self.seconds[-1]:.2f} s at the largest size are too short to tell "
                f"how it grows, expected {LEAST_SECONDS:g} s; measure larger sizes"
            ]
        grown = {"CPU time": self.in_time, "memory": self.in_memory}
        return [
            f"{self.name}: {what} grows like size^{power:.2f}, above {limit}"
            for what, power in grown.items()
            if power > limit
        ]

    def row(self) -> str:
        """Return a row of a table in Markdown."""
        cells = [
            self.name,
            " / ".join(f"{size:,}" for size in self.sizes),
            " / ".join(f"{each:.1f}" for each in self.seconds),
            f"{self.in_time:.2f}",
            " / ".join(f"{each:.0f}" for each in self.megabytes),
            f"{self.in_memory:.2f}",
        ]
        return f"| {' | '.join(cells)} |"


def exponent(sizes: Sequence[int], costs: Sequence[float], least: float) -> float:
    """Return how a cost grows with the size: 1 if it doubles with it, 0 if it stays below least.

    >>> exponent((1, 2, 4), (3.0, 12.0, 48.0), 1.0)
    2.0
    """
    if costs[-1] < least:
        return 0.0
    told = [(size, cost) for size, cost in zip(sizes, costs, strict=True) if cost > least / 10]
    if len(told) < 2:
        return 0.0
    logs = np.log(np.array(told, dtype=float))
    return round(float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0]), 6)


def grown(name: str, sizes: Sequence[int], measure: Measure, repeats: int = REPEATS) -> Growth:
    """Measure all sizes, and subtract the constant part."""
    runs = [[measure(size) for _ in range(repeats)] for size in sizes]
    costs = [tuple(statistics.median(part) for part in zip(*each, strict=True)) for each in runs]
    (seconds, megabytes), *rest = costs
    return Growth(
        name,
        tuple(sizes[1:]),
        tuple(max(cost[0] - seconds, 0.0) for cost in rest),
        tuple(max(cost[1] - megabytes, 0.0) for cost in rest),
    )


def main() -> None:
    """Measure the axes, and fail if one grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    axes = list(SIZES["vote"])
    parser.add_argument("--axes", nargs="*", default=axes, choices=axes)
    parser.add_argument("--models", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--limit", type=float, default=1.1)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--divide", type=int, default=1, help="divide sizes, without a gate")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        model, axis, size = given.one
        print(json.dumps(cost_of(model, axis, int(size))))
        return
    print("| what | sizes | CPU s | exponent | MB | exponent |\n|---|---|---|---|---|---|")
    faults = []
    for model in given.models:
        for axis in given.axes:
            first, *rest = SIZES[model][axis]
            sizes = [first, *(size // given.divide for size in rest)]
            measure = in_a_process(model, axis)
            growth = grown(f"{axis}, {model}", sizes, measure, given.repeats)
            print(growth.row(), flush=True)
            faults += growth.faults(given.limit) if given.divide == 1 else []
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
