"""Sources that depend on each other: found where planted, and not where sources are just right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world

from veracity import GRBM, Attribute, Claims, MajorityVote
from veracity.engines.local import in_one_block
from veracity.models.dependence import find_dependence

#: Twelve fair sources, and a poor one (the last but six) that six others repeat.
COPIED = [0.55] * 12 + [0.35] * 7
COPIES = {13 + place: (12, 0.95) for place in range(6)}
FAMILY = {f"s{place:02d}" for place in range(12, 19)}


def table_of(drawn: World) -> list[dict[str, Any]]:
    """Return the rows of the pairs that are found."""
    claims = in_one_block(drawn.claims)
    return find_dependence(claims).table(claims.sources).to_pylist()


def pairs(drawn: World) -> set[frozenset[str]]:
    """Return the pairs that are found."""
    return {frozenset((row["source"], row["other"])) for row in table_of(drawn)}


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["closed", "open"])
@pytest.mark.parametrize("seed", [0, 1])
def test_planted_copiers_are_found_and_nobody_else(attribute: Attribute, seed: int) -> None:
    drawn = world(COPIED, 200, copies=COPIES, share=0.8, attribute=attribute, seed=seed)
    family = sorted(FAMILY)
    every = {frozenset((a, b)) for i, a in enumerate(family) for b in family[i + 1 :]}
    assert pairs(drawn) == every


def test_one_copier_of_yes_and_no_is_found() -> None:
    copies = {9: (8, 0.95)}
    drawn = world([0.75] * 10, 300, n_values=2, copies=copies, attribute=BOOLEAN)
    assert pairs(drawn) == {frozenset(("s08", "s09"))}


def test_two_pairs_are_told_apart() -> None:
    copies = {11: (10, 0.95), 13: (12, 0.95)}
    drawn = world([0.6] * 14, 300, copies=copies)
    assert pairs(drawn) == {frozenset(("s10", "s11")), frozenset(("s12", "s13"))}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["closed", "open"])
def test_independent_sources_are_not_reported(attribute: Attribute, seed: int) -> None:
    drawn = world(
        np.linspace(0.3, 0.95, 12).tolist(), 200, share=0.7, attribute=attribute, seed=seed
    )
    assert pairs(drawn) == set()


@pytest.mark.parametrize(
    ("rates", "n_values"),
    [
        ([0.97] * 2 + [0.32] * 12, 4),
        ([0.97] * 3 + [0.32] * 12, 4),
        ([0.85] * 3 + [0.25] * 12, 4),  # the others guess
        ([0.95] * 3 + [0.55] * 12, 2),
        ([0.95] * 2 + [0.5] * 12, 2),  # the others guess
        ([0.9] * 3 + [0.2] * 12, 8),
    ],
)
@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["closed", "open"])
def test_good_sources_against_the_vote_are_no_copiers(
    rates: list[float], n_values: int, attribute: Attribute
) -> None:
    for seed in (1, 2):
        drawn = world(rates, 200, n_values=n_values, attribute=attribute, seed=seed)
        assert pairs(drawn) == set()


def test_fewer_than_five_sources_are_never_told_apart() -> None:
    copies = {1: (0, 1.0)}
    four = world([0.6] * 4, 400, copies=copies)
    assert pairs(four) == set()
    six = world([0.6] * 6, 400, copies=copies)
    assert pairs(six) == {frozenset(("s00", "s01"))}


def test_too_few_shared_items_prove_nothing() -> None:
    drawn = world([0.6] * 10, 15, copies={1: (0, 1.0)})
    assert pairs(drawn) == set()


def test_agreement_where_nobody_objects_is_no_evidence() -> None:
    """Two sources that agree on items of their own, and differ where others speak."""
    drawn = world([0.8] * 8, 60, seed=4)
    columns = {name: list(column) for name, column in drawn.columns.items()}
    for item in range(300):
        for source in ("s00", "s01"):
            for name, value in zip(columns, (source, f"own{item}", "v1"), strict=True):
                columns[name].append(value)
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    assert len(find_dependence(in_one_block(claims))) == 0


def test_what_is_reported_is_counted_by_hand() -> None:
    drawn = world(COPIED, 200, copies=COPIES, share=0.8)
    said: dict[str, dict[str, str]] = {}
    for source, entity, value in zip(*drawn.columns.values(), strict=True):
        said.setdefault(source, {})[entity] = value
    table = table_of(drawn)
    values = {entity: {of.get(entity) for of in said.values()} - {None} for entity in drawn.truth}
    excess = []
    for row in table:
        one, other = said[row["source"]], said[row["other"]]
        shared = [entity for entity in one if entity in other and len(values[entity]) > 1]
        agree = sum(one[entity] == other[entity] for entity in shared)
        assert row["n_shared"] == len(shared)
        assert row["agreement"] == pytest.approx(agree / len(shared))
        assert 0 <= row["expected"] < row["agreement"]
        excess.append(row["agreement"] - row["expected"])
    assert excess == sorted(excess, reverse=True)


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["closed", "open"])
def test_good_sources_are_believed_against_the_vote(attribute: Attribute) -> None:
    drawn = world([0.97] * 3 + [0.32] * 12, 150, attribute=attribute, seed=1)
    model = GRBM(features="never").fit(drawn.claims)
    assert len(model.dependence_) == 0
    assert not [note for note in model.notes_ if note.subject == "copying"]
    vote = drawn.accuracy(MajorityVote().fit(drawn.claims))
    assert vote < 0.87
    assert drawn.accuracy(model) > 0.97


def test_dependence_is_reported_and_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = world(COPIED, 200, copies=COPIES, share=0.8)
    model = GRBM(features="never").fit(drawn.claims)
    assert len(model.dependence_) == 21
    (note,) = [note for note in model.notes_ if note.subject == "copying"]
    assert "21 pairs of sources agree far more" in str(note)
    assert note.count == 21
    monkeypatch.setattr("veracity.models.dependence.MIN_EXCESS", 1.0)
    unaware = GRBM(features="never").fit(drawn.claims)
    assert len(unaware.dependence_) == 0
    assert np.array_equal(unaware.plausibility_, model.plausibility_)


def test_the_same_habit_is_no_copying() -> None:
    """Sources that say yes to everything agree with each other, and depend on nobody."""
    drawn = world([0.8] * 10, 200, n_values=2, attribute=BOOLEAN)
    columns = {name: list(column) for name, column in drawn.columns.items()}
    word = columns["value"][0]
    entities = sorted(set(columns["entity"]))
    for source in ("yes1", "yes2"):
        for entity in entities:
            for name, value in zip(columns, (source, entity, word), strict=True):
                columns[name].append(value)
    claims = Claims.from_frame(columns, attributes={"*": BOOLEAN})
    assert len(find_dependence(in_one_block(claims))) == 0
