"""A block of claims as the passes over it see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.encode.denials import REDUNDANT, ClaimRoles, claim_roles
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, UNKNOWN, KnownTruth
from veracity.features import FeatureBuilder
from veracity.features.codes import Coded
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.dependence import without_copies
from veracity.models.grbm.held_out import hide

#: Items with so few sources tell how often sources agree, not how often they are right.
THIN = 3
#: The concentration of wrong values that is tried. Below 1 the errors of a single item may all
#: agree, and the model finds mirror images.
CONCENTRATION = 3.0


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
    state, row_of
        Where features depend on the statement: the state of each statement, and the row for that of
        a claim and a state, see `FeatureRows`; None where they do not.
    """

    row: npt.NDArray[np.int32]
    source: Indices
    features: Floats
    state: npt.NDArray[np.int32] | None = None
    row_of: npt.NDArray[np.int32] | None = None


def rows_of(claims: Claims, builder: FeatureBuilder | None, by_source: bool = True) -> Rows:
    """Return the rows of claims: one for each vector of features and, as a rule, each source."""
    matrix = claims.matrix
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
    known
        What is known of each statement, or None.
    floor
        The least e^u: 1, or 0 where sources may be worse than chance.
    threads
        How many to use; None for all cores.
    """

    matrix: ClaimMatrix
    roles: ClaimRoles
    rows: Rows
    offset: Floats
    offset_unseen: Floats
    known: npt.NDArray[np.int8] | None = None
    floor: float = 1.0
    threads: int | None = None

    @classmethod
    def of(
        cls,
        matrix: ClaimMatrix,
        roles: ClaimRoles,
        rows: Rows,
        known: KnownTruth | None = None,
        floor: float = 1.0,
        threads: int | None = None,
    ) -> BlockData:
        """Rule out what is known to be false."""
        statement = None if known is None else known.statement
        return cls(matrix, roles, rows, *_known_offsets(matrix, known), statement, floor, threads)

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

    def n_thin(self, first: int, last: int) -> int:
        """Count the items of a range about which no more than a few sources speak."""
        return int((np.diff(self.roles.claim_start)[first:last] <= THIN).sum())

    def claims_of(self, first: int, last: int) -> slice:
        """Return where the claims about a range of items are."""
        start = self.roles.claim_start
        return slice(int(start[first]), int(start[last]))

    def statements_of(self, first: int, last: int) -> slice:
        """Return where the statements of a range of items are."""
        start = self.roles.statement_start
        return slice(int(start[first]), int(start[last]))

    def row_counts(self, items: AttributeRange) -> Floats:
        """Return how many claims of each row assert, and how many there are; (n_rows, 2)."""
        claims = self.claims_of(items.first, items.last)
        row, yes = self.row[claims], self.matrix.claim_value[claims] == 1
        each = (yes.astype(np.float64), np.ones(len(row)))
        return np.stack([sum_by(row, numbers, self.n_rows) for numbers in each], axis=1)

    @cached_property
    def untempered(self) -> Floats:
        """No tempering; (n_items,)."""
        return np.ones(self.matrix.n_items)

    def about_known(self) -> BlockData:
        """Return the same without the claims about items of unknown truth."""
        is_known = np.zeros(self.matrix.n_items, np.bool_)
        if self.known is not None:
            is_known = self.known[self.matrix.statement_start[:-1]] != UNKNOWN
        part = np.where(is_known[self.matrix.item_of_claim], self.roles.role, REDUNDANT)
        roles = replace(self.roles, role=part.astype(self.roles.role.dtype))
        return replace(self, roles=roles)

    def clustered(self) -> BlockData:
        """Let wrong values cluster; see `cluster_offsets`."""
        matrix = self.matrix
        counts = matrix.sum_by_statement((matrix.claim_value == 1).astype(np.float64))
        offset, unseen = cluster_offsets(matrix, counts)
        return replace(self, offset=self.offset + offset, offset_unseen=self.offset_unseen + unseen)

    def by_claim(self) -> BlockData:
        """Return the same with a row for each claim."""
        matrix, rows = self.matrix, self.rows
        own = Rows(
            np.arange(matrix.n_claims, dtype=np.int32),
            matrix.source_index.astype(np.int64),
            rows.features[rows.row],
        )
        return replace(self, rows=own)

    def kernel_arrays(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The arrays that the kernels begin with."""
        roles = self.roles
        return roles.role, roles.claim_start, roles.statement_start, roles.statement_index

    def strength(self, eta: Floats, n_values: float) -> tuple[Floats, Floats]:
        """Return u >= 0 of eta, and du/deta: nobody is worse than chance, unless that is allowed.

        u = log(1 + (D - 1) e^eta), so that e^u = 1 is chance.
        """
        x = eta + np.log(n_values - 1.0)
        if self.floor == 0.0:
            return x, np.ones(len(x))
        grown = np.exp(np.minimum(x, 300.0))
        return np.log1p(grown), grown / (1.0 + grown)


def _known_offsets(matrix: ClaimMatrix, known: KnownTruth | None) -> tuple[Floats, Floats]:
    """Return -inf for what is known to be false: statements, and values that nobody claims."""
    offset, offset_unseen = np.zeros(matrix.n_statements), np.zeros(matrix.n_items)
    if known is not None:
        offset[known.statement == FALSE] = -np.inf
        offset_unseen[matrix.item_of_statement[known.statement == TRUE]] = -np.inf
    return offset, offset_unseen


def cluster_offsets(
    matrix: ClaimMatrix, counts: Floats, concentration: float = CONCENTRATION
) -> tuple[Floats, Floats]:
    """Return what clusters of wrong values add to the score of each statement, and of an unseen.

    Without clusters, the wrong values of an item are drawn evenly from the D - 1 that are not true.
    Here they are drawn from a distribution of the item's own, which is not known: a Dirichlet with
    concentration al, integrated out. With n_j claims of value j, n in all, and hypothesis k:

        lnG(al (D-1)) - lnG(al (D-1) + n - n_k) + sum over j != k of [lnG(al + n_j) - lnG(al)]
        + (n - n_k) ln(D-1)
    """
    n_claims = matrix.sum_by_item(counts)
    others = np.diff(matrix.statement_start).astype(np.float64)  # D - 1: the claimed, less one, and
    each = gammaln(concentration + counts) - gammaln(concentration)  # one that nobody claims
    together = matrix.sum_by_item(each)
    item = matrix.item_of_statement

    def offset(wrong: Floats, each_wrong: Floats, others: Floats) -> Floats:
        pool = concentration * others
        return np.asarray(
            gammaln(pool) - gammaln(pool + wrong) + each_wrong + wrong * np.log(others)
        )

    of_statement = offset(n_claims[item] - counts, together[item] - each, others[item])
    return of_statement, offset(n_claims, together, others)


@dataclass(frozen=True, eq=False)
class PreparedBlock:
    """A block with what all fits to it have in common, so that it is made once.

    Attributes
    ----------
    block
        The claims.
    roles
        The part of each claim, copies left out.
    visible, hidden
        The roles without held-out claims, and those of them that are predicted; None if no claims
        are held out.
    featured
        The rows by which claims are seen with their features; None without features.
    """

    block: ClaimBlock
    roles: ClaimRoles
    visible: ClaimRoles | None = None
    hidden: Indices | None = None
    featured: Rows | None = None

    def data(
        self,
        *,
        uses_features: bool = False,
        holds_out: bool = False,
        floor: float = 1.0,
        threads: int | None = None,
    ) -> BlockData:
        """Return the claims as the passes of a fit see them."""
        rows = self.featured if uses_features else rows_of(self.block.claims, None)
        roles = self.visible if holds_out else self.roles
        assert rows is not None
        assert roles is not None
        return BlockData.of(self.block.matrix, roles, rows, self.block.known, floor, threads)


def prepare_block(block: ClaimBlock, groups: Indices, log_claim_count: Floats) -> PreparedBlock:
    """Count dependent sources once where they say the same; see `without_copies`.

    `groups` and `log_claim_count` are those of all sources, -1 and 0 for one that is new.
    """
    place = block.place
    roles = without_copies(
        block.matrix,
        claim_roles(block.matrix),
        np.where(place >= 0, groups[place], -1),
        np.where(place >= 0, log_claim_count[place], 0.0),
    )
    return PreparedBlock(block, roles)


def hold_out(prepared: PreparedBlock, seed: int) -> PreparedBlock:
    """Choose the claims that are held out."""
    visible, hidden = hide(prepared.block.matrix, prepared.roles, seed)
    return replace(prepared, visible=visible, hidden=hidden)


def add_features(
    prepared: PreparedBlock, builder: FeatureBuilder, by_source: bool = True
) -> PreparedBlock:
    """Add the features of claims; see `rows_of`."""
    return replace(prepared, featured=rows_of(prepared.block.claims, builder, by_source))
