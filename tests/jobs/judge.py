"""Does a job as its user would, by the command, and judges what came out by the planted truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binom
from tests.jobs import crowds, juries, records, sites
from tests.jobs.job import Job

from veracity.cli.app import run
from veracity.workflow import open_run

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


def do(job: Job, folder: Path, *options: str) -> Path:
    """Write the table, run the command on it, and return the folder of the run."""
    table, out = job.write(folder), folder / "out"
    command, *given = job.command
    arguments = [command, str(table), *given, "-o", str(out), "--quiet", *options]
    assert run(arguments) == 0, arguments
    return out


def judge(job: Job, out: Path) -> Outcome:
    """Compare the verdicts of a run with the planted truth."""
    truths = open_run(out).truths.to_pylist()
    found = [(row, job.is_right((row["entity"], row["attribute"]), row["value"])) for row in truths]
    accepted = [right for row, right in found if row["decision"] == "accept"]
    return Outcome(
        n_items=len(found),
        n_right=sum(right for _, right in found),
        n_accepted=len(accepted),
        n_wrong=accepted.count(False),
    )
