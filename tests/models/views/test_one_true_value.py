"""Claims as votes on questions: by hand, and against every vote written out one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.claim_rows import Row, read, tables

from veracity import Claims
from veracity.data.truth.known import KnownTruth
from veracity.models.views.one_true_value import Clamp, Questions


def questions_of(rows: list[Row]) -> Questions:
    return Questions.of(read(rows).matrix)


# Answers are written as (entity, attribute, value, yes); of items with one true value, yes is True.
Answer = tuple[str, str, str, bool]


def answers_of(claims: Claims, questions: Questions) -> dict[Answer, int]:
    """Return the place of each answer."""
    matrix = claims.matrix
    places: dict[Answer, int] = {}
    labels = [array.to_pylist() for array in (matrix.entities, matrix.attributes, matrix.values)]
    for statement, place in enumerate(questions.answer_of_statement.tolist()):
        item = int(matrix.item_of_statement[statement])
        name = (
            labels[0][matrix.entity_index[item]],
            labels[1][matrix.attribute_index[item]],
            labels[2][matrix.value_index[statement]],
        )
        places[*name, True] = place
        if questions.by_itself[statement]:
            places[*name, False] = place + 1
    return places


def domain_sizes(rows: list[Row]) -> dict[tuple[str, str], int]:
    """Return how many values each item may take."""
    sizes = {}
    for item in {row.item for row in rows}:
        if item[1] in ("boolean", "multiple"):
            sizes[item] = 2
        elif item[1] == "closed":
            sizes[item] = max(len({row.value for row in rows if row.attribute == "closed"}), 2)
        else:
            sizes[item] = len({row.value for row in rows if row.item == item}) + 1
    return sizes


def written_out(rows: list[Row]) -> dict[tuple[str, Answer], float]:
    """Return the weight of each source's votes for each answer, one vote after the other."""
    votes: dict[tuple[str, Answer], float] = {}

    def vote(source: str, item: tuple[str, str], value: str, yes: bool, weight: float) -> None:
        key = (source, (*item, value, yes))
        votes[key] = votes.get(key, 0.0) + weight

    sizes = domain_sizes(rows)
    for item in {row.item for row in rows}:
        values = {row.value for row in rows if row.item == item}
        for source in {row.source for row in rows if row.item == item}:
            own = [row for row in rows if row.item == item and row.source == source]
            named = {row.value for row in own if row.asserts}
            for row in own:
                if item[1] == "boolean":
                    says_yes = (row.value == "yes") == bool(row.asserts)
                    vote(source, item, "yes", says_yes, row.weight)
                elif row.asserts:
                    vote(source, item, row.value, True, row.weight)
                elif named and row.value not in named:
                    continue  # the source says so anyway, by naming another
                elif item[1] == "multiple":
                    vote(source, item, row.value, False, row.weight)
                else:
                    for other in values - {row.value}:
                        vote(source, item, other, True, row.weight / (sizes[item] - 1))
            if item[1] == "multiple" and named:
                heaviest = max(row.weight for row in own if row.asserts)
                for other in values - named:
                    vote(source, item, other, False, heaviest)
    return votes


@settings(max_examples=40)
@given(rows=tables(), seed=st.integers(0, 99))
@example(rows=[Row("a", "x", "multiple", "1", 0)], seed=0)
@example(rows=[Row("a", "x", "multiple", "1", 1, 2.0), Row("a", "x", "multiple", "1", 0)], seed=0)
@example(rows=[Row("a", "x", "open", "1", 0), Row("b", "x", "open", "1", 0)], seed=1)
@example(rows=[Row("a", "x", "closed", "1"), Row("a", "x", "closed", "1", 0)], seed=2)
def test_votes_are_those_written_out_one_by_one(rows: list[Row], seed: int) -> None:
    claims = read(rows)
    questions = Questions.of(claims.matrix)
    places = answers_of(claims, questions)
    assert sorted(places.values()) == list(range(questions.n_answers))
    sources = claims.matrix.sources.to_pylist()
    dense = np.zeros((len(sources), questions.n_answers))
    for (source, answer), weight in written_out(rows).items():
        dense[sources.index(source), places[answer]] += weight
    rng = np.random.default_rng(seed)
    of_source, of_answer = rng.normal(size=len(sources)), rng.normal(size=questions.n_answers)
    np.testing.assert_allclose(questions.to_answers(of_source), of_source @ dense, atol=1e-12)
    np.testing.assert_allclose(questions.to_sources(of_answer), dense @ of_answer, atol=1e-12)
    np.testing.assert_allclose(questions.n_votes, dense.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(questions.n_given, dense.sum(axis=1), atol=1e-12)


@given(rows=tables())
def test_questions_and_their_answers(rows: list[Row]) -> None:
    claims = read(rows)
    questions = Questions.of(claims.matrix)
    places = answers_of(claims, questions)
    together: dict[object, set[int]] = {}
    for answer, place in places.items():
        alone = answer[1] in ("boolean", "multiple")
        together.setdefault(answer[:3] if alone else answer[:2], set()).add(place)
    asked = {
        frozenset(range(start, stop))
        for start, stop in zip(
            questions.answer_start[:-1].tolist(), questions.answer_start[1:].tolist(), strict=True
        )
    }
    assert asked == {frozenset(each) for each in together.values()}
    sizes = domain_sizes(rows)
    for (entity, attribute, _, _), place in places.items():
        question = questions.question_of_answer[place]
        assert questions.domain_size[question] == sizes[entity, attribute]
        item = questions.item_of_answer[place]
        assert claims.matrix.entities[int(claims.matrix.entity_index[item])].as_py() == entity
    of_answer = np.arange(questions.n_answers, dtype=np.float64)
    ranges = sorted(sorted(each) for each in asked)
    assert questions.sum_by_question(of_answer).tolist() == [sum(each) for each in ranges]
    assert questions.max_by_question(of_answer).tolist() == [max(each) for each in ranges]


def test_who_names_one_value_votes_for_it() -> None:
    rows = [Row("a", "x", "open", "1"), Row("b", "x", "open", "1", weight=2.0)]
    rows += [Row("c", "x", "open", "2")]
    questions = questions_of(rows)
    assert questions.n_votes.tolist() == [3, 1]
    assert questions.n_given.tolist() == [1, 2, 1]
    assert questions.n_cast.tolist() == [4]
    assert questions.domain_size.tolist() == [3]
    assert questions.n_unseen.tolist() == [1]
    assert len(questions.blankets) == 0
    assert not questions.by_itself.any()


def test_a_boolean_item_is_a_question_with_two_answers() -> None:
    rows = [Row("a", "x", "boolean", "yes"), Row("b", "x", "boolean", "no")]
    questions = questions_of([*rows, Row("c", "x", "boolean", "yes", 0)])
    assert questions.n_votes.tolist() == [1, 2]
    assert questions.domain_size.tolist() == [2]
    assert questions.n_unseen.tolist() == [0]
    assert questions.to_answers(np.array([0.5, 2.0, 3.0])).tolist() == [0.5, 5.0]


def test_who_lists_some_values_says_no_to_the_others() -> None:
    rows = [Row("a", "x", "multiple", "1"), Row("a", "x", "multiple", "2", weight=2.0)]
    rows += [Row("b", "x", "multiple", "3"), Row("c", "x", "multiple", "3", asserts=0)]
    questions = questions_of(rows)
    # Yes and no to 1, 2 and 3. The list of a weighs as much as the heaviest of its claims.
    assert questions.n_votes.tolist() == [1, 1, 2, 1, 1, 3]
    assert questions.by_itself.all()
    assert questions.n_questions == 3


def test_who_denies_without_naming_votes_for_all_others_alike() -> None:
    rows = [Row("a", "x", "open", "1"), Row("b", "x", "open", "2"), Row("c", "x", "open", "1", 0)]
    questions = questions_of(rows)
    # Three values are possible, one of which nobody claims: half a vote for each of the others.
    assert questions.n_votes.tolist() == [1, 1.5]
    assert questions.to_sources(np.array([10.0, 100.0])).tolist() == [10, 100, 50]


def test_a_denial_besides_a_name_changes_nothing() -> None:
    rows = [Row("a", "x", "open", "1"), Row("a", "x", "open", "2", 0), Row("b", "x", "open", "2")]
    assert questions_of(rows).n_votes.tolist() == [1, 1]


def test_without_weights_every_claim_counts_one() -> None:
    rows = [Row("a", "x", "open", "1", 1, 3.0), Row("b", "x", "multiple", "1", 1, 3.0)]
    questions = Questions.of(read(rows, weighted=False).matrix)
    assert questions.n_given.tolist() == [1, 1]


def test_shares_sum_to_one_and_nothing_is_shared_alike() -> None:
    rows = [Row("a", "x", "closed", value) for value in "123"]
    rows += [Row("b", "y", "closed", "1"), Row("b", "z", "closed", "2", 0)]
    rows += [Row("c", "x", "boolean", "yes")]
    claims = read(rows)
    questions = Questions.of(claims.matrix)
    places = answers_of(claims, questions)
    of_answer = np.zeros(questions.n_answers)
    of_answer[places["x", "closed", "1", True]] = 3.0
    of_answer[places["x", "closed", "2", True]] = 1.0
    of_answer[places["x", "closed", "3", True]] = -1e-17  # what rounding leaves of a blanket
    shares = questions.shares(of_answer)
    found = {answer: shares[place] for answer, place in places.items()}
    assert [found["x", "closed", value, True] for value in "123"] == [0.75, 0.25, 0.0]
    # About y and z nothing is given: three values are possible, of which one is claimed.
    assert found["y", "closed", "1", True] == pytest.approx(1 / 3)
    assert found["z", "closed", "2", True] == pytest.approx(1 / 3)
    assert found["x", "boolean", "yes", True] == found["x", "boolean", "yes", False] == 0.5


def test_softmax_leaves_room_for_what_nobody_claims() -> None:
    questions = questions_of([Row("a", "x", "open", "1"), Row("b", "x", "open", "2")])
    log_odds = np.log([6.0, 3.0])
    np.testing.assert_allclose(questions.softmax(log_odds), [2 / 3, 1 / 3])
    np.testing.assert_allclose(questions.softmax(log_odds, np.log([1.0])), [0.6, 0.3])
    np.testing.assert_allclose(questions.softmax(log_odds, np.array([-np.inf])), [2 / 3, 1 / 3])
    huge = questions.softmax(np.array([2000.0, 1000.0]), np.array([3000.0]))
    np.testing.assert_allclose(huge, [0, 0])


def clamp_of(rows: list[Row], truth: list[tuple[str, str, str]]) -> tuple[Clamp, dict[Answer, int]]:
    """Return the clamp for some truth, and the places of answers."""
    claims = read(rows)
    names = ("entity", "attribute", "value")
    table = {name: [row[i] for row in truth] for i, name in enumerate(names)}
    questions = Questions.of(claims.matrix)
    known = KnownTruth.of(table, claims) if truth else None
    return Clamp.of(questions, known), answers_of(claims, questions)


CLAIMED = [
    *(Row(source, "x", "open", value) for source, value in zip("abc", "123", strict=True)),
    *(Row(source, "y", "open", value) for source, value in zip("abc", "123", strict=True)),
    Row("a", "x", "boolean", "yes"),
    Row("b", "x", "multiple", "1"),
    Row("b", "x", "multiple", "2"),
]


def test_without_known_truth_a_clamp_changes_nothing() -> None:
    clamp, places = clamp_of(CLAIMED, [])
    belief = np.linspace(0, 1, len(places))
    assert clamp(belief) is belief
    assert not clamp.settled.any()
    assert not clamp.excluded.any()


@pytest.mark.parametrize("start", [0.0, 0.3, 1.0])
def test_a_clamp_keeps_what_is_known(start: float) -> None:
    truth = [("x", "open", "2"), ("x", "boolean", "no"), ("x", "multiple", "2")]
    clamp, places = clamp_of(CLAIMED, truth)
    belief = np.full(len(places), start)
    kept = clamp(belief)
    true = {
        ("x", "open", "2", True),
        ("x", "boolean", "yes", False),
        ("x", "multiple", "1", False),
        ("x", "multiple", "2", True),
    }
    for answer, place in places.items():
        assert kept[place] == (start if answer[0] == "y" else float(answer in true)), answer
    assert (belief == start).all()


def test_several_given_values_of_an_item_with_one_share_the_belief() -> None:
    clamp, places = clamp_of(CLAIMED, [("x", "open", "1"), ("x", "open", "2")])
    belief = np.zeros(len(places))
    belief[places["x", "open", "1", True]] = 0.3
    belief[places["x", "open", "2", True]] = 0.1
    belief[places["x", "open", "3", True]] = 0.6
    kept = clamp(belief)
    assert [round(kept[places["x", "open", value, True]], 9) for value in "123"] == [0.75, 0.25, 0]


def test_truth_that_nobody_claims_makes_all_that_is_claimed_false() -> None:
    clamp, places = clamp_of(CLAIMED, [("x", "open", "9"), ("x", "multiple", "9")])
    kept = clamp(np.full(len(places), 0.5))
    found = {answer: kept[place] for answer, place in places.items()}
    assert [found["x", "open", value, True] for value in "123"] == [0, 0, 0]
    assert [found["x", "multiple", value, True] for value in "12"] == [0, 0]
    assert [found["x", "multiple", value, False] for value in "12"] == [1, 1]
    assert [found["y", "open", value, True] for value in "123"] == [0.5, 0.5, 0.5]
