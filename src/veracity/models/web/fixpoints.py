"""FixpointModel: base of methods that alternate between trust in sources and belief in answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.matrix import ClaimMatrix
from veracity.errors import InvalidParameter
from veracity.models.per_source import SourceModel
from veracity.models.views.one_true_value import Questions, Votes

#: Votes that are a smaller part of a question's are what rounding leaves of a blanket.
NOTHING = 1e-9


class FixpointModel(SourceModel):
    """Base of models of the graph of sources and answers.

    A denial without another value is also a vote for the values that nobody claims. Questions
    with such votes get one more answer, which stands for all of those together.
    """

    def _questions(self, matrix: ClaimMatrix) -> Questions:
        return with_something_else(Questions.of(matrix))


def with_something_else(questions: Questions) -> Questions:
    """Add the answer "something else" to questions with denials that are a vote for it."""
    blankets, n_unseen = questions.blankets, questions.n_unseen
    denied = np.zeros(questions.n_items, np.bool_)
    denied[blankets.about] = True
    open_ended = denied[questions.item_of_question] & (n_unseen > 0)
    if not open_ended.any():
        return questions
    added: Indices = np.cumsum(open_ended)
    shift = (added - open_ended)[questions.question_of_answer]  # by what was added before
    answer_start = questions.answer_start + np.append(0, added)
    # Only items with one true value have values that nobody claims, and are one question each.
    question_of_item = np.zeros(questions.n_items, np.int64)
    question_of_item[questions.item_of_question] = np.arange(questions.n_questions)
    about = question_of_item[blankets.about]
    concerned = np.flatnonzero(open_ended[about])
    question = about[concerned]
    votes = questions.votes
    return replace(
        questions,
        answer_start=answer_start,
        domain_size=np.where(open_ended, np.diff(answer_start), questions.domain_size),
        answer_of_statement=questions.answer_of_statement + shift[questions.answer_of_statement],
        votes=Votes(
            np.append(votes.source, blankets.source[concerned]),
            np.append(votes.about + shift[votes.about], answer_start[question + 1] - 1),
            np.append(votes.weight, blankets.weight[concerned] * n_unseen[question]),
        ),
        takes_blanket=np.insert(
            questions.takes_blanket, questions.answer_start[1:][open_ended], False
        ),
    )


def is_given(questions: Questions) -> npt.NDArray[np.bool_]:
    """Mark the answers that somebody gives; (n_answers,)."""
    cast = questions.n_cast[questions.question_of_answer]
    return np.asarray(questions.n_votes > NOTHING * cast)


def shares_of_belief(questions: Questions, belief: Floats) -> Floats:
    """Return the share of each answer in the belief in all answers to its question.

    Where nothing is believed, since nobody who speaks is trusted, votes are shared out.
    """
    belief = np.where(is_given(questions), np.maximum(belief, 0.0), 0.0)
    believed = questions.max_by_question(belief)[questions.question_of_answer] > 0
    return questions.shares(np.where(believed, belief, questions.n_votes))


def scaled(numbers: Floats) -> Floats:
    """Divide by the largest."""
    largest = numbers.max()
    return np.asarray(numbers / largest) if largest > 0 else numbers


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    something = whole > 0
    return np.asarray(np.where(something, part / np.where(something, whole, 1.0), 0.0))


def check_share(name: str, value: float) -> None:
    """Refuse a parameter that is not from 0 to 1."""
    if not 0 <= value <= 1:
        raise InvalidParameter(f"{name} must be from 0 to 1. Got {value!r} instead.")


def check_positive(name: str, value: float) -> None:
    """Refuse a parameter that is not a positive number."""
    if not (np.isfinite(value) and value > 0):
        raise InvalidParameter(f"{name} must be a positive number. Got {value!r} instead.")
