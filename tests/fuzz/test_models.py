"""The quick tier of the campaign: each invariant of each model on a few drawn tables."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, given, settings
from tests.fuzz.campaign import SLOW, kept_failures, try_table
from tests.fuzz.case import Case, Tally
from tests.fuzz.invariants import INVARIANTS, NAMES, NUMERIC
from tests.fuzz.recipes import Recipe, of_numbers, recipes


@pytest.mark.parametrize("name", NAMES)
def test_all_invariants_hold_on_drawn_tables(name: str) -> None:
    # The campaign makes what fails small; here it would take minutes.
    @settings(max_examples=1 if name in SLOW else 3, phases=[Phase.generate])
    @given(recipe=recipes)
    def holds(recipe: Recipe) -> None:
        case = Case(recipe if name not in NUMERIC else of_numbers(recipe))
        for invariant in INVARIANTS.values():
            invariant.holds(case, name)

    holds()


@pytest.mark.parametrize(
    "kept", kept_failures(), ids=lambda kept: f"{kept['model']} {kept['invariant']}"
)
def test_what_failed_once_holds(kept: dict[str, Any]) -> None:
    case = Case(Recipe.of(kept["recipe"]))
    INVARIANTS[kept["invariant"]].holds(case, kept["model"])
    assert case.tally.fits


def test_the_campaign_counts_what_it_tries() -> None:
    tally = Tally()
    failures = list(try_table(0, ["vote", "sums"], tally))
    assert not failures
    assert (tally.cases, tally.fits > 4, tally.predictions > 2) == (1, True, True)
