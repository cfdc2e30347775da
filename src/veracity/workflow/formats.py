"""Formats in a run: which sources clash with the others, and whether to rewrite their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.clashes.clash import SUBJECT, Clash, clashes_table
from veracity.data.notes import Note, plural
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InvalidParameter

NOT_IN_BLOCKS = (
    "reconcile needs all claims in memory. Leave out the memory limit and the Spark engine, or "
    "rewrite the values before the run."
)
#: Clashes that have a note of their own.
NOTED = 5


class Formats(NamedTuple):
    """What is known of formats: the table of clashes, None if nobody looked, and notes."""

    clashes: Table | None
    notes: Sequence[Note]


def compare_formats(
    claims: Claims | ClaimsInBlocks, reconcile: bool
) -> tuple[Claims | ClaimsInBlocks, Formats]:
    """Find sources in another format; return the claims, reconciled if asked for, and the finds.

    Of claims in blocks on this machine, those of the first block are compared.
    """
    if isinstance(claims, ClaimsInBlocks):
        if reconcile:
            raise InvalidParameter(NOT_IN_BLOCKS)
        return claims, _in_first_block(claims)
    left = [clash for clash in claims.found_clashes if not (reconcile and clash.is_format)]
    formats = Formats(claims.clashes(), clash_notes(left))
    return claims.reconciled() if reconcile else claims, formats


def _in_first_block(claims: ClaimsInBlocks) -> Formats:
    """Compare the formats of the claims in the first block; on a cluster, compare nothing."""
    if claims.on_spark:
        return Formats(None, ())
    found = next(claims.blocks.results(_clashes_of))
    return Formats(clashes_table(found), clash_notes(found))


def _clashes_of(block: ClaimBlock) -> list[Clash]:
    return block.claims.found_clashes


def clash_notes(clashes: Sequence[Clash]) -> list[Note]:
    """Return a note for each clash; for many, one on those that are left."""
    notes = [clash.note() for clash in clashes[:NOTED]]
    left = len(clashes) - NOTED
    if left > 0:
        text = f"{plural(left, 'more source', 'more sources')} in another format: see the clashes."
        notes.append(Note(SUBJECT, text, left))
    return notes
