"""The recurrent reliability function beside the feed-forward one, on made worlds and public sets.

Run with ``make bench-recurrent``, or ``python benchmarks/recurrent.py [--data FOLDER] [--seeds 3]
[--public-seeds 2] [--sets population quiz] [--only worlds|public]``. The folder holds
``population`` and ``quiz``, as for ``make bench-paper``; without it, only the made worlds are
drawn. The truth is read after a fit has ended, to judge it, and never before.

All machines have a deviation for each source, and all else as by default. In made worlds the
feed-forward network is given the place of a claim among those of its item, before and after, and
where sources have careers also the day; the recurrent one finds its place by itself. On public
sets, all machines are given all features that say something, and have weights of 0 or more; the
recurrent ones stop after 30 iterations. Population is read in the order of its edits, Quiz by the
time of its questions.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from recurrent_worlds import WORLDS, Made

ROOT = Path(__file__).parent.parent
READING = {"population": {"time": "claim_revision"}, "quiz": {"time": "entity_time"}}
#: Iterations of the recurrent function on public sets, of which one has a source of 26,000 claims.
ITERATIONS = 30
PLACE = (
    "sources of item",
    "order in item",
    "age in item",
    "claims before in item",
    "claims after in item",
)
WEIGHTS = ("free", "nonnegative")


def machines(sequence: str, has_day: bool) -> dict[str, Callable[[int, str], Any]]:
    """Return models by name, each of a seed and a kind of weights."""
    from veracity import RBM, BinaryGRBM
    from veracity.models import make_model

    def machine(reliability: str, **settings: Any) -> Callable[[int, str], Any]:
        return lambda seed, weights: BinaryGRBM(
            reliability, weights=weights, random_state=seed, **settings
        )

    made = {
        "vote": lambda seed, weights: make_model("vote"),
        "one theta per source": lambda seed, weights: RBM(random_state=seed),
        "feed-forward": machine("mlp", features=list(PLACE)),
    }
    if has_day:
        made["feed-forward, and the day"] = machine("mlp", features=[*PLACE, "claim_day"])
    own = list(PLACE) if sequence == "source" else []
    made[f"recurrent, {sequence}"] = machine("gru", sequence=sequence, features=own)
    return made


def public_machines() -> dict[str, Callable[[int, str], Any]]:
    """Return the same for public sets, with all features that say something."""
    from veracity import BinaryGRBM

    def machine(reliability: str, **settings: Any) -> Callable[[int, str], Any]:
        return lambda seed, weights: BinaryGRBM(
            reliability, weights=weights, random_state=seed, **settings
        )

    made = machines("item", has_day=False)
    return {name: made[name] for name in ("vote", "one theta per source")} | {
        "feed-forward": machine("mlp", statistics=PLACE),
        "recurrent, item": machine("gru", sequence="item", max_iter=ITERATIONS),
        "recurrent, source": machine("gru", sequence="source", max_iter=ITERATIONS),
    }


def accuracy(model: Any, claims: Any, truth: Any) -> float:
    """Fit, then read the truth and return the accuracy in per cent."""
    from veracity import GroundTruth
    from veracity.evaluation.metrics import evaluate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(claims)
    return 100 * evaluate(model.truths_, GroundTruth.of(truth), claims).accuracy


def cell(figures: list[float]) -> str:
    """Write mean and spread (standard deviation over seeds)."""
    spread = statistics.stdev(figures) if len(figures) > 1 else 0.0
    return f"{statistics.mean(figures):.1f} ± {spread:.1f}"


def judge_world(name: str, seeds: int) -> Iterable[str]:
    """Return a line for each model, the true one last."""
    sequence, draw = WORLDS[name]
    worlds: list[Made] = [draw(seed) for seed in range(seeds)]
    for model, make in machines(sequence, has_day=sequence == "source").items():
        cells = [
            cell(
                [
                    accuracy(make(seed, weights), made.claims, made.truth)
                    for seed, made in enumerate(worlds)
                ]
            )
            for weights in (WEIGHTS if model.startswith(("feed", "rec")) else WEIGHTS[:1])
        ]
        yield f"| {name} | {model} | {' | '.join(cells)} |{' |' * (len(cells) == 1)}"
    yield f"| {name} | the true model | {cell([100 * made.oracle for made in worlds])} | |"


def judge_public(folder: Path, seeds: int) -> Iterable[str]:
    """Return a line for each model on a public set."""
    from veracity import Claims

    claims = Claims.read(folder / "claims.csv.gz", **READING[folder.name])  # type: ignore[arg-type]
    for model, make in public_machines().items():
        began = time.perf_counter()
        figures = [
            accuracy(make(seed, "nonnegative"), claims, folder / "truth.csv.gz")
            for seed in range(seeds)
        ]
        seconds = (time.perf_counter() - began) / seeds
        yield f"| {folder.name} | {model} | {cell(figures)} | {seconds:.0f} |"


def main() -> None:
    """Print the accuracies."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--public-seeds", type=int, default=2)
    parser.add_argument("--sets", nargs="+", choices=list(READING), default=list(READING))
    parser.add_argument("--only", choices=("worlds", "public"))
    arguments = parser.parse_args()
    if arguments.only != "public":
        print(f"Accuracy in per cent, mean ± standard deviation over {arguments.seeds} seeds\n")
        print("| world | model | free weights | weights of 0 or more |\n|---|---|--:|--:|")
        for name in WORLDS:
            for line in judge_world(name, arguments.seeds):
                print(line, flush=True)
    folders = [arguments.data / name for name in arguments.sets]
    present = [folder for folder in folders if (folder / "claims.csv.gz").exists()]
    if arguments.only != "worlds" and present:
        print(f"\nThe same over {arguments.public_seeds} seeds\n")
        print("| data | model | accuracy | seconds a fit |\n|---|---|--:|--:|")
        for folder in present:
            for line in judge_public(folder, arguments.public_seeds):
                print(line, flush=True)


if __name__ == "__main__":
    main()
