"""What each stage of a run costs per claim, and how that grows with what there is.

    python benchmarks/cost.py

One thing is changed at a time about a table of claims, and the default model is fitted to it in
limited memory, in blocks, each time in a process of its own. CPU time is that of all threads.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from measure import measure

from worlds import World, write_claims

BASE = World(claims=300_000)
AXES: dict[str, list[Any]] = {
    "claims": [10_000, 100_000, 1_000_000, 10_000_000],
    "sources": [50, 500, 50_000, 150_000],
    "per_item": [2, 20, 100],
    "values": [2, 16, 64],
    "features": [4, 8, 16],
    "is_open": [True],
}
MEMORY = "1GB"
#: What the calls on blocks are for, by the function that is called there.
CALLS = {
    "prepare": ("bind_prepared",),
    "evaluate": ("log_likelihood",),
    "curvature": ("_information",),
    "judge": ("_judge", "_count_levels", "_count_by_source"),
    "intervals": ("_leave_one_out", "_outline", "_at_nodes", "_at_ends"),
    "guards": ("_contested", "_count_pairs", "_count_decisions", "_closed_values", "_notable"),
}
#: Those that are made many times in a fit; the tables tell what one costs.
REPEATED = ("prepare", "evaluate", "curvature")
COLUMNS = ("reading", *CALLS, "other fitting", "writing")


def discover_in_blocks(world: dict[str, Any], model: str) -> Callable[[], dict[str, Any]]:
    """Write claims; return what finds out about them and tells where the time went."""
    from veracity.engines.local import LocalBlocks
    from veracity.workflow import STAGES, discover

    folder = Path(tempfile.mkdtemp())
    write_claims(folder / "claims.parquet", World(**world))
    by_stage: dict[str, float] = defaultdict(float)
    by_call: dict[str, float] = defaultdict(float)
    calls: dict[str, int] = defaultdict(int)

    def clocked(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, function: Callable[..., Any], *shared: Any) -> Any:
            started = time.process_time()
            found = method(self, function, *shared)
            by_call[function.__name__] += time.process_time() - started
            calls[function.__name__] += 1
            return found

        return call

    def work() -> dict[str, Any]:
        under_way, since = STAGES[0], time.process_time()

        def progress(stage: str) -> None:
            nonlocal under_way, since
            now = time.process_time()
            by_stage[under_way] += now - since
            under_way, since = stage, now

        run = discover(folder / "claims.parquet", model=model, memory=MEMORY, progress=progress)
        progress(STAGES[-1])
        run.save(folder / "out")
        progress("")
        written = sum(path.stat().st_size for path in (folder / "out").rglob("*"))
        return {
            "stages": dict(by_stage),
            "passes": dict(by_call),
            "calls": dict(calls),
            "bytes written": written,
            "iterations": len(run.model.history_),
            "blocks": len(run.claims.blocks),
        }

    LocalBlocks.prepare = clocked(LocalBlocks.prepare)  # type: ignore[method-assign]
    LocalBlocks.total = clocked(LocalBlocks.total)  # type: ignore[method-assign]
    write_claims(folder / "few.parquet", replace(World(**world), claims=2_000))
    discover(folder / "few.parquet", model=model, memory=MEMORY)  # to load all that is needed
    by_call.clear()
    calls.clear()
    return work


def in_columns(result: dict[str, Any]) -> dict[str, float]:
    """Return CPU seconds of each stage; of what is repeated, those of one time."""
    stages, passes, calls = result["stages"], result["passes"], result["calls"]
    gone = [CALLS[name][0] for name in REPEATED if CALLS[name][0] not in calls]
    if gone:
        raise RuntimeError(f"A fit never calls {' and '.join(gone)}. Mend CALLS.")
    found = {
        name: sum(passes.get(function, 0.0) for function in functions)
        for name, functions in CALLS.items()
    }
    rest = stages["fitting"] - sum(found.values())
    for name in REPEATED:
        found[name] /= calls[CALLS[name][0]]
    reading = stages["reading claims"] + stages["encoding"]
    return {"reading": reading, **found, "other fitting": rest, "writing": stages["writing"]}


def growth(sizes: list[float], seconds: list[float]) -> float:
    """Return the power of size that seconds grow as, by least squares among logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(seconds, 1e-4)), 1)[0])


def main() -> None:
    """Measure, and print a table for each thing that is changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="grbm")
    parser.add_argument("--axes", default=",".join(AXES))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    kept = []
    for axis in options.axes.split(","):
        print(f"\n| {axis} | " + " | ".join(COLUMNS) + " | evaluations | iterations | peak MB |")
        print("|--:|" + "--:|" * (len(COLUMNS) + 3))
        around = sorted({*AXES[axis], getattr(BASE, axis)})
        rows = []
        for value in around:
            world = replace(BASE, **{axis: value})
            found = measure(
                discover_in_blocks, asdict(world), options.model, repeats=options.repeats
            )
            seconds = in_columns(found.result)
            rows.append([seconds[name] for name in COLUMNS])
            kept.append(
                {"axis": axis, "world": asdict(world), "peak_mb": found.peak_mb} | found.result
            )
            micro = (f"{1e6 * second / world.claims:.3f}" for second in rows[-1])
            evaluations = found.result["calls"][CALLS["evaluate"][0]]
            print(
                f"| {value:,} | {' | '.join(micro)} | {evaluations} | "
                f"{found.result['iterations']} | {found.peak_mb:,.0f} |",
                flush=True,
            )
        if len(around) > 2 and around[0] > 0:  # a power of nothing says nothing
            sizes = [float(value) for value in around]
            powers = (growth(sizes, list(column)) for column in zip(*rows, strict=True))
            print("| grows as | " + " | ".join(f"{power:.2f}" for power in powers) + " | | | |")
    if options.json:
        options.json.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
