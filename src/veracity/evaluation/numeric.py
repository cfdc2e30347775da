"""Numbers against known truth: which are close enough, and how far off they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.clean.numbers import numbers_of
from veracity.data.clean.tolerance import SAME_NUMBER, Tolerance
from veracity.data.read.workbench import Workbench
from veracity.engines.base import ClaimsInBlocks

NO_INTERVAL = "CAST(NULL AS DOUBLE) AS low, CAST(NULL AS DOUBLE) AS high"


class NumberErrors(NamedTuple):
    """How far believed numbers are from true ones, over the items whose truth is a number.

    Attributes
    ----------
    mean_absolute_error, root_mean_squared_error
        How far off they are; None if there is no such item.
    n_numbers
        How many such items there are.
    interval_coverage
        The share of intervals that hold the truth; None without intervals.
    """

    mean_absolute_error: float | None = None
    root_mean_squared_error: float | None = None
    n_numbers: int = 0
    interval_coverage: float | None = None


def settle_numbers(
    workbench: Workbench, claims: Claims | ClaimsInBlocks, with_intervals: bool = False
) -> NumberErrors:
    """Make the step ``best`` of ``chosen``: a number close to a true one has the key of that.

    An item may have several rows in ``chosen``, each with another key.

    Close is what is within the tolerance of the attribute or, where it has none, the same to nine
    significant digits. Intervals are in ``believed``, if there are any.
    """
    numeric = {profile.name: profile for profile in claims.attributes if profile.numeric}
    if not numeric:
        workbench.view("best", "SELECT * FROM chosen")
        return NumberErrors()
    workbench.register("numeric", pa.table({"attribute": pa.array(list(numeric), pa.string())}))
    ends = "min(low) AS low, max(high) AS high" if with_intervals else NO_INTERVAL
    workbench.view(
        "intervals",
        f"SELECT entity, attribute, {ends} FROM {'believed' if with_intervals else 'chosen'} "
        "GROUP BY entity, attribute",
    )
    pairs = workbench.arrow(
        "SELECT entity, attribute, chosen.key AS believed, known.key AS key, low, high "
        "FROM chosen JOIN known USING (entity, attribute) JOIN numeric USING (attribute) "
        "JOIN intervals USING (entity, attribute) ORDER BY ALL"
    ).combine_chunks()
    true = numbers_of(pairs["key"].combine_chunks())
    away = np.abs(numbers_of(pairs["believed"].combine_chunks()) - true)
    reach = np.zeros(len(away))
    names = np.array(pairs["attribute"].to_pylist())
    for name, profile in numeric.items():
        given = profile.tolerance
        tolerance = SAME_NUMBER if given is None else Tolerance.of(given)
        reach[names == name] = tolerance.reach(true[names == name])
    close = pairs.append_column("away", to_arrow(away)).filter(to_arrow(away <= reach))
    workbench.register("close_rows", close)
    workbench.step(
        "close",
        "SELECT entity, attribute, believed, arg_min(key, away) AS near "
        "FROM close_rows GROUP BY ALL",
    )
    workbench.step(
        "best",
        "SELECT chosen.* REPLACE (coalesce(near, key) AS key) "
        "FROM chosen LEFT JOIN close ON close.entity = chosen.entity "
        "AND close.attribute = chosen.attribute AND believed = key",
    )
    known = ~np.isnan(away)
    within = (to_numpy(pairs["low"]) <= true) & (true <= to_numpy(pairs["high"]))
    measured = pairs.append_column("away", to_arrow(away))
    measured = measured.append_column("inside", to_arrow(within.astype(np.float64)))
    workbench.register("far_rows", measured.filter(to_arrow(known)))
    mean, square, n_numbers, covered = workbench.row(
        "SELECT avg(away), sqrt(avg(away * away)), count(*), avg(inside) FROM (SELECT min(away) AS "
        "away, max(CASE WHEN isfinite(low) THEN inside END) AS inside FROM far_rows "
        "GROUP BY entity, attribute)"
    )
    return NumberErrors(mean, square, n_numbers, covered)
