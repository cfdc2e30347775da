"""TruthFinder: answers are true with the odds that their sources are."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.errors import InputError, InvalidParameter
from veracity.models.base import Judgement
from veracity.models.per_source import Learned
from veracity.models.views.one_true_value import Clamp, Questions
from veracity.models.web.fixpoints import FixpointModel, check_positive, check_share, ratio
from veracity.models.web.implication import Function, Implication

#: No source is trusted more: the score of certainty would be infinite.
MOST_TRUST = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class RelatedQuestions(Questions):
    """Questions some of whose answers speak for or against each other."""

    implication: Implication


class TruthFinder(FixpointModel):
    """Believe answers with the confidence that not all of their sources are wrong.

    TruthFinder (Yin, Han and Yu, Truth discovery with multiple conflicting information providers
    on the web, TKDE 2008). With t the trust in a source, the chance that what it says is true, an
    answer is wrong only if all of its sources are. In logarithms, the score of an answer is

        score(c) = sum over its sources of -ln(1 - t(s))
        score*(c) = score(c) + influence * sum over other answers d of score(d) * imp(d -> c)
        confidence(c) = 1 / (1 + exp(-dampening * score*(c)))
        t(s) = mean over its answers of confidence(c)

    where imp, from -1 to 1, says how much one value of an item speaks for another, and `dampening`
    makes up for sources that are not independent.

    It assumes that sources which agree do so because they are right, and counts nothing against
    an answer but through imp. Confidences of rivals may all be high; so that they can be compared,
    an answer's odds, exp(dampening * score*), are shared out: the plausibility is their share in
    those of all answers to the question, and of none of them, with odds 1. Of a question with one
    answer that is the confidence. Values are compared where exactly one of them is true.

    Parameters
    ----------
    implication
        How values speak for each other: None, not at all; "text", by 1 less the edit distance as a
        part of the longer text; "number", by 1 less the difference as a part of the larger number;
        both less 0.5, the paper's base similarity. Or a function of two values that returns
        imp(first -> second), called once for each pair of values that meet in an item. Of items
        with more than 50 values, only the 50 that most sources name speak for others.
    influence
        How much other values count, rho in the paper; 0.5 there.
    dampening
        By how much scores are dampened, gamma in the paper; 0.3 there.
    initial_trust
        Trust in all sources in the beginning; 0.9 in the paper.
    max_iter, tol
        Rounds at most, and the change to stop at, which is 1 less the cosine between the trust in
        all sources before and after a round; None for `max_iter` rounds.
    random_state
        Seed for breaking ties.

    Examples
    --------
    >>> from veracity import TruthFinder
    >>> colours = ["blue", "blue", "red"]
    >>> claims = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": colours}
    >>> TruthFinder().fit_predict(claims)["value"].to_pylist()
    ['blue']

    Similar values support each other, if asked to:

    >>> heights = ["1700", "1700", "168", "169", "170", "171", "172"]
    >>> claims = {"source": list("abcdefg"), "entity": ["ann"] * 7, "value": heights}
    >>> TruthFinder().fit_predict(claims)["value"].to_pylist()
    ['1700']
    >>> TruthFinder(implication="number").fit_predict(claims)["value"].to_pylist()
    ['170']
    """

    def __init__(
        self,
        implication: str | Function | None = None,
        influence: float = 0.5,
        dampening: float = 0.3,
        initial_trust: float = 0.9,
        max_iter: int = 100,
        tol: float | None = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.implication = implication
        self.influence = influence
        self.dampening = dampening
        self.initial_trust = initial_trust
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, questions: Questions, clamp: Clamp) -> Learned:
        check_share("influence", self.influence)
        check_positive("dampening", self.dampening)
        if not 0 < self.initial_trust < 1:
            raise InvalidParameter(
                f"initial_trust must be between 0 and 1. Got {self.initial_trust!r} instead."
            )
        trust = np.full(questions.n_sources, float(self.initial_trust))

        def step() -> dict[str, float]:
            nonlocal trust
            confidence = sigmoid(self._log_odds(questions, trust))
            said = ratio(questions.to_sources(confidence), questions.n_given)
            new = np.where(questions.n_given > 0, said, trust)
            change, trust = 1 - cosine(new, trust), new
            return {"change": change}

        self._iterate(step)
        return Learned.with_average(trust=trust)

    def _log_odds(self, questions: Questions, trust: Floats) -> Floats:
        """Return the dampened score of each answer; (n_answers,)."""
        score = questions.to_answers(-np.log1p(-np.clip(trust, 0.0, MOST_TRUST)))
        if isinstance(questions, RelatedQuestions):
            score = score + self.influence * questions.implication.influence(score)
        return self.dampening * score

    def _believe(self, questions: Questions, learned: Learned) -> Floats:
        return _shares_of_odds(questions, self._log_odds(questions, learned.of_source["trust"]))

    def _judgement(self, questions: Questions, learned: Learned) -> Judgement:
        log_odds = self._log_odds(questions, learned.of_source["trust"])
        place = questions.answer_of_statement
        # Shares of small odds are too close together to rank by.
        return Judgement(_shares_of_odds(questions, log_odds)[place], score=log_odds[place])

    def _questions(self, matrix: ClaimMatrix) -> Questions:
        questions = super()._questions(matrix)
        if self.implication is None:
            return questions
        plain = {part.name: getattr(questions, part.name) for part in fields(Questions)}
        return RelatedQuestions(
            **plain, implication=Implication.of(self.implication, matrix, questions)
        )

    # Keeping it

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        state, arrays = super()._state()
        return {**state, "own_implication": callable(self.implication)}, arrays

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        super()._restore(state, arrays, module)
        if state["own_implication"]:
            if not callable(module):
                raise InputError(
                    "This model was fitted with an implication of your own. Load it with the same "
                    "function: veracity.load(folder, module=my_implication)."
                )
            self.implication = module


def _shares_of_odds(questions: Questions, log_odds: Floats) -> Floats:
    """Share out odds among the answers to each question and none of them; (n_answers,)."""
    none_of_them = np.where(questions.n_unseen > 0, 0.0, -np.inf)
    return questions.softmax(log_odds, none_of_them)


def sigmoid(numbers: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)), without overflow."""
    small = np.exp(-np.abs(numbers))
    return np.asarray(np.where(numbers >= 0, 1.0, small) / (1.0 + small))


def cosine(first: Floats, second: Floats) -> float:
    """Return the cosine of the angle between two vectors."""
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / length if length > 0 else 1.0
