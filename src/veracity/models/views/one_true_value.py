"""Claims as votes on questions, each of which has exactly one true answer.

Most methods of the literature suppose that exactly one of several conflicting answers is true.
`Questions` puts every kind of attribute into that form:

- an item with one true value is a question, and its claimed values are the answers;
- a boolean item is a question with the answers yes and no;
- every statement about an item with several true values is such a question by itself. A source
  that names some values of the item answers no to all others;
- a source that denies a value without naming another gives its vote in equal parts to all others.

The last two concern every answer of an item. They are kept as one *blanket* vote for the item,
less a vote for what is not meant, so that everything stays linear in the number of claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.encode.denials import implied_denials
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import FALSE, TRUE, KnownTruth


@dataclass(frozen=True, eq=False)
class Votes:
    """Who votes for what, and with which weight; `about` is an answer or, of blankets, an item."""

    source: npt.NDArray[np.int32]
    about: Indices
    weight: Floats

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, eq=False)
class Questions:
    """Questions with their answers, side by side, and the votes on them.

    Attributes
    ----------
    answer_start
        Where the answers of each question begin; (n_questions + 1,).
    item_of_question
        What each question is about; (n_questions,).
    domain_size
        The number of answers a question may have, also those that nobody gives; (n_questions,).
    answer_of_statement
        The answer that says that a statement is true. Where statements are judged by themselves,
        the next answer is the one that says no; (n_statements,).
    votes
        For answers; with a negative weight, what a blanket does not mean.
    blankets
        Votes for every answer of an item that `takes_blanket`; `about` is the item.
    takes_blanket
        Which answers blanket votes are for; (n_answers,).
    by_itself
        Which statements are questions of their own, answered by yes or no; (n_statements,).
    n_sources, n_items
        Number of sources, and of items.
    """

    answer_start: Indices
    item_of_question: Indices
    domain_size: Floats
    answer_of_statement: Indices
    votes: Votes
    blankets: Votes
    takes_blanket: npt.NDArray[np.bool_]
    by_itself: npt.NDArray[np.bool_]
    n_sources: int
    n_items: int

    @classmethod
    def of(cls, matrix: ClaimMatrix) -> Questions:
        """Read claims as votes."""
        item = matrix.item_of_statement
        multiple, boolean = matrix.kind_is("multiple"), matrix.kind_is("boolean")
        by_itself = (multiple | boolean)[item]
        begins = by_itself.copy()
        begins[matrix.statement_start[:-1]] = True
        answer_of_statement = np.cumsum(1 + by_itself) - (1 + by_itself)
        n_answers = int(answer_of_statement[-1] + 1 + by_itself[-1])
        says_no = answer_of_statement[by_itself] + 1
        takes_blanket = np.ones(n_answers, np.bool_)
        takes_blanket[answer_of_statement[by_itself]] = False
        takes_blanket[says_no] = multiple[item[by_itself]]
        of_question = np.flatnonzero(begins)
        votes, blankets = _read_votes(matrix, answer_of_statement, multiple, boolean)
        return cls(
            answer_start=np.append(answer_of_statement[of_question], n_answers),
            item_of_question=item[of_question].astype(np.int64),
            domain_size=np.where(
                by_itself[of_question], 2.0, matrix.domain_size[item[of_question]]
            ).astype(np.float64),
            answer_of_statement=answer_of_statement,
            votes=votes,
            blankets=blankets,
            takes_blanket=takes_blanket,
            by_itself=by_itself,
            n_sources=matrix.n_sources,
            n_items=matrix.n_items,
        )

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return len(self.item_of_question)

    @property
    def n_answers(self) -> int:
        """Number of answers, over all questions."""
        return int(self.answer_start[-1])

    @cached_property
    def question_of_answer(self) -> Indices:
        """The question of each answer; (n_answers,)."""
        return np.repeat(np.arange(self.n_questions), np.diff(self.answer_start))

    @cached_property
    def item_of_answer(self) -> Indices:
        """The item of each answer; (n_answers,)."""
        return self.item_of_question[self.question_of_answer]

    @cached_property
    def n_votes(self) -> Floats:
        """The weight of the votes for each answer; (n_answers,)."""
        return self.to_answers(np.ones(self.n_sources))

    @cached_property
    def n_given(self) -> Floats:
        """The weight of the votes that each source gives; (n_sources,)."""
        return self.to_sources(np.ones(self.n_answers))

    @cached_property
    def n_cast(self) -> Floats:
        """The weight of the votes on each question; (n_questions,)."""
        return self.sum_by_question(self.n_votes)

    def to_answers(self, of_source: Floats) -> Floats:
        """Add up numbers of sources over the votes for each answer; (n_answers,).

        The order of sources plays no part: rounds may blow up what it would make of the last digit.
        """
        from veracity.models.two_sum import steady_sum_by  # a plain vote does without compiling

        votes, blankets = self.votes, self.blankets
        votes_for = votes.weight * of_source[votes.source]
        total = steady_sum_by(votes.about, votes_for, self.n_answers)
        if len(blankets):
            shared = blankets.weight * of_source[blankets.source]
            of_item = steady_sum_by(blankets.about, shared, self.n_items)
            total += np.where(self.takes_blanket, of_item[self.item_of_answer], 0.0)
        return total

    def to_sources(self, of_answer: Floats) -> Floats:
        """Add up numbers of answers over the votes that each source gives; (n_sources,)."""
        votes, blankets = self.votes, self.blankets
        total = sum_by(votes.source, votes.weight * of_answer[votes.about], self.n_sources)
        if len(blankets):
            taken = np.where(self.takes_blanket, of_answer, 0.0)
            of_item = sum_by(self.item_of_answer, taken, self.n_items)
            shared = blankets.weight * of_item[blankets.about]
            total += sum_by(blankets.source, shared, self.n_sources)
        return total

    def sum_by_question(self, of_answer: Floats) -> Floats:
        """Add up numbers of answers for each question; (n_questions,)."""
        return np.add.reduceat(of_answer, self.answer_start[:-1])

    def max_by_question(self, of_answer: Floats) -> Floats:
        """Return the largest number among the answers of each question; (n_questions,)."""
        return np.maximum.reduceat(of_answer, self.answer_start[:-1])

    def shares(self, of_answer: Floats) -> Floats:
        """Divide numbers, none negative, by their sum over the question; equal parts of nothing.

        These are parts for all answers that a question may have, also those that nobody gives.
        """
        of_answer = np.maximum(of_answer, 0.0)  # a blanket less what it does not mean: rounding
        total = self.sum_by_question(of_answer)[self.question_of_answer]
        n_answers = np.maximum(self.domain_size, np.diff(self.answer_start))
        equal = 1.0 / n_answers[self.question_of_answer]
        return np.where(total > 0, of_answer / np.where(total > 0, total, 1.0), equal)

    def softmax(self, log_odds: Floats, unseen: Floats | None = None) -> Floats:
        """Turn log-odds of answers into probabilities that sum to at most one by question.

        `unseen` is the log-odds of all answers together that nobody gives; -inf where there are
        none; (n_questions,). Their probability is what is left.
        """
        peak = self.max_by_question(log_odds)
        if unseen is not None:
            peak = np.maximum(peak, unseen)
        mass = np.exp(log_odds - peak[self.question_of_answer])
        total = self.sum_by_question(mass)
        if unseen is not None:
            total += np.exp(unseen - peak)
        return mass / total[self.question_of_answer]

    @cached_property
    def n_unseen(self) -> Floats:
        """How many answers of each question nobody gives; (n_questions,)."""
        return np.maximum(self.domain_size - np.diff(self.answer_start), 0.0)


@dataclass(frozen=True, eq=False)
class Clamp:
    """Keeps beliefs at what is known; without known truth it changes nothing.

    Attributes
    ----------
    excluded
        Answers that are known to be wrong; (n_answers,).
    settled
        Questions about which something is known; (n_questions,).
    """

    questions: Questions
    excluded: npt.NDArray[np.bool_]
    settled: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, questions: Questions, known: KnownTruth | None) -> Clamp:
        """Find the answers that known truth rules out."""
        excluded = np.zeros(questions.n_answers, np.bool_)
        settled = np.zeros(questions.n_questions, np.bool_)
        if known is not None:
            yes = questions.answer_of_statement
            excluded[yes[known.statement == FALSE]] = True
            settled = known.settled[questions.item_of_question]
            true = yes[(known.statement == TRUE) & questions.by_itself]
            excluded[true + 1] = True
        return cls(questions, excluded, settled)

    def __call__(self, belief: Floats) -> Floats:
        """Return beliefs of answers, with those of settled questions set to what is known."""
        if not self.settled.any():
            return belief
        questions = self.questions
        kept = np.where(self.excluded, 0.0, belief)
        possible = questions.sum_by_question(np.where(self.excluded, 0.0, 1.0))
        total = questions.sum_by_question(kept)
        question = questions.question_of_answer
        equal = np.where(self.excluded, 0.0, 1.0 / np.maximum(possible, 1.0)[question])
        shared = np.where(
            total[question] > 0, kept / np.where(total > 0, total, 1.0)[question], equal
        )
        return np.where(self.settled[question], shared, belief)


def _read_votes(
    matrix: ClaimMatrix,
    answer_of_statement: Indices,
    multiple: npt.NDArray[np.bool_],
    boolean: npt.NDArray[np.bool_],
) -> tuple[Votes, Votes]:
    """Return the votes for answers, and the blanket votes for items."""
    item, source, weight = matrix.item_of_claim, matrix.source_index, matrix.claim_weight
    answer = answer_of_statement[matrix.statement_index]
    yes = matrix.claim_value == 1
    no = ~yes & ~implied_denials(matrix)
    by_itself = (multiple | boolean)[item]
    plain = np.flatnonzero(yes | (no & by_itself))
    votes = [Votes(source[plain], answer[plain] + ~yes[plain], weight[plain])]
    blankets = []
    if multiple.any():
        naming = np.flatnonzero(yes & multiple[item])
        lists, place = _lists(matrix, naming)
        blankets.append(lists)
        # A list answers yes to what it names, and so does not answer no to it.
        said = matrix.statement_index[naming].astype(np.int64) * len(lists) + place
        _, once = np.unique(said, return_index=True)
        named = naming[once]
        votes.append(Votes(source[named], answer[named] + 1, -lists.weight[place[once]]))
    denied = np.flatnonzero(no & ~by_itself)
    if len(denied):
        part = weight[denied] / (matrix.domain_size[item[denied]] - 1)
        blankets.append(Votes(source[denied], item[denied].astype(np.int64), part))
        votes.append(Votes(source[denied], answer[denied], -part))
    return _joined(votes), _joined(blankets)


def _lists(matrix: ClaimMatrix, naming: Indices) -> tuple[Votes, Indices]:
    """Return one vote per source and item that it names values of, and the vote of each claim.

    A source that names several values speaks once, with the largest of their weights; a value that
    it repeats has the weight of all its claims.
    """
    pair = matrix.pair_of_claim[naming]
    pairs = distinct(pair)
    place = np.searchsorted(pairs, pair)
    weight = np.zeros(len(pairs))
    np.maximum.at(weight, place, repeated_weight(matrix, naming))
    source = (pairs % matrix.n_sources).astype(np.int32)
    return Votes(source, pairs // matrix.n_sources, weight), place


def repeated_weight(matrix: ClaimMatrix, claims: Indices) -> Floats:
    """Return the weight with which the source of each claim names its statement, in all."""
    weight = matrix.claim_weight[claims]
    said = matrix.statement_index[claims].astype(np.int64) * matrix.n_sources
    said += matrix.source_index[claims]
    named = distinct(said)
    if len(named) == len(said):
        return weight
    place = np.searchsorted(named, said)
    return sum_by(place, weight, len(named))[place]


def _joined(parts: list[Votes]) -> Votes:
    if not parts:
        return Votes(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0))
    return Votes(
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.about for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )
