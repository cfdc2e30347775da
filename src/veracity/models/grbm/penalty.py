"""The penalty for moving parameters away from the means of their priors, in one compiled loop."""

from __future__ import annotations

from typing import Any

from veracity.data.compiled import compiled


@compiled
def penalise(x: Any, centre: Any, precision: Any, ascent: Any, is_free: Any, gradient: Any) -> Any:
    """Return twice the penalty; set the gradient of free parameters, and 0 for fixed ones."""
    total = 0.0
    for place in range(len(x)):
        step = x[place] - centre[place]
        total += precision[place] * step * step
        gradient[place] = precision[place] * step - ascent[place] if is_free[place] else 0.0
    return total
