"""Accuracy on the two data sets of the paper, beside the paper's table.

Run with ``make bench-paper``, or ``python benchmarks/paper.py [--data FOLDER] [--seeds 5]``. The
folder holds ``population`` and ``quiz``, each with ``claims.csv.gz`` and ``truth.csv.gz``; it is
``../shared/data``, or what the environment variable VERACITY_DATA says.

The setting is one and the same for both sets: every model as it is by default. Population is read
with ``time="claim_order"``, in which the edits of a city were made. The truth file is opened after
a fit has ended, to judge it, and never before.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).parent.parent
READING = {"population": {"time": "claim_order"}, "quiz": {}}
MODELS = ("grbm", "grbm-paper", "rbm", "mle", "ltm")
#: Per cent, as the paper prints them.
PAPER = {
    "GRBM": {"population": 85.00, "quiz": 90.85},
    "RBM": {"population": 80.35, "quiz": 84.42},
    "MLE": {"population": 85.33, "quiz": 29.10},
    "LTM": {"population": 70.78, "quiz": 88.90},
}


def accuracy(folder: Path, name: str, seed: int) -> float:
    """Fit to the claims, then read the truth and return the accuracy in per cent."""
    from veracity import Claims, GroundTruth
    from veracity.evaluation.metrics import evaluate
    from veracity.models import make_model

    claims = Claims.read(folder / "claims.csv.gz", **READING[folder.name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_model(name, random_state=seed).fit(claims)
    truth = GroundTruth.read(folder / "truth.csv.gz")
    return 100 * evaluate(model.truths_, truth, claims).accuracy


def cell(figures: list[float]) -> str:
    """Write mean and spread (standard deviation over seeds)."""
    spread = statistics.stdev(figures) if len(figures) > 1 else 0.0
    return f"{statistics.mean(figures):.2f} ± {spread:.2f}"


def main() -> None:
    """Print our accuracies and those of the paper."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    arguments = parser.parse_args()
    for name in READING:
        if not (arguments.data / name / "claims.csv.gz").exists():
            parser.error(f"{arguments.data} has no {name}/claims.csv.gz; give its folder by --data")
    print(f"Accuracy in per cent, mean ± standard deviation over {arguments.seeds} seeds\n")
    print(f"| model | {' | '.join(READING)} | seconds a fit |")
    print("|---|--:|--:|--:|")
    for model in arguments.models:
        began = time.perf_counter()
        cells = [
            cell([accuracy(arguments.data / name, model, s) for s in range(arguments.seeds)])
            for name in READING
        ]
        seconds = (time.perf_counter() - began) / len(cells) / arguments.seeds
        print(f"| {model} | {' | '.join(cells)} | {seconds:.1f} |", flush=True)
    for model, figures in PAPER.items():
        print(f"| paper: {model} | {' | '.join(f'{figures[name]:.2f}' for name in READING)} | |")


if __name__ == "__main__":
    main()
