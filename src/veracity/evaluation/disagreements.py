"""Disagreements between a model and a majority vote: the items worth labelling."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.claims import Claims
from veracity.data.encode.grouping import starts_mask
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.atomic import check_target, write_whole
from veracity.data.output.results import decide, speakers, truths_table
from veracity.data.output.tables import Table
from veracity.data.truth.known import KnownTruth
from veracity.errors import InvalidParameter, OutputError
from veracity.models.base import Judgement, TruthModel, judge_only
from veracity.models.baselines.majority_vote import MajorityVote

Bits = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

#: Stands between the values of an item that has several.
BETWEEN = "; "
DECIMALS = 4


def disagreements(
    model: TruthModel, claims: Any, limit: int | None = 20, *, known_truth: Any = None
) -> Table:
    """Return the items about which a fitted model and the vote disagree, the clearest first.

    One row per item: what the model believes and how plausible that is, what the vote believes and
    its share of the votes, and an empty `value` for the truth: the table, filled in, is a truth
    table. The clearest are those where both are far ahead of what the other believes: the product
    of the two leads is largest. Where the vote is tied it is not ahead, so such items come last.

    Where several values may be true, `believed` and `voted` name them all, and `plausibility` and
    `share` are those of the one value about which the two disagree most clearly: how plausible it
    is that it is true, if the model believes it, or else that it is false; so for the vote. A
    number that a model works out counts as the claimed value that it finds the most plausible.

    Parameters
    ----------
    model
        A fitted model of any kind.
    claims
        The claims to look at: as a rule those of the fit.
    limit
        How many items at most; None for all.
    known_truth
        Truth that was given to the fit. Its items need no label, and are not listed.

    Examples
    --------
    >>> from veracity import OneCoin, datasets
    >>> from veracity.evaluation.disagreements import disagreements
    >>> claims = datasets.example.load().claims
    >>> listed = disagreements(OneCoin().fit(claims), claims, limit=5)
    >>> listed.column_names[:5]
    ['entity', 'attribute', 'value', 'believed', 'plausibility']
    """
    if limit is not None and limit < 1:
        raise InvalidParameter(f"limit must be 1 or more, or None for all. Got {limit!r} instead.")
    model._check_fitted("disagreements")
    claims = Claims.of(claims)
    matrix = claims.matrix
    ours = _Side(matrix, model._judge_as_fitted(claims), model.random_state)
    theirs = _Side(matrix, judge_only(MajorityVote(smoothing=0.0), claims), model.random_state)
    differs = ours.believed != theirs.believed
    at, lead = _clearest(matrix, differs, ours.lead(theirs) * theirs.lead(ours))
    if known_truth is not None:
        asked = ~KnownTruth.of(known_truth, claims).settled[matrix.item_of_statement[at]]
        at, lead = at[asked], lead[asked]
    item = matrix.item_of_statement[at]
    n_sources = speakers(matrix)[item]
    order = np.lexsort((item, -n_sources, -ours.held[at], -lead))[:limit]
    at, item = at[order], item[order]
    return Table(
        "disagreements",
        pa.table(
            {
                "entity": take_labels(matrix.entities, matrix.entity_index[item]),
                "attribute": take_labels(matrix.attributes, matrix.attribute_index[item]),
                "value": pa.nulls(len(at), pa.string()),
                "believed": ours.labels(item),
                "plausibility": to_arrow(ours.held[at]),
                "voted": theirs.labels(item),
                "share": to_arrow(theirs.held[at]),
                "n_sources": to_arrow(n_sources[order]),
            }
        ),
    )


class _Side:
    """The verdicts of one of the two.

    Attributes
    ----------
    matrix, verdict, estimates
        The claims, the statements that are believed, and numbers that were worked out, if any.
    plausibility, believed
        Of each statement, and whether it is believed to be true; (n_statements,).
    held
        The plausibility of what is believed about the statement's item, where one value is true;
        elsewhere of what is believed about the statement; (n_statements,).
    """

    def __init__(self, matrix: ClaimMatrix, found: Judgement, random_state: int) -> None:
        self.matrix, self.estimates, self.plausibility = matrix, found.estimates, found.plausibility
        self.verdict = decide(matrix, found.plausibility, random_state, found.score)
        self.believed = np.zeros(matrix.n_statements, np.bool_)
        self.believed[self.verdict.statement] = self.verdict.holds
        p, item = self.plausibility, matrix.item_of_statement
        by_itself = np.where(self.believed, p, 1.0 - p)
        self.held = np.where(matrix.kind_is("single")[item], p[self.chosen()][item], by_itself)

    def chosen(self) -> Places:
        """Return the statement of each item that is believed first; (n_items,)."""
        item = self.matrix.item_of_statement[self.verdict.statement]
        return self.verdict.statement[np.searchsorted(item, np.arange(self.matrix.n_items))]

    def lead(self, other: _Side) -> Floats:
        """Return how far ahead what is believed is of what the other believes; (n_statements,).

        Where one value is true, that is the plausibility of the one's value less that of the
        other's. A statement that is judged by itself has its opposite for a rival.
        """
        item = self.matrix.item_of_statement
        rival = self.plausibility[other.chosen()][item]
        rival = np.where(self.matrix.kind_is("single")[item], rival, 1.0 - self.held)
        return np.maximum(self.held - rival, 0.0)

    def labels(self, items: Places) -> pa.Array:
        """Return the values that are believed of items, as the table of truths names them."""
        of_item = self.matrix.item_of_statement[self.verdict.statement]
        first = np.searchsorted(of_item, items)
        count = np.searchsorted(of_item, items, "right") - first
        ends = np.append(0, np.cumsum(count))
        place = np.arange(ends[-1]) + np.repeat(first - ends[:-1], count)
        table = truths_table(self.matrix, self.plausibility, self.verdict, self.estimates)
        values = table["value"].combine_chunks().take(to_arrow(place)).cast(pa.string())
        several = pa.ListArray.from_arrays(to_arrow(ends.astype(np.int32)), values)
        return pc.binary_join(several, BETWEEN)


def _clearest(matrix: ClaimMatrix, differs: Bits, lead: Floats) -> tuple[Places, Floats]:
    """Return, for each item with a disagreement, the statement where it is clearest, and how."""
    at = np.flatnonzero(differs)
    item = matrix.item_of_statement[at]
    order = np.lexsort((at, -lead[at], item))
    at = at[order[starts_mask(item[order])]]
    return at, lead[at]


# As a file to be filled in


def check_list_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """Refuse a file for the list that cannot be written, or that may hold labels already."""
    target = Path(path)
    if target.suffix.lower() != ".csv":
        raise InvalidParameter(
            f"The list is written as CSV: name a file.csv. Got {target} instead."
        )
    check_target(target)
    if target.exists() and not overwrite:
        raise OutputError(
            f"{target} exists already, and may have been filled in. Name another file, or replace "
            "it with --overwrite (in Python: overwrite=True)."
        )
    return target


def write_list(listed: Table, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write disagreements to a CSV file, whole or not at all; filled in, it is a truth table.

    Rows whose `value` is left empty do not count when the file is read as truth.
    """
    target = check_list_file(path, overwrite=overwrite)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(listed.column_names)
    for row in listed.to_pylist():
        writer.writerow(
            round(cell, DECIMALS) if isinstance(cell, float) else cell for cell in row.values()
        )
    write_whole(target, text.getvalue())
    return target
