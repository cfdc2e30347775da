"""The most and the least reliable source, where the data tell them apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.buffers import to_numpy
from veracity.data.output.tables import Table

#: Sources are compared if they are among so many with the most claims, and have so many claims.
LARGEST, ENOUGH_CLAIMS = 40, 10
#: Fewer sources than this cannot be told apart by what they say.
LEAST_SOURCES = 3
#: Standard errors by which two sources must differ where no interval is known.
APART = 2.0


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

    The gap counts if the 90 % intervals of the two do not overlap or, where the model gives no
    intervals, if it is twice its standard error.
    """
    n_claims, reliability = to_numpy(sources["n_claims"]), to_numpy(sources["reliability"])
    known = np.flatnonzero(np.isfinite(reliability) & (n_claims >= ENOUGH_CLAIMS))
    compared = known[np.argsort(-n_claims[known], kind="stable")][:LARGEST]
    if len(compared) < LEAST_SOURCES:
        return None
    best = int(compared[np.argmax(reliability[compared])])
    worst = int(compared[np.argmin(reliability[compared])])
    high, low = float(reliability[best]), float(reliability[worst])
    least_of_best = _end(sources, "reliability_low", best)
    most_of_worst = _end(sources, "reliability_high", worst)
    if least_of_best is None or most_of_worst is None:
        is_apart = high - low > APART * _error_of_gap(reliability, n_claims, best, worst)
    else:
        is_apart = least_of_best > most_of_worst
    if not is_apart:
        return None
    names = [str(sources["source"][place].as_py()) for place in (best, worst)]
    return Extremes(names[0], names[1], high, low, len(compared), len(n_claims))


def _end(sources: Table, name: str, place: int) -> float | None:
    """Return an end of the interval of a source, None where there is none."""
    if name not in sources.column_names:
        return None
    end: float | None = sources[name][place].as_py()
    return None if end is None or np.isnan(end) else end


def _error_of_gap(rate: Floats, n_claims: Floats, one: int, other: int) -> float:
    """Return the standard error of the difference of two shares, with one success and failure."""
    share = [(rate[place] * n_claims[place] + 1) / (n_claims[place] + 2) for place in (one, other)]
    counts = [n_claims[place] for place in (one, other)]
    return float(np.sqrt(sum(p * (1 - p) / n for p, n in zip(share, counts, strict=True))))
