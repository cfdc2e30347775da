"""Guards: the plain sentences that a user reads before trusting an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.worlds import BOOLEAN, CLOSED, OPEN, World, world

from veracity import GRBM, Claims, MajorityVote
from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.output.results import Verdict, decide
from veracity.models.grbm import selection
from veracity.models.grbm.guards import GuardCounts, differing_items

#: The kinds of notes that guards write.
GUARDS = ("trust", "evidence", "vote")


def trust(model: GRBM) -> list[str]:
    """Return what a fitted model says about trusting it."""
    return [str(note) for note in model.notes_ if note.subject in GUARDS]


def saying(texts: list[str], words: str) -> list[str]:
    """Return the texts that have some words in them."""
    return [text for text in texts if words in text]


def by_plausibility(matrix: ClaimMatrix, believed: dict[str, str]) -> Verdict:
    """Return the verdict that believes these values of entities."""
    values, entities = matrix.values.to_pylist(), matrix.entities.to_pylist()
    item = matrix.item_of_statement
    plausibility = [
        float(believed[entities[matrix.entity_index[item[statement]]]] == values[value])
        for statement, value in enumerate(matrix.value_index)
    ]
    return decide(matrix, np.array(plausibility), 0)


def notes_on(rows: list[tuple[str, str, str]], believed: dict[str, str], right: Any) -> list[Note]:
    """Return the guards' notes where the vote believes the same."""
    matrix = Claims.from_triples(rows, attributes={"*": CLOSED}).matrix
    verdict = by_plausibility(matrix, believed)
    rates: Floats = np.full(matrix.n_claims, right)
    return GuardCounts.of(matrix, verdict, verdict, rates).notes(matrix.sources)


ROWS = [(source, entity, "1") for source in "abc" for entity in ("x", "y", "z")]
TRUE = {"x": "1", "y": "1", "z": "1"}


def test_where_all_is_well_only_the_comparison_with_the_vote_is_made() -> None:
    rows = [*ROWS, ("d", "x", "2"), ("d", "y", "1"), ("d", "z", "1")]
    texts = [note.text for note in notes_on(rows, TRUE, 0.9)]
    assert texts == ["A majority vote would give the same answers."]


def test_differences_are_counted_and_labels_recommended() -> None:
    rows = [("a", "x", "1"), ("b", "x", "2"), ("c", "x", "2")]
    rows += [row for row in ROWS if row[1] != "x"]
    matrix = Claims.from_triples(rows, attributes={"*": CLOSED}).matrix
    verdict = by_plausibility(matrix, TRUE)
    vote = by_plausibility(matrix, {**TRUE, "x": "2"})
    assert differing_items(matrix, verdict, vote).tolist() == [True, False, False]
    right = np.full(matrix.n_claims, 0.9)
    notes = GuardCounts.of(matrix, verdict, vote, right).notes(matrix.sources)
    assert "majority vote on 1 item, 33.3% of all" in notes[0].text
    assert "veracity disagreements" in notes[0].text
    assert notes[0].count == 1


def test_an_answer_against_all_sources_is_pointed_out() -> None:
    rows = [("a", "x", "no"), ("b", "x", "no"), ("a", "y", "yes"), ("b", "y", "no")]
    matrix = Claims.from_triples(rows, attributes={"*": BOOLEAN}).matrix
    verdict = decide(matrix, np.array([0.9, 0.9]), 0)  # x is true, though all deny it
    vote = decide(matrix, np.array([0.0, 0.9]), 0)
    notes = GuardCounts.of(matrix, verdict, vote, np.full(4, 0.9)).notes(matrix.sources)
    (note,) = [note for note in notes if "contradicts every source" in note.text]
    assert note.count == 1
    assert not saying([note.text for note in notes_on(ROWS, TRUE, 0.9)], "contradicts every source")


def test_groups_that_share_no_item_are_counted() -> None:
    rows = [*ROWS, ("p", "u", "1"), ("q", "u", "2"), ("r", "v", "1")]
    notes = notes_on(rows, {**TRUE, "u": "1", "v": "1"}, 0.9)
    (note,) = [note for note in notes if "groups that share no item" in note.text]
    assert "fall into 3 groups that share no item, 1 of them with one source" in note.text
    assert "25.0% of the claims are outside the largest" in note.text
    assert note.count == 3
    joined = notes_on([*rows, ("a", "u", "1"), ("a", "v", "1")], {**TRUE, "u": "1", "v": "1"}, 0.9)
    assert not saying([note.text for note in joined], "share no item")


def test_items_and_sources_with_next_to_nothing_are_counted() -> None:
    rows = [*ROWS, ("d", "u", "1")]
    texts = [note.text for note in notes_on(rows, {**TRUE, "u": "1"}, 0.9)]
    assert saying(texts, "1 item (25%) has only one source")
    assert saying(texts, "1 source (25%) makes one or two claims, 10% of all")


@pytest.mark.parametrize(
    ("right", "speaks", "most"), [(0.9, False, False), (0.54, True, True), (0.56, False, False)]
)
def test_claims_near_chance_are_pointed_out(right: float, speaks: bool, most: bool) -> None:
    # Of two values, chance is 0.5, and near it is up to 0.5 + 0.1 * 0.5.
    rows = [*ROWS, ("d", "x", "2")]
    texts = [note.text for note in notes_on(rows, TRUE, right)]
    assert bool(saying(texts, "hardly better than guesses")) == speaks
    assert bool(saying(texts, "the answer may be wrong as a whole")) == most


def test_one_voice_that_is_always_followed_is_pointed_out() -> None:
    drawn = world([1.0, 0.5, 0.5, 0.5], 80, seed=2)
    matrix = drawn.claims.matrix
    verdict = by_plausibility(matrix, drawn.truth)
    right = np.full(matrix.n_claims, 0.9)
    notes = GuardCounts.of(matrix, verdict, verdict, right).notes(matrix.sources)
    (note,) = [note for note in notes if "the answer is what" in note.text]
    assert "'s00' says 100.0% of the time" in note.text
    assert "about 16 labels of contested items that it speaks about" in note.text
    shared = world([0.9, 0.9, 0.9, 0.9], 80, seed=2)
    verdict = by_plausibility(shared.claims.matrix, shared.truth)
    right = np.full(shared.claims.matrix.n_claims, 0.9)
    notes = GuardCounts.of(shared.claims.matrix, verdict, verdict, right).notes(
        shared.claims.matrix.sources
    )
    assert not saying([note.text for note in notes], "the answer is what")


# As a user meets them


def spam(attribute: Any = CLOSED, seed: int = 1) -> World:
    """Three fair sources, and twelve that answer at random."""
    return world([0.7] * 3 + [0.25] * 12, 150, attribute=attribute, seed=seed)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_majority_of_spammers_makes_the_guards_speak(seed: int) -> None:
    drawn = spam(seed=seed)
    texts = trust(GRBM().fit(drawn.claims))
    assert saying(texts, "count as hardly better than guesses")
    (vote,) = saying(texts, "veracity disagreements")
    assert "label" in vote
    assert " 0 items" not in vote


@pytest.mark.parametrize("attribute", [CLOSED, OPEN, BOOLEAN], ids=["closed", "open", "boolean"])
def test_nothing_but_spam_makes_the_guards_speak(attribute: Any) -> None:
    n_values = 2 if attribute is BOOLEAN else 4
    drawn = world([1 / n_values] * 15, 150, n_values=n_values, attribute=attribute, seed=1)
    model = GRBM().fit(drawn.claims)
    if attribute is not OPEN:  # where there is no chance to be better than
        assert saying(trust(model), "count as hardly better than guesses")
    accepted = [row for row in model.truths_.to_pylist() if row["decision"] == "accept"]
    assert len(accepted) <= 0.1 * 150


def test_good_sources_give_the_guards_little_to_say() -> None:
    drawn = world([0.85] * 10, 150, seed=1)
    texts = trust(GRBM().fit(drawn.claims))
    (text,) = texts  # the comparison with the vote
    assert text == "A majority vote would give the same answers."


def test_two_groups_of_sources_are_noted_in_a_fit() -> None:
    one, other = world([0.8] * 5, 40, seed=1), world([0.6] * 5, 40, seed=2)
    columns = {
        "source": one.columns["source"] + [f"t{name}" for name in other.columns["source"]],
        "entity": one.columns["entity"] + [f"f{name}" for name in other.columns["entity"]],
        "value": one.columns["value"] + other.columns["value"],
    }
    model = GRBM().fit(Claims.from_frame(columns, attributes={"*": CLOSED}))
    (text,) = saying(trust(model), "share no item")
    assert "fall into 2 groups" in text
    assert "50.0% of the claims are outside the largest" in text
    assert "cannot be compared" in text
    assert not saying(trust(GRBM().fit(one.claims)), "share no item")


def test_the_vote_that_is_compared_with_is_the_plain_one() -> None:
    drawn = spam()
    model = GRBM().fit(drawn.claims)
    vote = MajorityVote(random_state=model.random_state).fit(drawn.claims)
    mine, theirs = (
        {row["entity"]: row["value"] for row in table.to_pylist()}
        for table in (model.truths_, vote.truths_)
    )
    differs = sum(mine[entity] != theirs[entity] for entity in mine)
    (text,) = [note for note in model.notes_ if "veracity disagreements" in note.text]
    assert text.count == differs


# Reasons to doubt the answer as a whole


def against_the_vote(n_overruled: int) -> list[Note]:
    """Return the notes where three of four sources are overruled on some of forty items."""
    rows = [(source, f"e{i}", "1") for source in "abc" for i in range(40)]
    rows += [("d", f"e{i}", "2") for i in range(40)]
    matrix = Claims.from_triples(rows, attributes={"*": CLOSED}).matrix
    vote = by_plausibility(matrix, {f"e{i}": "1" for i in range(40)})
    believed = {f"e{i}": "2" if i < n_overruled else "1" for i in range(40)}
    verdict = by_plausibility(matrix, believed)
    right = np.full(matrix.n_claims, 0.9)
    return GuardCounts.of(matrix, verdict, vote, right).notes(matrix.sources)


def test_an_answer_that_overrules_many_votes_is_the_first_thing_said() -> None:
    first, *others = against_the_vote(11)
    assert first.text.startswith("On 11 of 40 contested items (28%) the answer is not the most")
    assert "about 12 labels of items that `veracity disagreements` lists" in first.text
    assert first.count == 11
    assert not [note for note in others if "majority vote" in note.text]  # once is enough


def test_few_overruled_votes_are_counted_as_before() -> None:
    first, *_ = against_the_vote(10)
    assert first.text.startswith("The answers differ from those of a majority vote on 10 items")


def test_ties_of_the_vote_are_not_overruled() -> None:
    rows = [("a", f"e{i}", "1") for i in range(40)] + [("b", f"e{i}", "2") for i in range(40)]
    matrix = Claims.from_triples(rows, attributes={"*": CLOSED}).matrix
    vote = decide(matrix, np.full(matrix.n_statements, 0.5), 0)
    verdict = by_plausibility(matrix, {f"e{i}": "1" for i in range(40)})
    counts = GuardCounts.of(matrix, verdict, vote, np.full(matrix.n_claims, 0.9))
    assert counts.n_unlike_vote > 0
    assert counts.n_overruled == 0


@pytest.mark.parametrize(("share", "speaks"), [(0.2, True), (0.05, False), (None, False)])
@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        ("overturned", "The features in use change the answer on 20% of"),
        ("restarted", "Two starts of the fit end in different answers on 20% of"),
    ],
)
def test_what_changes_many_answers_is_pointed_out(
    by: str, sentence: str, share: float | None, speaks: bool
) -> None:
    drawn = world([0.8, 0.6, 0.6, 0.5], 60, seed=2)
    matrix = drawn.claims.matrix
    verdict = by_plausibility(matrix, drawn.truth)
    counts = GuardCounts.of(matrix, verdict, verdict, np.full(matrix.n_claims, 0.9))
    texts = [note.text for note in counts.notes(matrix.sources, (), **{by: share})]
    assert bool(saying(texts, sentence)) == speaks


def test_a_fit_to_few_claims_starts_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = world([0.9] * 5, 60)
    model = GRBM(features="never").fit(drawn.claims)
    assert model._restarted == 0.0  # good sources: the start does not matter
    monkeypatch.setattr(selection, "MAX_CLAIMS_TO_RESTART", 10)
    assert GRBM(features="never").fit(drawn.claims)._restarted is None


def test_notes_on_trust_come_before_all_others() -> None:
    drawn = spam()
    columns = {**drawn.columns, "claim_length": [len(value) for value in drawn.columns["value"]]}
    model = GRBM().fit(Claims.from_frame(columns, attributes={"*": CLOSED}))
    subjects = [note.subject for note in model.notes_]
    first = [subject for subject in subjects if subject in ("trust", "evidence")]
    assert 0 < len(first) < len(subjects)
    assert subjects[: len(first)] == first
