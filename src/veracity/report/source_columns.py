"""Which columns of the table of sources tell something in a run."""

from __future__ import annotations

import pyarrow as pa

#: Of contests of values, numbers, ordered values, values that change, and hierarchies.
RATES = (
    "tpr",
    "fpr",
    "bias",
    "sd",
    "gross_errors",
    "level_bias",
    "level_spread",
    "random_share",
    "freshness",
    "lag",
    "coarse",
)


def telling_rates(sources: pa.Table) -> list[str]:
    """Return the rates that at least one source has.

    >>> telling_rates(pa.table({"tpr": pa.array([None], pa.float64()), "bias": [0.5]}))
    ['bias']
    """
    there = [name for name in RATES if name in sources.column_names]
    return [name for name in there if sources[name].null_count < len(sources)]
