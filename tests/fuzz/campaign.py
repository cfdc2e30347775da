"""Try all invariants of all models on drawn tables for some minutes; keep what fails.

    python -m tests.fuzz.campaign --minutes 30

Each failure is made as small as it gets and kept in ``kept.json``, which the tests replay.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from tests.fuzz.invariants import INVARIANTS, NAMES
from tests.fuzz.recipes import Recipe

KEPT = Path(__file__).with_name("kept.json")


def failure(model: str, invariant: str, recipe: Recipe) -> str | None:
    """Return what goes wrong, or None."""
    try:
        INVARIANTS[invariant](model, recipe)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


def smallest(model: str, invariant: str, recipe: Recipe, until: float) -> Recipe:
    """Return a simpler recipe that fails as well, where there is one."""
    simpler = True
    while simpler and time.monotonic() < until:
        simpler = False
        for other in recipe.smaller():
            if failure(model, invariant, other) is not None:
                recipe, simpler = other, True
                break
    return recipe


def kept_failures() -> list[dict[str, Any]]:
    """Return the failures that were kept."""
    found: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def campaign(minutes: float, seed: int, models: list[str]) -> int:
    """Try what there is time for, and print what came of it; return the number of failures."""
    end, started = time.monotonic() + 60 * minutes, time.monotonic()
    draw, n_cases, kept, failed = random.Random(seed), 0, kept_failures(), set[tuple[str, str]]()
    while time.monotonic() < end:
        model, invariant = draw.choice(models), draw.choice(list(INVARIANTS))
        recipe = Recipe.drawn(draw.randrange(2**31))
        n_cases += 1
        if (model, invariant) in failed or failure(model, invariant, recipe) is None:
            continue
        failed.add((model, invariant))
        recipe = smallest(model, invariant, recipe, min(end, time.monotonic() + 60))
        why = failure(model, invariant, recipe)
        print(f"{model} {invariant}: {why}\n  {recipe}", flush=True)
        kept.append({"model": model, "invariant": invariant, "recipe": recipe.describe()})
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    seconds = time.monotonic() - started
    print(f"{n_cases:,} cases in {seconds:,.0f} s from seed {seed}: {len(failed)} failures.")
    return len(failed)


def main() -> None:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--models", nargs="*", default=list(NAMES))
    given = parser.parse_args()
    sys.exit(1 if campaign(given.minutes, given.seed, given.models) else 0)


if __name__ == "__main__":
    main()
