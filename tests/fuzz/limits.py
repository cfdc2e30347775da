"""How far results may be apart that ought to be equal."""

from __future__ import annotations

#: For what is worked out in one step: rounding.
SLACK = 1e-9
#: For two fits: sums in another order, carried on over the steps of a fit.
NEAR = 1e-6
#: Methods that need more, and why.
WIDER: dict[str, float] = {}


def limit_of(name: str) -> float:
    """Return how far plausibilities of a method may be apart."""
    return WIDER.get(name, NEAR)
