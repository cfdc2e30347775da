"""Pairs of sources: found, compared and discounted, against sums done by hand and in full."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from veracity import Attribute, Claims
from veracity.data.arrays import Floats
from veracity.datasets import synthetic
from veracity.models.views.one_true_value import Questions
from veracity.models.web.accu import wrong_values
from veracity.models.web.copying import (
    Candidates,
    Pairs,
    Said,
    candidate_pairs,
    compared,
    copying_table,
    direction_probabilities,
    discounted,
    rank_of_sources,
)

MULTIPLE = {"*": Attribute("multiple")}


def questions_of(said: dict[str, str | list[str]], **options: Any) -> Questions:
    """Read what each source says about items 0, 1, ... (. says nothing, + joins several)."""
    rows = [
        (source, f"{item:03}", part)
        for source, values in said.items()
        for item, value in enumerate(values)
        for part in value.split("+")
        if value != "."
    ]
    source, entity, value = zip(*rows, strict=True)
    frame = {"source": list(source), "entity": list(entity), "value": list(value)}
    return Questions.of(Claims.from_frame(frame, **options).matrix)


def found_in(questions: Questions, **limits: int) -> Candidates:
    bounds = {"min_shared": 1, "max_supporters": 1000, "max_pairs": 1000} | limits
    return candidate_pairs(questions, Said.of(questions), **bounds)


def couples(pairs: Pairs) -> set[tuple[int, int]]:
    both = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return {(min(pair), max(pair)) for pair in both}


def one_pair(first: int, second: int, forward: float, backward: float) -> Pairs:
    return several_pairs([(first, second, forward, backward)])


def several_pairs(rows: list[tuple[int, int, float, float]]) -> Pairs:
    first, second, forward, backward = (np.array(column) for column in zip(*rows, strict=True))
    pairs = Pairs.between(first.astype(np.int32), second.astype(np.int32))
    return Pairs(pairs.first, pairs.second, forward, backward, pairs.n_shared, pairs.n_shared_false)


# Which pairs are compared


def test_pairs_must_share_an_answer_that_somebody_disputes() -> None:
    # Everybody agrees on the first item. a and b share the second, against c.
    questions = questions_of({"a": "11", "b": "11", "c": "12"})
    assert couples(found_in(questions).pairs) == {(0, 1)}


def test_undisputed_answers_count_once_there_is_a_disputed_one() -> None:
    questions = questions_of({"a": "111", "b": "111", "c": "122"})
    assert couples(found_in(questions, min_shared=3).pairs) == {(0, 1)}
    assert couples(found_in(questions, min_shared=4).pairs) == set()


def test_answers_with_many_sources_do_not_make_pairs() -> None:
    said: dict[str, str | list[str]] = {"a": "11", "b": "11", "c": "12", "d": "22"}
    found = found_in(questions_of(said), max_supporters=2)
    assert couples(found.pairs) == {(0, 1), (2, 3)}
    assert found.n_common_answers == 1


def test_of_too_many_pairs_those_with_rare_answers_are_kept() -> None:
    # d and e share what only they say, once; a, b and c share what most say.
    questions = questions_of({"a": "1", "b": "1", "c": "1", "d": "2", "e": "2"})
    found = found_in(questions, max_pairs=1)
    assert couples(found.pairs) == {(3, 4)}
    assert found.n_left_out == 3


def test_pairs_found_in_blocks_are_those_of_plain_loops() -> None:
    spec = synthetic.SourceSpec(items_per_source=20)
    questions = Questions.of(synthetic.draw(60, 80, sources=spec, random_state=3).claims.matrix)
    votes, n_votes = questions.votes, questions.n_votes
    n_cast = questions.n_cast[questions.question_of_answer]
    given = [set(votes.about[votes.source == source].tolist()) for source in range(60)]
    surprise = {}
    for one, two in combinations(range(60), 2):
        shared = sorted(given[one] & given[two])
        weight = float(np.log(n_cast[shared] / n_votes[shared]).sum())
        if len(shared) >= 2 and weight > 0:
            surprise[one, two] = weight
    assert len(surprise) > 1000
    assert couples(found_in(questions, min_shared=2, max_pairs=10_000).pairs) == surprise.keys()
    # There is room for twice as many at a time, so that this takes many blocks.
    few = found_in(questions, min_shared=2, max_pairs=100)
    bar = sorted(surprise.values(), reverse=True)[100]
    assert couples(few.pairs) == {pair for pair, weight in surprise.items() if weight > bar + 1e-9}
    assert few.n_left_out == len(surprise) - len(few.pairs)


# How they are compared


def test_probability_of_copying_by_the_formula_of_the_paper() -> None:
    # Two true answers shared, one wrong one, and one question on which the two differ.
    # N = 10, c = 0.8, A1 = 0.9, A2 = 0.6, and beforehand 0.1 for either direction, 0.8 for none.
    # Shared and true: 0.54 by chance; 0.8 * 0.6 + 0.2 * 0.54 if 1 copies 2.
    # Shared and wrong: 0.1 * 0.4 / 10 = 0.004 by chance; 0.8 * 0.4 + 0.2 * 0.004 if 1 copies 2.
    # Different: 0.2 times as probable if either copies. c says the same as b, but on one item.
    questions = questions_of({"a": "1111", "b": "1112", "c": "...3"})
    said = Said.of(questions)
    belief = np.zeros(questions.n_answers)
    belief[said.answer[said.start[0] : said.start[1]]] = [1.0, 1.0, 0.0, 0.0]
    found = compared(
        one_pair(0, 1, 0, 0),
        said,
        questions,
        belief,
        np.full(questions.n_questions, 10.0),
        np.array([0.9, 0.6, 0.5]),
        prior=0.2,
        copy_rate=0.8,
    )
    independent = 0.8 * 0.54**2 * 0.004
    forward = 0.1 * (0.48 + 0.2 * 0.54) ** 2 * (0.32 + 0.2 * 0.004) * 0.2
    backward = 0.1 * (0.72 + 0.2 * 0.54) ** 2 * (0.08 + 0.2 * 0.004) * 0.2
    total = independent + forward + backward
    assert found.forward.tolist() == pytest.approx([forward / total])
    assert found.backward.tolist() == pytest.approx([backward / total])
    assert found.n_shared.tolist() == [4]
    assert found.n_shared_false.tolist() == pytest.approx([1.0])


def test_with_equal_accuracies_it_is_the_closed_form_of_the_paper() -> None:
    # P = 1 / (1 + (1 - a)/a (e'/(e' + c e))^kt (e/(c N + e - c e))^kf (1/(1 - c))^kd), with
    # e = 0.2 the error rate, e' = 0.8, a = 0.2, c = 0.8, N = 100, kt = 3, kf = 1, kd = 2.
    questions = questions_of({"a": "111111", "b": "111122"})
    said = Said.of(questions)
    belief = np.zeros(questions.n_answers)
    belief[said.answer[said.start[0] : said.start[1]]] = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    n_false, accuracy = np.full(questions.n_questions, 100.0), np.array([0.8, 0.8])
    found = compared(
        one_pair(0, 1, 0, 0), said, questions, belief, n_false, accuracy, prior=0.2, copy_rate=0.8
    )
    against = 0.8 / 0.2 * (0.8 / 0.96) ** 3 * (0.2 / (80 + 0.2 - 0.16)) * (1 / 0.2) ** 2
    assert found.dependence.tolist() == pytest.approx([1 / (1 + against)])
    assert found.forward.tolist() == pytest.approx(found.backward.tolist())


def test_lists_that_are_not_the_same_differ_once() -> None:
    # Item 0: the same two values. Item 1: one shared, one on either side. Item 2: nothing shared.
    questions = questions_of(
        {"a": ["1+2", "1+2", "1"], "b": ["1+2", "1+3", "2+3"], "c": ["4", "4", "4"]},
        attributes=MULTIPLE,
    )
    said = Said.of(questions)
    belief = np.ones(questions.n_answers)
    n_false, accuracy = np.ones(questions.n_questions), np.full(3, 0.5)
    found = compared(
        one_pair(0, 1, 0, 0), said, questions, belief, n_false, accuracy, prior=0.2, copy_rate=0.8
    )
    # Three values shared and true: 0.25 by chance, 0.8 * 0.5 + 0.2 * 0.25 as a copy.
    copied = 0.2 * (0.45 / 0.25) ** 3 * 0.2**2
    assert found.n_shared.tolist() == [5]
    assert found.dependence.tolist() == pytest.approx([copied / (copied + 0.8)])


def test_long_products_neither_overflow_nor_vanish() -> None:
    n_items = 3000
    questions = questions_of({"a": "1" * n_items, "b": "1" * n_items, "c": "2" * n_items})
    said, n_false = Said.of(questions), np.full(questions.n_questions, 100.0)
    accuracy = np.full(3, 0.7)
    wrong, right = np.zeros(questions.n_answers), np.ones(questions.n_answers)
    pairs = several_pairs([(0, 1, 0, 0), (0, 2, 0, 0)])
    for belief in (wrong, right):
        found = compared(pairs, said, questions, belief, n_false, accuracy, 0.2, 0.8)
        assert found.dependence.tolist() == pytest.approx([1.0, 0.0])


def test_directions_share_what_is_not_independence() -> None:
    forward, backward = direction_probabilities(np.zeros(1), np.zeros(1), 0.3)
    assert (forward.tolist(), backward.tolist()) == ([pytest.approx(0.15)], [pytest.approx(0.15)])
    forward, backward = direction_probabilities(np.array([2000.0]), np.array([-2000.0]), 0.3)
    assert (forward.tolist(), backward.tolist()) == ([1.0], [0.0])


# How votes are discounted


def test_a_copy_counts_for_what_is_its_own() -> None:
    # a is the most accurate and counts in full, then b (a copy of a with 0.5), then c, which
    # depends on a with 0.25 and on b with 1. On item 1, a says something else.
    questions = questions_of({"a": "12", "b": "11", "c": "11", "d": "22"})
    pairs = several_pairs([(0, 1, 0.2, 0.3), (0, 2, 0.25, 0.0), (1, 2, 0.5, 0.5)])
    accuracy = np.array([0.9, 0.8, 0.7, 0.6])
    heard = discounted(questions, Said.of(questions), pairs, accuracy, copy_rate=0.8)
    # Answers in the order 1 and 2 of item 0, then 1 and 2 of item 1; d depends on nobody.
    assert heard.n_votes.tolist() == pytest.approx([1 + 0.6 + 0.8 * 0.2, 1, 1 + 0.2, 2])
    assert questions.n_votes.tolist() == [3, 1, 2, 2]


def test_sources_are_ranked_by_accuracy_then_by_how_many_depend_on_them() -> None:
    pairs = several_pairs([(1, 0, 0.4, 0.4), (1, 2, 0.4, 0.4)])
    accuracy, weight = np.array([0.5, 0.5, 0.5, 0.7]), np.array([1.0, 1.0, 2.0, 1.0])
    ranks = rank_of_sources(pairs, accuracy, weight, np.zeros(4))
    assert ranks.tolist() == [3, 1, 2, 0]  # of 0 and 2, the latter says more


def test_equal_sources_are_ranked_by_what_they_say_and_not_by_their_names() -> None:
    said = {"a": "12", "b": "21", "c": "11", "d": "22"}
    nobody = Pairs.between(np.empty(0, np.int32), np.empty(0, np.int32))

    def ranked(names: str) -> list[str]:
        questions = questions_of(dict(zip(names, said.values(), strict=True)))
        signature = Said.of(questions).signature
        ranks = rank_of_sources(nobody, np.full(4, 0.5), questions.n_given, signature)
        spoken = [said["abcd"[names.index(name)]] for name in sorted(names)]
        return [spoken[place] for place in np.argsort(ranks)]

    assert sorted(ranked("abcd")) == sorted(said.values())
    assert ranked("dbca") == ranked("abcd")


def test_a_copied_list_counts_less_for_and_against() -> None:
    # b copies a with certainty, so that its list counts 0.2: for 1 and 2, and against 3.
    questions = questions_of({"a": ["1+2"], "b": ["1+2"], "c": ["3"]}, attributes=MULTIPLE)
    pairs, accuracy = one_pair(0, 1, 0.0, 1.0), np.array([0.9, 0.8, 0.7])
    heard = discounted(questions, Said.of(questions), pairs, accuracy, copy_rate=0.8)
    # yes and no to 1, to 2, and to 3
    assert heard.n_votes.tolist() == pytest.approx([1.2, 1, 1.2, 1, 1, 1.2])


def test_without_dependence_votes_stay_as_they_are() -> None:
    questions = questions_of({"a": "11", "b": "11", "c": "22"})
    pairs = one_pair(0, 1, 0.004, 0.004)
    assert discounted(questions, Said.of(questions), pairs, np.full(3, 0.8), 0.8) is questions


# All of it against plain loops


def plain_comparison(
    questions: Questions, belief: Floats, n_false: Floats, accuracy: Floats, copy_rate: float
) -> dict[tuple[int, int], tuple[float, float, int]]:
    """Return both log-likelihood ratios and the number of shared questions of every pair."""
    votes = questions.votes
    says: list[dict[int, int]] = [{} for _ in range(questions.n_sources)]
    for source, answer in zip(votes.source.tolist(), votes.about.tolist(), strict=True):
        says[source][int(questions.question_of_answer[answer])] = answer
    result = {}
    for one, two in combinations(range(questions.n_sources), 2):
        forward = backward = 0.0
        shared = sorted(says[one].keys() & says[two].keys())
        for question in shared:
            answer = says[one][question]
            if answer != says[two][question]:
                forward += np.log(1 - copy_rate)
                backward += np.log(1 - copy_rate)
                continue
            p, a, b = belief[answer], accuracy[one], accuracy[two]
            chance = p * a * b + (1 - p) * (1 - a) * (1 - b) / n_false[question]
            own = (1 - copy_rate) * chance
            forward += np.log((copy_rate * (p * b + (1 - p) * (1 - b)) + own) / chance)
            backward += np.log((copy_rate * (p * a + (1 - p) * (1 - a)) + own) / chance)
        result[one, two] = (forward, backward, len(shared))
    return result


@pytest.fixture(scope="module")
def drawn_questions() -> Questions:
    spec = synthetic.SourceSpec(copiers=0.3, tail=0.5, items_per_source=30)
    return Questions.of(synthetic.draw(25, 90, sources=spec, random_state=5).claims.matrix)


def test_comparison_is_that_of_plain_loops(drawn_questions: Questions) -> None:
    questions, rng = drawn_questions, np.random.default_rng(0)
    belief = rng.uniform(0, 1, questions.n_answers)
    accuracy = rng.uniform(0.1, 0.95, questions.n_sources)
    n_false, said = wrong_values(questions, None), Said.of(questions)
    pairs = candidate_pairs(questions, said, 1, 1000, 10_000).pairs
    found = compared(pairs, said, questions, belief, n_false, accuracy, 0.2, 0.7)
    plain = plain_comparison(questions, belief, n_false, accuracy, 0.7)
    assert len(pairs) > 100
    for row in range(len(pairs)):
        one, two = int(pairs.first[row]), int(pairs.second[row])
        assert np.diff(said.start)[one] >= np.diff(said.start)[two]
        forward, backward, n_shared = plain[min(one, two), max(one, two)]
        if one > two:
            forward, backward = backward, forward
        total = 0.8 + 0.1 * np.exp(forward) + 0.1 * np.exp(backward)
        assert found.forward[row] == pytest.approx(0.1 * np.exp(forward) / total)
        assert found.backward[row] == pytest.approx(0.1 * np.exp(backward) / total)
        assert found.n_shared[row] == n_shared


def test_discount_is_that_of_plain_loops(drawn_questions: Questions) -> None:
    questions, rng = drawn_questions, np.random.default_rng(1)
    said = Said.of(questions)
    pairs = candidate_pairs(questions, said, 1, 1000, 10_000).pairs
    forward, backward = rng.uniform(0, 0.5, (2, len(pairs)))
    pairs = Pairs(
        pairs.first, pairs.second, forward, backward, pairs.n_shared, pairs.n_shared_false
    )
    accuracy = rng.permutation(np.linspace(0.1, 0.9, questions.n_sources))
    heard = discounted(questions, said, pairs, accuracy, copy_rate=0.8)
    depend: npt.NDArray[np.float64] = np.zeros((questions.n_sources, questions.n_sources))
    depend[pairs.first, pairs.second] = depend[pairs.second, pairs.first] = pairs.dependence
    votes = questions.votes
    for answer in range(questions.n_answers):
        sources = sorted(votes.source[votes.about == answer], key=lambda s: -accuracy[s])
        counted = sum(
            np.prod([1 - 0.8 * depend[source, earlier] for earlier in sources[:place]])
            for place, source in enumerate(sources)
        )
        assert heard.n_votes[answer] == pytest.approx(counted)


# What a user sees


def test_table_names_the_more_probable_direction_and_sorts_by_it() -> None:
    pairs = several_pairs([(0, 1, 0.1, 0.6), (1, 2, 0.9, 0.05), (0, 2, 0.2, 0.1)])
    table = copying_table(pairs, pa.array(["ann", "bob", "cat"]))
    assert table.column_names == [
        "source", "copies_from", "probability", "either_way", "n_shared", "n_shared_false"
    ]  # fmt: skip
    assert table["source"].to_pylist() == ["bob", "bob", "ann"]
    assert table["copies_from"].to_pylist() == ["cat", "ann", "cat"]
    assert table["probability"].to_pylist() == pytest.approx([0.9, 0.6, 0.2])
    assert table["either_way"].to_pylist() == pytest.approx([0.95, 0.7, 0.3])


def test_pairs_are_found_again_among_other_sources() -> None:
    pairs = several_pairs([(0, 1, 0.1, 0.6), (1, 2, 0.9, 0.05), (3, 2, 0.2, 0.1)])
    # Of the new sources, 0 is our 2, 1 was not seen, 2 is our 1, and 3 is our 3.
    moved = pairs.at(np.array([2, -1, 1, 3]), 4)
    assert moved.first.tolist() == [2, 3]
    assert moved.second.tolist() == [0, 0]
    assert moved.forward.tolist() == [0.9, 0.2]
