"""Reading claims in blocks: whole items, and the errors and notes of claims in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.csv import write_csv
from tests.engines.repeats import check_like_memory, repeats_lists_and_numbers
from tests.engines.worlds import in_memory, in_place

from veracity import Attribute, Claims
from veracity.data.blocks import ClaimBlock
from veracity.data.output.decisions import Decisions
from veracity.data.output.results import Verdict
from veracity.data.read.formats import locate
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.engines.local import InMemory, LocalBlocks
from veracity.engines.read import bytes_of, read_in_blocks
from veracity.errors import InputError, InvalidParameter
from veracity.features.counts import NumberCounts
from veracity.models.decisions import least_accepted
from veracity.models.tables import Judged


def _items(block: ClaimBlock) -> set[tuple[str, str]]:
    matrix = block.matrix
    entities, attributes = matrix.entities.to_pylist(), matrix.attributes.to_pylist()
    pairs = zip(matrix.entity_index.tolist(), matrix.attribute_index.tolist(), strict=True)
    return {(entities[entity], attributes[attribute]) for entity, attribute in pairs}


def test_no_item_is_in_two_blocks(world: Path) -> None:
    claims = in_place(world, "blocks on disk")
    found = list(claims.blocks.results(_items))
    assert sum(map(len, found)) == len(set.union(*found)) == in_memory(world).matrix.n_items


def test_blocks_know_their_sources(world: Path) -> None:
    claims = in_place(world, "blocks on disk")
    everyone = claims.sources.to_pylist()
    assert everyone == in_memory(world).matrix.sources.to_pylist()
    for block in claims.blocks.results(lambda block: block):
        assert [everyone[place] for place in block.place] == block.matrix.sources.to_pylist()


def test_claims_in_use_are_those_of_memory(world: Path) -> None:
    columns = ["source", "entity", "attribute", "value", "time", "claim_sure"]
    order = [(name, "ascending") for name in columns]
    whole = in_memory(world).in_use()
    rows = [row for part in in_place(world, "two threads").in_use() for row in part.to_pylist()]
    wanted = whole.select(columns).to_pylist()
    key = lambda row: tuple(str(row[name]) for name, _ in order)  # noqa: E731
    assert sorted(map(key, rows)) == sorted(map(key, wanted))


@pytest.mark.parametrize("ordered", [False, True])
def test_repeats_lists_and_numbers_are_those_of_memory(tmp_path: Path, ordered: bool) -> None:
    path = tmp_path / "claims.csv"
    write_csv(pa.table(repeats_lists_and_numbers(ordered)), path)
    there = read_in_blocks(
        locate(path), FileOptions(), Settings(), "256MB", claims_per_block=100, in_memory=True
    )
    here = Claims.read(path)
    assert len(there.blocks) > 3
    check_like_memory(there, here)
    kinds = {profile.name: profile.kind for profile in here.attributes}
    assert kinds == {
        "author": "single" if ordered else "multiple",
        "better": "single",
        "height": "single",
    }
    assert ("time" in here.columns.roles) == ordered
    assert here.settings.attributes["height"].values == "decimal"


def test_a_source_that_speaks_twice_is_refused_by_its_row(world: Path) -> None:
    with pytest.raises(InputError) as whole:
        assert in_memory(world, duplicates="error").matrix.n_claims
    with pytest.raises(InputError) as parts:
        in_place(world, "two threads", duplicates="error")
    assert str(parts.value) == str(whole.value)


def test_options_are_those_of_memory(world: Path) -> None:
    options: dict[str, Any] = {"attributes": {"colour": "multiple"}, "duplicates": "all"}
    whole, parts = in_memory(world, **options), in_place(world, "blocks on disk", **options)
    assert parts.attributes == whole.attributes
    assert [note.text for note in parts.notes] == [note.text for note in whole.notes]
    assert parts.describe_settings()["duplicates"] == "all"
    assert parts.feature_types == whole.feature_types


def test_what_needs_all_claims_is_refused(world: Path) -> None:
    with pytest.raises(InvalidParameter, match="tolerance"):
        in_place(world, "blocks on disk", attributes={"town": Attribute(tolerance=1)})
    claims = in_place(world, "blocks in memory")
    with pytest.raises(InvalidParameter, match="in blocks"):
        Claims.of(claims)


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2**31), ("500 MiB", 500 * 2**20), ("1.5g", 3 * 2**29), (2**30, 2**30)],
)
def test_amounts_of_memory(text: str | int, size: int) -> None:
    assert bytes_of(text) == size


# What is counted by parts is what is found in the whole

#: Nothing is known of its truth, and only its verdicts are counted.
SOME_BLOCK = ClaimBlock(Claims.from_triples([("almanac", "Canberra", "1913")]), np.arange(1))

levels = st.sampled_from([0.3, 0.5, 0.75, 0.9, 0.9 + 1e-12, 0.97, 0.99, 1.0])


@given(st.lists(st.tuples(levels, st.booleans()), min_size=1, max_size=60), st.integers(1, 5))
def test_the_least_accepted_plausibility(verdicts: list[tuple[float, bool]], n_parts: int) -> None:
    p = np.array([plausibility for plausibility, _ in verdicts])
    tie = np.array([tied for _, tied in verdicts]) & (p < 0.8)

    def judged(part: np.ndarray[Any, Any]) -> Judged:
        size = len(part)
        verdict = Verdict(np.arange(size), np.ones(size, np.bool_), tie[part], np.zeros(size))
        return Judged(SOME_BLOCK, p[part], verdict)

    parts = [part for part in np.array_split(np.arange(len(p)), n_parts) if len(part)]
    blocks = LocalBlocks([InMemory(judged(part)) for part in parts], threads=1)
    least = least_accepted(blocks, 0.05)
    whole = Decisions.of(p, tie, 0.05)
    assert (Decisions.from_least(p, tie, 0.05, least).word == whole.word).all()


@given(
    st.lists(st.floats(-5, 5) | st.just(float("nan")), min_size=1, max_size=40), st.integers(0, 40)
)
def test_numbers_counted_in_parts(numbers: list[float], cut: int) -> None:
    column = np.array(numbers)
    both = NumberCounts.of(column[:cut]) + NumberCounts.of(column[cut:])
    known = column[np.isfinite(column)]
    assert (both.n, both.n_missing) == (len(known), len(column) - len(known))
    if len(known):
        shares = [0.0, 0.1, 0.25, 0.5, 0.9, 1.0]
        np.testing.assert_allclose(both.quantiles(shares), np.quantile(known, shares), atol=1e-12)
        assert both.spread() == pytest.approx(float(np.std(known)), abs=1e-9)


def test_too_many_numbers_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.features.counts.MAX_LEVELS", 100)
    column = np.random.default_rng(0).normal(size=5_000)
    counts = NumberCounts.of(column[:2_000]) + NumberCounts.of(column[2_000:])
    assert counts.is_coarse
    assert counts.n == 5_000
    assert len(counts.levels) <= 100
    quantiles = counts.quantiles([0.25, 0.5, 0.75])
    np.testing.assert_allclose(quantiles, np.quantile(column, [0.25, 0.5, 0.75]), atol=0.05)
