"""Which verdicts to accept, where they are in blocks."""

from __future__ import annotations

import numpy as np

from veracity.data.notes import Note
from veracity.data.output.decisions import (
    Decisions,
    check_error_rate,
    decisions_note,
    is_decided,
    least_within,
)
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.tables import Judged

#: A plausibility from 0.5 to 1 as a whole number, in the same order: its bits less those of 0.5.
_HALF = int(np.float64(0.5).view(np.int64))
#: Bits of such a number that are looked at in each round, from the highest on.
_ROUNDS = (13, 13, 13, 13)


def least_accepted(judged: Blocks[Judged], error_rate: float) -> float:
    """Return the plausibility from which on verdicts are accepted, infinity for none.

    The verdicts of one block are looked at side by side. Those of several are counted by
    plausibility, first roughly, then more finely within the range where the rate is passed.
    """
    check_error_rate(error_rate)
    if judged.only is not None:
        shown = judged.only.shown
        return least_within(shown.belief(judged.only.plausibility), shown.tie, error_rate)
    low, left = 0, sum(_ROUNDS)
    count, errors, least = 0.0, 0.0, np.inf
    for bits in _ROUNDS:
        left -= bits
        found = judged.total(_count_levels, low, left, 1 << bits)
        n, wrong = found["n"][::-1], found["wrong"][::-1]  # from the most plausible on
        within = errors + np.cumsum(wrong) <= error_rate * (count + np.cumsum(n)) + 1e-12
        n_within = len(within) if within.all() else int(np.argmin(within))
        if n_within:
            accepted = low + ((len(n) - n_within) << left)
            if n[:n_within].any():
                least = float(np.int64(accepted + _HALF).view(np.float64))
            count, errors = count + n[:n_within].sum(), errors + wrong[:n_within].sum()
        if n_within == len(n) or n[n_within] == 1:  # there is nothing to be seen more finely
            break
        low += (len(n) - 1 - n_within) << left
    return float(least)


def _count_levels(judged: Judged, low: int, left: int, n_levels: int) -> Sums:
    """Count decided verdicts, and what is expected to be wrong, by ranges of plausibility."""
    shown = judged.shown
    belief = shown.belief(judged.plausibility)
    belief = belief[is_decided(belief, shown.tie)]
    last = (1 << sum(_ROUNDS)) - 1  # where certainty belongs, too
    level = (np.clip(belief.view(np.int64) - _HALF, 0, last) - low) >> left
    inside = (level >= 0) & (level < n_levels)
    level, wrong = level[inside], 1.0 - belief[inside]
    return {
        "n": np.bincount(level, minlength=n_levels).astype(np.float64),
        "wrong": np.bincount(level, wrong, minlength=n_levels),
    }


def note_decisions(judged: Blocks[Judged], error_rate: float, least: float) -> Note:
    """Say how many verdicts are accepted."""
    found = judged.total(_count_decisions, error_rate, least)
    return decisions_note(found["counts"], found["errors"], error_rate)


def _count_decisions(judged: Judged, error_rate: float, least: float) -> Sums:
    found = Decisions.from_least(judged.belief, judged.verdict.tie, error_rate, least)
    return {"counts": found.counts, "errors": found.expected_errors}
