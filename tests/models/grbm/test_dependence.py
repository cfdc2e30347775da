"""Sources that depend on each other: found where planted, and not where sources are just right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world
from veracity.models.grbm.copy_discount import find_dependence

from veracity import GRBM, Attribute, Claims, MajorityVote
from veracity.data.encode.denials import REDUNDANT, claim_roles
from veracity.engines.local import in_one_block
from veracity.models.grbm.dependence import without_copies

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
    group = find_dependence(in_one_block(drawn.claims)).group
    members = {f"s{source:02d}" for source in np.flatnonzero(group >= 0)}
    assert members == FAMILY
    assert len(set(group[group >= 0].tolist())) == 1


def test_one_copier_of_yes_and_no_is_found() -> None:
    copies = {9: (8, 0.95)}
    drawn = world([0.75] * 10, 300, n_values=2, copies=copies, attribute=BOOLEAN)
    assert pairs(drawn) == {frozenset(("s08", "s09"))}


def test_two_families_are_two_groups() -> None:
    copies = {11: (10, 0.95), 13: (12, 0.95)}
    drawn = world([0.6] * 14, 300, copies=copies)
    group = find_dependence(in_one_block(drawn.claims)).group
    assert group[10] == group[11] >= 0
    assert group[12] == group[13] >= 0
    assert group[10] != group[12]


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


def test_a_group_speaks_once_where_it_says_the_same() -> None:
    rows = [("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"), ("d", "x", "1"), ("a", "y", "1")]
    matrix = Claims.from_triples(rows, attributes={"*": OPEN}).matrix
    roles = claim_roles(matrix)
    names = matrix.sources.to_pylist()
    group = np.array([0 if name in "abc" else -1 for name in names])
    size = np.bincount(matrix.source_index).astype(np.float64)
    part = without_copies(matrix, roles, group, size).role
    silent = {
        (names[matrix.source_index[claim]], int(matrix.item_of_claim[claim]))
        for claim in np.flatnonzero(part == REDUNDANT)
    }
    assert silent == {("b", 0)}  # a spoke for it; c says something else, d is in no group
    assert not (roles.role == REDUNDANT).any()  # what was given stays as it was
    nobody = np.full(matrix.n_sources, -1)
    assert without_copies(matrix, roles, nobody, size) is roles
    other = without_copies(matrix, roles, group, -size).role  # b is the one that says most
    speaks = {names[matrix.source_index[claim]] for claim in np.flatnonzero(other == REDUNDANT)}
    assert speaks == {"a"}


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["closed", "open"])
def test_copiers_win_unless_they_are_discounted(attribute: Attribute) -> None:
    drawn = world(COPIED, 200, copies=COPIES, share=0.8, attribute=attribute)
    vote = drawn.accuracy(MajorityVote().fit(drawn.claims))
    with_discount = GRBM(features="never", discount_copies=True).fit(drawn.claims)
    without = GRBM(features="never", discount_copies=False).fit(drawn.claims)
    assert drawn.accuracy(without) < vote < drawn.accuracy(with_discount) - 0.1
    assert len(without.dependence_) == len(with_discount.dependence_) == 21  # reported anyway
    for model, says in ((with_discount, "count once"), (without, "discount_copies=False")):
        (note,) = [note for note in model.notes_ if note.subject == "copying"]
        assert "21 pairs of sources agree far more" in str(note)
        assert says in str(note)
        assert note.count == 21
    followed = {row["source"]: row["agreement"] for row in with_discount.sources_.to_pylist()}
    assert max(followed[name] for name in FAMILY) < 0.7


@pytest.mark.parametrize("attribute", [CLOSED, OPEN], ids=["closed", "open"])
def test_good_sources_are_believed_against_the_vote(attribute: Attribute) -> None:
    drawn = world([0.97] * 3 + [0.32] * 12, 150, attribute=attribute, seed=1)
    model = GRBM(features="never").fit(drawn.claims)
    assert len(model.dependence_) == 0
    assert not [note for note in model.notes_ if note.subject == "copying"]
    vote = drawn.accuracy(MajorityVote().fit(drawn.claims))
    assert vote < 0.87
    assert drawn.accuracy(model) > 0.97


def test_copies_are_discounted_in_claims_that_come_later() -> None:
    drawn = world(COPIED, 200, copies=COPIES, share=0.8)
    model = GRBM(features="never", discount_copies=True).fit(drawn.claims)
    honest, repeated = ["s00", "s01", "s02"], ["s12", "s13", "s14"]

    def plausibility(sources: list[str]) -> float:
        later = {
            "source": sources,
            "entity": ["new"] * len(sources),
            "value": ["v1"] * len(sources),
        }
        claims = Claims.from_frame(later, attributes={"*": CLOSED})
        (row,) = model.predict(claims).to_pylist()
        return float(row["plausibility"])

    assert plausibility(honest) > plausibility(honest[:1])
    assert plausibility(repeated) <= plausibility(repeated[:1])


def test_copies_are_not_set_aside_unasked_where_they_are_most_of_what_is_said() -> None:
    many = world(COPIED, 200, copies=COPIES, share=0.8)
    model = GRBM(features="never").fit(many.claims)
    (note,) = [str(note) for note in model.notes_ if note.subject == "copying"]
    assert "would leave out" in note
    assert "set discount_copies=True" in note
    few = world([0.6] * 14, 300, copies={11: (10, 0.95)})
    (note,) = [
        str(n) for n in GRBM(features="never").fit(few.claims).notes_ if n.subject == "copying"
    ]
    assert "count once" in note


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
