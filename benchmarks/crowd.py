"""How fast the methods for labels of a crowd are, beside crowd-kit's of the same name.

Run with ``make bench-crowd``, or ``python benchmarks/crowd.py [--claims 100000 1000000] [--classes
2 4]``. Claims are drawn from one source for each 20 claims, by Zipf's law, about five on an item.
Two figures for each method, each beside its goal; medians of fresh processes that take turns:

- an iteration: what ten more iterations of ours cost, on claims that are encoded already, and what
  a few more of crowd-kit's do;
- the whole fit with the default settings of both, from a DataFrame to results. Ours go on until
  they have converged; MACE does ten starts of 50 iterations in both.

Some of crowd-kit's methods would take hours on a million claims. Those are measured on fewer, and
their time is multiplied by how many more there are: less than they would really take. Their whole
fit is then one of a single iteration, and further ones up to the number that their default settings
come to, which is found on `COUNTED` claims. The last column says where that was done.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from measure import Measured, measure

CLAIMS_PER_ITEM = 5
CLAIMS_PER_SOURCE = 20
SMALL = 2_000
#: On so many claims the iterations of crowd-kit's default settings are counted.
COUNTED = 2_000
#: Iterations of a short fit, and further ones of ours by which the cost of one is found.
FEW, OUR_MORE = 1, 10
#: The goals for an iteration, and for a whole fit: our CPU time as a share of crowd-kit's.
ITERATION_GOAL, WHOLE_GOAL = 0.2, 0.5


@dataclass(frozen=True)
class Method:
    """A method of crowd-kit, and how it is run; ours has the name of the method.

    Attributes
    ----------
    theirs
        The name of crowd-kit's class.
    most
        The most claims that it is run on; None for all.
    more
        Further iterations by which its cost of one is found.
    starts, rounds
        Where nothing but their number ends them: how often it starts by default, and iterations of
        each.
    """

    theirs: str
    most: int | None = None
    more: int = 5
    starts: int = 1
    rounds: int | None = None


METHODS = {
    "DawidSkene": Method("DawidSkene"),
    "OneCoin": Method("OneCoinDawidSkene", most=20_000),
    "MACE": Method("MACE", most=100_000, starts=10, rounds=50),
    "GLAD": Method("GLAD", most=2_000, more=1),
}


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
    """Fit our method: so many plain iterations to encoded claims, or by default to a DataFrame."""
    import veracity

    warnings.simplefilter("ignore")
    options: dict[str, Any] = {}
    if n_iter is not None:
        options = {"max_iter": n_iter, "tol": None} | ({"n_restarts": 1} if name == "MACE" else {})
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


def theirs(name: str, n_claims: int, n_classes: int, n_iter: int | None) -> Callable[[], Any]:
    """Fit crowd-kit's method, for so many iterations or by default."""
    from crowdkit import aggregation

    warnings.simplefilter("ignore")
    method = METHODS[name]
    options: dict[str, Any] = {}
    if n_iter is not None:
        options = {"n_iter": n_iter} | ({"n_restarts": 1} if method.rounds else {"tol": -np.inf})
    given = frame(n_claims, n_classes)
    model = getattr(aggregation, method.theirs)(**options)

    def work() -> Callable[[], dict[str, Any]]:
        model.fit_predict(given)
        return lambda: {"n_iter": len(getattr(model, "loss_history_", []))}

    return work


class Cost(NamedTuple):
    """CPU and wall seconds."""

    cpu: float
    wall: float

    @classmethod
    def middle(cls, runs: list[Measured]) -> Cost:
        """Return the medians of some runs."""
        return cls(*(statistics.median(getattr(run, of) for run in runs) for of in cls._fields))

    def plus(self, other: Cost, times: float = 1.0) -> Cost:
        """Add so many times another cost."""
        return Cost(self.cpu + times * other.cpu, self.wall + times * other.wall)

    def by(self, times: float) -> Cost:
        """Multiply it."""
        return Cost(self.cpu * times, self.wall * times)


def compare(name: str, n_claims: int, n_classes: int, repeats: int) -> list[str]:
    """Measure a method; return its rows: an iteration, and the whole fit."""
    method = METHODS[name]
    size = min(n_claims, method.most or n_claims)
    whole_too = method.most is None
    fits: dict[str, tuple[Callable[..., Any], int, int | None]] = {
        "few": (ours, n_claims, FEW),
        "their few": (theirs, size, FEW),
        "many": (ours, n_claims, FEW + OUR_MORE),
        "their many": (theirs, size, FEW + method.more),
        "whole": (ours, n_claims, None),
    }
    if whole_too:
        fits["their whole"] = (theirs, size, None)
    runs: dict[str, list[Measured]] = {of: [] for of in fits}
    for _ in range(repeats):  # in turns
        for of, (work, claims, n_iter) in fits.items():
            runs[of].append(measure(work, name, claims, n_classes, n_iter, repeats=1))
    cost = {of: Cost.middle(some) for of, some in runs.items()}
    iteration = cost["many"].plus(cost["few"], -1).by(1 / OUR_MORE)
    their_iteration = cost["their many"].plus(cost["their few"], -1).by(1 / method.more)
    if whole_too:
        rounds, their_whole = runs["their whole"][0].result["n_iter"], cost["their whole"]
    else:
        rounds = method.rounds or _rounds_by_default(name, n_classes)
        their_whole = cost["their few"].plus(their_iteration, method.starts * rounds - FEW)
    times = n_claims / size
    ended = runs["whole"][0].result
    said = f"{ended['n_iter']}{'' if ended['converged'] else ' (not converged)'}, {rounds}"
    said += f"; {method.starts} starts" if method.starts > 1 else ""
    label = f"{name}, K = {n_classes}, {n_claims:,} claims"
    where = "" if whole_too and size == n_claims else f"theirs from {size:,} claims"
    return [
        row(f"{label}: an iteration", iteration, their_iteration.by(times), ITERATION_GOAL, where),
        row(f"{label}: whole fit", cost["whole"], their_whole.by(times), WHOLE_GOAL, said),
    ]


def _rounds_by_default(name: str, n_classes: int) -> int:
    run = measure(theirs, name, COUNTED, n_classes, None, repeats=1)
    return int(run.result["n_iter"])


def row(label: str, mine: Cost, other: Cost, goal: float, said: str) -> str:
    """Write the CPU seconds of both, the ratios of ours to theirs, and the goal."""
    ratio = mine.cpu / other.cpu
    reached = "yes" if ratio <= goal else "no"
    return (
        f"| {label} | {mine.cpu:.3f} | {other.cpu:.3f} | {ratio:.3f} | {goal} | {reached} "
        f"| {mine.wall / other.wall:.3f} | {said} |"
    )


HEADER = (
    "| what | our CPU s | their CPU s | ratio | goal | reached | wall ratio "
    "| iterations: ours, theirs |\n|---|--:|--:|--:|--:|---|--:|---|"
)


def main() -> None:
    """Print the rows of all methods."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print(HEADER, flush=True)
    for n_claims in arguments.claims:
        for n_classes in arguments.classes:
            for name in arguments.methods:
                rows = compare(name, n_claims, n_classes, arguments.repeats)
                print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
