"""The hardest items: those on which sources that are usually right are right less often."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

#: Items that are harder by less than this are ordinary ones.
LEAST = 0.01


def hardest(truths: pa.Table, limit: int) -> pa.Table:
    """Return the rows of the hardest items, the hardest first; none if the model does not say."""
    if "hardness" not in truths.column_names:
        return truths.slice(0, 0)
    hard = truths.filter(pc.greater_equal(truths["hardness"], LEAST))
    order = [("hardness", "descending"), ("entity", "ascending"), ("attribute", "ascending")]
    return hard.sort_by(order).slice(0, limit)
