"""A block of claims as the passes over it see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask, freeze, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.encode.denials import (
    CLAIMS_TOO,
    REDUNDANT,
    SET_ASIDE,
    SPEAKS_AND_CLAIMS,
    ClaimRoles,
    claim_roles,
)
from veracity.data.labels.hashes import Hashes
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, UNKNOWN, KnownTruth
from veracity.errors import InvalidParameter
from veracity.features import FeatureBuilder
from veracity.features.codes import Coded, combine, distinct_codes
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.families import family_weights
from veracity.models.grbm.held_out import hide
from veracity.models.grbm.sequences import Past, SequenceKind, no_time, sequence_rows
from veracity.models.grbm.terms.base import Term
from veracity.models.grbm.theta import sigmoid, softplus


class Rows(NamedTuple):
    """The rows by which claims see eta: a source with one vector of features.

    Attributes
    ----------
    row
        Of each claim; (n_claims,).
    source
        Of each row; (n_rows,).
    features
        Of each row; (n_rows, n_features).
    terms
        The columns of terms of each row, see `veracity.models.grbm.terms`; (n_rows, n_columns).
        None without terms.
    state, row_of
        Where features depend on the statement: the state of each statement, and the row for that of
        a claim and a state, see `FeatureRows`; None where they do not.
    past
        What came before each row, for a reliability function that reads it; else None.
    """

    row: npt.NDArray[np.int32]
    source: Indices
    features: Floats
    state: npt.NDArray[np.int32] | None = None
    row_of: npt.NDArray[np.int32] | None = None
    past: Past | None = None
    terms: Floats | None = None


def rows_of(
    claims: Claims,
    builder: FeatureBuilder | None,
    by_source: bool = True,
    terms: Sequence[Coded] = (),
) -> Rows:
    """Return the rows of claims: one for each vector of features and, as a rule, each source."""
    matrix = claims.matrix
    if terms:
        return _rows_with_terms(claims, builder, terms)
    if builder is None:
        sources = np.arange(matrix.n_sources)
        return Rows(matrix.source_index, sources, np.zeros((matrix.n_sources, 0)))
    index = np.arange(matrix.n_sources, dtype=np.float64)[:, None]
    coded = Coded(matrix.source_index.astype(np.int64), index, ("source",))
    found = builder.transform(claims, [coded] if by_source else [])
    depends = found.row_of.shape[1] > 1
    state, row_of = (found.state_of_statement, found.row_of) if depends else (None, None)
    if not by_source:
        nobody = np.full(found.n_rows, -1)
        return Rows(found.row_of_claim, nobody, found.values, state, row_of)
    source = found.values[:, -1].astype(np.int64)
    return Rows(found.row_of_claim, source, found.values[:, :-1], state, row_of)


def with_past(rows: Rows, claims: Claims, roles: ClaimRoles, sequence: SequenceKind) -> Rows:
    """Return rows of claims one by one, with what came before each; see `sequence_rows`."""
    if rows.row_of is not None:
        raise InvalidParameter(
            "The feature 'claims of statement' counts the claim itself and those after it, so a "
            "function of what came before cannot read it. Leave it out, or use reliability='mlp'."
        )
    found = sequence_rows(claims, roles, sequence)
    own = rows.row[found.claim]
    row = np.arange(claims.matrix.n_claims, dtype=np.int32)
    source, features = rows.source[own], rows.features[own]
    return Rows(row, source, features, found.state, found.row_of, found.past)


def _rows_with_terms(
    claims: Claims, builder: FeatureBuilder | None, terms: Sequence[Coded]
) -> Rows:
    """Return one row for each vector of features and of terms, and each source."""
    matrix = claims.matrix
    index = np.arange(matrix.n_sources, dtype=np.float64)[:, None]
    further = [*terms, Coded(matrix.source_index.astype(np.int64), index, ("source",))]
    state = row_of = None
    if builder is None:
        values, codes = combine(further, matrix.n_claims)
        row = codes.astype(np.int32)
    else:
        found = builder.transform(claims, further)
        values, row = found.values, found.row_of_claim
        if found.row_of.shape[1] > 1:
            state, row_of = found.state_of_statement, found.row_of
    first = values.shape[1] - 1 - sum(len(term.names) for term in terms)
    source = values[:, -1].astype(np.int64)
    return Rows(row, source, values[:, :first], state, row_of, terms=values[:, first:-1])


@dataclass(frozen=True, eq=False)
class BlockData:
    """Claims of a block, with all that the passes over them look up.

    Attributes
    ----------
    matrix, roles
        The claims, and the part of each in the likelihood of its item.
    rows
        The rows by which claims see eta; those of two sources differ.
    offset, offset_unseen
        Added to the score of each statement, and to that of each value of an item that nobody
        claims; -inf for what is known to be false.
    weight
        Of each claim: by what its log-probability is multiplied.
    known
        What is known of each statement, or None.
    floor
        The least e^u: 1, or 0 where sources may be worse than chance.
    threads
        How many to use; None for all cores.
    one_hot
        Of the paper's machine: whether the denial of a yes/no statement is a statement too.
    """

    matrix: ClaimMatrix
    roles: ClaimRoles
    rows: Rows
    offset: Floats
    offset_unseen: Floats
    weight: Floats
    known: npt.NDArray[np.int8] | None = None
    floor: float = 1.0
    threads: int | None = None
    one_hot: bool = False

    @classmethod
    def of(
        cls,
        matrix: ClaimMatrix,
        roles: ClaimRoles,
        rows: Rows,
        known: KnownTruth | None = None,
        floor: float = 1.0,
        threads: int | None = None,
        weight: Floats | None = None,
        one_hot: bool = False,
    ) -> BlockData:
        """Rule out what is known to be false; without weights, those of the claims count."""
        offset, unseen = _known_offsets(matrix, known)
        statement = None if known is None else known.statement
        weight = matrix.claim_weight if weight is None else weight
        return cls(matrix, roles, rows, offset, unseen, weight, statement, floor, threads, one_hot)

    @property
    def row(self) -> npt.NDArray[np.int32]:
        """The row of each claim; (n_claims,)."""
        return self.rows.row

    @property
    def source_of_row(self) -> Indices:
        """The source whose claims have a row; (n_rows,)."""
        return self.rows.source

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows.source)

    def claims_of(self, first: int, last: int) -> slice:
        """Return where the claims about a range of items are."""
        start = self.roles.claim_start
        return slice(int(start[first]), int(start[last]))

    def statements_of(self, first: int, last: int) -> slice:
        """Return where the statements of a range of items are."""
        start = self.roles.statement_start
        return slice(int(start[first]), int(start[last]))

    def statements(self, item: int) -> range:
        """Return the statements of an item."""
        start = self.roles.statement_start
        return range(int(start[item]), int(start[item + 1]))

    def first_of(self, items: AttributeRange) -> tuple[int, int]:
        """Return the first claim and the first statement about a range of items."""
        roles = self.roles
        return int(roles.claim_start[items.first]), int(roles.statement_start[items.first])

    def row_counts(self, items: AttributeRange) -> Floats:
        """Return how many claims of each row assert, and how many there are; (n_rows, 2)."""
        claims = self.claims_of(items.first, items.last)
        row, yes = self.row[claims], self.matrix.claim_value[claims] == 1
        each = (yes.astype(np.float64), np.ones(len(row)))
        return np.stack([sum_by(row, numbers, self.n_rows) for numbers in each], axis=1)

    def about_known(self) -> BlockData:
        """Return the same without the claims about items of unknown truth."""
        is_known = np.zeros(self.matrix.n_items, np.bool_)
        if self.known is not None:
            is_known = self.known[self.matrix.statement_start[:-1]] != UNKNOWN
        part = np.where(is_known[self.matrix.item_of_claim], self.roles.role, REDUNDANT)
        roles = replace(self.roles, role=part.astype(self.roles.role.dtype))
        return replace(self, roles=roles)

    def by_claim(self) -> BlockData:
        """Return the same with a row for each claim."""
        matrix, rows = self.matrix, self.rows
        own = Rows(
            np.arange(matrix.n_claims, dtype=np.int32),
            matrix.source_index.astype(np.int64),
            rows.features[rows.row],
            terms=None if rows.terms is None else rows.terms[rows.row],
        )
        return replace(self, rows=own)

    def item_arrays(self, own: AttributeRange) -> ItemArrays:
        """Return the claims about a range of items, counted from its first."""
        claims, statements = (
            self.claims_of(own.first, own.last),
            self.statements_of(own.first, own.last),
        )
        items, roles = slice(own.first, own.last), self.roles
        row, speaker = self.row[claims].astype(np.int64), roles.speaker[claims]
        counts = roles.role[claims] != SET_ASIDE
        rows, row = distinct_codes(np.where(counts, row, row[np.argmax(counts)]))
        return ItemArrays(
            ClaimRoles(
                roles.role[claims],
                speaker - claims.start if claims.start else speaker,  # a copy only if need be
                roles.claim_start[own.first : own.last + 1] - claims.start,
                roles.statement_start[own.first : own.last + 1] - statements.start,
                roles.statement_index[claims] - np.int32(statements.start),
            ),
            rows,
            row.astype(np.int32),
            self.weight[claims],
            self.offset[statements],
            self.offset_unseen[items],
            claims,
            statements,
            items,
        )

    def strength(self, eta: Floats, log_others: Floats | float) -> tuple[Floats, Floats]:
        """Return u >= 0 of eta, and du/deta: nobody is worse than chance, unless that is allowed.

        u = log(1 + e^(eta + log_others)), with log_others = log(D - 1), so that u = 0 is chance.
        """
        x = eta + log_others
        if self.floor == 0.0:
            return x, np.ones(len(x))
        return softplus(x), sigmoid(x)


@dataclass(frozen=True, eq=False)
class ClaimArrays:
    """Claims about some of the items of a block, counted from the first of these.

    Attributes
    ----------
    roles
        The part of each claim.
    rows, row
        The rows of eta that occur, and the place among them of each claim's row.
    weight
        Of each claim.
    offset, offset_unseen
        As in `BlockData`.
    """

    roles: ClaimRoles
    rows: Indices
    row: npt.NDArray[np.int32]
    weight: Floats
    offset: Floats
    offset_unseen: Floats

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.roles.n_items

    @cached_property
    def item_of_statement(self) -> Indices:
        """The item of each statement."""
        return np.repeat(np.arange(self.n_items), np.diff(self.roles.statement_start))

    @cached_property
    def names(self) -> Mask:
        """Mark the claims that name a value and count."""
        role = self.roles.role
        return np.asarray((role == SPEAKS_AND_CLAIMS) | (role == CLAIMS_TOO))

    @cached_property
    def n_single(self) -> int:
        """Number of items with a single claim."""
        return int((np.diff(self.roles.claim_start) == 1).sum())

    def kernel_arrays(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The arrays that the kernels begin with."""
        roles = self.roles
        return (
            roles.role,
            roles.claim_start,
            roles.statement_start,
            roles.statement_index,
            self.weight,
            self.row,
        )


@dataclass(frozen=True, eq=False)
class ItemArrays(ClaimArrays):
    """The claims about the items of one attribute.

    Attributes
    ----------
    claims, statements, items
        Where they are in the block.
    """

    claims: slice
    statements: slice
    items: slice


def _known_offsets(matrix: ClaimMatrix, known: KnownTruth | None) -> tuple[Floats, Floats]:
    """Return -inf for what is known to be false: statements, and values that nobody claims."""
    offset, offset_unseen = np.zeros(matrix.n_statements), np.zeros(matrix.n_items)
    if known is not None:
        offset[known.statement == FALSE] = -np.inf
        offset_unseen[matrix.item_of_statement[known.statement == TRUE]] = -np.inf
    return offset, offset_unseen


@dataclass(frozen=True, eq=False)
class PreparedBlock:
    """A block with what all fits to it have in common, so that it is made once.

    Attributes
    ----------
    block
        The claims.
    roles, weight
        The part of each claim, and its weight.
    visible, hidden
        The roles without held-out claims, and those of them that are predicted; None if no claims
        are held out.
    featured
        The rows by which claims are seen with their features; None without features.
    plain
        The rows by which they are seen without; None for one row for each source.
    """

    block: ClaimBlock
    roles: ClaimRoles
    weight: Floats
    visible: ClaimRoles | None = None
    hidden: Indices | None = None
    featured: Rows | None = None
    plain: Rows | None = None

    def data(
        self,
        *,
        uses_features: bool = False,
        holds_out: bool = False,
        floor: float = 1.0,
        threads: int | None = None,
        one_hot: bool = False,
    ) -> BlockData:
        """Return the claims as the passes of a fit see them."""
        rows = self.featured if uses_features else self.plain or rows_of(self.block.claims, None)
        roles = self.visible if holds_out else self.roles
        assert rows is not None
        assert roles is not None
        block = self.block
        return BlockData.of(
            block.matrix, roles, rows, block.known, floor, threads, self.weight, one_hot
        )


def prepare_block(block: ClaimBlock, family: str | None = None) -> PreparedBlock:
    """Find the part and the weight of each claim of a block; see `family_weights`."""
    weight = family_weights(block.claims, family)
    return PreparedBlock(block, claim_roles(block.matrix), weight)


def hold_out(prepared: PreparedBlock, hashes: Hashes, share: float = 1.0) -> PreparedBlock:
    """Choose the claims that are held out, by lots drawn from the hashes of all sources."""
    block = prepared.block
    visible, hidden = hide(block.matrix, prepared.roles, hashes[block.place], share)
    return replace(prepared, visible=visible, hidden=hidden)


def add_terms(prepared: PreparedBlock, terms: Sequence[Term]) -> PreparedBlock:
    """Add the columns of terms that are in use with and without features."""
    coded = encoded_terms(prepared.block, terms)
    return replace(prepared, plain=rows_of(prepared.block.claims, None, terms=coded))


def add_features(
    prepared: PreparedBlock,
    builder: FeatureBuilder | None,
    by_source: bool = True,
    sequence: SequenceKind | None = None,
    terms: Sequence[Term] = (),
) -> PreparedBlock:
    """Add the features of claims, the columns of terms, and what came before each claim.

    See `rows_of` and `with_past`.
    """
    claims = prepared.block.claims
    if sequence is not None and claims.time is None:
        raise no_time()
    rows = rows_of(claims, builder, by_source, encoded_terms(prepared.block, terms))
    if sequence is not None:
        rows = with_past(rows, claims, prepared.roles, sequence)
    return replace(prepared, featured=rows)


def encoded_terms(block: ClaimBlock, terms: Sequence[Term]) -> list[Coded]:
    """Return the columns of terms for the claims of a block."""
    return [term.encode(block.claims, block.place) for term in terms]
