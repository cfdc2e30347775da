"""The default model beside the vote, OneCoin and DawidSkene, where models go astray.

Run with ``make bench-robustness``, or ``python benchmarks/robustness.py [--only TEXT] [--jobs 2]``.
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DEFAULT, VOTE = "default", "vote"
MODELS = (VOTE, "one-coin", "dawid-skene", DEFAULT)
#: Seeds by which ties of the vote are broken.
TIE_SEEDS = 5
#: Points under the vote that count as a loss.
LOSS = 2.0
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


@dataclass
class Fitted:
    """What came of one model on one case; shares, not per cent."""

    accuracy: float | None = None
    f1: float | None = None
    ece: float | None = None
    log_loss: float | None = None
    seconds: float | None = None
    notes: list[str] = field(default_factory=list)
    error: str | None = None


@dataclass
class Outcome:
    """What came of all models on one case; `left_out` says why there is nothing."""

    row: str
    name: str
    n_claims: int = 0
    n_truth_items: int = 0
    oracle: float | None = None
    left_out: str | None = None
    fitted: dict[str, Fitted] = field(default_factory=dict)

    def points(self, model: str, against: str = VOTE) -> float | None:
        """Return how many points a model is above another."""
        mine, other = (self.fitted.get(name, Fitted()).accuracy for name in (model, against))
        return None if mine is None or other is None else 100 * (mine - other)


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


# The tables


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that there are."""
    there = [value for value in values if value is not None]
    return statistics.mean(there) if there else None


def written(value: float | None, form: str = ".1f", scale: float = 1.0) -> str:
    """Write a number, nothing for none."""
    return "" if value is None else format(scale * value, form)


def rows_of(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return outcomes by their row, in order."""
    rows: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault(outcome.row, []).append(outcome)
    return rows


def losses(outcomes: Sequence[Outcome], model: str) -> list[tuple[float, Outcome]]:
    """Return points above the vote, the worst first."""
    points = [(outcome.points(model), outcome) for outcome in outcomes]
    there = [(value, outcome) for value, outcome in points if value is not None]
    return sorted(there, key=lambda pair: pair[0])


def print_rows(outcomes: Sequence[Outcome], models: Sequence[str]) -> None:
    """Print accuracies by split and family, and how the default stands to the vote."""
    print(f"| cases | n | {' | '.join(models)} | default - vote | worst | > 2 under | seconds |")
    print("|---|" + "--:|" * (len(models) + 5))
    for row, members in rows_of(outcomes).items():
        accuracies = [
            mean_of(outcome.fitted[model].accuracy for outcome in members) for model in models
        ]
        points = [value for value, _ in losses(members, DEFAULT)]
        seconds = mean_of(outcome.fitted.get(DEFAULT, Fitted()).seconds for outcome in members)
        cells = [
            *(written(value, ".1f", 100) for value in accuracies),
            written(mean_of(points), "+.1f"),
            written(min(points, default=None), "+.1f"),
            str(sum(value < -LOSS for value in points)),
            written(seconds, ".2f"),
        ]
        print(f"| {row} | {len(members)} | {' | '.join(cells)} |")


def print_several(outcomes: Sequence[Outcome], models: Sequence[str]) -> None:
    """Print F1 where items have several true values, which accuracy says little about."""
    rows = rows_of([o for o in outcomes if any(f.f1 is not None for f in o.fitted.values())])
    if not rows:
        return
    print(f"\nF1 of items with several true values\n\n| cases | n | {' | '.join(models)} |")
    print("|---|" + "--:|" * (len(models) + 1))
    for row, members in rows.items():
        means = [mean_of(outcome.fitted[model].f1 for outcome in members) for model in models]
        cells = " | ".join(written(value, ".1f", 100) for value in means)
        print(f"| {row} | {len(members)} | {cells} |")


def print_summary(outcomes: Sequence[Outcome], models: Sequence[str]) -> None:
    """Print each model's figures over all cases, and where it loses most to the vote."""
    print(f"\nOver all {len(outcomes)} cases\n")
    print("| model | accuracy | ECE | log loss | CPU seconds | > 2 under the vote | worst |  |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    for model in models:
        found = [outcome.fitted[model] for outcome in outcomes]
        ranked = losses(outcomes, model)
        worst, where = (written(ranked[0][0], "+.1f"), ranked[0][1]) if ranked else ("", None)
        cells = [
            written(mean_of(each.accuracy for each in found), ".2f", 100),
            written(mean_of(each.ece for each in found), ".3f"),
            written(mean_of(each.log_loss for each in found), ".3f"),
            written(mean_of(each.seconds for each in found), ".2f"),
            str(sum(value < -LOSS for value, _ in ranked)),
            worst,
            "" if where is None else _where(where),
        ]
        print(f"| {model} | {' | '.join(cells)} |")


def _where(outcome: Outcome) -> str:
    return f"{outcome.row}: {outcome.name} ({outcome.n_truth_items:,} items)"


def print_losses(outcomes: Sequence[Outcome]) -> None:
    """Print every case where the default is clearly under the vote."""
    lost = [pair for pair in losses(outcomes, DEFAULT) if pair[0] < -LOSS]
    if lost:
        print(f"\nThe default is more than {LOSS:g} points under the vote in:\n")
        for value, outcome in lost:
            print(f"- {value:+.1f}: {_where(outcome)}")


def print_rest(outcomes: Sequence[Outcome]) -> int:
    """Print which cases were left out and which fits failed; return how many of the latter."""
    for outcome in outcomes:
        if outcome.left_out:
            print(f"Left out: {outcome.row}: {outcome.name}, since {outcome.left_out}.")
    failed = 0
    for outcome in outcomes:
        for model, fitted in outcome.fitted.items():
            if fitted.error:
                failed += 1
                reason = fitted.error.strip().splitlines()[-1]
                print(f"{model} failed on {outcome.row}: {outcome.name}: {reason}")
    return failed


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
    print(file=sys.stderr)
    if arguments.json:
        content = [asdict(outcome) for outcome in outcomes]
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    judged = [outcome for outcome in outcomes if not outcome.left_out]
    print_rows(judged, arguments.models)
    print_several(judged, arguments.models)
    print_summary(judged, arguments.models)
    print_losses(judged)
    print()
    if print_rest(outcomes):
        sys.exit(1)


if __name__ == "__main__":
    main()
