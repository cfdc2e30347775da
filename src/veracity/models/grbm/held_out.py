"""Held-out claims: which they are, and how much better one model predicts them than another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.encode.denials import REDUNDANT, ClaimRoles
from veracity.data.encode.grouping import starts_mask
from veracity.data.labels.hashes import hash_at, mix
from veracity.data.matrix import ClaimMatrix

#: The share of claims that are hidden.
HIDDEN_SHARE = 0.2


@dataclass(frozen=True)
class Gain:
    """How much better held-out claims are predicted, per claim, with its standard error."""

    mean: float
    standard_error: float
    n_claims: int

    @classmethod
    def of_sums(cls, n: int, total: float, squares: float) -> Gain:
        """Return the gain of so many claims, by the sums of their gains and of the squares."""
        mean = total / max(n, 1)
        spread = (max(squares - n * mean**2, 0.0) / (n - 1)) ** 0.5 if n > 1 else 0.0
        return cls(mean, spread / max(n, 1) ** 0.5, n)

    @property
    def z_score(self) -> float:
        """The gain in standard errors."""
        return self.mean / self.standard_error if self.standard_error > 0 else 0.0


def gain_of(with_it: Floats, without_it: Floats) -> Gain:
    """Compare the log-probabilities of the same held-out claims under two models."""
    difference = with_it - without_it
    return Gain.of_sums(len(difference), float(difference.sum()), float((difference**2).sum()))


def hide(
    matrix: ClaimMatrix, roles: ClaimRoles, seed: int
) -> tuple[ClaimRoles, npt.NDArray[np.int64]]:
    """Hide what some sources say about some items, never all that is said about an item.

    Return the roles without it, and the claims that were hidden, without denials of single values.
    """
    pair = matrix.pair_of_claim
    order = np.argsort(pair, kind="stable")
    begins = starts_mask(pair[order])
    source, item = matrix.source_index[order][begins], matrix.item_of_claim[order][begins]
    lot = mix(hash_at(matrix.sources, source, seed) ^ _item_hash(matrix, seed)[item])
    # The source with the largest lot stays.
    drawn = np.lexsort((~lot, item))
    stays = np.zeros(len(source), np.bool_)
    stays[drawn[starts_mask(item[drawn])]] = True
    hidden = ~stays & (lot < np.uint64(HIDDEN_SHARE * 2.0**64))
    claims = np.sort(order[hidden[np.cumsum(begins) - 1]])
    part = roles.role.copy()
    part[claims] = REDUNDANT
    boolean = matrix.kind_is("boolean")[matrix.item_of_claim[claims]]
    counted = roles.role[claims] != REDUNDANT
    scored = claims[((matrix.claim_value[claims] == 1) | boolean) & counted]
    return replace(roles, role=part), scored


def _item_hash(matrix: ClaimMatrix, seed: int) -> npt.NDArray[np.uint64]:
    entity = hash_at(matrix.entities, matrix.entity_index, seed)
    attribute = hash_at(matrix.attributes, matrix.attribute_index, seed + 1)
    return mix(entity ^ mix(attribute))
