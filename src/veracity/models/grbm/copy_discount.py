"""Sources that depend on each other: which they are, and whether they are to speak once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.encode.denials import claim_roles
from veracity.data.notes import Note, plural
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums, Together
from veracity.models.grbm.block_data import prepare_block
from veracity.models.grbm.dependence import (
    Dependence,
    answers_of,
    count_pairs,
    dependence_of,
    most_contested,
    n_contested,
)

#: The share of claims that may be set aside as copies without being asked to.
MAX_SET_ASIDE = 0.2


@dataclass(frozen=True, eq=False)
class CopyDiscount:
    """Sources that depend on each other, and what is made of that.

    Attributes
    ----------
    table
        The pairs.
    groups
        The group of each source within which it is to speak once, or -1; (n_sources,).
    notes
        What a user should know about it.
    """

    table: Table
    groups: Indices
    notes: list[Note]

    @classmethod
    def none(cls, claims: ClaimsInBlocks) -> CopyDiscount:
        """Take no source to depend on another."""
        nobody = np.full(claims.n_sources, -1)
        nothing = np.empty(0, np.int64)
        pairs = Dependence(nothing, nothing, np.empty(0), np.empty(0), nothing, nobody)
        return cls(pairs.table(claims.sources), nobody, [])


def discount_copies(
    claims: ClaimsInBlocks, log_claim_count: Floats, discount: bool | Literal["auto"]
) -> CopyDiscount:
    """Find the sources that depend on each other, and decide whether they speak once."""
    found = find_dependence(claims)
    if not len(found):
        return CopyDiscount.none(claims)
    share = _share_set_aside(claims, found.group, log_claim_count)
    once = counts_once(share, discount)
    groups = found.group if once else np.full(claims.n_sources, -1)
    table = found.table(claims.sources)
    if once:
        outcome = f"Claims that they share count once, which leaves out {share:.0%} of all claims."
    elif discount == "auto":
        outcome = (
            f"All their claims count, since counting shared ones once would leave out {share:.0%} "
            "of all claims. To do so, set discount_copies=True."
        )
    else:
        outcome = "All their claims count (discount_copies=False)."
    return CopyDiscount(table, groups, [_note(table, outcome)])


def counts_once(share: float, discount: bool | Literal["auto"]) -> bool:
    """Whether dependent sources speak once, which sets a share of all claims aside."""
    return share <= MAX_SET_ASIDE if discount == "auto" else discount


def _note(pairs: Table, outcome: str) -> Note:
    first = pairs.to_arrow().slice(0, 1).to_pylist()[0]
    text = (
        f"{plural(len(pairs), 'pair of sources agrees', 'pairs of sources agree')} far more than "
        f"their agreement with others explains, such as {first['source']!r} and {first['other']!r} "
        f"({first['agreement']:.0%} of {first['n_shared']:,} contested items, "
        f"{first['expected']:.0%} expected). One may copy the other, or both a third. {outcome}"
    )
    return Note("copying", text, len(pairs))


def find_dependence(claims: ClaimsInBlocks) -> Dependence:
    """Find the pairs of sources that depend on each other."""
    n_sources = claims.n_sources
    found = claims.blocks.total(_contested, n_sources)
    chosen = most_contested(found["n"].everywhere())
    place = np.full(n_sources, -1)
    place[chosen] = np.arange(len(chosen))
    closed = (
        profile.name
        for profile in claims.attributes
        if profile.domain != "open" and profile.kind != "multiple"
    )
    classes: dict[str, list[str]] = {name: [] for name in closed}
    for name, label in sorted(found["answers"].members):
        classes[name].append(label)
    counts = claims.blocks.total(_count_pairs, place, len(chosen), classes)
    return dependence_of(counts, chosen, n_sources)


def _contested(block: ClaimBlock, n_sources: int) -> Sums:
    answers = answers_of(block.matrix)
    pairs = ((name, label) for name, labels in answers.items() for label in labels)
    return {
        "n": Scattered(block.place, n_contested(block.matrix), n_sources),
        "answers": Together(frozenset(pairs)),
    }


def _count_pairs(
    block: ClaimBlock, place: Indices, n_chosen: int, classes: dict[str, list[str]]
) -> Sums:
    return count_pairs(block.matrix, place[block.place], n_chosen, classes)


def _share_set_aside(claims: ClaimsInBlocks, groups: Indices, log_claim_count: Floats) -> float:
    """Return the share of claims that go if groups of sources speak once."""
    found = claims.blocks.total(_set_aside, groups, log_claim_count)
    return float(found["n_gone"] / found["n"])


def _set_aside(block: ClaimBlock, groups: Indices, log_claim_count: Floats) -> Sums:
    plain, kept = claim_roles(block.matrix), prepare_block(block, groups, log_claim_count).roles
    return {"n": len(plain.role), "n_gone": int((kept.role != plain.role).sum())}
