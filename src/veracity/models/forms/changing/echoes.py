"""What was said about an item before a claim: the share of the claimed value, by looking back.

A source that lags behind says what others said some time ago. Looking back by a lag L, a claim that
was made a time d before has weight exp(-d / L).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Mask
from veracity.models.compiled import compiled


def echo_shares(chains: Any, weight: Floats, lags: Floats) -> tuple[Mask, Floats]:
    """Return whether anybody spoke before each step, and the share of its value in what was said.

    Only what was said at earlier times counts. Steps without `weight` say nothing that is repeated.
    """
    has_echo = np.zeros(len(chains.slot), np.bool_)
    echo = np.zeros((len(chains.slot), len(lags)))
    _shares(chains, weight, lags, has_echo, echo)
    return has_echo, echo


@compiled
def _shares(chains: Any, weight: Any, lags: Any, has_echo: Any, echo: Any) -> None:
    n_lags = len(lags)
    for item in range(len(chains.start) - 1):
        first, last = chains.start[item], chains.start[item + 1]
        said = np.zeros((chains.n_values[item] + 1, n_lags))
        total = np.zeros(n_lags)
        step = first
        while step < last:
            end = step + 1
            while end < last and chains.gap[end] == 0.0:
                end += 1
            for lag in range(n_lags):
                faded = np.exp(-chains.gap[step] / lags[lag])
                # What has faded to nothing keeps its shares, as all of it fades alike.
                if total[lag] * faded < 1e-200:
                    faded = 1.0
                for value in range(chains.n_values[item]):
                    said[value, lag] *= faded
                total[lag] *= faded
            for at in range(step, end):
                has_echo[at] = total[0] > 0.0
                for lag in range(n_lags):
                    if total[lag] > 0.0:
                        echo[at, lag] = said[chains.slot[at], lag] / total[lag]
            for at in range(step, end):
                for lag in range(n_lags):
                    said[chains.slot[at], lag] += weight[at]
                    total[lag] += weight[at]
            step = end
