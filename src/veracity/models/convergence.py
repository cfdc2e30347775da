"""The note on a fit that did not converge."""

from __future__ import annotations

import sys
import warnings

from veracity.data.notes import Note
from veracity.errors import ConvergenceWarning


def note_unfinished(n_iter: int, reason: str) -> Note:
    """Warn that a fit ended before it had converged, and return that as a note."""
    text = (
        f"The fit stopped after {n_iter} iterations without convergence ({reason}); the result is "
        "kept. Raise max_iter, or see history_."
    )
    warnings.warn(text, ConvergenceWarning, stacklevel=_level_of_user())
    return Note("convergence", text, short="the fit stopped before it had converged")


def _level_of_user() -> int:
    """Return how far above the caller of this the first frame is that is none of ours."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("veracity."):
        level, frame = level + 1, frame.f_back
    return level
