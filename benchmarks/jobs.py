"""Does twelve jobs on tables with planted truth, and prints what the verdicts are worth.

    python benchmarks/jobs.py [--seeds 3] [--vote] [NAME ...]

Each table is drawn from seeds 0, 1, 2 ... and judged by the command that its user would type. A row
sums up all seeds: accuracy, the share of verdicts accepted, and the errors among these, which
should be at most 5 %. ``chance`` is how likely so many errors would be at a true rate of 5 %; at
twelve tables, values below 0.004 say that a list broke its word.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import reduce
from operator import add
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.jobs.judge import JOBS, do, judge

ERROR_RATE = 0.05


def main() -> None:
    """Print one row for each job."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="Some of the jobs; all by default.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--vote", action="store_true", help="Judge by majority vote instead.")
    given = parser.parse_args()
    options = ("--model", "vote") if given.vote else ()
    print(f"{'job':<22}{'items':>7}{'accuracy':>10}{'accepted':>10}{'error':>8}{'chance':>8}")
    for make in JOBS:
        if given.names and make.__name__ not in given.names:
            continue
        outcomes, name = [], ""
        for seed in range(given.seeds):
            with tempfile.TemporaryDirectory() as folder:
                job = make(seed)
                name = job.name
                outcomes.append(judge(job, do(job, Path(folder), *options)))
        total = reduce(add, outcomes)
        print(
            f"{name:<22}{total.n_items:>7}{total.accuracy:>10.3f}{total.accepted:>10.3f}"
            f"{total.error:>8.3f}{total.chance(ERROR_RATE):>8.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
