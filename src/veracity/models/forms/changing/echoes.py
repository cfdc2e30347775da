"""What was said about an item before a claim: the share of the claimed value in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.data.compiled import compiled


def echo_shares(chains: Any, counts: Mask) -> tuple[Mask, Floats]:
    """Return whether anybody spoke before each step, and the share of its value in what was said.

    Only what was said at earlier times matters, and of that the steps that count.
    """
    has_echo, echo = np.zeros(len(chains.slot), np.bool_), np.zeros(len(chains.slot))
    _shares(chains, counts, has_echo, echo)
    return has_echo, echo


@compiled
def _shares(chains: Any, counts: Any, has_echo: Any, echo: Any) -> None:
    for item in range(len(chains.start) - 1):
        first, last = chains.start[item], chains.start[item + 1]
        said, total = np.zeros(chains.n_values[item] + 1), 0
        step = first
        while step < last:
            end = step + 1
            while end < last and chains.gap[end] == 0.0:
                end += 1
            if total > 0:
                for at in range(step, end):
                    has_echo[at] = True
                    echo[at] = said[chains.slot[at]] / total
            for at in range(step, end):
                if counts[at]:
                    said[chains.slot[at]] += 1.0
                    total += 1
            step = end
