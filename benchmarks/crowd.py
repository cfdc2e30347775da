"""How fast the methods for labels of a crowd are, beside crowd-kit's of the same name.

Run with ``make bench-crowd``, or ``python benchmarks/crowd.py [--claims 1000000] [--classes 2 4]``.
Claims are drawn from one source for each 20 claims, by Zipf's law, about five on an item. Two
figures for each method, medians of fresh processes:

- an iteration: what ten more iterations cost, on claims that are encoded already;
- the whole fit, from a DataFrame to results: ours until it has converged, crowd-kit's for 20
  iterations. MACE does one start of 50 iterations in both.

Crowd-kit's GLAD takes minutes for an iteration on a million claims. GLAD is measured on a
twentieth of them, in both, and crowd-kit's whole fit has two iterations only; the table says so.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from measure import Measured, measure

CLAIMS_PER_ITEM = 5
CLAIMS_PER_SOURCE = 20
SMALL = 2_000
#: Iterations that are told apart to find the cost of one.
FEW = 1


@dataclass(frozen=True)
class Method:
    """A method, and how it is run.

    Attributes
    ----------
    theirs
        The name of crowd-kit's class; ours is the name of the method.
    share
        The share of the claims that it is run on.
    more
        Further iterations by which crowd-kit's cost of one is found.
    whole
        Iterations of crowd-kit's whole fit.
    """

    theirs: str
    share: float = 1.0
    more: int = 5
    whole: int = 20


METHODS = {
    "DawidSkene": Method("DawidSkene"),
    "OneCoin": Method("OneCoinDawidSkene"),
    "MACE": Method("MACE", whole=50),
    "GLAD": Method("GLAD", share=0.05, more=1, whole=2),
}
#: Further iterations by which our cost of one is found.
OUR_MORE = 10


def frame(n_claims: int, n_classes: int, seed: int = 0) -> Any:
    """Draw claims as a DataFrame of worker, task and label; no worker twice on a task."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    n_items = max(n_claims // CLAIMS_PER_ITEM, 1)
    n_sources = max(n_claims // CLAIMS_PER_SOURCE, CLAIMS_PER_ITEM * 4)
    chance = np.cumsum(1.0 / np.arange(1, n_sources + 1))
    pair = np.empty(0, np.int64)
    while len(pair) < n_claims:
        source = np.searchsorted(chance, rng.random(n_claims) * chance[-1])
        pair = np.unique(np.append(pair, rng.integers(0, n_items, n_claims) * n_sources + source))
    pair = rng.permutation(pair)[:n_claims]
    source, item = pair % n_sources, pair // n_sources
    skill = rng.normal(1.5, 1.0, n_sources)
    right = rng.random(n_claims) < 1 / (1 + np.exp(-skill[source]))
    truth = rng.integers(0, n_classes, n_items)[item]
    wrong = (truth + rng.integers(1, n_classes, n_claims)) % n_classes
    label = np.where(right, truth, wrong)
    columns = {"worker": source, "task": item, "label": label}
    names = {
        name: [f"{name}-{k}" for k in range(codes.max() + 1)] for name, codes in columns.items()
    }
    return pd.DataFrame(
        {name: np.array(names[name], object)[codes] for name, codes in columns.items()}
    )


def ours(name: str, n_claims: int, n_classes: int, n_iter: int | None) -> Callable[[], Any]:
    """Fit our method: so many plain iterations to encoded claims, or a DataFrame to convergence."""
    import veracity

    warnings.simplefilter("ignore")
    options: dict[str, Any] = {"n_restarts": 1} if name == "MACE" else {}
    if n_iter is not None:
        options |= {"max_iter": n_iter, "tol": None}
    make = getattr(veracity, name)
    make(**options).fit(frame(SMALL, n_classes))  # compiles
    given = frame(n_claims, n_classes)
    if n_iter is not None:
        given = veracity.Claims.from_frame(given)
        assert given.matrix.n_items

    def work() -> Callable[[], dict[str, Any]]:
        model = make(**options).fit(given)
        assert len(model.truths_)
        return lambda: {"n_iter": model.n_iter_, "converged": model.converged_}

    return work


def theirs(name: str, n_claims: int, n_classes: int, n_iter: int) -> Callable[[], Any]:
    """Fit crowd-kit's method for so many iterations."""
    from crowdkit import aggregation

    warnings.simplefilter("ignore")
    method = METHODS[name]
    options: dict[str, Any] = {"n_restarts": 1} if name == "MACE" else {"tol": -np.inf}
    given = frame(n_claims, n_classes)
    model = getattr(aggregation, method.theirs)(n_iter=n_iter, **options)

    def work() -> Callable[[], dict[str, Any]]:
        model.fit_predict(given)
        return lambda: {"n_iter": n_iter}

    return work


def median(work: Callable[..., Any], *arguments: Any, repeats: int) -> Measured:
    """Return the run whose CPU time is in the middle; its wall time is that of the middle, too."""
    runs = [measure(work, *arguments, repeats=1) for _ in range(repeats)]
    wall = statistics.median(run.wall for run in runs)
    cpu = statistics.median(run.cpu for run in runs)
    return Measured(wall, cpu, runs[-1].peak_mb, runs[-1].result)


def compare(name: str, n_claims: int, n_classes: int, repeats: int) -> list[str]:
    """Measure a method; return its rows: an iteration, and the whole fit."""
    method = METHODS[name]
    size = max(int(n_claims * method.share), SMALL)

    def cost(work: Callable[..., Any], n_iter: int | None) -> Measured:
        return median(work, name, size, n_classes, n_iter, repeats=repeats)

    few, many = cost(ours, FEW), cost(ours, FEW + OUR_MORE)
    their_few, their_many = cost(theirs, FEW), cost(theirs, FEW + method.more)
    mine = [(getattr(many, of) - getattr(few, of)) / OUR_MORE for of in ("cpu", "wall")]
    other = [
        (getattr(their_many, of) - getattr(their_few, of)) / method.more for of in ("cpu", "wall")
    ]
    whole, their_whole = cost(ours, None), cost(theirs, method.whole)
    ended = whole.result["n_iter"], "" if whole.result["converged"] else ", not converged"
    label = f"{name}, K = {n_classes}, {size:,} claims"
    return [
        row(f"{label}: an iteration", mine, other, ""),
        row(
            f"{label}: whole fit",
            [whole.cpu, whole.wall],
            [their_whole.cpu, their_whole.wall],
            f"{ended[0]} (theirs {method.whole}){ended[1]}",
        ),
    ]


def row(label: str, mine: list[float], other: list[float], iterations: str) -> str:
    """Write CPU and wall seconds of both, and the ratios of ours to theirs."""
    ratios = [a / b if b > 0 else float("nan") for a, b in zip(mine, other, strict=True)]
    numbers = " | ".join(f"{a:.3f} | {b:.3f}" for a, b in zip(mine, other, strict=True))
    return f"| {label} | {numbers} | {ratios[0]:.2f} | {ratios[1]:.2f} | {iterations} |"


HEADER = (
    "| what | our CPU s | their CPU s | our wall s | their wall s "
    "| CPU ratio | wall ratio | iterations |\n|---|--:|--:|--:|--:|--:|--:|--:|"
)


def main() -> None:
    """Print the rows of all methods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(HEADER, flush=True)
    for n_classes in arguments.classes:
        for name in arguments.methods:
            rows = compare(name, arguments.claims, n_classes, arguments.repeats)
            print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
