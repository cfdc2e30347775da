"""Joined items: those of several attributes in one list, so that one pass judges them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.encode.denials import SET_ASIDE, ClaimRoles
from veracity.features.codes import distinct_codes
from veracity.models.grbm.attributes import AttributeRange
from veracity.models.grbm.block_data import BlockData, ClaimArrays

#: Where things are in a block: side by side, or in order.
Where = slice | Indices


@dataclass(frozen=True, eq=False)
class JoinedItems(ClaimArrays):
    """The claims about the items of several attributes.

    Attributes
    ----------
    claims, statements, items
        Where they are in the block.
    attribute, attribute_of_row
        The attribute of each item and of each row; rows of two attributes differ.
    n_attributes
        Number of attributes.
    """

    claims: Where
    statements: Where
    items: Where
    attribute: Indices
    attribute_of_row: Indices
    n_attributes: int

    @classmethod
    def of(cls, data: BlockData, ranges: Sequence[AttributeRange]) -> JoinedItems:
        """Look up the claims about ranges of items, which are in order."""
        first = np.array([own.first for own in ranges])
        last = np.array([own.last for own in ranges])
        whole = data.roles
        items = stretches(first, last)
        statements = stretches(whole.statement_start[first], whole.statement_start[last])
        claims = stretches(whole.claim_start[first], whole.claim_start[last])
        roles = _roles(whole, claims, items)
        attribute = np.repeat(np.arange(len(ranges)), last - first)
        of_claim = np.repeat(attribute, np.diff(roles.claim_start))
        begins = roles.claim_start[np.searchsorted(attribute, np.arange(len(ranges)))]
        key = _seen(of_claim * data.n_rows + data.row[claims], roles, of_claim, begins)
        pairs, row = distinct_codes(key)
        return cls(
            roles,
            pairs % data.n_rows,
            row.astype(np.int32),
            data.weight[claims],
            data.offset[statements],
            data.offset_unseen[items],
            claims,
            statements,
            items,
            attribute,
            pairs // data.n_rows,
            len(ranges),
        )

    @cached_property
    def attribute_of_statement(self) -> Indices:
        """The attribute of each statement."""
        return self.attribute[self.item_of_statement]

    def by_attribute(self, of_item: Floats) -> Floats:
        """Add up numbers of items; (n_attributes,)."""
        return sum_by(self.attribute, of_item, self.n_attributes)

    def place_of_claims(self, claims: Indices) -> Indices:
        """Return the place here of claims of the block."""
        if isinstance(self.claims, slice):
            return np.asarray(claims - self.claims.start)
        return np.searchsorted(self.claims, claims)


def stretches(first: Indices, last: Indices) -> Where:
    """Return all from each first to before its last: a slice if they are side by side."""
    if np.array_equal(first[1:], last[:-1]):
        return slice(int(first[0]), int(last[-1]))
    size = last - first
    ends = np.cumsum(size)
    return np.asarray(np.arange(ends[-1]) + np.repeat(first - (ends - size), size))


def _roles(whole: ClaimRoles, claims: Where, items: Where) -> ClaimRoles:
    """Return the part of each claim about some items, with the others left out."""
    claim_start = np.append(0, np.cumsum(np.diff(whole.claim_start)[items]))
    statement_start = np.append(0, np.cumsum(np.diff(whole.statement_start)[items]))
    earlier = whole.claim_start[:-1][items] - claim_start[:-1]
    statements_earlier = whole.statement_start[:-1][items] - statement_start[:-1]
    n_claims = np.diff(claim_start)
    index = whole.statement_index[claims] - np.repeat(statements_earlier, n_claims)
    return ClaimRoles(
        whole.role[claims],
        whole.speaker[claims] - np.repeat(earlier, n_claims),
        claim_start,
        statement_start,
        index.astype(whole.statement_index.dtype),
    )


def _seen(key: Indices, roles: ClaimRoles, of_claim: Indices, begins: Indices) -> Indices:
    """Give claims that are set aside the key of one of their attribute that is not."""
    is_aside = roles.role == SET_ASIDE
    if not is_aside.any():
        return key
    place = np.where(is_aside, len(key), np.arange(len(key)))
    chosen = np.minimum.reduceat(place, begins)
    chosen = np.where(chosen < len(key), chosen, begins)
    return np.where(is_aside, key[chosen][of_claim], key)
