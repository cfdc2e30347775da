"""Ballots: votes on questions whose answers are classes, as the crowd-label methods see them.

What a source says is kept by *cell*: one for each source, scale and class, as far as they occur.
The answers to an open question are those that somebody gives, and one more that nobody gives; there
an answer means nothing beyond its question, and there is one cell for each source and number of
answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.encode.grouping import starts
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import KnownTruth
from veracity.engines.threads import over_threads
from veracity.features.codes import distinct_codes
from veracity.models.base import Judgement
from veracity.models.crowd.crowd_kernels import (
    ALL_SLOTS,
    NO,
    UNIT,
    Codes,
    Grids,
    Likelihoods,
    Poll,
    changes_of,
    counts_of,
    crowd_pass,
    open_ledger,
)
from veracity.models.views.classes import NOWHERE, Scales, classes_of_statements
from veracity.models.views.one_true_value import Clamp, Questions, Votes

#: No probability is taken to be smaller than this.
LEAST = 1e-10
#: From so many answers on, a fit is judged by the mean change of a belief.
MANY_ANSWERS = 50_000
#: A pass takes some nanoseconds for each vote; see `over_threads`.
LIGHTNESS = 3
#: Counts up to this are added up on one grid, of about 10^-13.
COMMON_REACH = 128.0


@dataclass(frozen=True, eq=False)
class Cells:
    """What sources say: a class of a scale or, without a scale, one of so many answers.

    They are sorted by source, scale and class.

    Attributes
    ----------
    source, scale
        Who says it, on which scale; `NOWHERE` on questions without one; (n_cells,).
    said
        The class; `NOWHERE` without a scale; (n_cells,).
    width
        The number of answers to choose from; (n_cells,).
    """

    source: Indices
    scale: Indices
    said: Indices
    width: Indices

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def at(self) -> Indices:
        """Where the numbers of each cell begin, if it has one for each class; (n_cells + 1,).

        Cells without a scale have none.
        """
        size = np.where(self.scale >= 0, self.width, 0)
        return np.append(0, np.cumsum(size)).astype(np.int64)

    def rows(self, confused: bool) -> Indices:
        """Return where the numbers of each cell begin in a ledger; (n_cells + 1,).

        See `open_ledger`; `confused` where cells on scales have a likelihood for each truth.
        """
        size = np.where((self.scale >= 0) & confused, 2 * self.width + 1, 4)
        return np.append(0, np.cumsum(size)).astype(np.int64)

    @cached_property
    def pair_start(self) -> Indices:
        """Where the cells of each source and scale begin, those without a scale left out."""
        on_scale = np.flatnonzero(self.scale >= 0)
        begins = starts(self.source[on_scale], self.scale[on_scale])
        # Cells without a scale come after all others.
        return np.append(begins, len(on_scale)).astype(np.int64)

    def places(self, some: Cells) -> Indices:
        """Return the place of some of these cells among all; (n_some,)."""
        n_said = int(max(self.said.max(initial=0), self.width.max(initial=0))) + 2
        n_scales = int(self.scale.max(initial=0)) + 1
        n_sources = int(self.source.max(initial=0)) + 1

        def key(cells: Cells) -> Indices:  # rises with the order of cells
            on_scale = cells.scale >= 0
            row = np.where(
                on_scale, cells.source * n_scales + cells.scale, n_sources * n_scales + cells.source
            )
            return np.asarray(row * n_said + np.where(on_scale, cells.said, cells.width), np.int64)

        return np.searchsorted(key(self), key(some))

    def find(self, source: Indices, scale: Indices, said: Indices) -> Indices:
        """Return the cell of what is said, `NOWHERE` if there is none."""
        if not len(self):
            return np.full(len(source), NOWHERE, np.int64)
        n_scales = int(max(self.scale.max(), scale.max(initial=0))) + 2
        n_said = int(max(self.said.max(), said.max(initial=0))) + 2

        def key(who: Indices, where: Indices, what: Indices) -> Indices:
            return (who * n_scales + where + 1) * n_said + what + 1

        keys = key(self.source, self.scale, self.said)
        order = np.argsort(keys, kind="stable")
        wanted = key(source, scale, said)
        place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
        cell = order[place]
        return np.where((keys[cell] == wanted) & (source >= 0) & (scale >= 0), cell, NOWHERE)


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts from a pass over the votes; those of disjoint sets of items add.

    Attributes
    ----------
    log_likelihood
        Of the votes.
    counts
        `confusion`, `right` and `of_class`, end to end.
    n_confusion, n_right
        How many of them are numbers of `confusion`, and of `right`.
    belief
        In each claimed answer; (n_answers,).
    """

    log_likelihood: float
    counts: Floats
    n_confusion: int
    n_right: int
    belief: Floats

    @property
    def confusion(self) -> Floats:
        """How often each cell is said, for each truth, if it belongs to a confused question."""
        return self.counts[: self.n_confusion]

    @property
    def right(self) -> Floats:
        """How often every other cell is right; (n_cells,)."""
        return self.counts[self.n_confusion : self.n_confusion + self.n_right]

    @property
    def of_class(self) -> Floats:
        """How many questions have each class as their truth, scales end to end."""
        return self.counts[self.n_confusion + self.n_right :]

    def with_counts(self, counts: Floats) -> Tally:
        """Return this tally with other counts."""
        return replace(self, counts=counts)


@dataclass(frozen=True, eq=False)
class Ballots:
    """Votes of claims on questions with classes.

    Attributes
    ----------
    questions
        The claims as votes on questions.
    scales
        The classes of attributes.
    cells
        What sources say.
    poll
        The same as plain arrays, for the compiled passes.
    """

    questions: Questions
    scales: Scales
    cells: Cells
    poll: Poll

    @classmethod
    def of(
        cls,
        matrix: ClaimMatrix,
        scales: Scales,
        known: KnownTruth | None = None,
        confused: bool = False,
    ) -> Ballots:
        """Read claims as votes; `confused` where likelihoods are wanted for each truth.

        A question about which a value is claimed that is not on its scale is taken for open.
        """
        questions = Questions.of(matrix)
        n_questions, question_of_answer = questions.n_questions, questions.question_of_answer
        begins, item = questions.answer_start[:-1], questions.item_of_question
        by_itself = np.zeros(n_questions, np.bool_)
        by_itself[question_of_answer[questions.answer_of_statement[questions.by_itself]]] = True
        scale = scales.of_attributes(matrix)[matrix.attribute_index[item]]
        slot = np.arange(questions.n_answers) - begins[question_of_answer]
        classes = slot.copy()
        single = ~questions.by_itself
        classes[questions.answer_of_statement[single]] = classes_of_statements(matrix, scales)[
            single
        ]
        off_scale = np.zeros(n_questions, np.bool_)
        off_scale[question_of_answer[classes < 0]] = True
        scale[off_scale] = NOWHERE
        slot = np.where(scale[question_of_answer] >= 0, classes, slot)
        width = np.where(by_itself, 2, np.diff(questions.answer_start) + 1)
        has_scale = scale >= 0
        width[has_scale] = scales.sizes[scale[has_scale]]
        votes, blankets = _read(questions, slot, width, has_scale)
        # A cell for each source, scale and class, or source and number of answers.
        n_scales, widest = len(scales), int(width.max(initial=2)) + 1

        def key(who: npt.NDArray[Any], about: Indices, said: npt.NDArray[Any]) -> Indices:
            place = np.where(has_scale[about], said, width[about])
            row = np.where(has_scale[about], who.astype(np.int64) * n_scales + scale[about], -1)
            last = len(matrix.sources) * n_scales + who
            return np.asarray(np.where(row >= 0, row, last) * widest + place, np.int64)

        question_start = np.searchsorted(item, np.arange(matrix.n_items + 1))
        blanket_question = question_start[blankets.about]
        keys = key(votes.source, votes.question, votes.slot)
        blanket_keys = key(blankets.source, blanket_question, np.full(len(blankets), NO))
        found, cell = distinct_codes(np.append(keys, blanket_keys))
        vote_cell, blanket_cell = cell[: len(keys)], cell[len(keys) :]
        row, place = found // widest, found % widest
        on_scale = row < len(matrix.sources) * n_scales
        cell_scale = np.where(on_scale, row % max(n_scales, 1), NOWHERE)
        cells = Cells(
            np.where(on_scale, row // max(n_scales, 1), row - len(matrix.sources) * n_scales),
            cell_scale,
            np.where(on_scale, place, NOWHERE),
            np.where(on_scale, np.append(scales.sizes, 0)[cell_scale], place),
        )
        clamp = Clamp.of(questions, known)
        is_confused = has_scale & confused
        cell_row = cells.rows(confused).astype(np.uint32)
        vote_start = np.searchsorted(votes.question, np.arange(n_questions + 1))
        poll = Poll(
            question_start=question_start.astype(np.int64),
            blanket_start=np.searchsorted(blankets.about, np.arange(matrix.n_items + 1)),
            item_start=vote_start[question_start],
            answer_start=questions.answer_start,
            vote_start=vote_start,
            width=width.astype(np.int32),
            prior_at=np.where(has_scale, scales.first[scale], NOWHERE),
            confused=is_confused,
            blanket_slot=np.where(by_itself, NO, ALL_SLOTS).astype(np.int32),
            slot=slot.astype(np.int32),
            vote_cell=vote_cell.astype(np.int32),
            vote_row=cell_row[vote_cell],
            vote_slot=votes.slot.astype(np.int32),
            vote_weight=votes.weight,
            blanket_cell=blanket_cell.astype(np.int32),
            blanket_row=cell_row[blanket_cell],
            blanket_weight=blankets.weight,
            settled=clamp.settled,
            given_slot=_given_slots(known, questions, scales, scale, width, by_itself),
            excluded=clamp.excluded,
        )
        return cls(questions, scales, cells, poll)

    @cached_property
    def cell_weight(self) -> Floats:
        """The weight of all votes of each cell; (n_cells,)."""
        return weight_of_cells(self.poll, len(self.cells))

    @cached_property
    def grids(self) -> Grids:
        """How finely counts of these votes alone are added up."""
        return Grids(
            grid_of(reach_of_cells(self.poll, len(self.cells))),
            grid_of(questions_of_classes(self.poll, self.scales.n_classes)),
        )

    @cached_property
    def n_votes(self) -> float:
        """The weight of all votes."""
        return float(self.cell_weight.sum())

    def sum_by_source(self, of_cell: Floats) -> Floats:
        """Add up numbers of cells for each source; (n_sources,)."""
        return sum_by(self.cells.source, of_cell, self.questions.n_sources)

    def judgement(self, tally: Tally) -> Judgement:
        """Return what a pass says of the statements."""
        return Judgement(self.plausibility(tally.belief))

    def plausibility(self, belief: Floats) -> Floats:
        """Return the belief in each statement; (n_statements,)."""
        return np.clip(belief[self.questions.answer_of_statement], 0.0, 1.0)

    def start(self, noise: Floats | None = None, grids: Grids | None = None) -> Tally:
        """Count with beliefs that are shares of the votes, each multiplied by its noise."""
        none = np.empty(0)
        nothing = Likelihoods(none, self.cells.at, none, none, none)
        return self.count(nothing, self.grids if grids is None else grids, True, noise)

    def expect(self, likelihoods: Likelihoods, before: Tally | None = None) -> Tally:
        """Do the expectation step, and count for the next maximisation step.

        Nothing need be known of the pass `before`, since a tally holds its beliefs.
        """
        return self.count(likelihoods, self.grids)

    def change(self, new: Tally, old: Tally) -> float:
        """Return how much beliefs change from one pass to the next."""
        largest, total = changes_of(new.belief, old.belief)
        return typical_change(largest, total, len(new.belief))

    def count(
        self,
        likelihoods: Likelihoods,
        grids: Grids,
        starting: bool = False,
        noise: Floats | None = None,
    ) -> Tally:
        """Do one pass over the votes, on as many threads as they are worth."""
        poll, at, row = self.poll, self.cells.at, self._rows
        factors = np.empty(0) if noise is None else noise
        belief = np.empty(len(poll.slot))
        is_confused = bool(poll.confused.any())

        def work(first: int, last: int) -> tuple[float, Floats, Floats]:
            ledger = open_ledger(row, is_confused, likelihoods, grids.of_cell)
            of_class = np.zeros(self.scales.n_classes)
            log_likelihood = crowd_pass(
                first, last, poll, likelihoods.log_prior, grids.of_class, starting, factors,
                ledger, of_class, belief,
            )  # fmt: skip
            return log_likelihood, ledger, of_class

        parts = over_threads(work, poll.item_start, lightness=LIGHTNESS)
        n_confusion, n_right = int(at[-1]) if is_confused else 0, len(self.cells)
        counts = np.zeros(n_confusion + n_right + self.scales.n_classes)
        found = Tally(sum(part[0] for part in parts), counts, n_confusion, n_right, belief)
        for _, ledger, of_class in parts:
            counts_of(ledger, row, at, found.confusion, found.right)
            found.of_class[:] += of_class
        return found

    @cached_property
    def _rows(self) -> Indices:
        return self.cells.rows(bool(self.poll.confused.any()))


def typical_change(largest: float, total: int, n_answers: int) -> float:
    """Return the largest change of a belief or, of `MANY_ANSWERS`, the mean; see `changes_of`.

    Among many answers there are always some that creep for hundreds of passes, and the others do
    not wait for them.
    """
    return largest if n_answers < MANY_ANSWERS else total * UNIT / n_answers


def weight_of_cells(poll: Poll, n_cells: int) -> Floats:
    """Return the weight of all votes of each cell; (n_cells,)."""
    return np.maximum(_by_cell(poll, poll.vote_weight, poll.blanket_weight, n_cells), 0.0)


def reach_of_cells(poll: Poll, n_cells: int) -> Floats:
    """Return what no count of a cell exceeds, in whatever order it is added up; (n_cells,)."""
    return _by_cell(poll, np.abs(poll.vote_weight), np.abs(poll.blanket_weight), n_cells)


def questions_of_classes(poll: Poll, n_classes: int) -> Floats:
    """Return the number of questions of each scale, at its first class; 0 elsewhere."""
    return np.bincount(poll.prior_at[poll.prior_at >= 0], minlength=n_classes).astype(np.float64)


def _by_cell(poll: Poll, vote_weight: Floats, blanket_weight: Floats, n_cells: int) -> Floats:
    total = sum_by(poll.vote_cell, vote_weight, n_cells)
    if len(poll.blanket_cell):
        # A blanket is one vote for each question of its item, or for each answer to it.
        n_questions = np.diff(poll.question_start)
        item = np.repeat(np.arange(len(n_questions)), np.diff(poll.blanket_start))
        first = poll.question_start[item]
        to_all = poll.blanket_slot[first] == ALL_SLOTS
        times = np.where(to_all, poll.width[first], n_questions[item])
        total += sum_by(poll.blanket_cell, blanket_weight * times, n_cells)
    return total


def grid_of(reach: Floats) -> Floats:
    """Return what to add to and take from numbers, so that their sums are exact up to a reach.

    Numbers that are multiples of a power of two add up without rounding while sums stay below 2^53
    of them. Adding and subtracting 1.5 times a power of two rounds a number to such multiples
    (Demmel and Nguyen, Fast reproducible floating-point summation, IEEE Symposium on Computer
    Arithmetic, 2013), here to those of about 2^-51 of the reach, which is as exact as a sum is.

    A reach from 1 to `COMMON_REACH` is taken for the latter. So equal beliefs are rounded alike,
    whichever source they are counted for, and have the same mean: what is tied stays tied.
    """
    reach = np.where(reach >= 1.0, np.maximum(reach, COMMON_REACH), reach)
    # A reach is a sum itself. A little more keeps round numbers away from where the power changes.
    _, exponent = np.frexp(reach * (1.0 + 1e-9))
    return np.where(reach > 0, np.ldexp(1.5, np.minimum(exponent + 1, 1000)), 0.0)


def coin(reliability: Floats, cells: Cells) -> tuple[Floats, Floats]:
    """Return `ratio` and `base` of cells, if all wrong answers are equally likely; (n_cells,).

    A source is right with its reliability; if not, it gives each wrong answer alike.
    """
    right = np.clip(reliability, LEAST, 1.0 - LEAST)[cells.source]
    wrong = np.maximum((1.0 - reliability)[cells.source] / (cells.width - 1.0), LEAST)
    wrong = np.minimum(wrong, 1.0 - LEAST)
    return np.log(right) - np.log(wrong), np.log(wrong)


def class_priors(scales: Scales, tally: Tally) -> Floats:
    """Return the share of each class in the questions of its scale; (n_classes,)."""
    return np.maximum(scales.within(tally.of_class), LEAST)


@dataclass(frozen=True, eq=False)
class _Votes:
    """Votes for the answer in a slot of a question."""

    question: Indices
    slot: Indices
    source: Codes
    weight: Floats

    def at(self, chosen: npt.NDArray[Any]) -> _Votes:
        return _Votes(
            self.question[chosen], self.slot[chosen], self.source[chosen], self.weight[chosen]
        )


def _read(
    questions: Questions, slot: Indices, width: Indices, has_scale: Mask
) -> tuple[_Votes, Votes]:
    """Return the votes, by question, and the blanket votes, by item.

    A source that denies a value without naming another votes in equal parts for all others: one
    by one where there is a scale, else by a blanket.
    """
    votes, blankets = questions.votes, questions.blankets
    yes = questions.answer_of_statement[questions.by_itself]
    by_itself = np.zeros(questions.n_answers, np.bool_)
    by_itself[yes] = by_itself[yes + 1] = True
    denial = (votes.weight < 0) & ~by_itself[votes.about]
    found = _Votes(
        questions.question_of_answer[votes.about], slot[votes.about], votes.source, votes.weight
    )
    by_statement = np.zeros(questions.n_items, np.bool_)
    by_statement[questions.item_of_answer[yes]] = True
    kept = by_statement[blankets.about]
    shared = Votes(blankets.source[kept], blankets.about[kept], blankets.weight[kept])
    if denial.any():
        one_by_one, open_ones, shared_out = _split(found.at(denial), questions, width, has_scale)
        found = _joined([found.at(~denial), one_by_one, open_ones])
        shared = Votes(
            np.append(shared.source, shared_out.source),
            np.append(shared.about, shared_out.about),
            np.append(shared.weight, shared_out.weight),
        )
    if (found.question[1:] < found.question[:-1]).any():
        found = found.at(np.argsort(found.question, kind="stable"))
    order = np.argsort(shared.about, kind="stable")
    return found, Votes(shared.source[order], shared.about[order], shared.weight[order])


def _split(
    denials: _Votes, questions: Questions, width: Indices, has_scale: Mask
) -> tuple[_Votes, _Votes, Votes]:
    """Return votes for the other classes; votes against open answers, and blankets for all."""
    weight = -denials.weight * (questions.domain_size[denials.question] - 1.0)
    part = weight / (width[denials.question] - 1.0)
    on_scale = has_scale[denials.question]
    scaled = denials.at(on_scale)
    times = width[scaled.question]
    ends = np.cumsum(times)
    other = np.arange(times.sum()) - np.repeat(ends - times, times)
    spread = scaled.at(np.repeat(np.arange(len(times)), times))
    meant = other != spread.slot
    one_by_one = _Votes(
        spread.question[meant],
        other[meant],
        spread.source[meant],
        np.repeat(part[on_scale], times)[meant],
    )
    rest = denials.at(~on_scale)
    part = part[~on_scale]
    against = _Votes(rest.question, rest.slot, rest.source, -part)
    return one_by_one, against, Votes(rest.source, questions.item_of_question[rest.question], part)


def _joined(parts: list[_Votes]) -> _Votes:
    return _Votes(
        np.concatenate([part.question for part in parts]),
        np.concatenate([part.slot for part in parts]),
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )


def _given_slots(
    known: KnownTruth | None,
    questions: Questions,
    scales: Scales,
    scale: Indices,
    width: Indices,
    by_itself: Mask,
) -> Codes:
    """Return the true answer of each question where it is known and nobody claims it."""
    given = np.full(questions.n_questions, NOWHERE, np.int32)
    if known is None or not known.unclaimed.num_rows:
        return given
    items = np.asarray(known.unclaimed["item"].to_pylist(), np.int64)
    labels = known.unclaimed["value"].to_pylist()
    about = np.flatnonzero(items >= 0)
    question = np.searchsorted(questions.item_of_question, items[about])
    for row, place in zip(about.tolist(), question.tolist(), strict=True):
        if by_itself[place]:
            continue
        if scale[place] < 0:
            given[place] = width[place] - 1
        elif labels[row] in scales.labels[scale[place]]:
            given[place] = scales.labels[scale[place]].index(labels[row])
    return given
