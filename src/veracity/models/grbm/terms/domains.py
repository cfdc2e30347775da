"""Domains: a source may know one topic well and another badly (Lin and Chen, 2018).

Claims of domain d get v_d + v_sd: what holds of the domain, and what a source is in it beyond that.
Both are drawn to 0, so the reliability of a source in a domain is drawn to the source's own, which
is drawn to that of all sources in the domain. For domains of items, v_d is 0. A source that says
nothing about a domain, a source that is new and a domain that is new have nothing of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.notes import Note, plural
from veracity.data.output.tables import Table
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.errors import InvalidParameter
from veracity.features.builder import claim_categories
from veracity.features.codes import Coded
from veracity.features.counts import CategoryCounts
from veracity.features.thresholds import MAX_DISTINCT_SHARE
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.terms.base import ATTRIBUTE, Arrays

#: So many of the commonest domains have a reliability of their own.
MAX_DOMAINS = 50

_SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("domain", pa.string()),
        ("n_claims", pa.int64()),
        ("reliability", pa.float64()),
    ]
)


@dataclass(frozen=True, eq=False)
class Domains:
    """A column of domains: a number 0 or 1 for each of them.

    Attributes
    ----------
    column
        The feature column, or ``"attribute"`` for the attribute of claims.
    labels
        The domains. Claims of any other, or of none, have the reliability of their source.
    """

    column: str
    labels: tuple[str, ...]

    kind = "domains"
    # A domain may differ from all others as m may from its start. A source is drawn to itself twice
    # as closely, in deviations, as sources are to one another.
    precision = 5.0
    own_precision = 4.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The feature column."""
        return (self.column,)

    @property
    def names(self) -> tuple[str, ...]:
        """One column for each domain."""
        return tuple(f"{self.column} = {label}" for label in self.labels)

    def encode(self, claims: Claims, place: Indices) -> Coded:
        """Return 1 for the domain of each claim, and 0 for all others."""
        found = _domains_of(claims, self.column)
        size = len(self.labels)
        code = {label: number for number, label in enumerate(self.labels)}
        codes = [code.get(label, size) for label in _texts(found)]
        of_label = np.array([*codes, size], np.int64)
        index = to_numpy(found.indices.fill_null(len(codes)))
        return Coded(of_label[index], np.eye(size + 1, size), self.names)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return what was learned, as plain data and arrays."""
        return {"column": self.column, "labels": list(self.labels)}, {}

    @classmethod
    def of_state(cls, state: dict[str, Any], arrays: Arrays) -> Domains:
        """Return what was saved."""
        return cls(state["column"], tuple(state["labels"]))


def _domains_of(claims: Claims, column: str) -> pa.DictionaryArray:
    """Return the domain of each claim of the matrix."""
    if column != ATTRIBUTE:
        return claim_categories(claims, column)
    matrix = claims.matrix
    index = matrix.attribute_index[matrix.item_of_claim]
    return pa.DictionaryArray.from_arrays(to_arrow(index), matrix.attributes)


def _texts(column: pa.DictionaryArray) -> list[str]:
    return list(column.dictionary.cast(pa.string()).to_pylist())


def learn_domains(blocks: Blocks[ClaimBlock], column: str) -> tuple[Domains | None, list[Note]]:
    """Learn which domains there are, with what a user should know; None where there is only one."""
    counts: CategoryCounts = blocks.total(_count, column)["counts"]
    n_claims = sum(counts.labels.values()) + counts.n_missing
    if len(counts.labels) > MAX_DISTINCT_SHARE * n_claims:
        raise InvalidParameter(
            f"Column {column!r} has {len(counts.labels):,} distinct cells for {n_claims:,} claims, "
            "so it names claims or entities, not domains. Give a column of topics or the like."
        )
    notes = []
    if counts.n_missing:
        text = (
            f"{plural(counts.n_missing, 'claim')} of {n_claims:,} have no domain ({column}): the "
            "reliability of their source counts."
        )
        notes.append(Note("domains", text, counts.n_missing))
    if len(counts.labels) < 2:
        text = (
            f"There is only one domain in {column!r}, so domains change nothing and are not used."
        )
        return None, [*notes, Note("domains", text)]
    ranked = sorted(counts.labels, key=lambda label: (-counts.labels[label], label))
    if len(ranked) > MAX_DOMAINS:
        text = (
            f"The {MAX_DOMAINS} commonest of {len(ranked):,} domains ({column}) have reliabilities "
            "of their own. In the others, the reliability of the source counts."
        )
        notes.append(Note("domains", text))
    return Domains(column, tuple(sorted(ranked[:MAX_DOMAINS]))), notes


def _count(block: ClaimBlock, column: str) -> Sums:
    found = _domains_of(block.claims, column)
    texts = pa.DictionaryArray.from_arrays(found.indices, pa.array(_texts(found), pa.string()))
    return {"counts": CategoryCounts.of(texts)}


# Reliability by domain


def reliability_by_domain(
    blocks: Blocks[BlockObjective], x: Floats, domains: Domains, first: int, sources: pa.StringArray
) -> Table:
    """Return the mean reliability of the claims of each source in each domain that it speaks about.

    The columns of domains begin at `first` among those of all terms.
    """
    n = len(domains.labels)
    sums = blocks.total(_rates, x, first, n, len(sources))
    n_claims, right = (sums[name].everywhere() for name in ("n_claims", "right"))
    source, domain = np.nonzero(n_claims)
    count = n_claims[source, domain]
    columns = {
        "source": take_labels(sources, source),
        "domain": take_labels(pa.array(domains.labels, pa.string()), domain),
        "n_claims": to_arrow(count.astype(np.int64)),
        "reliability": to_arrow(right[source, domain] / count),
    }
    return Table("reliability by domain", pa.table(columns, _SCHEMA))


def domain_table(rows: list[dict[str, Any]]) -> Table:
    """Return the table of reliability by domain, from its rows."""
    return Table("reliability by domain", pa.Table.from_pylist(rows, schema=_SCHEMA))


def _rates(block: BlockObjective, x: Floats, first: int, n_domains: int, n_sources: int) -> Sums:
    """Count claims, and add up their reliability, for each source and domain; (n_sources, n)."""
    data, matrix = block.data, block.data.matrix
    of_row = block.columns_of_terms[:, first : first + n_domains]
    domain = np.where(of_row.any(axis=1), of_row.argmax(axis=1), -1)[data.row]
    here = domain >= 0
    pair = (matrix.source_index.astype(np.int64) * n_domains + domain)[here]
    right = block.rates(block.own(x)).right[here]
    shape, size = (matrix.n_sources, n_domains), matrix.n_sources * n_domains
    numbers = {"n_claims": np.ones(len(pair)), "right": right}
    return {
        name: Scattered(block.place, sum_by(pair, own, size).reshape(shape), n_sources)
        for name, own in numbers.items()
    }
