"""The default model beside the vote, OneCoin and DawidSkene, where models go astray.

Run with ``make bench-robustness``, which writes the tables into docs/reference/benchmarks.md, or
``python benchmarks/robustness.py [--only TEXT] [--jobs 2]``, which prints them.
The cases are parts of public data sets (`splits`) and families of drawn claims (`families`). Every
model is as it is by default, the same for all; nobody sees the truth before all have been fitted.
The folder of data sets is ``../shared/data``, or what the environment variable VERACITY_DATA says;
without it, the drawn families remain.

Figures are accuracies in per cent. The vote's is the mean over five ways to break ties, since a
few items decide about the smaller cases. Seconds are CPU time of a fit, with all threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from robustness_tables import DEFAULT, VOTE, Fitted, Outcome, failures, tables

ROOT = Path(__file__).parent.parent
MODELS = (VOTE, "one-coin", "dawid-skene", DEFAULT)
#: Seeds by which ties of the vote are broken.
TIE_SEEDS = 5
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class Case:
    """Claims to fit models to.

    Attributes
    ----------
    row
        The split or family that the case belongs to.
    name
        Which of its cases this is.
    make
        Returns claims, truth and, of drawn claims, what the best decision would reach.
    """

    row: str
    name: str
    make: Callable[[], tuple[Any, Any, float | None]]

    def __str__(self) -> str:
        return f"{self.row}: {self.name}"


# The cases


def drawn_case(family: str, seed: int) -> tuple[Any, Any, float | None]:
    """Draw claims of a family."""
    from families import drawn

    found = drawn(family, seed)
    return found.claims, found.truth, found.oracle.accuracy


def split_case(folder: Path, kind: str, name: str, part: str) -> tuple[Any, Any, float | None]:
    """Take a part of a data set."""
    from splits import split

    return *split(folder, kind, name, part), None


def merged_case(folder: Path, *names: str) -> tuple[Any, Any, float | None]:
    """Put data sets together."""
    from splits import merge

    return *merge(folder, *names), None


def all_cases(folder: Path, n_seeds: int) -> Iterator[Case]:
    """Return every case, those of public data first."""
    from families import FAMILIES
    from splits import MERGED, PARTS, SPLITS, find_sets, pairs

    names = find_sets(folder)
    for kind in SPLITS:
        for name in names:
            for part in PARTS.get(kind, ("",)):
                make = partial(split_case, folder, kind, name, part)
                yield Case(kind, f"{name} {part}".strip(), make)
    for pair in pairs(names):
        yield Case(MERGED, " + ".join(pair), partial(merged_case, folder, *pair))
    for family in FAMILIES:
        for seed in range(n_seeds):
            yield Case(family, f"seed {seed}", partial(drawn_case, family, seed))


# Running one


def prepare() -> None:
    """Import and compile all that is needed, on a few claims of each kind."""
    from families import FAMILIES

    from veracity.models import make_model

    warnings.simplefilter("ignore")
    for family in ("plain", "open domain", "boolean", "multiple", "features that tell"):
        claims = FAMILIES[family].draw(0).claims
        for model in MODELS:
            with suppress(Exception):  # if it matters, it comes again with a case
                make_model(model).fit(claims)


def run(case: Case, models: Sequence[str]) -> Outcome:
    """Fit all models to a case, then judge them."""
    from splits import MIN_CLAIMS

    warnings.simplefilter("ignore")
    claims, truth, oracle = case.make()
    outcome = Outcome(case.row, case.name, len(claims), oracle=oracle)
    if len(claims) < MIN_CLAIMS:
        outcome.left_out = f"{len(claims)} claims remain, fewer than {MIN_CLAIMS}"
        return outcome
    for model in models:
        try:
            outcome.fitted[model], outcome.n_truth_items = fit(model, claims, truth)
        except Exception:
            outcome.fitted[model] = Fitted(error=traceback.format_exc())
    return outcome


def fit(name: str, claims: Any, truth: Any) -> tuple[Fitted, int]:
    """Fit a model and judge its verdicts; return how many items they were judged by, too."""
    import numpy as np

    from veracity.evaluation.calibration import calibration
    from veracity.evaluation.metrics import assess
    from veracity.models import make_model

    rights, seconds = [], []
    for seed in range(TIE_SEEDS if name == VOTE else 1):
        began = time.process_time()
        model = make_model(name, random_state=seed).fit(claims)
        seconds.append(time.process_time() - began)
        evaluation, verdicts = assess(model.truths_, truth, claims)
        rights.append(evaluation.accuracy)
        if not np.isfinite(model.plausibility_).all():
            raise ValueError(f"{name} gives plausibilities that are no numbers")
    measured = calibration(verdicts)
    fitted = Fitted(
        statistics.mean(rights),
        evaluation.f1,
        measured.ece,
        measured.log_loss,
        statistics.mean(seconds),
        [note.text for note in model.notes_] if name == DEFAULT else [],
    )
    return fitted, evaluation.n_items


def run_all(cases: Sequence[Case], models: Sequence[str], jobs: int) -> Iterator[Outcome]:
    """Run cases, in as many processes as there are jobs."""
    share = str(max(1, (os.cpu_count() or 1) // jobs))
    for name in THREADS:
        os.environ.setdefault(name, share)
    with ProcessPoolExecutor(jobs, get_context("spawn"), prepare) as pool:
        yield from pool.map(partial(run, models=models), cases)


# The command


def known(name: str) -> str:
    """Return the name of a model; refuse one that there is not."""
    from veracity.errors import InvalidParameter
    from veracity.models import model_name

    try:
        model_name(name)
    except InvalidParameter as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return name


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1. Got {text!r} instead.")
    return int(text)


def main() -> None:
    """Run the cases and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of data sets")
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--models", nargs="+", type=known, default=list(MODELS), help="by name")
    parser.add_argument("--seeds", type=positive, default=3, help="draws of each family")
    parser.add_argument("--jobs", type=positive, default=1, help="processes")
    parser.add_argument("--json", type=Path, help="write all figures, notes and errors here")
    parser.add_argument("--page", action="store_true", help="write the tables into the docs")
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        print(f"There is no folder {arguments.data}: splits of public sets are left out.\n")
    cases = [
        case
        for case in all_cases(arguments.data, arguments.seeds)
        if arguments.only.lower() in str(case).lower()
    ]
    if not cases:
        parser.error(f"no case has {arguments.only!r} in its name")
    outcomes = []
    for number, outcome in enumerate(run_all(cases, arguments.models, arguments.jobs), 1):
        outcomes.append(outcome)
        print(f"\r{number} of {len(cases)} cases", end="", file=sys.stderr, flush=True)
        if arguments.json:  # as far as it is, should the run be broken off
            figures = [asdict(each) for each in outcomes]
            arguments.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(file=sys.stderr)
    content = tables(outcomes, arguments.models)
    if arguments.page:
        from pages import write_into

        write_into("reference/benchmarks.md", "make bench-robustness", content)
    else:
        print(content)
    if failed := failures(outcomes):
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
