"""Split the known truth by block."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Mask
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import to_arrow
from veracity.data.notes import Note
from veracity.data.output.results import silent_truths
from veracity.data.truth.assessments import Assessments, notes_on_assessments
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import (
    KnownTruth,
    check_agreement,
    contradictions,
    items_of,
    notes_on_match,
)
from veracity.data.truth.spelling_notes import TO_KEEP
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.local import OneBlock
from veracity.engines.sums import Joined, Sums, Together
from veracity.engines.truth_check import check_truth


@dataclass(frozen=True, eq=False)
class ClaimsWithTruth:
    """Claims in blocks, each with the known truth of its items.

    Attributes
    ----------
    claims
        The claims; each block knows the truth of its own items.
    silent
        Rows of the truths for given truth that belongs to no block, if there may be any: nobody
        speaks about its items.
    notes
        What a user should know about the match.
    """

    claims: ClaimsInBlocks
    silent: pa.Table | None
    notes: list[Note]


def split_known_truth(claims: ClaimsInBlocks, truth: Any) -> ClaimsWithTruth:
    """Give each block the known truth of its items, and what assessors say about them.

    The whole truth, which is small, goes to all blocks; claims in memory are one block.
    """
    if truth is None:
        return ClaimsWithTruth(claims, None, [])
    truth = GroundTruth.of(truth)
    checked = check_truth(truth, claims, TO_KEEP)
    found = _with_all(claims, truth, checked.told)
    return replace(found, notes=[*checked.notes, *found.notes])


def _with_all(
    claims: ClaimsInBlocks, truth: GroundTruth, told: Collection[tuple[str, str, str]]
) -> ClaimsWithTruth:
    """Give each block what is known about its items; see `notes_on_match` for `told`."""
    names = [profile.name for profile in claims.attributes]
    doubtful = truth.doubtful(names)
    if doubtful is None:
        return _with_certain(claims, truth, told)
    if truth.certain(names).num_rows:
        found = _with_certain(claims, truth, told)
    else:
        found = ClaimsWithTruth(claims, None, [])
    blocks = found.claims.blocks.prepare(_with_assessments, doubtful)
    said = blocks.total(_count_assessments)
    silent = len(frozenset.intersection(*said["silent"]))
    notes = notes_on_assessments(said["n_items"], silent, said["n_unclaimed"])
    with_all = replace(found.claims, blocks=blocks)
    return ClaimsWithTruth(with_all, found.silent, [*found.notes, *notes])


def claimed_rows(claims: ClaimsInBlocks, given: pa.Table) -> Mask:
    """Mark the rows of certain truth whose items somebody speaks about.

    Raises
    ------
    InputError
        If two of the rows contradict each other.
    """
    found = claims.blocks.total(_match, given)
    check_agreement(found["contradictions"].members)
    claimed = np.zeros(given.num_rows, np.bool_)
    claimed[found["about"].whole()] = True
    return claimed


def _with_certain(
    claims: ClaimsInBlocks, truth: GroundTruth, told: Collection[tuple[str, str, str]]
) -> ClaimsWithTruth:
    """Give each block the truth of its items that is certain."""
    if claims.blocks.only is not None:
        known = KnownTruth.of(truth, claims.blocks.only.claims, agrees=True)
        with_all = replace(claims.blocks.only, known=known)
        notes = notes_on_match(int(known.settled.sum()), known.unclaimed, told)
        return ClaimsWithTruth(replace(claims, blocks=OneBlock(with_all)), None, notes)
    given = truth.certain([profile.name for profile in claims.attributes])
    found = claims.blocks.total(_match, given)
    check_agreement(found["contradictions"].members)
    item = np.full(given.num_rows, -1)
    item[found["about"].whole()] = 0  # an item of some block
    unclaimed = item < 0
    with_truth = claims.blocks.prepare(_with_truth, truth)
    unclaimed[_unclaimed_rows(given, with_truth.total(_unclaimed)["unclaimed"].members)] = True
    left = given.append_column("item", to_arrow(item)).filter(to_arrow(unclaimed))
    notes = notes_on_match(found["n_items"], left, told)
    silent = silent_truths(given.filter(to_arrow(item < 0)))
    return ClaimsWithTruth(replace(claims, blocks=with_truth), silent, notes)


def _with_assessments(block: ClaimBlock, doubtful: pa.Table) -> ClaimBlock:
    return replace(block, assessed=Assessments.of(doubtful, block.claims))


def _count_assessments(block: ClaimBlock) -> Sums:
    assert block.assessed is not None
    of_items = block.assessed.of_items
    return {
        "n_items": len({one.item for one in of_items}),
        "n_unclaimed": sum(not one.matched for one in of_items),
        "silent": (block.assessed.silent,),
    }


def _match(block: ClaimBlock, given: pa.Table) -> Sums:
    item = items_of(block.matrix, given)
    about = np.flatnonzero(item >= 0)
    return {
        "about": Joined((about,)),
        "n_items": len(set(item[about].tolist())),
        "contradictions": Together(frozenset(contradictions(block.claims, item, given))),
    }


def _with_truth(block: ClaimBlock, truth: GroundTruth) -> ClaimBlock:
    known = KnownTruth.of(truth, block.claims)
    # Given truth about the items of other blocks is their concern.
    is_own = np.array(known.unclaimed["item"].to_pylist(), np.int64) >= 0
    return replace(block, known=replace(known, unclaimed=known.unclaimed.filter(to_arrow(is_own))))


def _unclaimed(block: ClaimBlock) -> Sums:
    assert block.known is not None
    rows = block.known.unclaimed.select(["entity", "attribute", "value"]).to_pylist()
    return {"unclaimed": Together(frozenset(tuple(row.values()) for row in rows))}


def _unclaimed_rows(given: pa.Table, unclaimed: frozenset[tuple[str, ...]]) -> list[int]:
    rows = zip(*(given[name].to_pylist() for name in given.column_names[:3]), strict=True)
    return [place for place, row in enumerate(rows) if row in unclaimed]
