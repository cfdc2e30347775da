"""The quick tier of the campaign: each invariant of each model on a few drawn tables."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from tests.fuzz.campaign import kept_failures
from tests.fuzz.invariants import INVARIANTS, NAMES
from tests.fuzz.recipes import Recipe, recipes

#: Models whose fit takes tens of milliseconds or more.
SLOW = ("grbm", "grbm-paper", "rbm", "mace", "glad", "ltm")


@pytest.mark.parametrize("name", NAMES)
def test_all_invariants_hold_on_drawn_tables(name: str) -> None:
    # The campaign makes what fails small; here it would take minutes.
    @settings(max_examples=1 if name in SLOW else 3, phases=[Phase.generate])
    @given(recipe=recipes)
    def holds(recipe: Recipe) -> None:
        for invariant in INVARIANTS.values():
            invariant(name, recipe)

    holds()


def test_what_failed_once_holds() -> None:
    kept = kept_failures()
    assert isinstance(kept, list)
    for one in kept:
        INVARIANTS[str(one["invariant"])](str(one["model"]), Recipe.of(one["recipe"]))
