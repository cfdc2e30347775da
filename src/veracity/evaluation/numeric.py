"""Numbers against known truth: which are close enough, and how far off they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.clean.numbers import numbers_of
from veracity.data.clean.tolerance import SAME_NUMBER, Tolerance
from veracity.data.read.workbench import Workbench
from veracity.engines.base import ClaimsInBlocks


def settle_numbers(
    workbench: Workbench, claims: Claims | ClaimsInBlocks
) -> tuple[float | None, float | None]:
    """Make the step ``best`` of ``chosen``: a number close to a true one has the key of that.

    An item may have several rows in ``chosen``, each with another key.

    Close is what is within the tolerance of the attribute or, where it has none, the same to nine
    significant digits. Return the mean absolute and the root mean squared error over all items
    whose truth is a number, None if there is no such item.
    """
    numeric = {profile.name: profile for profile in claims.attributes if profile.numeric}
    if not numeric:
        workbench.view("best", "SELECT * FROM chosen")
        return None, None
    workbench.register("numeric", pa.table({"attribute": pa.array(list(numeric), pa.string())}))
    pairs = workbench.arrow(
        "SELECT entity, attribute, chosen.key AS believed, known.key AS key "
        "FROM chosen JOIN known USING (entity, attribute) JOIN numeric USING (attribute) "
        "ORDER BY ALL"
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
    workbench.register(
        "far_rows", pairs.append_column("away", to_arrow(away)).filter(to_arrow(known))
    )
    mean, square = workbench.row(
        "SELECT avg(away), sqrt(avg(away * away)) "
        "FROM (SELECT min(away) AS away FROM far_rows GROUP BY entity, attribute)"
    )
    return mean, square
