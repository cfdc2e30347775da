"""Copying between sources: pairs that agree more often than chance.

Only pairs that have something in common are looked at. They are found once, from the answers that
they share, and then compared in every round by the plausibilities of that round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.buffers import take_labels, to_arrow
from veracity.data.encode.grouping import distinct
from veracity.data.labels.hashes import mix
from veracity.data.output.tables import Table
from veracity.models.views.one_true_value import Questions, Votes
from veracity.models.web.copying_kernels import compare_pairs, count_pairs, discount_votes

Places = npt.NDArray[np.int32]

#: Below this probability, a pair is taken to be independent, and not kept.
NEGLIGIBLE = 0.01


@dataclass(frozen=True, eq=False)
class Said:
    """What each source says by its own word, side by side.

    Denials that follow from naming other values are no votes here. But if two sources do not name
    the same values of an item, that is a difference between them.

    Attributes
    ----------
    start
        Where the votes of each source begin; (n_sources + 1,).
    answer, question, item
        What they are for, in the order of `answer` for each source; (n_said,).
    vote
        Which of the votes of `Questions` it is; (n_said,).
    listed
        Answers that say that a value is among several true ones; (n_answers,).
    list_start
        Where the lists of each source begin; a list is a source that speaks about an item by
        naming some of several values, or by denying a value; (n_sources + 1,).
    list_item, list_size
        What each list is about, and how many values it names; (n_lists,).
    list_of_blanket, list_of_vote
        The list of each blanket vote, and of each vote that is taken back from one, -1 for other
        votes; (n_blankets,), (n_votes,).
    """

    start: Indices
    answer: Indices
    question: Indices
    item: Indices
    vote: Indices
    listed: npt.NDArray[np.bool_]
    list_start: Indices
    list_item: Indices
    list_size: Indices
    list_of_blanket: Indices
    list_of_vote: Indices

    @classmethod
    def of(cls, questions: Questions) -> Said:
        """Take the votes out of questions."""
        votes, blankets = questions.votes, questions.blankets
        given = np.flatnonzero(votes.weight > 0)
        vote = given[np.lexsort((votes.about[given], votes.source[given]))]
        answer = votes.about[vote]
        listed = _listed(questions)
        list_of_blanket = _list_keys(questions, blankets.source, blankets.about)
        lists = distinct(list_of_blanket)
        list_of_vote = np.full(len(votes), -1)
        by_list = np.flatnonzero((votes.weight < 0) | listed[votes.about])
        item = questions.item_of_answer[votes.about[by_list]]
        keys = _list_keys(questions, votes.source[by_list], item)
        list_of_vote[by_list] = np.searchsorted(lists, keys)
        named = vote[listed[answer]]
        size = np.bincount(list_of_vote[named], minlength=len(lists))
        list_of_vote[named] = -1
        return cls(
            start=_starts(votes.source[vote], questions.n_sources),
            answer=answer,
            question=questions.question_of_answer[answer],
            item=questions.item_of_answer[answer],
            vote=vote,
            listed=listed,
            list_start=_starts(lists // questions.n_items, questions.n_sources),
            list_item=lists % questions.n_items,
            list_size=size.astype(np.int64),
            list_of_blanket=np.searchsorted(lists, list_of_blanket),
            list_of_vote=list_of_vote,
        )

    @property
    def n_by_source(self) -> Indices:
        """How much each source says; (n_sources,)."""
        return np.diff(self.start)

    @property
    def source(self) -> Indices:
        """Who says it; (n_said,)."""
        return np.repeat(np.arange(len(self.start) - 1), self.n_by_source)

    @property
    def signature(self) -> Floats:
        """A number for what each source says, hardly the same for any two; (n_sources,)."""
        scattered = mix(self.answer.astype(np.uint64)) / 2.0**64
        return sum_by(self.source, scattered, len(self.start) - 1)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of sources, ordered by the first and then the second; of the two, who says more first.

    Attributes
    ----------
    first, second
        The sources; (n_pairs,).
    forward, backward
        The probability that the first copies the second, and that the second copies the first;
        (n_pairs,).
    n_shared, n_shared_false
        How many questions both answer, and how many wrong answers they are expected to share;
        (n_pairs,).
    """

    first: Places
    second: Places
    forward: Floats
    backward: Floats
    n_shared: Indices
    n_shared_false: Floats

    @classmethod
    def between(cls, first: Places, second: Places) -> Pairs:
        """Return pairs of which nothing is known yet."""
        nothing = np.zeros(len(first))
        return cls(first, second, nothing, nothing, nothing.astype(np.int64), nothing)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def dependence(self) -> Floats:
        """The probability that one copies the other, either way; (n_pairs,)."""
        return self.forward + self.backward

    def take(self, rows: Any) -> Pairs:
        """Return some of the pairs, or all of them in another order."""
        return Pairs(**{name: array[rows] for name, array in self.arrays().items()})

    def at(self, place: Indices, n_known: int) -> Pairs:
        """Return the pairs among other sources, given the place of each of them among ours."""
        index_of = np.full(n_known, -1, np.int32)
        seen = np.flatnonzero(place >= 0)
        index_of[place[seen]] = seen
        moved = replace(self, first=index_of[self.first], second=index_of[self.second])
        there = np.flatnonzero((moved.first >= 0) & (moved.second >= 0))
        return moved.take(there[np.lexsort((moved.second[there], moved.first[there]))])

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name."""
        return dict(vars(self))


@dataclass(frozen=True)
class Candidates:
    """Pairs to compare, and what was left out in looking for them.

    Attributes
    ----------
    pairs
        The pairs.
    n_common_answers
        Answers that more than `max_supporters` sources give.
    n_left_out
        Pairs beyond `max_pairs`.
    """

    pairs: Pairs
    n_common_answers: int
    n_left_out: int


def candidate_pairs(
    questions: Questions, said: Said, min_shared: int, max_supporters: int, max_pairs: int
) -> Candidates:
    """Return the pairs that give the same answer to at least `min_shared` questions.

    At least one of these answers must be disputed: what everybody says is no evidence. Answers
    that more than `max_supporters` sources give are not used to find pairs, so that the time is
    at most n_claims * max_supporters / 2 steps. If there are more than `max_pairs`, those are kept
    that share the least common answers, by the sum of -ln(share of the answer in all votes on its
    question). Memory is at most 16 bytes for each of 2 * max_pairs + n_sources pairs here, and some
    100 bytes for each pair that is kept while pairs are compared.
    """
    n_sources = questions.n_sources
    by_answer = np.lexsort((said.source, said.answer))
    supporter_start = _starts(said.answer[by_answer], questions.n_answers)
    n_supporters = np.diff(supporter_start).astype(np.float64)
    n_speakers = questions.sum_by_question(n_supporters)[questions.question_of_answer]
    surprise_of_answer = np.log(np.maximum(n_speakers, 1.0) / np.maximum(n_supporters, 1.0))
    supporter = said.source[by_answer].astype(np.int32)
    # Room for at most all pairs, and a source at a time may need room for n_sources more.
    room = min(2 * max_pairs, n_sources * (n_sources - 1) // 2) + n_sources
    first, second = np.empty(room, np.int32), np.empty(room, np.int32)
    surprise = np.empty(room)
    n_kept, n_left_out, source = 0, 0, 0
    while source < n_sources:
        source, n_found = count_pairs(
            source,
            n_sources,
            said.start,
            said.answer,
            supporter_start,
            supporter,
            surprise_of_answer,
            min_shared,
            max_supporters,
            first[n_kept:],
            second[n_kept:],
            surprise[n_kept:],
        )
        n_kept += n_found
        if n_kept > max_pairs:
            keep = _most_surprising(surprise[:n_kept], max_pairs)
            n_left_out += n_kept - len(keep)
            n_kept = len(keep)
            for column in (first, second, surprise):
                column[:n_kept] = column[keep]
    pairs = _longer_first(first[:n_kept], second[:n_kept], said.n_by_source)
    return Candidates(pairs, int((n_supporters > max_supporters).sum()), n_left_out)


def compared(
    pairs: Pairs,
    said: Said,
    questions: Questions,
    belief: Floats,
    n_false: Floats,
    accuracy: Floats,
    prior: float,
    copy_rate: float,
) -> Pairs:
    """Return the pairs with the probabilities that one copies the other.

    With p the plausibility of an answer that both give, A the accuracies, N the number of wrong
    answers and c the copy rate, the probability that both give it is

        independent:         i = p A1 A2 + (1 - p) (1 - A1) (1 - A2) / N
        1 copies from 2:     c (p A2 + (1 - p) (1 - A2)) + (1 - c) i

    and that of giving different answers is 1 - c times as large if one copies from the other.
    Two lists of values count as one difference, unless they are the same. Of several answers of a
    source to a question, each one that both give is shared; they differ if they share none.
    """
    n_pairs = len(pairs)
    log_forward, log_backward = np.empty(n_pairs), np.empty(n_pairs)
    n_shared, n_shared_false = np.empty(n_pairs, np.int64), np.empty(n_pairs)
    compare_pairs(
        pairs.first,
        pairs.second,
        said.start,
        said.answer,
        said.question,
        said.item,
        said.listed,
        said.list_start,
        said.list_item,
        said.list_size,
        questions.n_items,
        belief,
        n_false,
        accuracy,
        copy_rate,
        log_forward,
        log_backward,
        n_shared,
        n_shared_false,
    )
    forward, backward = direction_probabilities(log_forward, log_backward, prior)
    return Pairs(pairs.first, pairs.second, forward, backward, n_shared, n_shared_false)


def direction_probabilities(
    log_forward: Floats, log_backward: Floats, prior: float
) -> tuple[Floats, Floats]:
    """Return P(1 copies 2) and P(2 copies 1) from their log-likelihood ratios to independence.

    Beforehand, either is half as probable as the dependence of the two.
    """
    peak = np.maximum(np.maximum(log_forward, log_backward), 0.0)
    forward = prior / 2 * np.exp(log_forward - peak)
    backward = prior / 2 * np.exp(log_backward - peak)
    total = forward + backward + (1 - prior) * np.exp(-peak)
    return forward / total, backward / total


def discounted(
    questions: Questions, said: Said, pairs: Pairs, accuracy: Floats, copy_rate: float
) -> Questions:
    """Return the questions with votes that count as far as they are no copies.

    Among the sources of an answer, the more accurate ones come first, and a vote counts

        I(s) = product over the earlier sources s' of the answer of (1 - c P(s ~ s'))

    A list of several values is discounted as a whole, by earlier sources with a list of the item.
    """
    pairs = pairs.take(np.flatnonzero(pairs.dependence >= NEGLIGIBLE))
    if not len(pairs):
        return questions
    factor = 1.0 - copy_rate * pairs.dependence
    rank = rank_of_sources(pairs, accuracy, questions.n_given, said.signature)

    def independence(start: Indices, answer: Indices, n_answers: int) -> Floats:
        of_vote = np.ones(len(answer))
        discount_votes(pairs.first, pairs.second, factor, rank, start, answer, n_answers, of_vote)
        return of_vote

    votes, blankets = questions.votes, questions.blankets
    of_vote = np.ones(len(votes))
    of_vote[said.vote] = independence(said.start, said.answer, questions.n_answers)
    if len(blankets):
        of_list = independence(said.list_start, said.list_item, questions.n_items)
        from_list = said.list_of_vote >= 0
        of_vote[from_list] = of_list[said.list_of_vote[from_list]]
        blankets = _with_less(blankets, of_list[said.list_of_blanket])
    return replace(questions, votes=_with_less(votes, of_vote), blankets=blankets)


def rank_of_sources(pairs: Pairs, accuracy: Floats, weight: Floats, signature: Floats) -> Indices:
    """Rank sources by falling accuracy; (n_sources,).

    Equal ones go by how much others depend on them, then by the `weight` of what they say, and
    at last by its `signature`: never by their names.
    """
    n_sources = len(accuracy)
    dependence = np.bincount(pairs.first, pairs.dependence, n_sources)
    dependence += np.bincount(pairs.second, pairs.dependence, n_sources)
    # Rounded, so that what is equal but for the order of a sum is equal.
    keys = [np.round(key, 9) for key in (signature, -weight, -dependence, -accuracy)]
    rank = np.empty(n_sources, np.int64)
    rank[np.lexsort(keys)] = np.arange(n_sources)
    return rank


def copying_table(pairs: Pairs, sources: pa.StringArray) -> Table:
    """Every pair of sources that may depend on each other, the most probable copies first."""
    forward = pairs.forward >= pairs.backward
    probability = np.where(forward, pairs.forward, pairs.backward)
    copier = np.where(forward, pairs.first, pairs.second)
    original = np.where(forward, pairs.second, pairs.first)
    order = np.lexsort((original, copier, -pairs.dependence, -probability))
    columns = {
        "source": take_labels(sources, copier[order]),
        "copies_from": take_labels(sources, original[order]),
        "probability": to_arrow(probability[order]),
        "either_way": to_arrow(pairs.dependence[order]),
        "n_shared": to_arrow(pairs.n_shared[order]),
        "n_shared_false": to_arrow(pairs.n_shared_false[order]),
    }
    return Table("copying", pa.table(columns))


def _starts(ordered: npt.NDArray[np.integer], size: int) -> Indices:
    """Return where each of `size` numbers begins in an ordered array, and where the last ends."""
    counts = np.bincount(ordered, minlength=size)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _listed(questions: Questions) -> npt.NDArray[np.bool_]:
    """Mark the answers yes whose opposite follows from naming other values; (n_answers,)."""
    listed = np.zeros(questions.n_answers, np.bool_)
    yes = questions.answer_of_statement[questions.by_itself]
    listed[yes] = questions.takes_blanket[yes + 1]
    return listed


def _list_keys(questions: Questions, source: Places, item: Indices) -> Indices:
    """Return one number for each source and item."""
    return source.astype(np.int64) * questions.n_items + item


def _with_less(votes: Votes, factor: Floats) -> Votes:
    return replace(votes, weight=votes.weight * factor)


def _most_surprising(surprise: Floats, count: int) -> Indices:
    """Return the places of the largest numbers, at most `count`, without those that tie for it."""
    if len(surprise) <= count:
        return np.arange(len(surprise))
    bar = np.partition(surprise, len(surprise) - count - 1)[len(surprise) - count - 1]
    return np.flatnonzero(surprise > bar)


def _longer_first(one: Places, other: Places, n_by_source: Indices) -> Pairs:
    """Return pairs with the source first that says more, ordered by the sources."""
    swap = n_by_source[other] > n_by_source[one]
    first, second = np.where(swap, other, one), np.where(swap, one, other)
    order = np.lexsort((second, first))
    return Pairs.between(first[order], second[order])
