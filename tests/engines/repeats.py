"""A table with everything that is settled by all blocks together: repeats, lists and numbers."""

from __future__ import annotations

import numpy as np

from veracity import Claims
from veracity.data.blocks import ClaimBlock
from veracity.engines.base import ClaimsInBlocks

Said = list[tuple[str, str, str, str, int, float]]


def repeats_lists_and_numbers(ordered: bool) -> dict[str, list[str]]:
    """Draw claims of judges who are asked twice, lists of authors, and heights; maybe in order."""
    rng = np.random.default_rng(3)
    rows: list[tuple[str, str, str, str]] = []
    for entity in range(40):
        for source in range(5):
            who, what = f"s{source}", f"e{entity}"
            asked = rng.integers(1, 4)
            rows += [(who, what, "better", "ABC"[rng.integers(3) // 2]) for _ in range(asked)]
            authors = rng.permutation(6)[: rng.integers(1, 4)]
            rows += [(who, what, "author", f"writer {author}") for author in authors]
            height = f"{entity % 30}.{rng.integers(2)}"
            rows.append((who, what, "height", height if source else height.removesuffix(".0")))
    columns = zip(*(rows[place] for place in rng.permutation(len(rows))), strict=True)
    names = ("source", "entity", "attribute", "value")
    table = dict(zip(names, map(list, columns), strict=True))
    if ordered:
        table["claim_order"] = [str(number) for number in rng.integers(0, 50, len(rows))]
    return table


def check_like_memory(there: ClaimsInBlocks, here: Claims) -> None:
    """Check that blocks hold the claims of memory, with their weights and notes."""
    assert there.attributes == here.attributes
    assert there.settings == here.settings
    assert [note.text for note in there.notes] == [note.text for note in here.notes]
    parts = there.blocks.results(said_in)
    assert sorted(claim for part in parts for claim in part) == sorted(said_by(here))


def said_in(block: ClaimBlock) -> Said:
    """Return who says what in a block, with which weight."""
    return said_by(block.claims)


def said_by(claims: Claims) -> Said:
    """Return who says what, with which weight."""
    matrix = claims.matrix
    item = matrix.item_of_claim
    return [
        (
            matrix.sources[int(matrix.source_index[place])].as_py(),
            matrix.entities[int(matrix.entity_index[item[place]])].as_py(),
            matrix.attributes[int(matrix.attribute_index[item[place]])].as_py(),
            matrix.values[int(matrix.value_index[matrix.statement_index[place]])].as_py(),
            int(matrix.claim_value[place]),
            round(float(matrix.claim_weight[place]), 9),
        )
        for place in range(matrix.n_claims)
    ]
