"""The most and the least reliable source, where the data tell them apart."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from veracity.data.buffers import to_numpy
from veracity.data.output.tables import Table
from veracity.report.chance import WIDTH_90, beyond_chance

#: Sources are compared if they are among so many with the most claims, and have so many claims.
LARGEST, ENOUGH_CLAIMS = 40, 10
#: Fewer sources than this cannot be told apart by what they say.
LEAST_SOURCES = 3


class Extremes(NamedTuple):
    """The ends of the order of sources by reliability.

    Attributes
    ----------
    best, worst
        Their names.
    highest, lowest
        Their reliability.
    n_compared, n_sources
        How many sources were compared, of how many.
    """

    best: str
    worst: str
    highest: float
    lowest: float
    n_compared: int
    n_sources: int


def extremes(sources: Table) -> Extremes | None:
    """Return the most and the least reliable source, or None where chance may explain the gap.

    Of many sources that are equally good, some look better by chance: the gap must be larger than
    that of any two of them would be. Its standard error follows from the 90 % intervals of the two
    or, where the model gives none, from how many claims they make.
    """
    n_claims, reliability = to_numpy(sources["n_claims"]), to_numpy(sources["reliability"])
    known = np.flatnonzero(np.isfinite(reliability) & (n_claims >= ENOUGH_CLAIMS))
    compared = known[np.argsort(-n_claims[known], kind="stable")][:LARGEST]
    if len(compared) < LEAST_SOURCES:
        return None
    best = int(compared[np.argmax(reliability[compared])])
    worst = int(compared[np.argmin(reliability[compared])])
    high, low = float(reliability[best]), float(reliability[worst])
    error = math.hypot(_error(sources, best), _error(sources, worst))
    if high - low <= beyond_chance(math.comb(len(compared), 2)) * error:
        return None
    names = [str(sources["source"][place].as_py()) for place in (best, worst)]
    return Extremes(names[0], names[1], high, low, len(compared), len(n_claims))


def _error(sources: Table, place: int) -> float:
    """Return the standard error of the reliability of a source."""
    low, high = (_end(sources, f"reliability_{end}", place) for end in ("low", "high"))
    if low is not None and high is not None:
        return (high - low) / (2.0 * WIDTH_90)
    n = sources["n_claims"][place].as_py()
    rate = (sources["reliability"][place].as_py() * n + 1.0) / (n + 2.0)
    return math.sqrt(rate * (1.0 - rate) / n)


def _end(sources: Table, name: str, place: int) -> float | None:
    """Return an end of the interval of a source, None where there is none."""
    if name not in sources.column_names:
        return None
    end: float | None = sources[name][place].as_py()
    return None if end is None or np.isnan(end) else end
