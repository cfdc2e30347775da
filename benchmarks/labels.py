"""What labels are worth: accuracy, calibration and accepted verdicts by the number of labels.

Run with ``make bench-labels``, or ``python benchmarks/labels.py`` with ``--sets dog,rte``,
``--draws 5``, ``--peer-draws 1``, ``--jobs 2`` and ``--print``; ``--kept`` only writes the page of
the figures that are there. The default is fitted once to each public set, without any label. Then
labels are drawn at random from the items whose truth is known, and all methods judge the rest.

Big sets are cut to about 30,000 claims, as perturbed copies are, and at most 3,000 items are
judged. At most half of these are labelled, so that small sets have no figures for many labels.
Figures are merged into docs/benchmarks/labels.csv as sets are done, and the page
docs/benchmarks/labels.md and its picture are made from it. The folder of data sets is
``../shared/data``, or what the environment variable VERACITY_DATA says.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from labels_draws import run
from labels_figures import Figures, read, write
from labels_fit import FittedOnce
from labels_page import page
from labels_picture import picture
from pages import DOCS, write_into
from processes import in_processes
from public_sets import capped, categorical_sets
from public_sets import read as read_set
from unseen_copies import MAX_CLAIMS, MIN_ITEMS

from veracity.data.threads import use_threads

ROOT = Path(__file__).resolve().parents[1]
FOLDER = DOCS / "benchmarks"


@dataclass(frozen=True)
class Task:
    """A set, and how often labels of it are drawn, for us and for crowd-kit."""

    data: Path
    name: str
    n_draws: int
    n_peer_draws: int


def work(task: Task) -> list[Figures]:
    """Return the figures of a set."""
    warnings.simplefilter("ignore")  # notes on the fits are not the subject
    began = time.perf_counter()
    tables = capped(read_set(task.data, task.name), task.name, MAX_CLAIMS, MIN_ITEMS)
    with use_threads(1):
        base = FittedOnce.of(*tables.encode(), task.name)
        found = run(base, task.name, task.n_draws, task.n_peer_draws)
    print(f"{task.name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    return found


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of data sets")
    parser.add_argument("--sets", help="some of the data sets, separated by commas")
    parser.add_argument("--draws", type=int, default=5, help="of each number of labels")
    parser.add_argument("--peer-draws", type=int, default=1, help="of them for crowd-kit")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--kept", action="store_true", help="work nothing out: what is kept")
    parser.add_argument("--print", action="store_true", help="print the tables, write nothing")
    return parser.parse_args()


def main() -> None:
    """Work out the figures, and write them, their page and their picture."""
    given = arguments()
    names = given.sets.split(",") if given.sets else categorical_sets(given.data)
    path = FOLDER / "labels.csv"
    found = {} if given.print else {figures.key: figures for figures in read(path)}
    tasks = [Task(given.data, name, given.draws, given.peer_draws) for name in names]
    for task, figures in in_processes(work, [] if given.kept else tasks, given.jobs):
        found = {key: one for key, one in found.items() if one.case != task.name}
        found |= {one.key: one for one in figures}
        if not given.print:
            write(found.values(), path)
    if given.print:
        print(page(list(found.values())))
        return
    write_into("benchmarks/labels.md", "make bench-labels", page(list(found.values())))
    (FOLDER / "labels.svg").write_text(picture(list(found.values())), encoding="utf-8")


if __name__ == "__main__":
    main()
