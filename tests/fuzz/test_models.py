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


@pytest.mark.parametrize("kept", kept_failures(), ids=lambda kept: f"{kept['model']}")
def test_what_failed_once_holds(kept: dict[str, object]) -> None:
    recipe = Recipe.of(kept["recipe"])  # type: ignore[arg-type]
    INVARIANTS[str(kept["invariant"])](str(kept["model"]), recipe)
