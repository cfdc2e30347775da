"""Who stands behind a verdict, and who against it: the claims on each believed value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Indices, Mask
from veracity.data.buffers import take_labels, to_numpy
from veracity.data.encode.denials import implied_denials, naming_claims
from veracity.data.encode.grouping import among, distinct
from veracity.data.matrix import ClaimMatrix


@dataclass(frozen=True, eq=False)
class Standing:
    """The claims for and against each verdict of a table of truths.

    Attributes
    ----------
    n_verdicts
        How many verdicts there are.
    supported, support
        Pairs of a verdict and a claim that says the same.
    denied, denier
        Pairs of a verdict and a source that says otherwise and does not support it.
    """

    n_verdicts: int
    supported: Indices
    support: Indices
    denied: Indices
    denier: Indices

    @classmethod
    def of(cls, truths: pa.Table, matrix: ClaimMatrix) -> Standing:
        """Find the claims on the verdicts of a table of truths.

        A value that nobody claims, since it was given as known truth, has nobody behind it. One
        that was worked out as a number has nobody behind it and nobody against it.
        """
        item, statement, holds = _believed(truths, matrix)
        verdict, claim = _claims_of(item, matrix)
        says, same = matrix.claim_value[claim] == 1, matrix.statement_index[claim]
        same_statement = same == statement[verdict]
        supports = same_statement & (says == holds[verdict])
        contradicts = same_statement & (says != holds[verdict]) & ~implied_denials(matrix)[claim]
        against = contradicts | (~same_statement & naming_claims(matrix)[claim])
        pair = verdict * matrix.n_sources + matrix.source_index[claim]
        denials = distinct(pair[against])
        denials = denials[~among(denials, distinct(pair[supports]))]
        denied, denier = np.divmod(denials, matrix.n_sources)
        return cls(len(item), verdict[supports], claim[supports], denied, denier)

    def supporting_sources(self, matrix: ClaimMatrix) -> pa.ListArray:
        """List the sources that support each verdict."""
        source = matrix.source_index[self.support].astype(np.int64)
        return self._lists(self.supported, source, matrix.sources)

    def denying_sources(self, matrix: ClaimMatrix) -> pa.ListArray:
        """List the sources that deny each verdict."""
        return self._lists(self.denied, self.denier, matrix.sources)

    def records(self, matrix: ClaimMatrix, record: Indices, ids: pa.StringArray) -> pa.ListArray:
        """List the records that each verdict comes from.

        `record` is the record of each row of the claims, and `ids` what records are called.
        """
        return self._lists(self.supported, record[matrix.row[self.support]], ids)

    def _lists(self, verdict: Indices, label: Indices, labels: pa.StringArray) -> pa.ListArray:
        """Gather labels by verdict, each once and in order."""
        pairs = distinct(verdict * max(len(labels), 1) + label)
        verdict, label = np.divmod(pairs, max(len(labels), 1))
        start = np.searchsorted(verdict, np.arange(self.n_verdicts + 1)).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(start), take_labels(labels, label))


def agreement_by_attribute(truths: pa.Table, matrix: ClaimMatrix) -> pa.Table:
    """Count how often each source is believed, by attribute, about items that others speak about.

    The least believed come first.
    """
    standing = Standing.of(truths, matrix)
    item_of = matrix.item_of_claim
    pairs = distinct(matrix.pair_of_claim)
    speakers = np.bincount(pairs // matrix.n_sources, minlength=matrix.n_items)
    agrees = np.zeros(matrix.n_claims, np.bool_)
    agrees[standing.support] = True
    compared = speakers[item_of] > 1
    group = matrix.source_index.astype(np.int64) * len(matrix.attributes)
    group += matrix.attribute_index[item_of]
    size = matrix.n_sources * len(matrix.attributes)
    n_claims = np.bincount(group[compared], minlength=size)
    believed = np.bincount(group[compared & agrees], minlength=size)
    there = np.flatnonzero(n_claims)
    source, attribute = np.divmod(there, len(matrix.attributes))
    table = pa.table(
        {
            "source": take_labels(matrix.sources, source),
            "attribute": take_labels(matrix.attributes, attribute),
            "n_claims": pa.array(n_claims[there]),
            "agreement": pa.array(believed[there] / n_claims[there]),
        }
    )
    order = [("agreement", "ascending"), ("n_claims", "descending"), ("source", "ascending")]
    return table.sort_by(order)


def _believed(truths: pa.Table, matrix: ClaimMatrix) -> tuple[Indices, Indices, Mask]:
    """Return the item and the statement of each verdict, -1 for none, and whether it holds."""
    entity = _places(truths["entity"], matrix.entities)
    attribute = _places(truths["attribute"], matrix.attributes)
    value = _places(truths["value"], matrix.values)
    items = matrix.entity_index.astype(np.int64) * len(matrix.attributes) + matrix.attribute_index
    item = _find(items, entity * len(matrix.attributes) + attribute)
    item[(entity < 0) | (attribute < 0)] = -1
    if "standard_error" in truths.column_names:
        item[np.asarray(pc.is_valid(truths["standard_error"]))] = -1
    statements = matrix.item_of_statement.astype(np.int64) * len(matrix.values) + matrix.value_index
    statement = _find(statements, item * len(matrix.values) + value)
    statement[(item < 0) | (value < 0)] = -1
    holds = np.ones(len(item), np.bool_)
    fails = (item >= 0) & (statement < 0) & matrix.kind_is("boolean")[item]
    statement[fails] = matrix.statement_start[item[fails]]  # the only one, believed to be false
    holds[fails] = False
    return item, statement, holds


def _places(column: pa.ChunkedArray, labels: pa.StringArray) -> Indices:
    places = pc.index_in(column.cast(pa.string()), value_set=labels.cast(pa.string()))
    return to_numpy(pc.fill_null(places, -1)).astype(np.int64)


def _find(keys: Indices, wanted: Indices) -> Indices:
    """Return the place of each wanted key among keys, -1 where it is not there."""
    order = np.argsort(keys, kind="stable")
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return np.where(keys[order[at]] == wanted, order[at], -1)


def _claims_of(item: Indices, matrix: ClaimMatrix) -> tuple[Indices, Indices]:
    """Return pairs of a verdict and a claim on its item."""
    known = np.flatnonzero(item >= 0)
    start, end = matrix.claim_start[item[known]], matrix.claim_start[item[known] + 1]
    size = end - start
    verdict = np.repeat(known, size)
    within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    return verdict, np.repeat(start, size) + within
