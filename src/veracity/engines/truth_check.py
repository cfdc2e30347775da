"""Check given truth against the claims, wherever they are: do its entities and values occur?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.known import label_codes
from veracity.data.truth.misspelled import find_misspelled
from veracity.data.truth.occurrence import Occurrence, domain_is_known
from veracity.data.truth.spelling_notes import (
    TO_MEASURE,
    Purpose,
    check_misspelled,
    notes_on_misspelled,
)
from veracity.data.truth.unclaimed_items import (
    check_shared,
    first_item,
    near_entities,
    note_on_entities,
)
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.local import in_one_block
from veracity.engines.sums import Joined, Sums, Together


@dataclass(frozen=True)
class TruthCheck:
    """What a user should know about given truth that does not occur as it is spelled.

    ``told`` are the values (entity, attribute, value) that the notes are about.
    """

    notes: list[Note]
    told: frozenset[tuple[str, str, str]]


def check_truth(
    truth: GroundTruth, claims: Claims | ClaimsInBlocks, purpose: Purpose = TO_MEASURE
) -> TruthCheck:
    """Look for the entities and values of a truth among the claims.

    Raises
    ------
    InputError
        If no value of an attribute occurs where its domain is known, or many would in another
        spelling. If no item occurs: of truth to measure by, always; of known truth, which is kept,
        if half of its entities would in another spelling.
    """
    blocks = in_one_block(claims) if isinstance(claims, Claims) else claims
    given = truth.for_attributes([profile.name for profile in blocks.attributes])
    closed = frozenset(profile.name for profile in blocks.attributes if domain_is_known(profile))
    sums = blocks.blocks.total(_look, given, closed)
    found = Occurrence(
        sums["about"].whole(),
        sums["claimed"].whole(),
        sums["missed"].members,
        sums["words"].members,
    )
    notes = _check_items(given, found.about, blocks, purpose)
    misspelled = find_misspelled(given, found, blocks.attributes, blocks.settings)
    check_misspelled(misspelled, purpose)
    notes += notes_on_misspelled(misspelled, purpose)
    told = frozenset(
        (one.rows[place][0], one.profile.name, one.rows[place][1])
        for one in misspelled
        for place in one.suspect
    )
    return TruthCheck(notes, told)


def _look(block: ClaimBlock, given: pa.Table, closed: Collection[str]) -> Sums:
    found = Occurrence.of(block.claims, given, closed)
    return {
        "about": Joined((found.about,)),
        "claimed": Joined((found.claimed,)),
        "missed": Together(found.missed),
        "words": Together(found.words),
    }


def _check_items(
    given: pa.Table, about: Indices, claims: ClaimsInBlocks, purpose: Purpose
) -> list[Note]:
    """Look for other spellings of the entities without claims."""
    is_silent = np.ones(given.num_rows, np.bool_)
    is_silent[about] = False
    silent = given.filter(pa.array(is_silent))
    if not silent.num_rows:
        return []
    entities = silent["entity"].unique()
    sums = claims.blocks.total(_look_for_entities, entities)
    near = dict(sorted(sums["near"].members, reverse=True))  # of several, the first
    for entity in sums["spoken"].members:
        near.pop(entity, None)
    if len(about):
        return note_on_entities(purpose.name, near)
    first = silent.slice(0, 1).to_pylist()[0]
    refuse = purpose is TO_MEASURE or 2 * len(near) >= len(entities)
    example = min(sums["first"].members)
    ours = (first["entity"], first["attribute"])
    return check_shared(purpose.name, ours, example, near, refuse=refuse)


def _look_for_entities(block: ClaimBlock, entities: pa.ChunkedArray) -> Sums:
    matrix = block.matrix
    spoken = entities.filter(pa.array(label_codes(entities, matrix.entities) >= 0))
    near = near_entities(matrix, entities.to_pylist())
    return {
        "near": Together(frozenset(near.items())),
        "spoken": Together(frozenset(spoken.to_pylist())),
        "first": Together(frozenset([first_item(matrix)])),
    }
