"""Hierarchies that nobody spoke of: what a run says about values that name one another."""

from __future__ import annotations

from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.hierarchy.nesting import count_nesting, may_be_nested, nesting_note
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Sums


def nesting_notes(claims: Claims | ClaimsInBlocks) -> list[Note]:
    """Suggest a hierarchy for each attribute whose values name one another systematically."""
    wanted = [place for place, one in enumerate(claims.attributes) if may_be_nested(one)]
    if not wanted:
        return []
    if isinstance(claims, ClaimsInBlocks):
        found = claims.blocks.total(_of_block, wanted)
    else:
        found = _of_matrix(claims.matrix, wanted)
    names = {place: claims.attributes[int(place)].name for place in found}
    notes = [nesting_note(names[place], nesting) for place, nesting in found.items()]
    return [note for note in notes if note is not None]


def _of_block(block: ClaimBlock, attributes: list[int]) -> Sums:
    return _of_matrix(block.matrix, attributes)


def _of_matrix(matrix: ClaimMatrix, attributes: list[int]) -> Sums:
    return {str(place): count_nesting(matrix, place) for place in attributes}
