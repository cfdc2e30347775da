"""How long the default takes, from a DataFrame to results, beside crowd-kit's Dawid-Skene.

Run with ``make bench-fit``, or ``python benchmarks/fit.py [--claims 1000000] [--classes 2 4]``.
Sources say as much as Zipf's law has it, so most of them say little; items have five claims.
Methods take turns in one process, and figures are medians. Compiling is not counted.

- The whole default against crowd-kit's ``DawidSkene(n_iter=20)``, on the same claims.
- One pass of its kernel on one thread, which yields likelihood and gradient, against
  ``numpy.bincount`` with weights, once for each class and node of the hardness of items. Ten of
  each are made in a row, as a fit makes its passes.
- One thread against two; and what the machine's second core is worth: two such passes at the same
  time, each on one thread and with claims of its own, against the same one after the other.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

SOURCES = 50_000
CLAIMS_PER_ITEM = 5
#: Claims of the fit that comes first, so that compiling is not counted.
SMALL = 5_000
#: Passes in a row, as in a fit; alone, one would also wait for claims to come from memory.
IN_A_ROW = 10


def zipf_claims(n_claims: int, n_classes: int, n_sources: int = SOURCES, seed: int = 0) -> Any:
    """Draw claims about classes as a DataFrame: worker, task and label."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    task = np.arange(n_claims) // CLAIMS_PER_ITEM
    often = 1.0 / np.arange(1, n_sources + 1)
    worker = rng.choice(n_sources, n_claims, p=often / often.sum())
    truth = rng.integers(0, n_classes, task[-1] + 1)
    is_right = rng.random(n_claims) < rng.beta(6, 2, n_sources)[worker]
    label = np.where(is_right, truth[task], rng.integers(0, n_classes, n_claims))
    names = {
        "worker": np.char.add("w", worker.astype(str)),
        "task": task,
        "label": np.char.add("l", label.astype(str)),
    }
    return pd.DataFrame(names).drop_duplicates(["worker", "task"])


@dataclass(frozen=True)
class Cost:
    """Seconds of a piece of work."""

    cpu: float
    wall: float


def in_turns(works: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, Cost]:
    """Run pieces of work in turns, and return the medians of what each costs."""
    runs: dict[str, list[Cost]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            cpu, wall = time.process_time(), time.perf_counter()
            work()
            runs[name].append(Cost(time.process_time() - cpu, time.perf_counter() - wall))
    return {
        name: Cost(median(run.cpu for run in found), median(run.wall for run in found))
        for name, found in runs.items()
    }


def dawid_skene(claims: Any) -> Any:
    """Return crowd-kit's labels; what it uses of pandas is deprecated, which is not our concern."""
    from crowdkit.aggregation import DawidSkene

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DawidSkene(n_iter=20).fit_predict(claims)


def whole_fits(claims: Any, repeats: int) -> dict[str, Cost]:
    """Measure the default and crowd-kit's Dawid-Skene."""
    from veracity import GRBM

    GRBM().fit(claims.head(SMALL))
    works = {
        "crowd-kit": lambda: dawid_skene(claims),
        "default": lambda: GRBM().fit(claims).truths_,
    }
    return in_turns(works, repeats)


def passes(claims: Any, repeats: int) -> tuple[dict[str, Cost], int]:
    """Measure passes on one thread and on two, and the bincount; also return how many cells."""
    observation, *_ = _closed(claims, 1)
    rows = observation.arrays.row
    weight = np.random.default_rng(0).random(len(rows))

    def one_pass(threads: int) -> Callable[[], Any]:
        model, own, eta = _closed(claims, threads)

        def work() -> Any:
            return model.log_likelihood(own, eta)

        work()
        return work

    works = {
        "bincount": lambda: np.bincount(rows, weight),
        "one thread": one_pass(1),
        "two threads": one_pass(2),
        "two at a time": _at_a_time(one_pass(1), one_pass(1)),
    }
    found = in_turns({name: _in_a_row(work) for name, work in works.items()}, repeats)
    each = {name: Cost(cost.cpu / IN_A_ROW, cost.wall / IN_A_ROW) for name, cost in found.items()}
    return each, observation.k * observation.hardness.n_nodes


def _at_a_time(*works: Callable[[], Any]) -> Callable[[], None]:
    pool = ThreadPoolExecutor(len(works))

    def together() -> None:
        for done in [pool.submit(work) for work in works]:
            done.result()

    return together


def _in_a_row(work: Callable[[], Any]) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(IN_A_ROW):
            work()

    return repeated


def _closed(claims: Any, threads: int) -> tuple[Any, Any, Any]:
    """Return the classes of claims as a fit sees them, and parameters somewhere on its way."""
    from veracity import Claims
    from veracity.engines.local import in_one_block
    from veracity.models.grbm.block_data import prepare_block
    from veracity.models.grbm.claim_counts import count_claims
    from veracity.models.grbm.model_spec import ModelSpec
    from veracity.models.grbm.objective import Objective
    from veracity.models.grbm.reliability import Linear

    whole = in_one_block(Claims.of(claims))
    counts = count_claims(whole)
    spec = ModelSpec(counts.attributes, counts.log_claim_count, Linear(0), threads=threads)
    objective = Objective(whole.blocks.prepare(prepare_block, None), spec)
    (block,) = objective.blocks.results(_itself)
    rng = np.random.default_rng(0)
    x = objective.centre + 0.3 * rng.normal(size=len(objective.centre)) * objective.is_free
    ((model, own, eta),) = block.models(block.own(x))
    return model, own, eta


def _itself(block: Any) -> Any:
    return block


def rows_of(n_claims: int, n_classes: int, n_sources: int, repeats: int) -> list[str]:
    """Measure one size, and write its rows."""
    claims = zipf_claims(n_claims, n_classes, n_sources)
    fits = whole_fits(claims, repeats)
    made, n_cells = passes(claims, max(repeats, 5))
    ours, theirs, one = fits["default"], fits["crowd-kit"], made["one thread"]
    floor = made["bincount"].cpu * n_cells
    start = f"| {n_claims:,} | {n_classes} |"
    return [
        f"{start} default, CPU | {ours.cpu:.2f} s | crowd-kit {theirs.cpu:.2f} s "
        f"| {ours.cpu / theirs.cpu:.2f} | 0.5 |",
        f"{start} default, wall | {ours.wall:.2f} s | crowd-kit {theirs.wall:.2f} s "
        f"| {ours.wall / theirs.wall:.2f} | 1.0 |",
        f"{start} one pass, CPU | {1e3 * one.cpu:.1f} ms | {n_cells} bincounts "
        f"{1e3 * floor:.1f} ms | {one.cpu / floor:.2f} | 2.0 |",
        f"{start} two threads, wall | {1e3 * made['two threads'].wall:.1f} ms | one thread "
        f"{1e3 * one.wall:.1f} ms | {one.wall / made['two threads'].wall:.2f} | at least 1.7 |",
        f"{start} two passes at a time, wall | {1e3 * made['two at a time'].wall:.1f} ms | one "
        f"after the other {2e3 * one.wall:.1f} ms "
        f"| {2 * one.wall / made['two at a time'].wall:.2f} | |",
    ]


HEAD = (
    "| claims | classes | what | ours | beside | ratio | goal |",
    "|--:|--:|---|--:|--:|--:|--:|",
)


def main(given: Sequence[str] | None = None) -> None:
    """Measure every number of classes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--sources", type=int, default=SOURCES)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args(given)
    print("\n".join(HEAD), flush=True)
    for n_claims in arguments.claims:
        for n_classes in arguments.classes:
            rows = rows_of(n_claims, n_classes, arguments.sources, arguments.repeats)
            print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
