"""LossModel: what the models share that weigh sources by their distance from what is believed."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.claims import Claims
from veracity.data.output.results import Estimates
from veracity.data.truth.known import KnownTruth
from veracity.errors import InvalidParameter
from veracity.models.base import Judgement
from veracity.models.numeric.numbers import Numbers, judgement
from veracity.models.per_source import Learned, SourceLearner, check_iterations
from veracity.models.views.one_true_value import Questions
from veracity.models.web.fixpoints import with_something_else
from veracity.models.whole_table import WholeTable

#: Sums of weights that differ by less than this part of their size are a tie.
TIE = 1e-9
#: No source has less weight than this part of the largest, so that one who speaks alone is heard.
LEAST_WEIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class MixedClaims:
    """Claims as votes on questions and, about items that have a number, as numbers.

    Attributes
    ----------
    questions
        All items, also those with a number, whose votes are left out below.
    numbers
        The claims that name a number.
    """

    questions: Questions
    numbers: Numbers

    @classmethod
    def of(cls, claims: Claims) -> MixedClaims:
        """Read claims as votes and numbers."""
        return cls(with_something_else(Questions.of(claims.matrix)), Numbers.of(claims))

    @cached_property
    def is_voted_on(self) -> Floats:
        """1 for answers that are voted on, 0 where the item has a number; (n_answers,)."""
        return np.where(self.numbers.has_number[self.questions.item_of_answer], 0.0, 1.0)

    @cached_property
    def attribute_of_answer(self) -> npt.NDArray[np.int32]:
        """The attribute of each answer; (n_answers,)."""
        return self.numbers.matrix.attribute_index[self.questions.item_of_answer]

    @cached_property
    def n_given(self) -> Floats:
        """The weight of all that a source says, votes and numbers; (n_sources,)."""
        said = self.questions.to_sources(self.is_voted_on)
        return said + self.numbers.sum_by_source(self.numbers.weight)

    def votes(self, weight: Floats) -> Floats:
        """Return the weight of the votes for each answer; (n_answers,)."""
        return np.maximum(self.questions.to_answers(weight), 0.0)

    def vote_losses(self, weight: Floats) -> Floats:
        """Return what a vote for each answer loses: 1 if another one is true; (n_answers,)."""
        if not self.is_voted_on.any():
            return np.zeros(self.questions.n_answers)
        return (1.0 - self.voted(weight)) * self.is_voted_on

    def voted(self, weight: Floats) -> Floats:
        """Return 1 for the answer with most votes and 0 for others; equals share it."""
        votes = self.votes(weight)
        questions = self.questions
        most = questions.max_by_question(votes)[questions.question_of_answer]
        return questions.shares(np.where(votes >= most * (1 - TIE), 1.0, 0.0))


class LossModel(WholeTable, SourceLearner):
    """Base of models that take turns: truths by the weight of sources, weights by their losses.

    An answer is true if it has the largest weight of votes, and a vote for another one loses 1;
    answers with equal weight share the truth. A number is true if it is the weighted mean, or
    median, of what is claimed; what a claim loses by its distance, the model says.
    """

    least_loss: float

    # What a model has to say

    @abstractmethod
    def _estimate(self, numbers: Numbers, weight: Floats) -> Estimates:
        """Return the number of each item, given the weight of each claim."""

    @abstractmethod
    def _truth(self, numbers: Numbers, weight: Floats) -> Floats:
        """Return the same, without its standard error."""

    @abstractmethod
    def _number_losses(self, numbers: Numbers, truth: Floats) -> Floats:
        """Return what each claim of a number loses, given the truth of each item."""

    @abstractmethod
    def _weights(self, mixed: MixedClaims, vote_losses: Floats, number_losses: Floats) -> Floats:
        """Return the weight of each source, given what votes for answers and numbers lose."""

    # What it gets

    def _fit_table(self, claims: Claims, known: KnownTruth | None) -> Judgement:
        check_iterations(self.max_iter, self.tol)
        if not self.least_loss > 0:
            raise InvalidParameter(f"least_loss must be above 0. Got {self.least_loss!r} instead.")
        self._check()
        mixed = MixedClaims.of(claims)
        self.notes_ += mixed.numbers.notes
        self.learned_ = self._learn(mixed)
        self._source_labels = claims.matrix.sources
        return self._judgement(mixed, self.learned_)

    def _check(self) -> None:
        """Refuse parameters that make no sense."""

    def _judge(self, claims: Claims) -> Judgement:
        learned = self.learned_.at(self._places(claims.matrix))
        return self._judgement(MixedClaims.of(claims), learned)

    def _learn(self, mixed: MixedClaims) -> Learned:
        numbers = mixed.numbers
        weight = np.ones(mixed.questions.n_sources)

        def step() -> dict[str, float]:
            nonlocal weight
            vote_losses = mixed.vote_losses(weight)
            truth = self._truth(numbers, numbers.weight * weight[numbers.source])
            number_losses = numbers.weight * self._number_losses(numbers, truth)
            new = self._weights(mixed, vote_losses, number_losses)
            new = np.maximum(new, LEAST_WEIGHT * new.max()) if new.max() > 0 else np.ones(len(new))
            change = float(np.max(np.abs(new / new.max() - weight / weight.max())))
            weight = new
            return {"change": change}

        self._iterate(step)
        return Learned.with_average(weight=weight)

    def _judgement(self, mixed: MixedClaims, learned: Learned) -> Judgement:
        questions, numbers = mixed.questions, mixed.numbers
        weight = learned.of_source["weight"]
        share = questions.shares(mixed.votes(weight))[questions.answer_of_statement]
        share = np.clip(share, 0.0, 1.0)
        if not len(numbers):
            return Judgement(share)
        estimates = self._estimate(numbers, numbers.weight * weight[numbers.source])
        return judgement(numbers, estimates, share)
