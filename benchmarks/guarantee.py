"""How often guaranteed lists have more errors than they promise, and how long they are.

Run with ``make bench-guarantee``, or ``python benchmarks/guarantee.py`` with ``--draws 1000``,
``--sets dog,rte`` and ``--print``. The default model is fitted once to each public set and to some
made worlds, without any label. Then audits are drawn again and again, the marks are the known
truth, and each list that is stated is held against it. Errors that the audit found stay in the
list, although `veracity accept` would correct them: so the figures are a little on the safe side.

At most 3,000 items of a set are used, drawn at random from those whose truth is known. The ranking
is a function of the draw, so that models which learn from the audited labels can be judged in the
same way; here it is the same for all draws. Figures go into docs/benchmarks/guarantee.csv, and
tables into docs/benchmarks/guarantee.md. The folder of data sets is ``../shared/data``, or what the
environment variable VERACITY_DATA says.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from guarantee_figures import Figures, write
from guarantee_page import page
from pages import DOCS, write_into
from public_sets import categorical_sets, generator
from unseen_worlds import WORLDS, make

from veracity import GRBM, Claims, GroundTruth
from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.truth.answers import profile_of, same_answer
from veracity.data.truth.known import items_of
from veracity.datasets import load
from veracity.evaluation.guarantee import MODEST, Limit, certify
from veracity.workflow.verdicts import Verdicts

ROOT = Path(__file__).resolve().parents[1]
LIMITS = (Limit(0.05, 0.95), MODEST)
AUDITS = (59, 100, 200)
MAX_ITEMS = 3_000
#: Which worlds are made, and their seed: a few are enough to see what happens.
SHOWN_WORLDS = WORLDS[::3]
WORLD_SEED = 0

#: Whether each verdict is right, and how plausible it is; (n_items,).
Judged = tuple[Mask, Floats]
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
    return np.array(right), verdicts.plausibility[items]


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
    return ~wrong, np.linspace(1.0, 0.5, n_items)


def repeat(judge: Judge, n_audits: int, limit: Limit, n_draws: int, seed: str) -> Figures:
    """Draw audits again and again, and hold each list against the truth."""
    rng = generator(f"{seed} {n_audits} {limit}")
    nobody = np.empty(0, np.int64)
    right, _ = judge(nobody)
    n_items = len(right)
    exceeded, accepted, hindsights = [], [], []
    for _ in range(n_draws):
        audited = rng.permutation(n_items)[:n_audits]  # all, if there are fewer
        right, plausibility = judge(audited)
        order = np.lexsort((rng.random(n_items), -plausibility))
        is_audited = np.isin(order, audited)
        wrong = ~right[order]
        found = certify(is_audited, wrong, limit)
        n_wrong = int(wrong[: found.n_ranked].sum())
        exceeded.append(n_wrong > limit.most_wrong(found.n_ranked))
        accepted.append(found.share)
        hindsights.append(hindsight(wrong, limit))
    return Figures(
        *("", "", n_items, float(right.mean()), n_audits),
        *(limit.error_rate, limit.confidence, n_draws),
        *(float(np.mean(each)) for each in (exceeded, accepted, hindsights)),
    )


def hindsight(wrong: Mask, limit: Limit) -> float:
    """Return the share of the longest prefix whose error rate is within the limit."""
    length = np.arange(1, len(wrong) + 1)
    within = np.flatnonzero(np.cumsum(wrong) <= limit.most_wrong(length))
    return float((within.max(initial=-1) + 1) / len(wrong))


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of data sets")
    parser.add_argument("--sets", help="some of the data sets, separated by commas")
    parser.add_argument("--draws", type=int, default=1_000, help="of each number of audits")
    parser.add_argument("--print", action="store_true", help="print the tables, write no page")
    return parser.parse_args()


def main() -> None:
    """Work out the figures, and write them and their page."""
    warnings.simplefilter("ignore")  # notes on the fits are not the subject
    given = arguments()
    sets = given.sets.split(",") if given.sets else categorical_sets(given.data)
    if not sets:
        print(f"There are no data sets in {given.data}: only worlds are run.", file=sys.stderr)
    found = []
    for part, name, judge in cases(given.data, sets, SHOWN_WORLDS):
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
