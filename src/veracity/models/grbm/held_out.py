"""Held-out claims: which they are, and how much better one model predicts them than another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.denials import REDUNDANT, SET_ASIDE, ClaimRoles
from veracity.data.encode.grouping import starts_mask
from veracity.data.labels.hashes import Hashes, mix
from veracity.data.matrix import ClaimMatrix
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums

#: The share of claims that are hidden.
HIDDEN_SHARE = 0.2
#: How often the hashes of sources are refined by those of what they say.
ROUNDS = 2


@dataclass(frozen=True)
class Gain:
    """How much better held-out claims are predicted, per claim, with its standard error.

    The standard error is the larger one of that over claims and of that over items, whose claims
    may err together.
    """

    mean: float
    standard_error: float
    n_claims: int

    @classmethod
    def of_sums(cls, sums: Sums) -> Gain:
        """Return the gain by the sums that `gain_sums` returns."""
        n, mean = int(sums["n"]), float(sums["sum"]) / max(int(sums["n"]), 1)
        over_claims = max(float(sums["squares"]) - n * mean**2, 0.0) * n / max(n - 1, 1)
        over_items = max(
            float(sums["item squares"])
            - 2 * mean * float(sums["item products"])
            + mean**2 * float(sums["item counts"]),
            0.0,
        )
        return cls(mean, max(over_claims, over_items) ** 0.5 / max(n, 1), n)

    @property
    def z_score(self) -> float:
        """The gain in standard errors."""
        return self.mean / self.standard_error if self.standard_error > 0 else 0.0


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Claims that a fit did not see, and their log-probabilities by it."""

    claim: Indices
    log_prob: Floats


def gain_sums(difference: Floats, item: Indices) -> Sums:
    """Sum the differences between two models in the log-probability of held-out claims."""
    of_item = sum_by(item, difference, int(item.max(initial=0)) + 1)
    count = np.bincount(item, minlength=len(of_item)).astype(np.float64)
    return {
        "n": len(difference),
        "sum": float(difference.sum()),
        "squares": float((difference**2).sum()),
        "item squares": float((of_item**2).sum()),
        "item products": float(of_item @ count),
        "item counts": float((count**2).sum()),
    }


def gain_of(with_it: Floats, without_it: Floats, item: Indices) -> Gain:
    """Compare the log-probabilities of the same held-out claims under two models."""
    return Gain.of_sums(gain_sums(with_it - without_it, item))


def source_hashes(blocks: Blocks[ClaimBlock], n_sources: int, seed: int) -> Hashes:
    """Hash every source by what it says and who else says it; (n_sources,).

    Names and the order of rows play no part, so that renaming a source changes no answer. Hashes
    begin with how much a source claims, and are refined by those of its statements and items, as
    colours of a graph are (Weisfeiler and Lehman, 1968).
    """
    start = np.full(n_sources, seed % 2**63, np.uint64)
    found = mix(start + blocks.total(_count, n_sources)["n"].everywhere().astype(np.uint64))
    for _ in range(ROUNDS):
        sums = blocks.total(_refine, found, n_sources)
        found = mix(found ^ mix(sums["hash"].everywhere()))
    return found


def _count(block: ClaimBlock, n_sources: int) -> Sums:
    matrix = block.matrix
    count = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    return {"n": Scattered(block.place, count, n_sources)}


def _refine(block: ClaimBlock, source: Hashes, n_sources: int) -> Sums:
    matrix = block.matrix
    of_claim, _ = claim_hashes(matrix, source[block.place])
    return {
        "hash": Scattered(
            block.place, _sum_by(matrix.source_index, of_claim, matrix.n_sources), n_sources
        )
    }


def claim_hashes(matrix: ClaimMatrix, source: Hashes) -> tuple[Hashes, Hashes]:
    """Hash claims by their sources, statements and items; and items."""
    said = mix(source[matrix.source_index] + matrix.claim_value.astype(np.uint64))
    statement = mix(_sum_by(matrix.statement_index, said, matrix.n_statements))
    item = mix(_sum_by(matrix.item_of_statement, statement, matrix.n_items))
    of_claim = mix(said ^ mix(statement[matrix.statement_index] ^ item[matrix.item_of_claim]))
    return of_claim, item


def _sum_by(group: npt.NDArray[np.integer], hashes: Hashes, size: int) -> Hashes:
    """Add up hashes by group; sums wrap."""
    total = np.zeros(size, np.uint64)
    np.add.at(total, group, hashes)
    return total


def hide(
    matrix: ClaimMatrix, roles: ClaimRoles, source: Hashes, share: float = 1.0
) -> tuple[ClaimRoles, npt.NDArray[np.int64]]:
    """Hide what some sources say about some items, never all that is said about an item.

    Return the roles without it, and the claims that were hidden, without denials of single values.

    Parameters
    ----------
    matrix, roles
        The claims, and the part of each.
    source
        The hashes of sources, by which lots are drawn.
    share
        The share of items that are looked at; nothing counts that is said about the others.
    """
    pair = matrix.pair_of_claim
    order = np.argsort(pair, kind="stable")
    begins = starts_mask(pair[order])
    of_claim, of_item = claim_hashes(matrix, source)
    group = np.cumsum(begins) - 1
    item = matrix.item_of_claim[order][begins]
    lot = mix(_sum_by(group, of_claim[order], len(item)))
    # The source with the largest lot stays.
    drawn = np.lexsort((~lot, item))
    stays = np.zeros(len(item), np.bool_)
    stays[drawn[starts_mask(item[drawn])]] = True
    hidden = ~stays & (lot < np.uint64(HIDDEN_SHARE * 2.0**64))
    claims = np.sort(order[hidden[group]])
    part = roles.role.copy()
    if share < 1.0:
        part[(mix(of_item) >= np.uint64(share * 2.0**64))[matrix.item_of_claim]] = SET_ASIDE
    claims = claims[part[claims] != SET_ASIDE]
    counted = part[claims] != REDUNDANT
    part[claims] = REDUNDANT
    boolean = matrix.kind_is("boolean")[matrix.item_of_claim[claims]]
    scored = claims[((matrix.claim_value[claims] == 1) | boolean) & counted]
    return replace(roles, role=part), scored
