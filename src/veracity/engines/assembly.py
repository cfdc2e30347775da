"""From coded blocks to claims in blocks: what attributes are is settled by all blocks together."""

from __future__ import annotations

from dataclasses import replace

from veracity.data.blocks import ClaimBlock, Reading, count_part, encode_block, repeats_in
from veracity.data.encode.attributes import (
    AttributeCounts,
    AttributeProfile,
    check_names,
    profile_attribute,
)
from veracity.data.encode.encoder import SpeaksTwice, repeats_notes
from veracity.data.read.ingest import Settled
from veracity.data.read.partition import Survey
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.base import Blocks, ClaimsInBlocks, Origin
from veracity.engines.sums import Sums, Together
from veracity.errors import InvalidParameter, listing


def check_settings(settings: Settings) -> None:
    """Refuse what only claims in memory can have."""
    tolerant = [name for name, said in settings.attributes.items() if said.tolerance is not None]
    if tolerant:
        raise InvalidParameter(
            f"A tolerance (of {listing(tolerant)}) needs all claims in memory. Drop the memory "
            "limit or the engine, or round the numbers beforehand."
        )


def reading_of(survey: Survey, settled: Settled, settings: Settings) -> Reading:
    """Return what the parts of a table have in common."""
    plain = replace(settings, canonical=None)  # values have their spelling by now
    return Reading(survey.attributes, settled.columns, plain, settled.columns.features)


def assemble(
    coded: Blocks[ClaimBlock],
    survey: Survey,
    settled: Settled,
    settings: Settings,
    origin: Origin | None,
    files: FileOptions | None,
) -> ClaimsInBlocks:
    """Settle the attributes, and encode the blocks by them."""
    profiles = _profiles(coded, survey, settings)
    if settings.duplicates == "error":
        _refuse_repeats(coded, profiles)
    blocks = coded.prepare(encode_block, profiles)
    found = blocks.total(_notable)
    columns, names = settled.columns, settled.columns.features
    return ClaimsInBlocks(
        blocks,
        survey.sources,
        profiles,
        settings,
        columns,
        dict(sorted(found["types"].members, key=lambda member: names.index(member[0]))),
        settled.n_rows,
        survey.n_entities,
        [*settled.notes, *repeats_notes(settings, found["n_repeated"], "time" in columns.roles)],
        origin,
        files,
    )


def _profiles(
    coded: Blocks[ClaimBlock], survey: Survey, settings: Settings
) -> tuple[AttributeProfile, ...]:
    check_names(settings, survey.attributes)
    counts = coded.total(count_part, len(survey.attributes))
    return tuple(
        profile_attribute(
            AttributeCounts(
                name,
                int(counts["n_items"][place]),
                survey.n_values[place],
                survey.values[place],
                int(counts["n_speakings"][place]),
                int(counts["n_several"][place]),
            ),
            settings.for_attribute(name),
        )
        for place, name in enumerate(survey.attributes)
    )


def _refuse_repeats(coded: Blocks[ClaimBlock], profiles: tuple[AttributeProfile, ...]) -> None:
    """Refuse claims of a source that speaks twice, naming the first of all blocks."""
    found = [repeats for part in coded.results(repeats_in, profiles) for repeats in part]
    if found:
        first = min(found, key=lambda repeats: repeats.row)
        raise SpeaksTwice(first._replace(n_claims=sum(repeats.n_claims for repeats in found)))


def _notable(block: ClaimBlock) -> Sums:
    """Return what of a block a note is to be made of."""
    return {
        "n_repeated": sum(note.count or 0 for note in block.claims.notes),
        "types": Together(frozenset(block.claims.feature_types.items())),
    }
