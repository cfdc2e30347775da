"""Does a job as its user would, by the command, and judges what came out by the planted truth."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binom
from tests.jobs import crowds, juries, records, sites
from tests.jobs.job import Item, Job

from veracity import open_run
from veracity.cli.app import run

#: The twelve tables, each made from a seed.
JOBS: tuple[Callable[[int], Job], ...] = (
    records.customers,
    records.companies,
    records.repeated,
    records.wide,
    crowds.two_classes,
    crowds.four_classes,
    crowds.long_tail,
    crowds.copiers,
    juries.pairs,
    juries.siblings,
    juries.confidences,
    sites.sites,
)


@dataclass(frozen=True)
class Outcome:
    """What a job's verdicts are worth.

    Attributes
    ----------
    n_items
        Items that somebody spoke about.
    n_right
        Verdicts that are right.
    n_accepted, n_wrong
        Verdicts accepted, and wrong ones among them.
    """

    n_items: int
    n_right: int
    n_accepted: int
    n_wrong: int

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.n_items + other.n_items,
            self.n_right + other.n_right,
            self.n_accepted + other.n_accepted,
            self.n_wrong + other.n_wrong,
        )

    @property
    def accuracy(self) -> float:
        """The share of verdicts that are right."""
        return self.n_right / self.n_items

    @property
    def accepted(self) -> float:
        """The share of verdicts that are accepted."""
        return self.n_accepted / self.n_items

    @property
    def error(self) -> float:
        """The share of wrong ones among the accepted verdicts."""
        return self.n_wrong / max(self.n_accepted, 1)

    def chance(self, error_rate: float) -> float:
        """How likely at least so many errors are, if verdicts err independently at this rate."""
        return float(binom.sf(self.n_wrong - 1, self.n_accepted, error_rate))


def do(job: Job, folder: Path, *options: str, labelled: Collection[Item] = ()) -> Path:
    """Write the table, run the command on it, and return the folder of the run.

    The truth of `labelled` items is given to it.
    """
    table, out = job.write(folder), folder / "out"
    command, *given = job.command
    arguments = [command, str(table), *given, "-o", str(out), "--quiet", *options]
    if labelled:
        arguments += ["--known-truth", str(_write_labels(job, labelled, folder))]
    assert run(arguments) == 0, arguments
    return out


def _write_labels(job: Job, labelled: Collection[Item], folder: Path) -> Path:
    """Write the truth of some items as a person would: in a spelling that somebody used."""
    path = folder / "labels.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["entity", "attribute", "value"])
        writer.writerows([*item, job.truth[item]] for item in labelled)
    return path


def drawn(job: Job, out: Path, count: int, seed: int = 0) -> list[Item]:
    """Draw items that a run has judged, to label them."""
    rows = open_run(out).truths.to_pylist()
    items = sorted({(row["entity"], row["attribute"]) for row in rows})
    chosen = np.random.default_rng(seed).choice(len(items), count, replace=False)
    return [items[index] for index in chosen]


def judge(job: Job, out: Path, leave_out: Collection[Item] = ()) -> Outcome:
    """Compare the verdicts of a run with the planted truth, but for some items."""
    left = set(leave_out)
    rows = [
        row
        for row in open_run(out).truths.to_pylist()
        if (row["entity"], row["attribute"]) not in left
    ]
    right = [job.is_right((row["entity"], row["attribute"]), row["value"]) for row in rows]
    accepted = [
        is_right for row, is_right in zip(rows, right, strict=True) if row["decision"] == "accept"
    ]
    return Outcome(len(rows), sum(right), len(accepted), accepted.count(False))
