"""Accu: sources of different accuracy, whose errors spread evenly over the wrong values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.errors import InvalidParameter
from veracity.models.per_source import Learned, SourceModel, largest_change
from veracity.models.views.one_true_value import Clamp, Questions

#: No source is taken to be always right, or always wrong.
LEAST, MOST = 0.01, 0.99
#: Less than this is rounding: a source that votes with so little says nothing.
NOTHING = 1e-9


class Accu(SourceModel):
    """Weigh the vote of a source by how often it is right.

    The model of independent sources by Dong, Berti-Équille and Srivastava (Integrating conflicting
    data: the role of source dependence, VLDB 2009). It assumes that a source is right with
    probability A(s), on every item alike, that there are N wrong values besides the true one, all
    equally likely to be given by mistake, and that sources err independently. Then each source
    adds its log-odds to the value that it gives, and the plausibility follows from the sums of
    all values, also of those that nobody gives (their sum is 0):

        C(v) = sum over the sources of v of ln(N A(s) / (1 - A(s)))
        p(v) = exp C(v) / sum over all values of exp C
        A(s) = mean of p over what the source says

    repeated until the accuracies stay. They are kept between 0.01 and 0.99. Boolean statements,
    and those about attributes with several true values, are questions with N = 1. A source that
    denies a value without naming another gives its vote in equal parts to all others. Where
    sources copy from one another, see `AccuCopy`.

    Parameters
    ----------
    n_false
        N, for items with one true value. By default, the size of a closed domain less one; of an
        open domain, as many as there are claimed values, so that one wrong value more than those
        that are claimed is thought possible.
    initial_accuracy
        The accuracy of every source to begin with; 0.8 in the paper.
    max_iter, tol
        Rounds at most, and the largest change of an accuracy to stop at.
    random_state
        Seed for breaking ties.

    Attributes
    ----------
    source_parameters_
        The ``accuracy`` of each source.

    Examples
    --------
    >>> from veracity import Accu
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> Accu().fit_predict(claims)["value"].to_pylist()
    ['blue']
    """

    uses_known_truth: ClassVar[bool] = True

    def __init__(
        self,
        n_false: float | None = None,
        initial_accuracy: float = 0.8,
        max_iter: int = 200,
        tol: float | None = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.n_false = n_false
        self.initial_accuracy = initial_accuracy
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        check_accuracy(self.n_false, self.initial_accuracy)
        n_false = wrong_values(questions, self.n_false)
        accuracy = np.full(questions.n_sources, self.initial_accuracy)

        def step() -> dict[str, float]:
            nonlocal accuracy
            belief = clamp(answer_plausibility(questions, accuracy, n_false))
            new = accuracies(questions, belief, self.initial_accuracy)
            change, accuracy = largest_change(new, accuracy), new
            return {"change": change}

        self._iterate(step)
        return Learned.with_average(accuracy=accuracy)

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        n_false = wrong_values(questions, self.n_false)
        return answer_plausibility(questions, learned.of_source["accuracy"], n_false)


def answer_plausibility(questions: Questions, accuracy: Floats, n_false: Floats) -> Floats:
    """Return the plausibility of each answer, given how accurate the sources are; (n_answers,)."""
    return questions.softmax(
        vote_counts(questions, accuracy, n_false), unseen_count(questions, accuracy, n_false)
    )


def vote_counts(questions: Questions, accuracy: Floats, n_false: Floats) -> Floats:
    """Return C(v): ln(N A / (1 - A)) of the sources of each answer, added up; (n_answers,)."""
    log_n = np.log(n_false)[questions.question_of_answer]
    return questions.to_answers(log_odds(accuracy)) + log_n * questions.n_votes


def unseen_count(questions: Questions, accuracy: Floats, n_false: Floats) -> Floats:
    """Return ln(sum of exp C) over the answers that nobody gives; (n_questions,).

    Each has a count of 0, but for the parts of those who deny another value.
    """
    n_unseen = np.maximum(n_false + 1 - np.diff(questions.answer_start), 0.0)
    log_n_unseen = np.log(n_unseen, out=np.full(len(n_unseen), -np.inf), where=n_unseen > 0)
    blankets = questions.blankets
    if not len(blankets):
        return log_n_unseen
    weight = blankets.weight
    score = sum_by(blankets.about, weight * log_odds(accuracy)[blankets.source], questions.n_items)
    total = sum_by(blankets.about, weight, questions.n_items)
    item = questions.item_of_question
    return log_n_unseen + score[item] + total[item] * np.log(n_false)


def accuracies(questions: Questions, belief: Floats, otherwise: float) -> Floats:
    """Return the mean plausibility of what each source says; (n_sources,)."""
    given = questions.n_given
    says = given > NOTHING
    mean = questions.to_sources(belief) / np.where(says, given, 1.0)
    return np.clip(np.where(says, mean, otherwise), LEAST, MOST)


def wrong_values(questions: Questions, n_false: float | None) -> Floats:
    """Return N of each question: 1 where the answers are yes and no; (n_questions,)."""
    if n_false is None:
        return questions.domain_size - 1
    number = np.full(questions.n_questions, float(n_false))
    yes = questions.answer_of_statement[questions.by_itself]
    number[questions.question_of_answer[yes]] = 1.0
    return number


def log_odds(probability: Floats) -> Floats:
    """Return ln(p / (1 - p))."""
    return np.log(probability) - np.log1p(-probability)


def check_accuracy(n_false: float | None, initial_accuracy: float) -> None:
    """Refuse a number of wrong values or an accuracy that makes no sense."""
    if n_false is not None and not (np.isfinite(n_false) and n_false >= 1):
        raise InvalidParameter(
            f"n_false must be None, or a number, 1 or more. Got {n_false!r} instead."
        )
    if not 0 < initial_accuracy < 1:
        raise InvalidParameter(
            f"initial_accuracy must be between 0 and 1. Got {initial_accuracy!r} instead."
        )
