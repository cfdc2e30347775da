"""How often guaranteed lists have more errors than they promise, and how long they are.

Run with ``make bench-guarantee``, or ``python benchmarks/guarantee.py`` with ``--draws 1000``,
``--sets dog,rte`` and ``--print``. The default model is fitted once to each public set and to some
made worlds, without any label. Then audits are drawn again and again, the marks are the known
truth, and each list that is stated is held against it. Errors that the audit found stay in the
list, although `veracity accept` would correct them: so the figures are a little on the safe side.

At most 3,000 items of a set are used, drawn at random from those whose truth is known. Figures go
into docs/benchmarks/guarantee.csv, and tables into docs/benchmarks/guarantee.md. The folder of data
sets is ``../shared/data``, or what the environment variable VERACITY_DATA says.

With ``--labels`` (``make bench-guarantee-labels``) the model also learns from the audited labels,
anew in each draw, and verdicts are ranked by cross-fitted plausibilities: each item is judged by
the labels of other parts, see `veracity.models.grbm.labels`. A draw takes a fraction of a second,
so there are fewer of them, and big sets are cut to about 30,000 claims. Figures are merged into
docs/benchmarks/guarantee_labels.csv as cases are done.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from guarantee_figures import Figures, write
from guarantee_figures import read as read_figures
from guarantee_page import labelled_page, page
from labels_fit import MAX_ITEMS, FittedOnce
from pages import DOCS, write_into
from processes import in_processes
from public_sets import capped, categorical_sets, generator
from public_sets import read as read_set
from unseen_copies import MAX_CLAIMS, MIN_ITEMS
from unseen_worlds import WORLDS, make

from veracity import GRBM, Claims, GroundTruth
from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.threads import use_threads
from veracity.data.truth.answers import profile_of, same_answer
from veracity.data.truth.known import items_of
from veracity.datasets import load
from veracity.evaluation.guarantee import MODEST, Limit, certify
from veracity.workflow.verdicts import Verdicts

ROOT = Path(__file__).resolve().parents[1]
LIMITS = (Limit(0.05, 0.95), MODEST)
AUDITS = (59, 100, 200)
#: With labels in the fit.
LABELLED_AUDITS = (100, 200)
#: Which worlds are made, and their seed: a few are enough to see what happens.
SHOWN_WORLDS = WORLDS[::3]
WORLD_SEED = 0


class Judged(NamedTuple):
    """Verdicts that are ranked.

    Attributes
    ----------
    right, plausibility
        Whether each is right, and how plausible it is; (n_items,).
    kept
        Those that may be listed, since they are shown as they are ranked; None for all.
    """

    right: Mask
    plausibility: Floats
    kept: Mask | None = None


class Held(NamedTuple):
    """A list that is held against the truth.

    Attributes
    ----------
    exceeded
        Whether it has more errors than promised.
    accepted, hindsight
        The share of the verdicts that it has, and that of the longest list within the limit.
    """

    exceeded: bool
    accepted: float
    hindsight: float


#: Judges all items, given those that are audited: who learns from labels may use theirs alone.
Judge = Callable[[Indices], Judged]


def outcomes(claims: Claims, truth: GroundTruth, name: str) -> Judged:
    """Fit the default model without labels, and hold its verdicts against the truth."""
    model = GRBM().fit(claims)
    matrix = claims.matrix
    verdicts = Verdicts.of(matrix, model.truths_.to_arrow())
    known = truth.for_attributes(matrix.attributes.to_pylist())
    true: dict[int, list[str]] = {}
    for item, value in zip(
        items_of(matrix, known).tolist(), known["value"].to_pylist(), strict=True
    ):
        if item >= 0:
            true.setdefault(item, []).append(value)
    items = generator(f"{name} guarantee").permutation(sorted(true))[:MAX_ITEMS]
    right = [is_right(claims, item, verdicts.values(item), true[item]) for item in items.tolist()]
    return Judged(np.array(right), verdicts.plausibility[items])


def is_right(claims: Claims, item: int, believed: Sequence[str], true: Sequence[str]) -> bool:
    """Whether a verdict is right: all of several values, or one of those that are said to be."""
    if profile_of(claims.matrix, item).kind == "multiple":
        return same_answer(claims, item, believed, true)
    return any(same_answer(claims, item, believed, [value]) for value in true)


def cases(
    data: Path, sets: Sequence[str], worlds: Sequence[str]
) -> Iterator[tuple[str, str, Judge]]:
    """Yield the part, the name and the judge of each case."""
    for name in sets:
        found = load(data / name)
        assert found.truth is not None
        yield "set", name, unlabelled(outcomes(found.claims, found.truth, name))
    for name in worlds:
        made = make(name, WORLD_SEED)
        yield "world", name, unlabelled(outcomes(made.claims, made.truth, name))
    for limit in LIMITS:
        name = f"just above {100 * limit.error_rate:g} %"
        yield "hardest", name, partial(just_above, error_rate=limit.error_rate)


def unlabelled(judged: Judged) -> Judge:
    """Return the judge that learns from no label."""
    return lambda audited: judged


def just_above(audited: Indices, error_rate: float, n_items: int = 2_000) -> Judged:
    """Return verdicts of which every prefix has one error too many: the hardest case there is."""
    allowed = np.floor(error_rate * np.arange(n_items + 1) + 1e-9).astype(np.int64)
    wrong = np.diff(np.append(0, allowed[1:] + 1)) > 0
    return Judged(~wrong, np.linspace(1.0, 0.5, n_items))


def repeat(judge: Judge, n_audits: int, limit: Limit, n_draws: int, seed: str) -> Figures:
    """Draw audits again and again, and hold each list against the truth."""
    return repeat_all(judge, n_audits, [limit], n_draws, f"{seed} {n_audits} {limit}")[0]


def repeat_all(
    judge: Judge, n_audits: int, limits: Sequence[Limit], n_draws: int, seed: str
) -> list[Figures]:
    """Draw audits again and again, the same for all limits."""
    rng = generator(seed)
    n_items = len(judge(np.empty(0, np.int64)).right)
    found: list[list[Held]] = [[] for _ in limits]
    right = []
    for _ in range(n_draws):
        audited = rng.permutation(n_items)[:n_audits]  # all, if there are fewer
        judged = judge(audited)
        right.append(float(judged.right.mean()))
        ties = rng.random(n_items)
        for limit, held in zip(limits, found, strict=True):
            held.append(hold(judged, audited, ties, limit))
    return [
        Figures(
            *("", "", n_items, float(np.mean(right)), n_audits),
            *(limit.error_rate, limit.confidence, n_draws),
            *(float(np.mean(each)) for each in zip(*held, strict=True)),
        )
        for limit, held in zip(limits, found, strict=True)
    ]


def hold(judged: Judged, audited: Indices, ties: Floats, limit: Limit) -> Held:
    """Make the list that an audit guarantees, and hold it against the truth."""
    order = np.lexsort((ties, -judged.plausibility))
    wrong = ~judged.right[order]
    kept = np.ones_like(wrong) if judged.kept is None else judged.kept[order]
    found = certify(np.isin(order, audited), wrong, limit, kept)
    n_wrong = int((wrong & kept)[: found.n_ranked].sum())
    exceeded = n_wrong > limit.most_wrong(found.n_listed)
    return Held(exceeded, found.share, hindsight(wrong, limit))


def hindsight(wrong: Mask, limit: Limit) -> float:
    """Return the share of the longest prefix whose error rate is within the limit."""
    length = np.arange(1, len(wrong) + 1)
    within = np.flatnonzero(np.cumsum(wrong) <= limit.most_wrong(length))
    return float((within.max(initial=-1) + 1) / len(wrong))


# With labels in the fit


@dataclass(frozen=True)
class LabelledCase:
    """A case whose audited labels are learned from, and how often."""

    data: Path
    part: str
    name: str
    audits: Sequence[int]
    n_draws: int

    def material(self) -> tuple[Claims, GroundTruth]:
        """Return claims and truth."""
        if self.part == "world":
            made = make(self.name, WORLD_SEED)
            return made.claims, made.truth
        return capped(read_set(self.data, self.name), self.name, MAX_CLAIMS, MIN_ITEMS).encode()


def judge_labelled(case: LabelledCase) -> list[Figures]:
    """Return the figures of a case whose audited labels are learned from."""
    warnings.simplefilter("ignore")
    began = time.perf_counter()
    with use_threads(1):
        base = FittedOnce.of(*case.material(), case.name)
        found = [
            replace(figures, part=case.part, case=case.name)
            for n_audits in case.audits
            if 2 * n_audits <= base.n_items
            for figures in repeat_all(
                labelled(base), n_audits, LIMITS, case.n_draws, f"{case.name} {n_audits} labels"
            )
        ]
    print(f"{case.name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    return found


def labelled(base: FittedOnce) -> Judge:
    """Return the judge that learns from the audited labels, cross-fitted."""

    def judge(audited: Indices) -> Judged:
        if not len(audited):
            judged = base.unlabelled()
            return Judged(judged.right, judged.plausibility)
        learned = base.learn(audited)
        fair = base.crossfitted(learned)
        kept = fair.verdict == base.labelled(learned).verdict
        return Judged(fair.right, fair.plausibility, kept)

    return judge


def run_labelled(given: argparse.Namespace, sets: Sequence[str]) -> None:
    """Work out the figures with labels in the fit, and write them and their table."""
    path = DOCS / "benchmarks" / "guarantee_labels.csv"
    found = {} if given.print else {figures.key: figures for figures in read_figures(path)}
    cases = [
        LabelledCase(given.data, part, name, given.audits, given.draws)
        for part, names in (("set", sets), ("world", given.worlds))
        for name in names
    ]
    for _, figures in in_processes(judge_labelled, [] if given.kept else cases, given.jobs):
        found |= {one.key: one for one in figures}
        if not given.print:
            write(sorted(found.values(), key=lambda one: one.key), path)
    text = labelled_page(list(found.values()))
    if given.print:
        print(text)
    else:
        write_into("benchmarks/guarantee.md", "make bench-guarantee-labels", text)


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of data sets")
    parser.add_argument("--sets", type=listed, help="some of the data sets")
    parser.add_argument("--worlds", type=listed, default=SHOWN_WORLDS, help="some of the worlds")
    parser.add_argument("--draws", type=int, default=1_000, help="of each number of audits")
    parser.add_argument(
        "--audits", type=int, nargs="+", default=LABELLED_AUDITS, help="with --labels: how many"
    )
    parser.add_argument("--labels", action="store_true", help="learn from the audited labels")
    parser.add_argument("--kept", action="store_true", help="with --labels: work nothing out")
    parser.add_argument("--jobs", type=int, default=1, help="with --labels: processes")
    parser.add_argument("--print", action="store_true", help="print the tables, write no page")
    return parser.parse_args()


def listed(text: str) -> list[str]:
    """Return what stands between semicolons or, without any, between commas."""
    return [each.strip() for each in text.split(";" if ";" in text else ",") if each.strip()]


def main() -> None:
    """Work out the figures, and write them and their page."""
    warnings.simplefilter("ignore")  # notes on the fits are not the subject
    given = arguments()
    sets = categorical_sets(given.data) if given.sets is None else given.sets
    if not sets:
        print(f"There are no data sets in {given.data}: only worlds are run.", file=sys.stderr)
    if given.labels:
        run_labelled(given, sets)
        return
    found = []
    for part, name, judge in cases(given.data, sets, given.worlds):
        began = time.perf_counter()
        for limit in LIMITS:
            for n_audits in AUDITS:
                figures = repeat(judge, n_audits, limit, given.draws, name)
                found.append(replace(figures, part=part, case=name))
        print(f"{name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    if given.print:
        print(page(found))
        return
    write(found, DOCS / "benchmarks" / "guarantee.csv")
    write_into("benchmarks/guarantee.md", "make bench-guarantee", page(found))


if __name__ == "__main__":
    main()
