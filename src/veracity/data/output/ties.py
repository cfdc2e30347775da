"""Ties: how near plausibilities are that count as equal."""

from __future__ import annotations

#: Plausibilities this close are a tie: sums of weights, and fits to symmetric claims, differ by
#: rounding alone.
TIE_TOLERANCE = 2e-8
#: As plausible as not.
BELIEVED = 0.5
#: From here on, a statement about an attribute with several true values is believed.
ENOUGH = BELIEVED - TIE_TOLERANCE
