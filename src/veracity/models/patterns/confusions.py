"""Confusion matrices of sources: what each says, for what is believed without its own word."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from veracity.data.arrays import sum_by
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.output.tables import Table
from veracity.models.patterns.answers import ClosedAttributes
from veracity.models.patterns.habits import Counted

NAME = "confusions"
#: With more cells than this, there is no table of confusion matrices.
MOST_CELLS = 1_000_000


def confusions_table(
    counted: Counted, closed: ClosedAttributes, sources: pa.StringArray
) -> Table | None:
    """Return what each source claims for each believed value; None if there is too much of it.

    There is a row for each value that the source claims at least once, and each value that may be
    true. `weight` is the expected number of its claims, `share` their part in those where this
    value is believed.
    """
    if not len(counted.said) or not counted.is_whole or counted.n_cells(closed) > MOST_CELLS:
        return None
    size = np.diff(closed.first)[closed.of_class[counted.said]]
    row = np.repeat(np.arange(len(size)), size)
    believed = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    source, said = counted.source[row], counted.said[row]
    attribute = closed.of_class[said]
    believed_class = closed.first[attribute] + believed
    weight = counted.confusion[row, believed]
    _, group = np.unique(source * closed.n_classes + believed_class, return_inverse=True)
    total = sum_by(group, weight, int(group.max()) + 1)[group]
    labels = pa.array([label for classes in closed.classes for label in classes], pa.string())
    order = np.lexsort((said, believed, attribute, source))
    share = np.clip(weight / np.maximum(total, 1e-300), 0.0, 1.0)
    columns = {
        "source": take_labels(sources, source[order]),
        "attribute": take_labels(pa.array(closed.names, pa.string()), attribute[order]),
        "believed": take_labels(labels, believed_class[order]),
        "claimed": take_labels(labels, said[order]),
        "share": to_arrow(share[order]),
        "weight": to_arrow(weight[order]),
    }
    return Table(NAME, pa.table(columns))
