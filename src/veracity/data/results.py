"""What comes out: the tables of truths, statements and sources, from plausibilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.grouping import distinct, starts_mask
from veracity.data.label_hash import label_hash, mix
from veracity.data.matrix import ClaimMatrix, Floats
from veracity.data.tables import Table

#: Plausibilities this close are a tie: sums of weights differ by rounding alone.
TIE_TOLERANCE = 1e-9
#: From here on, a statement about an attribute with several true values is believed.
BELIEVED = 0.5


@dataclass(frozen=True)
class SourceRates:
    """How reliable each source is; the first three in [0, 1], NaN where nothing is known."""

    reliability: Floats
    tpr: Floats
    fpr: Floats


@dataclass(frozen=True, eq=False)
class Verdict:
    """Which statements are believed.

    Attributes
    ----------
    statement
        The believed statements, by item and falling plausibility; (n_truths,).
    holds
        Whether the statement is believed true; False only for boolean items; (n_truths,).
    tie
        Whether another value was exactly as plausible; (n_truths,).
    margin
        Plausibility less that of the next value or, where a statement is judged by itself
        (boolean items, several true values), less that of its opposite; (n_truths,).
    """

    statement: npt.NDArray[np.int64]
    holds: npt.NDArray[np.bool_]
    tie: npt.NDArray[np.bool_]
    margin: Floats


def decide(matrix: ClaimMatrix, plausibility: Floats, random_state: int) -> Verdict:
    """Choose the values to believe; a tie is broken by a hash of labels and seed, and flagged."""
    item = matrix.item_of_statement
    order = _ranked(matrix, plausibility, random_state)
    ranked = plausibility[order]
    first = np.zeros(len(order), np.bool_)
    first[matrix.statement_start[:-1]] = True  # each item keeps its range when ranked within it
    has_next = np.append(~first[1:], False)
    following = np.where(has_next, np.append(ranked[1:], 0.0), 0.0)
    margin = ranked - following
    multiple = matrix.kind_is("multiple")[item]
    boolean = matrix.kind_is("boolean")[item]
    believed = first | (multiple & (ranked >= BELIEVED))
    tie = first & has_next & (margin <= TIE_TOLERANCE) & ~(multiple & (ranked >= BELIEVED))
    undecided = boolean & (np.abs(ranked - BELIEVED) <= TIE_TOLERANCE)
    heads = _priority(matrix, order, random_state) % np.uint64(2) == 0 if undecided.any() else first
    holds = ~boolean | np.where(undecided, heads, ranked > BELIEVED)
    margin = np.where(boolean | multiple, np.abs(2 * ranked - 1), margin)
    return Verdict(order[believed], holds[believed], (tie | undecided)[believed], margin[believed])


def _ranked(matrix: ClaimMatrix, plausibility: Floats, seed: int) -> npt.NDArray[np.int64]:
    """Order the statements of each item by falling plausibility, equal ones by their hash."""
    item = matrix.item_of_statement
    order = np.lexsort((-plausibility, item))
    same = ~starts_mask(item) & (np.abs(np.diff(plausibility[order], prepend=2)) <= TIE_TOLERANCE)
    if not same.any():
        return order
    run = np.cumsum(~same)  # numbers the runs of equal plausibility
    tied = np.flatnonzero(same | np.append(same[1:], False))
    priority = _priority(matrix, order[tied], seed)
    order[tied] = order[tied][np.lexsort((priority, run[tied]))]
    return order


def _priority(
    matrix: ClaimMatrix, statement: npt.NDArray[np.int64], seed: int
) -> npt.NDArray[np.uint64]:
    """Hash statements by what they say, so that neither rows nor sources have a part in it."""
    item = matrix.item_of_statement[statement]
    value = label_hash(_labels(matrix.values, matrix.value_index[statement]), seed)
    entity = label_hash(_labels(matrix.entities, matrix.entity_index[item]), seed + 1)
    attribute = label_hash(_labels(matrix.attributes, matrix.attribute_index[item]), seed + 2)
    return mix(value ^ mix(entity ^ mix(attribute)))


def _labels(labels: pa.StringArray, index: npt.NDArray[np.integer]) -> pa.StringArray:
    return pc.take(labels, pa.array(index))


def truths_table(matrix: ClaimMatrix, plausibility: Floats, verdict: Verdict) -> Table:
    """One row per item, or per believed value where several may be true."""
    statement, item = verdict.statement, matrix.item_of_statement[verdict.statement]
    believed = plausibility[statement]
    return Table(
        "truths",
        pa.table(
            {
                "entity": _labels(matrix.entities, matrix.entity_index[item]),
                "attribute": _labels(matrix.attributes, matrix.attribute_index[item]),
                "value": _labels(matrix.values, believed_values(matrix, verdict)),
                "plausibility": np.where(verdict.holds, believed, 1 - believed),
                "margin": verdict.margin,
                "n_sources": speakers(matrix)[item],
                "n_values": claimed_values(matrix)[item],
                "tie": verdict.tie,
            }
        ),
    )


def believed_values(matrix: ClaimMatrix, verdict: Verdict) -> npt.NDArray[np.int64]:
    """Return the index of each believed value: of a boolean statement that fails, its opposite."""
    value = matrix.value_index[verdict.statement].astype(np.int64)
    if verdict.holds.all():
        return value
    words = {word: index for index, word in enumerate(matrix.values.to_pylist())}
    negative = np.array([words.get(profile.negative, -1) for profile in matrix.profiles])
    attribute = matrix.attribute_index[matrix.item_of_statement[verdict.statement]]
    return np.where(verdict.holds, value, negative[attribute])


def speakers(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the sources that speak about each item; (n_items,)."""
    return _count_sources(matrix, slice(None))


def naming_sources(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the sources that name at least one value of each item; (n_items,)."""
    return _count_sources(matrix, matrix.claim_value == 1)


def _count_sources(
    matrix: ClaimMatrix, claims: npt.NDArray[np.bool_] | slice
) -> npt.NDArray[np.int64]:
    pairs = distinct(matrix.pair_of_claim[claims])
    return np.bincount(pairs // matrix.n_sources, minlength=matrix.n_items)


def claimed_values(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the values in play for each item; a boolean item has one or two; (n_items,)."""
    n_statements = np.diff(matrix.statement_start)
    said_yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
    n_claims = np.bincount(matrix.statement_index, minlength=matrix.n_statements)
    both = (said_yes > 0) & (said_yes < n_claims)
    boolean = matrix.kind_is("boolean")
    return np.where(boolean, 1 + both[matrix.statement_start[:-1]], n_statements)


def statements_table(matrix: ClaimMatrix, plausibility: Floats) -> Table:
    """Every statement with its plausibility and how many sources support or deny it."""
    item = matrix.item_of_statement
    supporters = matrix.sum_by_statement(matrix.claim_value.astype(np.float64)).astype(np.int64)
    return Table(
        "statements",
        pa.table(
            {
                "entity": _labels(matrix.entities, matrix.entity_index[item]),
                "attribute": _labels(matrix.attributes, matrix.attribute_index[item]),
                "value": _labels(matrix.values, matrix.value_index),
                "plausibility": plausibility,
                "supporters": supporters,
                "deniers": deniers(matrix),
            }
        ),
    )


def deniers(matrix: ClaimMatrix) -> npt.NDArray[np.int64]:
    """Count the claims against each statement: those who say no, and those who name another."""
    said_no = np.bincount(
        matrix.statement_index[matrix.claim_value == 0], minlength=matrix.n_statements
    )
    said_yes = np.bincount(
        matrix.statement_index[matrix.claim_value == 1], minlength=matrix.n_statements
    )
    item = matrix.item_of_statement
    name_another = np.maximum(naming_sources(matrix)[item] - said_yes, 0)
    return said_no + np.where(matrix.kind_is("boolean")[item], 0, name_another)


def sources_table(matrix: ClaimMatrix, rates: SourceRates, verdict: Verdict) -> Table:
    """Every source with its number of claims, its rates, and how often it is believed."""
    return Table(
        "sources",
        pa.table(
            {
                "source": matrix.sources,
                "n_claims": np.bincount(matrix.source_index, minlength=matrix.n_sources),
                "reliability": rates.reliability,
                "tpr": pa.array(rates.tpr, from_pandas=True),
                "fpr": pa.array(rates.fpr, from_pandas=True),
                "agreement": agreement(matrix, verdict),
            }
        ),
    )


def agreement(matrix: ClaimMatrix, verdict: Verdict) -> Floats:
    """Return the share of each source's claims that agree with what is believed; (n_sources,)."""
    believed = np.zeros(matrix.n_statements, np.bool_)
    believed[verdict.statement] = verdict.holds
    agrees = believed[matrix.statement_index] == (matrix.claim_value == 1)
    n_claims = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return matrix.sum_by_source(agrees.astype(np.float64)) / n_claims
