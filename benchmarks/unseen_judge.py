"""One cell of the benchmark of unseen data: make the case, fit the method, judge it.

Run by `unseen` as a process of its own; see `guarded`. The truth is read after the fit.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from guarded import limit_cpu, serve
from public_sets import Tables, capped, read
from unseen_cells import Case, Cell, method_of, parse_method
from unseen_copies import MAX_CLAIMS, MIN_CLAIMS, MIN_ITEMS, copy_of
from unseen_worlds import make

from veracity import Claims, GroundTruth
from veracity.datasets import load
from veracity.errors import VeracityError
from veracity.evaluation.calibration import calibration
from veracity.evaluation.metrics import assess
from veracity.scoreboard.sets import few_of

#: Seeds by which ties of the vote are broken: a few items decide about the smaller cases.
TIE_SEEDS = 5
#: Methods that this process has fitted before, and to which set.
warmed: set[tuple[str, str]] = set()


class LeftOut(Exception):
    """There is no such case."""


@lru_cache(maxsize=1)
def material(case: Case, data: Path) -> tuple[Claims, GroundTruth, float | None]:
    """Return claims, truth and, of made worlds, what the true model reaches."""
    if case.part == "world":
        made = make(case.name, case.number)
        return made.claims, made.truth, made.oracle
    if case.part == "set":
        found = load(data / case.name)
        assert found.truth is not None
        return found.claims, found.truth, None
    tables = cut(data, case.name)
    claims = copy_of(tables.claims, case.name, case.kind, case.number)
    if claims.num_rows < MIN_CLAIMS:
        raise LeftOut(f"left out: {claims.num_rows} claims remain, fewer than {MIN_CLAIMS}")
    return *Tables(claims, tables.truth).encode(), None


@lru_cache(maxsize=1)
def cut(data: Path, name: str) -> Tables:
    """Read a set of which copies are made."""
    return capped(read(data, name), name, MAX_CLAIMS, MIN_ITEMS)


def fill(case: Case, method: str, data: Path, limit: int) -> Cell:
    """Work out a cell; `limit` is the CPU time that a fit may take."""
    try:
        claims, truth, oracle = material(case, data)
        warm_up(method, case, claims)
        limit_cpu(limit)
        return judge(method, claims, truth, oracle)
    except (LeftOut, VeracityError) as error:
        return Cell(error=str(error))
    except Exception as error:
        return Cell(error=f"{type(error).__name__}: {error}")


def warm_up(method: str, case: Case, claims: Claims) -> None:
    """Fit a method to a few claims, once for each set, so that all it needs is compiled."""
    if (method, case.name) not in warmed:
        warmed.add((method, case.name))
        with suppress(Exception):  # if it matters, it comes again with all claims
            method_of(method).fit(few_of(claims))


def judge(method: str, claims: Claims, truth: GroundTruth, oracle: float | None = None) -> Cell:
    """Fit a method to claims, then hold it against the truth."""
    seeds = TIE_SEEDS if parse_method(method)[0] == "vote" else 1
    cells = [_judge_once(method, seed, claims, truth) for seed in range(seeds)]
    means: dict[str, Any] = {
        name: statistics.mean(cell[name] for cell in cells)
        for name in ("accuracy", "log_loss", "ece", "seconds")
    }
    return Cell(**means, n_claims=len(claims), n_items=int(cells[0]["n_items"]), oracle=oracle)


def _judge_once(method: str, seed: int, claims: Claims, truth: GroundTruth) -> dict[str, float]:
    began = time.process_time()
    model = method_of(method, seed).fit(claims)
    seconds = time.process_time() - began
    if not np.isfinite(model.plausibility_).all():
        raise ValueError(f"{method} gives plausibilities that are no numbers")
    evaluation, outcomes = assess(model.truths_, truth, claims)
    marks = calibration(outcomes)
    return {
        "accuracy": evaluation.accuracy,
        "log_loss": marks.log_loss,
        "ece": marks.ece,
        "seconds": seconds,
        "n_items": evaluation.n_items,
    }


def answer(task: dict[str, Any]) -> dict[str, Any]:
    """Answer a task of `unseen`."""
    case = Case(**task["case"])
    return asdict(fill(case, task["method"], Path(task["data"]), int(sys.argv[1])))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    serve(answer)
