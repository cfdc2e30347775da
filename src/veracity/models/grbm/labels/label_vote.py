"""LabelVote: a vote in which sources count by how often they are right on labels.

With r right of n labelled claims of a source, R of N of all, and D values that an item may take:

    weight = log(a / (1 - a)) + log(D - 1),    a = (r + 4 p) / (n + 4),    p = (R + 1.4) / (N + 2)

It knows nothing but labels, so that it is right where the model is wrong about all items at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.encode.denials import REDUNDANT, SET_ASIDE
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.labels.labelled_items import N_PARTS, LabelledItems
from veracity.models.grbm.labels.questions import Answers, Questions

#: How many claims of the average source each source is given.
CLAIMS_OF_AVERAGE = 4.0
#: What the average source is given itself: right claims, and claims.
RIGHT_BEFORE, CLAIMS_BEFORE = 1.4, 2.0


@dataclass(frozen=True, eq=False)
class LabelVote:
    """Right claims and all claims of sources about labelled items, by part.

    Attributes
    ----------
    place
        The places of the sources with such claims among all, in order.
    right, total
        Of each part and source; (n_parts, n_sources).
    """

    place: Indices
    right: Floats
    total: Floats

    @classmethod
    def of(cls, labelled: LabelledItems, bound: BlockObjective) -> LabelVote:
        """Count; `bound` is the block of the labelled items."""
        matrix, data = labelled.block.matrix, bound.data
        counts = _counts(data)
        says_true = labelled.is_true[matrix.statement_index]
        right = np.where(says_true == (matrix.claim_value == 1), counts, 0.0)
        n_sources = matrix.n_sources
        cell = labelled.part[matrix.item_of_claim] * n_sources + matrix.source_index
        shape = (N_PARTS, n_sources)
        of_right, of_all = (
            sum_by(cell, numbers, N_PARTS * n_sources).reshape(shape) for numbers in (right, counts)
        )
        order = np.argsort(labelled.block.place)
        right, total = (
            np.ascontiguousarray(numbers[:, order]) for numbers in (of_right, of_all)
        )  # as files of arrays need them
        return cls(labelled.block.place[order], right, total)

    def accuracy(self, place: Indices, left_out: int | None) -> Floats:
        """Return a of the sources at some places, by the labels of all parts but one."""
        parts = np.arange(N_PARTS) != (-1 if left_out is None else left_out)
        right, total = self.right[parts].sum(axis=0), self.total[parts].sum(axis=0)
        average = (right.sum() + RIGHT_BEFORE) / (total.sum() + CLAIMS_BEFORE)
        at = np.minimum(np.searchsorted(self.place, place), max(len(self.place) - 1, 0))
        known = self.place[at] == place if len(self.place) else np.zeros(len(place), np.bool_)
        r, n = (np.where(known, numbers[at], 0.0) for numbers in (right, total))
        return np.asarray((r + CLAIMS_OF_AVERAGE * average) / (n + CLAIMS_OF_AVERAGE))

    def answers(
        self, block: BlockObjective, questions: Questions, left_out: int | None = None
    ) -> Answers:
        """Return the votes for all answers, relative to the best verdict on each question."""
        data, matrix, size = block.data, block.data.matrix, block.domain_size
        a = self.accuracy(block.place, left_out)
        log_odds = np.log(a) - np.log1p(-a)
        counts = _counts(data)
        weight = counts * (log_odds[matrix.source_index] + np.log(size[matrix.item_of_claim] - 1.0))
        yes, no = (
            matrix.sum_by_statement(np.where(matrix.claim_value == value, weight, 0.0))
            for value in (1, 0)
        )
        boolean = matrix.kind_is("boolean")
        single = matrix.kind_is("single")[matrix.item_of_statement]
        statement = np.where(single, yes - no, yes)
        n_claimed = np.diff(matrix.statement_start)
        with np.errstate(divide="ignore"):
            unclaimed = np.log(np.maximum(size - n_claimed, 0.0))
        none = np.where(questions.is_multiple, 0.0, unclaimed[questions.item])
        none = np.where(boolean[questions.item], no[questions.start], none)
        if questions.is_multiple.any():  # who speaks about the item and does not claim it
            spoken = _spoken(data, log_odds)
            of_others = spoken[questions.item] - yes[questions.start]
            none = np.where(questions.is_multiple, of_others, none)
        return questions.relative(Answers(statement, none))


def _counts(data: BlockData) -> Floats:
    """Return how much each claim counts, 0 for those that are left aside."""
    role = data.roles.role
    return np.where((role == SET_ASIDE) | (role == REDUNDANT), 0.0, data.weight)


def _spoken(data: BlockData, log_odds: Floats) -> Floats:
    """Return the sum of the log-odds of those who speak about each item, each once."""
    matrix = data.matrix
    pairs = np.unique(matrix.pair_of_claim)
    item, source = np.divmod(pairs, matrix.n_sources)
    return sum_by(item, log_odds[source], matrix.n_items)
