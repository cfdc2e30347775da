"""Questions: which of some statements is true, or none of them.

An item with one true value is a question. So is each statement of an item with several, and the one
statement of an item that is true or false: true or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.matrix import ClaimMatrix
from veracity.models.grbm.observation.base import Scores

#: Scores this far below the best of their question make no difference any more.
FAR_BELOW = -50.0


class Answers(NamedTuple):
    """A number for each answer: the statements, and that none of them is true.

    Attributes
    ----------
    statement
        Of each statement; (n_statements,).
    none
        Of each question; (n_questions,).
    """

    statement: Floats
    none: Floats


@dataclass(frozen=True, eq=False)
class Questions:
    """The questions about the items of a claim matrix, in the order of their statements.

    Attributes
    ----------
    start
        The first statement of each; (n_questions,).
    of_statement
        The question of each statement; (n_statements,).
    item
        The item of each; (n_questions,).
    is_two_sided
        Marks those with a verdict when no statement is true: true or not; (n_questions,).
    is_multiple
        Marks those about the statements of items with several true values; (n_questions,).
    """

    start: Indices
    of_statement: Indices
    item: Indices
    is_two_sided: Mask
    is_multiple: Mask

    @classmethod
    def of(cls, matrix: ClaimMatrix) -> Questions:
        """Ask about the items of a claim matrix."""
        multiple, boolean = matrix.kind_is("multiple"), matrix.kind_is("boolean")
        begins = multiple[matrix.item_of_statement]
        begins[matrix.statement_start[:-1]] = True
        start = np.flatnonzero(begins)
        item = matrix.item_of_statement[start].astype(np.int64)
        of_statement = np.cumsum(begins) - 1
        return cls(start, of_statement, item, (multiple | boolean)[item], multiple[item])

    def answers(self, scores: Scores) -> Answers:
        """Return the scores of all answers, relative to the best verdict on each question."""
        none = np.where(self.is_multiple, 0.0, scores.unclaimed[self.item])
        return self.relative(Answers(scores.statement, none))

    def relative(self, scores: Answers) -> Answers:
        """Return scores relative to the best verdict on each question."""
        best = np.maximum.reduceat(scores.statement, self.start)
        best = np.where(self.is_two_sided, np.maximum(best, scores.none), best)
        best = np.where(np.isfinite(best), best, 0.0)
        return Answers(
            np.maximum(scores.statement - best[self.of_statement], FAR_BELOW),
            np.maximum(scores.none - best, FAR_BELOW),
        )

    def softmax(self, scores: Answers) -> Answers:
        """Return the probabilities of all answers."""
        best = np.maximum(np.maximum.reduceat(scores.statement, self.start), scores.none)
        statement = np.exp(scores.statement - best[self.of_statement])
        none = np.exp(scores.none - best)
        total = np.add.reduceat(statement, self.start) + none
        return Answers(statement / total[self.of_statement], none / total)

    def completed(self, plausibility: Floats) -> Answers:
        """Return plausibilities of statements with what they leave to none of them."""
        left = 1.0 - np.add.reduceat(plausibility, self.start)
        return Answers(plausibility, np.maximum(left, 0.0))

    def believed(self, p: Answers) -> tuple[Indices, Floats]:
        """Return the most plausible statement of each question, and the verdict's plausibility."""
        best = np.maximum.reduceat(p.statement, self.start)
        place = np.arange(len(p.statement))
        is_best = p.statement == best[self.of_statement]
        first = np.minimum.reduceat(np.where(is_best, place, len(place)), self.start)
        return first, np.where(self.is_two_sided, np.maximum(best, p.none), best)
