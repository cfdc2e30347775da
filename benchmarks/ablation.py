"""What each part of the default model is worth: the same model without it, on public data sets.

Run with ``make ablation``, or ``python benchmarks/ablation.py [--data DIR] [--sets a b]``. Accuracy
in per cent, log loss and expected calibration error, means over the sets, one seed; the truth is
read after every fit, to judge it. Nothing in the library was chosen by this table.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

warnings.simplefilter("ignore")

DATA = Path(
    os.environ.get("VERACITY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


@contextmanager
def without_priors() -> Iterator[None]:
    """Let parameters go where the likelihood pulls them."""
    from veracity.models.categorical import fitting

    names = ("HOLD_START", "HOLD_PROLIFIC", "HOLD_SOURCE", "HOLD_FEATURES")
    before = {name: getattr(fitting, name) for name in names}
    for name in names:
        setattr(fitting, name, 1e-3)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(fitting, name, value)


@contextmanager
def as_it_is() -> Iterator[None]:
    """Change nothing."""
    yield


def variants() -> dict[str, tuple[Callable[[], Any], Any]]:
    """Name the models that are compared, with what is changed around their fit."""
    from veracity import GRBM, BinaryGRBM, MajorityVote

    exact = {"source_effects": False, "tie_hidden_bias": False}
    return {
        "the default": (lambda: GRBM(), as_it_is),
        "sources may be worse than chance": (lambda: GRBM(allow_adversaries=True), as_it_is),
        "without priors": (lambda: GRBM(), without_priors),
        "features without the held-out veto": (lambda: GRBM(features="always"), as_it_is),
        "no features": (lambda: GRBM(features="never"), as_it_is),
        "a network instead of a linear g": (lambda: GRBM("mlp"), as_it_is),
        "copies count": (lambda: GRBM(discount_copies=False), as_it_is),
        "not tempered": (lambda: GRBM(correlation=0.0), as_it_is),
        "the paper's machine, contrastive divergence": (lambda: GRBM.paper(), as_it_is),
        "the paper's machine, exact": (lambda: BinaryGRBM(**exact), as_it_is),
        "majority vote": (lambda: MajorityVote(), as_it_is),
    }


def main() -> None:
    """Fit every variant to every set, and print the means."""
    from veracity.datasets import load
    from veracity.evaluation.calibration import calibration
    from veracity.evaluation.metrics import assess

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sets", nargs="*")
    arguments = parser.parse_args()
    found = sorted(path.name for path in arguments.data.iterdir() if path.is_dir())
    data = [load(arguments.data / name) for name in arguments.sets or found]
    votes: list[float] = []
    print("| model | accuracy | worst set against the vote | log loss | ECE | CPU s |")
    print("|---|--:|--:|--:|--:|--:|", flush=True)
    for name, (make, around) in reversed(variants().items()):
        rows = []
        for one in data:
            started = time.process_time()
            with around():
                model = make().fit(one.claims)
            seconds = time.process_time() - started
            evaluation, outcomes = assess(model.truths_, one.truth, one.claims)
            marks = calibration(outcomes)
            rows.append((evaluation.accuracy, marks.log_loss, marks.ece, seconds))
        accuracy, log_loss, ece, seconds = np.mean(rows, axis=0)
        right = [row[0] for row in rows]
        votes = votes or right
        worst = min(range(len(data)), key=lambda i: right[i] - votes[i])
        loss = f"{100 * (right[worst] - votes[worst]):+.1f} ({data[worst].name})"
        print(
            f"| {name} | {100 * accuracy:.2f} | {loss} | {log_loss:.3f} | {ece:.3f} "
            f"| {seconds:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
