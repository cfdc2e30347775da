"""Votes for and against an answer, as the methods of Galland and others see them.

They speak of facts, each of which a source may hold for true or false. Here a fact is an answer to
a question: a source that gives it speaks for it, and one that gives another answer to the same
question speaks against it. Sums over all that is spoken against are differences of sums over
votes, so that everything stays linear in the number of claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.views.one_true_value import Questions
from veracity.models.web.fixpoints import ratio

#: Numbers this close are equal but for rounding.
EQUAL = 1e-9


@dataclass(frozen=True, eq=False)
class Views:
    """Who speaks for and against each answer."""

    questions: Questions

    def on_answers(self, of_source: Floats) -> tuple[Floats, Floats]:
        """Add up numbers of sources over those for and those against; both (n_answers,)."""
        questions = self.questions
        votes_for = questions.to_answers(of_source)
        total = questions.sum_by_question(votes_for)[questions.question_of_answer]
        return votes_for, total - votes_for

    def of_sources(self, of_answer: Floats) -> tuple[Floats, Floats]:
        """Add up numbers of answers over what sources are for and against; both (n_sources,)."""
        questions = self.questions
        votes_for = questions.to_sources(of_answer)
        total = questions.sum_by_question(of_answer)[questions.question_of_answer]
        return votes_for, questions.to_sources(total) - votes_for

    @cached_property
    def counts(self) -> tuple[Floats, Floats]:
        """How many sources are for and against each answer; both (n_answers,)."""
        return self.on_answers(np.ones(self.questions.n_sources))

    @cached_property
    def n_on_answer(self) -> Floats:
        """How many sources speak about each answer; (n_answers,)."""
        votes_for, votes_against = self.counts
        return votes_for + votes_against

    @cached_property
    def n_of_source(self) -> Floats:
        """How many answers each source speaks about; (n_sources,)."""
        votes_for, votes_against = self.of_sources(np.ones(self.questions.n_answers))
        return votes_for + votes_against

    def wrong_on_average(self, truth: Floats) -> Floats:
        """Return how wrong each source is on average, if answers are so true; (n_sources,)."""
        believed_for, believed_against = self.of_sources(truth)
        n_for = self.questions.n_given
        return ratio(n_for - believed_for + believed_against, self.n_of_source)


@dataclass(frozen=True)
class Scale:
    """Spreads numbers over 0 to 1: partly by their range, partly by rounding.

    A number x becomes ``spread * (x - low) / (high - low) + (1 - spread) * round(x)``, kept from 0
    to 1; 0.5 is rounded neither way. Numbers that are all the same stay what they are. What comes
    out has nine decimals: rounds may blow up differences, and should not begin with those that
    the order of summation makes.
    """

    low: float
    high: float
    spread: float

    @classmethod
    def of(cls, numbers: Floats, spread: float) -> Scale:
        """Take the range of numbers."""
        return cls(float(numbers.min()), float(numbers.max()), spread)

    def __call__(self, numbers: Floats) -> Floats:
        """Spread numbers, of which some may be out of the range."""
        kept = np.clip(numbers, 0.0, 1.0)
        if self.high - self.low <= EQUAL:
            return np.asarray(np.round(kept, 9))
        within = np.clip((numbers - self.low) / (self.high - self.low), 0.0, 1.0)
        rounded = np.where(np.abs(kept - 0.5) <= EQUAL, 0.5, np.floor(kept + 0.5))
        return np.asarray(np.round(self.spread * within + (1 - self.spread) * rounded, 9))
