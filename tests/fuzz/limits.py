"""How far results may be apart that ought to be equal."""

from __future__ import annotations

#: For what is worked out in one step: rounding.
SLACK = 1e-9
#: For two fits: sums in another order, carried on over the steps of a fit.
NEAR = 1e-6
#: Methods that need more for an invariant, and why.
WIDER: dict[tuple[str, str], float] = {
    # Samples claims in the order of an item's sources, which their names decide.
    ("grbm-paper", "under other names"): 1.0,
    # Fits by drawing truths, and predicts by the mean rates of the draws. Where draws go back and
    # forth between two answers, their mean is neither.
    ("ltm", "predicted"): 1.0,
}


def limit_of(name: str, how: str) -> float:
    """Return how far plausibilities of a method may be apart."""
    return WIDER.get((name, how), NEAR)
