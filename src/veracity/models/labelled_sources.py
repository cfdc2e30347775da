"""Who is right, on labels: tables of sources on the items of known truth.

The share of a source's claims that are right is compared with the share that the model expects,
on the same claims. It judges the items as if nothing were known of them, so labels on hard items
do not make a source look worse than expected. The parameters of the model may have learned from
the labels, which draws the two together, so a flag says the more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.output.tables import Table
from veracity.data.shares import WIDTH_90, wilson
from veracity.models.labelled_claims import LabelledClaims

#: The share of flagged sources that may be flagged by chance.
FALSE_FLAGS = 0.05
#: The columns of sources on labels, in both tables; in that of sources, after ``labelled_``.
RIGHT, WRONG, RATE, LOW, HIGH, EXPECTED = COUNTED = (
    "right",
    "wrong",
    "rate",
    "low",
    "high",
    "expected",
)
PREFIX, FLAG = "labelled_", "disagrees"
LABELLED_COLUMNS = (*(f"{PREFIX}{name}" for name in COUNTED), FLAG)


def with_labelled(sources: Table, labelled: LabelledClaims) -> Table:
    """Add to the table of sources, in the order of their places, how they do on labels.

    Of a source without a claim about known truth, the counts are 0 and the rest is empty.
    """
    found = labelled.by_source()
    table = sources.to_arrow()
    for name, column in _columns(found, found.key, len(sources)).items():
        table = table.append_column(name if name == FLAG else f"{PREFIX}{name}", column)
    return Table(sources.name, table)


def sources_by_attribute(
    labelled: LabelledClaims, sources: pa.StringArray, attributes: Sequence[str]
) -> Table:
    """Return how each source does on labels, attribute by attribute."""
    source, attribute = np.divmod(labelled.key, labelled.n_attributes)
    columns = _columns(labelled, np.arange(len(labelled)), len(labelled))
    names = {
        "source": take_labels(sources, source),
        "attribute": take_labels(pa.array(attributes, pa.string()), attribute),
    }
    return Table("sources_by_attribute", pa.table(names | columns))


def _columns(found: LabelledClaims, row: Indices, n_rows: int) -> dict[str, pa.Array]:
    """Return columns of so many rows, in which the counts have the places `row`."""
    n, weight = found.right + found.wrong, _weight(found)
    low, high = wilson(found.right * weight, n * weight, WIDTH_90)
    numbers = {RATE: found.right / n, LOW: low, HIGH: high, EXPECTED: found.expected / n}
    columns = {}
    for name, counts in ((RIGHT, found.right), (WRONG, found.wrong)):
        whole = np.zeros(n_rows, np.int64)
        whole[row] = counts
        columns[name] = to_arrow(whole)
    for name, column in numbers.items():
        spread = np.full(n_rows, np.nan)
        spread[row] = column
        columns[name] = to_arrow(spread, nan_is_null=True)
    flags: list[bool | None] = [None] * n_rows
    for place, flag in zip(row.tolist(), disagreeing(found).tolist(), strict=True):
        flags[place] = flag
    return columns | {FLAG: pa.array(flags, pa.bool_())}


def _weight(found: LabelledClaims) -> Floats:
    """Return how much a claim counts where all claims of a source about an item count as one."""
    return np.asarray(found.n_items / (found.right + found.wrong))


def disagreeing(found: LabelledClaims) -> Mask:
    """Mark the rows whose labels contradict what the model expects.

    With many sources some differ by chance, so p-values are judged together, after Benjamini and
    Hochberg (1995): of the flags, a share of at most `FALSE_FLAGS` is to be expected by chance.
    Rows with too few claims to be flagged at all are left out before, after Gilbert (2005).
    """
    weight = _weight(found)
    right, n = found.right * weight, (found.right + found.wrong) * weight
    p, least = _p_values(right, n, found.expected * weight)
    flags = np.zeros(len(found), np.bool_)
    testable = np.flatnonzero(least <= FALSE_FLAGS)
    order = testable[np.argsort(p[testable], kind="stable")]
    limit = FALSE_FLAGS * np.arange(1, len(order) + 1) / max(len(order), 1)
    below = np.flatnonzero(p[order] <= limit)
    if len(below):
        flags[order[: below[-1] + 1]] = True
    return flags


def _p_values(right: Floats, n: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """Return two-sided binomial p-values, and the least that as many claims can have.

    Half a claim is added to what is expected right and wrong: one label is not to contradict a
    model only because that was all too sure. Counts need not be whole numbers.
    """
    from scipy.special import betainc

    q = (expected + 0.5) / (n + 1.0)
    wrong = n - right
    tiny = 1e-12  # for none, the functions below are 1
    at_most = np.where(wrong > tiny, betainc(np.maximum(wrong, tiny), right + 1.0, 1.0 - q), 1.0)
    at_least = np.where(right > tiny, betainc(np.maximum(right, tiny), wrong + 1.0, q), 1.0)
    least = 2.0 * np.minimum(q, 1.0 - q) ** n
    return np.minimum(2.0 * np.minimum(at_most, at_least), 1.0), least
