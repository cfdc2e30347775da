"""Try all invariants of all models on drawn tables for some minutes; keep what fails.

    python -m tests.fuzz.campaign --minutes 30

Each failure is made as small as it gets and kept in ``kept.json``, which the tests replay.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.fuzz.case import Case, Tally
from tests.fuzz.invariants import INVARIANTS, NAMES
from tests.fuzz.recipes import Recipe

KEPT = Path(__file__).with_name("kept.json")
#: Models whose fit takes long are tried on one table in so many.
SLOW = {"grbm": 8, "grbm-paper": 8, "accu-copy": 5, "mace": 12, "rbm": 2, "ltm": 2}
#: A process tries so many tables before it reports.
AT_ONCE = 20
#: Seconds between two lines on how far the campaign is, and to make a failure small.
TOLD_EVERY, SHRUNK_FOR = 300.0, 60.0


@dataclass(frozen=True)
class Failure:
    """What fails where, and how."""

    model: str
    invariant: str
    recipe: Recipe
    why: str

    def describe(self) -> dict[str, Any]:
        """Return it as plain data."""
        recipe = {
            name: value
            for name, value in self.recipe.describe().items()
            if value != getattr(Recipe, name)
        }
        return {"model": self.model, "invariant": self.invariant, "recipe": recipe}


@dataclass
class Found:
    """What came of some tables."""

    tally: Tally = field(default_factory=Tally)
    failures: list[Failure] = field(default_factory=list)


def failure(case: Case, model: str, invariant: str) -> str | None:
    """Return what goes wrong, or None."""
    try:
        INVARIANTS[invariant].holds(case, model)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


def smallest(found: Failure) -> Failure:
    """Return a failure of a simpler recipe, where there is one."""
    until, simpler = time.monotonic() + SHRUNK_FOR, True
    while simpler and time.monotonic() < until:
        simpler = False
        for recipe in found.recipe.smaller():
            why = failure(Case(recipe), found.model, found.invariant)
            if why is not None:
                found, simpler = Failure(found.model, found.invariant, recipe, why), True
                break
    return found


def try_table(seed: int, models: list[str], tally: Tally) -> Iterator[Failure]:
    """Try models on one table, each with the invariants that are due."""
    case = Case(Recipe.drawn(seed), tally)
    due = [name for name, invariant in INVARIANTS.items() if seed % invariant.one_in == 0]
    for place, model in enumerate(models):
        if (seed + place) % SLOW.get(model, 1):
            continue
        for invariant in due:
            why = failure(case, model, invariant)
            if why is not None:
                yield Failure(model, invariant, case.recipe, why)


def try_tables(asked: tuple[range, list[str], float]) -> Found:
    """Try models on the tables of some seeds, unless it is too late: many wait in a queue."""
    seeds, models, end = asked
    found = Found()
    for seed in seeds:
        if time.time() < end:
            found.failures += try_table(seed, models, found.tally)
    return found


def kept_failures() -> list[dict[str, Any]]:
    """Return the failures that were kept."""
    found: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def keep(found: Failure) -> None:
    """Keep a failure, so that the tests try it again."""
    lines = ",\n".join(json.dumps(one) for one in [*kept_failures(), found.describe()])
    KEPT.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def campaign(minutes: float, seed: int, models: list[str], jobs: int) -> int:
    """Try what there is time for, and print what came of it; return the number of failures."""
    started = told = time.monotonic()
    end = time.time() + 60 * minutes
    tally, failed = Tally(), Counter[tuple[str, str]]()
    with _mapped(jobs) as mapped:
        for found in mapped(try_tables, _asked(seed, models, end)):
            tally.add(found.tally)
            for one in found.failures:
                failed[one.model, one.invariant] += 1
                if failed[one.model, one.invariant] == 1:
                    one = smallest(one)
                    print(f"{one.model} {one.invariant}: {one.why}\n  {one.describe()}", flush=True)
                    keep(one)
            if time.monotonic() - told > TOLD_EVERY:
                told = time.monotonic()
                print(f"{tally} in {told - started:,.0f} s", flush=True)
    seconds = time.monotonic() - started
    print(
        f"{tally} in {seconds:,.0f} s from seed {seed} on: {len(failed)} invariants of models "
        f"failed, {failed.total()} times."
    )
    return len(failed)


def _asked(seed: int, models: list[str], end: float) -> Iterator[tuple[range, list[str], float]]:
    """Ask for the tables of further seeds until time is over."""
    while time.time() < end:
        yield range(seed, seed + AT_ONCE), models, end
        seed += AT_ONCE


@contextmanager
def _mapped(jobs: int) -> Iterator[Any]:
    """Apply functions in some processes, in this one if it is enough."""
    if jobs == 1:
        yield map
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield pool.imap_unordered


def main() -> None:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--models", nargs="*", default=list(NAMES))
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    sys.exit(1 if campaign(given.minutes, given.seed, given.models, given.jobs) else 0)


if __name__ == "__main__":
    main()
