"""From coded blocks to claims in blocks: what attributes are is settled by all blocks together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veracity.data.arrays import Indices
from veracity.data.blocks import (
    ClaimBlock,
    Reading,
    count_lists_of_sources,
    count_part,
    encode_block,
    repeats_in,
)
from veracity.data.encode.attributes import (
    AttributeCounts,
    AttributeProfile,
    check_names,
    profile_attribute,
)
from veracity.data.encode.lists import ListCounts, count_list_sources
from veracity.data.encode.repeats import RepeatCounts, SpeaksTwice, repeats_notes
from veracity.data.read.ingest import Settled
from veracity.data.read.partition import Survey
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.base import Blocks, ClaimsInBlocks, Origin
from veracity.engines.sums import Scattered, Sums, Together
from veracity.errors import InvalidParameter, listing


def check_settings(settings: Settings) -> None:
    """Refuse what only claims in memory can have."""
    tolerant = [name for name, said in settings.attributes.items() if said.tolerance is not None]
    if tolerant:
        raise InvalidParameter(
            f"A tolerance (of {listing(tolerant)}) needs all claims in memory. Drop the memory "
            "limit or the engine, or round the numbers beforehand."
        )


def reading_of(survey: Survey, settled: Settled) -> Reading:
    """Return what the parts of a table have in common."""
    plain = replace(settled.settings, canonical=None)  # values have their spelling by now
    return Reading(survey.attributes, settled.columns, plain, settled.columns.features)


def assemble(
    coded: Blocks[ClaimBlock],
    survey: Survey,
    settled: Settled,
    origin: Origin | None,
    files: FileOptions | None,
) -> ClaimsInBlocks:
    """Settle the attributes, and encode the blocks by them."""
    settings = settled.settings
    profiles = _profiles(coded, survey, settings)
    if settings.duplicates == "error":
        _refuse_repeats(coded, profiles)
    blocks = coded.prepare(encode_block, profiles)
    found = blocks.total(_notable)
    repeats = RepeatCounts(found["n_replaced"], found["n_repeated"])
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
        [*settled.notes, *repeats_notes(settings, repeats, "time" in columns.roles)],
        origin,
        files,
    )


def _profiles(
    coded: Blocks[ClaimBlock], survey: Survey, settings: Settings
) -> tuple[AttributeProfile, ...]:
    check_names(settings, survey.attributes)
    counts = coded.total(count_part, len(survey.attributes))
    lists = _list_counts(coded, survey, settings, counts)
    return tuple(
        profile_attribute(
            AttributeCounts(
                name,
                int(counts["n_items"][place]),
                survey.n_values[place],
                survey.values[place],
                lists[place],
            ),
            settings.for_attribute(name),
        )
        for place, name in enumerate(survey.attributes)
    )


def _list_counts(
    coded: Blocks[ClaimBlock], survey: Survey, settings: Settings, counts: Sums
) -> list[ListCounts]:
    """Return, by attribute, what tells lists from repeats.

    Only where lists are frequent, and the user says nothing, does another pass count who gives
    them.
    """
    found = [
        ListCounts(
            int(counts["n_speakings"][place]),
            int(counts["n_again"][place]),
            int(counts["n_lists"][place]),
            n_numbers=survey.n_numbers[place],
            n_decimals=survey.n_decimals[place],
        )
        for place in range(len(survey.attributes))
    ]
    open_questions = [
        place
        for place, name in enumerate(survey.attributes)
        if found[place].may_be_lists() and settings.for_attribute(name).kind is None
    ]
    if open_questions:
        wanted = np.array(open_questions, np.int64)
        total = coded.total(_of_sources, wanted, len(survey.sources))["of_sources"]
        given, regular = count_list_sources(total.everywhere())
        for place, n_given, n_regular in zip(open_questions, given, regular, strict=True):
            found[place] = replace(
                found[place], n_list_sources=int(n_given), n_regular_sources=int(n_regular)
            )
    return found


def _of_sources(block: ClaimBlock, attributes: Indices, n_sources: int) -> Sums:
    counts = count_lists_of_sources(block, attributes)
    return {"of_sources": Scattered(block.place, counts, n_sources)}


def _refuse_repeats(coded: Blocks[ClaimBlock], profiles: tuple[AttributeProfile, ...]) -> None:
    """Refuse claims of a source that speaks twice, naming the first of all blocks."""
    found = [repeats for part in coded.results(repeats_in, profiles) for repeats in part]
    if found:
        first = min(found, key=lambda repeats: repeats.row)
        raise SpeaksTwice(first._replace(n_claims=sum(repeats.n_claims for repeats in found)))


def _notable(block: ClaimBlock) -> Sums:
    """Return what of a block a note is to be made of."""
    return {
        **block.claims.repeats._asdict(),
        "types": Together(frozenset(block.claims.feature_types.items())),
    }
