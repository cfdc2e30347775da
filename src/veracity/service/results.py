"""The result tables of a run, read from its folder and laid beside its claim matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.labels.lookup import bits
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.decisions import ACCEPT, REVIEW, UNDECIDED
from veracity.data.truth.known import KnownTruth, items_of, label_codes
from veracity.errors import InputError, listing
from veracity.models.patterns.naming import PATTERN, PATTERN_OF
from veracity.workflow import SavedRun

DECISIONS = (ACCEPT, REVIEW, UNDECIDED)
RATES = tuple(
    f"{rate}{end}" for rate in ("reliability", "tpr", "fpr") for end in ("", "_low", "_high")
)


@dataclass(frozen=True, eq=False)
class Results:
    """Results of a run, in the order of its claim matrix.

    Attributes
    ----------
    plausibility, believed
        Of each statement; (n_statements,).
    value
        The believed value of each item, of several the most plausible; (n_items,).
    statement
        The statement that it is, or that it denies; (n_items,).
    holds
        Whether the statement is believed: False where its opposite, or a value that nobody claims,
        is; (n_items,).
    item_plausibility, margin, n_sources, n_values, tie
        Of the believed value; (n_items,).
    decision
        By its place in `DECISIONS`; (n_items,).
    hardness
        Of each item; NaN where the model does not say; (n_items,).
    standard_error, low, high
        Of a believed number and its interval; NaN for others; (n_items,).
    interval
        What the interval is, None where the model does not say; (n_items,).
    known
        Whether the truth was given; (n_items,).
    agreement, rates
        Of sources; NaN where nothing is known; (n_sources,).
    pattern, pattern_of
        Who answers like a spammer, and whom copiers repeat; None for most sources.
    """

    plausibility: Floats
    believed: Mask
    value: pa.StringArray
    statement: Indices
    holds: Mask
    item_plausibility: Floats
    margin: Floats
    n_sources: npt.NDArray[np.int32]
    n_values: npt.NDArray[np.int32]
    tie: Mask
    decision: npt.NDArray[np.uint8]
    hardness: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    interval: list[str | None]
    known: Mask
    agreement: Floats
    rates: dict[str, Floats]
    pattern: list[str | None]
    pattern_of: list[str | None]


def read_results(saved: SavedRun) -> Results:
    """Read the tables of a run; refuse those that do not belong to its claims."""
    claims = saved.claims
    known = np.zeros(claims.matrix.n_items, np.bool_)
    if saved.known_truth is not None:
        known = KnownTruth.of(saved.known_truth, claims).settled
    tables = (saved.truths, saved.statements, saved.sources)
    try:
        return lay_beside(claims.matrix, known, *(table.to_arrow() for table in tables))
    except InputError as error:
        raise InputError(f"{saved.folder} is damaged: {error} Make the run again.") from error


def lay_beside(
    matrix: ClaimMatrix, known: Mask, truths: pa.Table, statements: pa.Table, sources: pa.Table
) -> Results:
    """Bring result tables into the order of a claim matrix."""
    plausibility = _plausibility(matrix, statements)
    item = items_of(matrix, truths)
    about, first = _first_rows(matrix, item)
    chosen = truths.take(to_arrow(first))
    believed, own, holds = _believed(matrix, truths, item, first, about, plausibility)
    decision = label_codes(chosen["decision"], pa.array(DECISIONS, pa.string()))
    if (decision < 0).any():
        raise InputError(f"in the truths, a decision is none of {listing(DECISIONS)}.")
    agreement, rates = _rates(matrix, sources)
    return Results(
        plausibility,
        believed,
        chosen["value"].combine_chunks(),
        own,
        holds,
        to_numpy(chosen["plausibility"]),
        to_numpy(chosen["margin"]),
        to_numpy(chosen["n_sources"]).astype(np.int32),
        to_numpy(chosen["n_values"]).astype(np.int32),
        bits(chosen["tie"].combine_chunks()),
        decision.astype(np.uint8),
        _of_item(chosen, "hardness"),
        _of_item(chosen, "standard_error"),
        _of_item(chosen, "low"),
        _of_item(chosen, "high"),
        _names(chosen, "interval"),
        known,
        agreement,
        rates,
        *(_words(matrix, sources, name) for name in (PATTERN, PATTERN_OF)),
    )


def _names(chosen: pa.Table, name: str) -> list[str | None]:
    """Return a column of words by item, None where the model does not say."""
    if name not in chosen.column_names:
        return [None] * chosen.num_rows
    return list(chosen[name].to_pylist())


def _of_item(chosen: pa.Table, name: str) -> Floats:
    """Return a column of numbers by item, NaN where the model does not say."""
    if name not in chosen.column_names:
        return np.full(chosen.num_rows, np.nan)
    return np.array(to_numpy(chosen[name].cast(pa.float64())))


def _plausibility(matrix: ClaimMatrix, statements: pa.Table) -> Floats:
    """Return the plausibility of each statement of the matrix."""
    given = to_numpy(statements["plausibility"])
    item = items_of(matrix, statements)
    place = _statements(matrix, item, statements["value"])
    if len(given) != matrix.n_statements or (place < 0).any():
        raise InputError("the statements are not those of claims.parquet.")
    plausibility = np.full(matrix.n_statements, np.nan)
    plausibility[place] = given
    if not ((plausibility >= 0) & (plausibility <= 1)).all():
        raise InputError("in the statements, a plausibility is missing or not from 0 to 1.")
    return plausibility


def _statements(matrix: ClaimMatrix, item: Indices, values: pa.ChunkedArray) -> Indices:
    """Return the statement of each item with a value, -1 where there is none."""
    value = label_codes(values, matrix.values)
    n_values = len(matrix.values)
    keys = matrix.item_of_statement.astype(np.int64) * n_values + matrix.value_index
    order = np.argsort(keys, kind="stable")
    wanted = item * n_values + value
    place = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    statement = order[place]
    return np.where((item >= 0) & (value >= 0) & (keys[statement] == wanted), statement, -1)


def _first_rows(matrix: ClaimMatrix, item: Indices) -> tuple[Indices, Indices]:
    """Return the rows of truths about an item of the matrix, and the first about each item."""
    about = np.flatnonzero(item >= 0)
    first = np.full(matrix.n_items, -1)
    first[item[about[::-1]]] = about[::-1]  # the last assignment, that of the first row, stays
    if (first < 0).any():
        count = int((first < 0).sum())
        raise InputError(f"the truths say nothing about {count:,} of the items.")
    return about, first


def _believed(
    matrix: ClaimMatrix,
    truths: pa.Table,
    item: Indices,
    first: Indices,
    about: Indices,
    plausibility: Floats,
) -> tuple[Mask, Indices, Mask]:
    """Return which statements are believed, and of each item the statement of its first value."""
    statement = np.full(len(item), -1)
    rows = truths.take(to_arrow(about))
    statement[about] = _statements(matrix, item[about], rows["value"])
    believed = np.zeros(matrix.n_statements, np.bool_)
    believed[statement[statement >= 0]] = True
    own = statement[first]
    return believed, np.where(own >= 0, own, _likeliest(matrix, plausibility)), own >= 0


def _likeliest(matrix: ClaimMatrix, plausibility: Floats) -> Indices:
    """Return the most plausible statement of each item."""
    start, item = matrix.statement_start[:-1], matrix.item_of_statement
    top = np.flatnonzero(plausibility == np.maximum.reduceat(plausibility, start)[item])
    chosen = np.empty(matrix.n_items, np.int64)
    chosen[item[top[::-1]]] = top[::-1]
    return chosen


def _rates(matrix: ClaimMatrix, sources: pa.Table) -> tuple[Floats, dict[str, Floats]]:
    """Return agreement and rates of each source of the matrix."""
    row = label_codes(pa.chunked_array([matrix.sources]), sources["source"].combine_chunks())
    if (row < 0).any():
        name = take_labels(matrix.sources, np.flatnonzero(row < 0)[:1])[0].as_py()
        raise InputError(f"the sources say nothing about {name!r}.")
    nothing = np.full(matrix.n_sources, np.nan)
    rates = {
        rate: to_numpy(sources[rate])[row] if rate in sources.column_names else nothing
        for rate in RATES
    }
    return to_numpy(sources["agreement"])[row], rates


def _words(matrix: ClaimMatrix, sources: pa.Table, name: str) -> list[str | None]:
    """Return a column of words of each source of the matrix; None where it is empty."""
    if name not in sources.column_names:
        return [None] * matrix.n_sources
    row = label_codes(pa.chunked_array([matrix.sources]), sources["source"].combine_chunks())
    words: list[str | None] = sources[name].take(to_arrow(row)).to_pylist()
    return words
