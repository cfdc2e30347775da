"""Does twelve jobs on tables with planted truth, and prints what the verdicts are worth.

    python benchmarks/jobs.py [--seeds 3] [--labels 0] [--error-rate 0.05] [--vote] [NAME ...]

Each table is drawn from seeds 0, 1, 2 ... and judged by the command that its user would type. A row
sums up all seeds: accuracy, the share of verdicts accepted, and the errors among these, which
should be at most the error rate. ``chance`` is how likely so many errors would be if each accepted
verdict were wrong with that probability; at twelve tables, values below 0.004 say that a list broke
its word. With ``--labels``, the truth of that many items, drawn at random, is given to the command,
and the others are judged.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import reduce
from operator import add
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.jobs.job import Job
from tests.jobs.judge import JOBS, Outcome, do, drawn, judge


def outcome(make: Callable[[int], Job], seed: int, given: argparse.Namespace) -> Outcome:
    """Do a job on the table of a seed."""
    options = ["--error-rate", str(given.error_rate), "--no-report"]
    options += ["--model", "vote"] if given.vote else []
    with tempfile.TemporaryDirectory() as folder:
        job = make(seed)
        place = Path(folder)
        out = do(job, place, *options)
        if not given.labels:
            return judge(job, out)
        labelled = drawn(job, out, given.labels, seed)
        out = do(job, place, *options, "--overwrite", labelled=labelled)
        return judge(job, out, labelled)


def main() -> None:
    """Print one row for each job."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="Some of the jobs; all by default.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--labels", type=int, default=0, help="Items whose truth is given.")
    parser.add_argument("--error-rate", type=float, default=0.05)
    parser.add_argument("--vote", action="store_true", help="Judge by majority vote instead.")
    given = parser.parse_args()
    print(f"{'job':<22}{'items':>7}{'accuracy':>10}{'accepted':>10}{'error':>8}{'chance':>8}")
    for make in JOBS:
        if given.names and make.__name__ not in given.names:
            continue
        total = reduce(add, [outcome(make, seed, given) for seed in range(given.seeds)])
        print(
            f"{make(0).name:<22}{total.n_items:>7}{total.accuracy:>10.3f}{total.accepted:>10.3f}"
            f"{total.error:>8.3f}{total.chance(given.error_rate):>8.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
