"""Implied denials, and the role of each claim in the likelihood.

A source that names a value of an item speaks about every statement of that item: it claims those
it names and denies the others. Such denials are implied, and none needs to be stored. A source that
only denies a statement, without naming another value, speaks about that statement alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Mask, freeze
from veracity.data.encode.grouping import among, distinct, sorted_pairs, starts_mask
from veracity.data.matrix import ClaimMatrix

# The role of a claim in the likelihood of its item.
REDUNDANT = 0  # a denial that its source implies anyway
SPEAKS = 1  # its source speaks about the item, and does not claim this statement
CLAIMS_TOO = 2  # claims this statement; an earlier claim stands for its source's speaking
SPEAKS_AND_CLAIMS = 3
DENIES_ALONE = 4  # a denial that nothing implies: it speaks about this statement only
SET_ASIDE = 5  # about an item that is not looked at


def naming_claims(matrix: ClaimMatrix) -> Mask:
    """Mark the claims that deny every value of the item that their source does not name.

    These are the claims that name a value, but for those of boolean items, which have one
    statement; (n_claims,).
    """
    return np.asarray((matrix.claim_value == 1) & _implies_denials(matrix))


def implied_denials(matrix: ClaimMatrix) -> Mask:
    """Mark the denials in the table that add nothing to what their source names; (n_claims,).

    A denial is implied if its source names a value of the item, and not the one that it denies. A
    source that both names and denies a value (possible where no time decides) contradicts itself:
    nothing that it names implies that denial, so both count.
    """
    implied = np.zeros(matrix.n_claims, np.bool_)
    denials = np.flatnonzero((matrix.claim_value == 0) & _implies_denials(matrix))
    if len(denials):
        naming, pair = naming_claims(matrix), matrix.pair_of_claim
        said = matrix.statement_index.astype(np.int64) * matrix.n_sources + matrix.source_index
        names_some = among(pair[denials], distinct(sorted_pairs(pair[naming])))
        named = distinct(sorted_pairs(said[naming]))
        implied[denials] = names_some & ~among(said[denials], named)
    return implied


def _implies_denials(matrix: ClaimMatrix) -> Mask:
    """Mark the claims about items of which naming one value denies the others; (n_claims,)."""
    implies = np.array([profile.implies_denials for profile in matrix.profiles])
    return np.asarray(implies[matrix.attribute_index][matrix.item_of_claim])


@dataclass(frozen=True, eq=False)
class ClaimRoles:
    """Claims grouped by item and statement, each with its role, as the kernels read them.

    Attributes
    ----------
    role
        What each claim contributes, one of the codes above; (n_claims,).
    speaker
        The claim that stands for the speaking of each claim's source about the item; (n_claims,).
    claim_start, statement_start
        Where the claims and the statements of each item begin; (n_items + 1,).
    statement_index
        The statement of each claim; (n_claims,).
    """

    role: npt.NDArray[np.uint8]
    speaker: npt.NDArray[np.int64]
    claim_start: npt.NDArray[np.int64]
    statement_start: npt.NDArray[np.int64]
    statement_index: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.claim_start) - 1

    @property
    def n_claims(self) -> int:
        """Number of claims."""
        return len(self.role)

    @property
    def n_statements(self) -> int:
        """Number of statements."""
        return int(self.statement_start[-1])


def claim_roles(matrix: ClaimMatrix) -> ClaimRoles:
    """Find the role of each claim in the likelihood of its item."""
    claims = matrix.claim_value == 1
    role = np.where(claims, SPEAKS_AND_CLAIMS, SPEAKS).astype(np.uint8)
    speaker = np.arange(matrix.n_claims)
    naming = naming_claims(matrix)
    role[~claims & _implies_denials(matrix)] = DENIES_ALONE
    role[implied_denials(matrix)] = REDUNDANT
    first = _first_of_source(matrix, naming)
    repeats = np.flatnonzero(naming & (first != speaker))
    role[repeats] = CLAIMS_TOO
    speaker[repeats] = first[repeats]
    return ClaimRoles(
        role, speaker, matrix.claim_start, matrix.statement_start, matrix.statement_index
    )


def _first_of_source(matrix: ClaimMatrix, naming: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return, for each claim that names a value, the first such claim of its source on the item."""
    first = np.arange(matrix.n_claims)
    if matrix.nobody_speaks_twice:
        return first
    places = np.flatnonzero(naming)
    pair = matrix.pair_of_claim[places]
    order = np.argsort(pair, kind="stable")
    begins = starts_mask(pair[order])
    first[places[order]] = places[order][begins][np.cumsum(begins) - 1]
    return first
