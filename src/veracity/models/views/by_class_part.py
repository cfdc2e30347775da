"""Part of the ballots: passes over the items that still change, while the others are left alone.

After a few passes most beliefs stand still. Expectation maximisation that renews only some beliefs
and keeps the counts of the others never lowers the likelihood either, and has the same fixed points
(Neal and Hinton, A view of the EM algorithm that justifies incremental, sparse, and other variants,
1998). What is maximised on the way is a lower bound of the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.models.crowd.crowd_kernels import Likelihoods, Poll
from veracity.models.views.by_class import Ballots, Cells, Tally, count_votes, weight_of_cells
from veracity.models.views.classes import Scales


@dataclass(frozen=True, eq=False)
class BallotPart:
    """The votes on some items, with the counts of all others; sources without such votes left out.

    Attributes
    ----------
    scales, cells, poll
        As of `Ballots`, for these items and their sources.
    cell_weight
        The weight of all votes of each cell, those on other items among them; (n_cells,).
    whole
        What a pass over all votes came to.
    others, other_weight
        The counts of the other items, and the weight of the votes on them; (n_cells,).
    cell, number, answer
        The place of the cells, of their numbers and of the answers among all.
    """

    scales: Scales
    cells: Cells
    poll: Poll
    cell_weight: Floats
    cell: Indices
    number: Indices
    answer: Indices
    whole: Tally
    others: Tally
    other_weight: Floats

    @classmethod
    def of(
        cls, ballots: Ballots, items: Indices, likelihoods: Likelihoods, whole: Tally
    ) -> BallotPart:
        """Take the votes on some items, and of the others what a pass by likelihoods counted."""
        poll, all_cells = ballots.poll, ballots.cells
        question = within(poll.question_start, items)
        vote, answer = within(poll.vote_start, question), within(poll.answer_start, question)
        blanket = within(poll.blanket_start, items)
        said = np.append(poll.vote_cell[vote], poll.blanket_cell[blanket])
        speaks = np.zeros(ballots.questions.n_sources, np.bool_)
        speaks[all_cells.source[said]] = True
        cell = np.flatnonzero(speaks[all_cells.source])
        new_source = np.cumsum(speaks) - 1
        cells = Cells(
            new_source[all_cells.source[cell]],
            all_cells.scale[cell],
            all_cells.said[cell],
            all_cells.width[cell],
        )
        place = np.empty(len(all_cells), np.int64)
        place[cell] = np.arange(len(cell))
        new_cell = place[poll.vote_cell[vote]]
        is_confused = np.repeat(poll.confused[question], np.diff(poll.vote_start)[question])
        part = Poll(
            question_start=from_sizes(np.diff(poll.question_start)[items]),
            blanket_start=from_sizes(np.diff(poll.blanket_start)[items]),
            answer_start=from_sizes(np.diff(poll.answer_start)[question]),
            vote_start=from_sizes(np.diff(poll.vote_start)[question]),
            width=poll.width[question],
            prior_at=poll.prior_at[question],
            confused=poll.confused[question],
            blanket_slot=poll.blanket_slot[question],
            slot=poll.slot[answer],
            vote_cell=new_cell.astype(np.int32),
            vote_row=np.where(is_confused, cells.at[new_cell], new_cell).astype(np.uint32),
            vote_slot=poll.vote_slot[vote],
            vote_weight=poll.vote_weight[vote],
            blanket_cell=place[poll.blanket_cell[blanket]].astype(np.int32),
            blanket_weight=poll.blanket_weight[blanket],
            settled=poll.settled[question],
            given_slot=poll.given_slot[question],
            excluded=poll.excluded[answer],
        )
        size = np.diff(all_cells.at)[cell]
        number = np.repeat(all_cells.at[cell] - cells.at[:-1], size) + np.arange(cells.at[-1])
        number = number if len(whole.confusion) else number[:0]
        own = count_votes(
            part,
            cells,
            ballots.scales,
            Likelihoods(
                likelihoods.log_prior,
                cells.at,
                likelihoods.log_confusion[number],
                likelihoods.ratio[cell],
                likelihoods.base[cell],
            ),
        )
        others = Tally(
            0.0,
            np.maximum(whole.confusion[number] - own.confusion, 0.0),
            np.maximum(whole.right[cell] - own.right, 0.0),
            np.maximum(whole.of_class - own.of_class, 0.0),
            np.empty(0),
        )
        weight = ballots.cell_weight[cell]
        other_weight = np.maximum(weight - weight_of_cells(part, len(cell)), 0.0)
        return cls(
            ballots.scales, cells, part, weight, cell, number, answer, whole, others, other_weight
        )

    @property
    def start(self) -> Tally:
        """What the pass over all votes says of the part."""
        whole = self.whole
        confusion, right = whole.confusion[self.number], whole.right[self.cell]
        return Tally(0.0, confusion, right, whole.of_class, whole.belief[self.answer])

    def sum_by_source(self, of_cell: Floats) -> Floats:
        """Add up numbers of cells for each source of the part; (n_sources,)."""
        n_sources = int(self.cells.source.max(initial=-1)) + 1
        return sum_by(self.cells.source, of_cell, n_sources)

    def expect(self, likelihoods: Likelihoods) -> Tally:
        """Do the expectation step on the part, and count it together with the others."""
        own = count_votes(self.poll, self.cells, self.scales, likelihoods)
        others = self.others
        # Sums of products, not dot products: for those, other threads of numpy would wake up.
        expected = (
            np.sum(others.confusion * likelihoods.log_confusion)
            + np.sum(others.right * likelihoods.ratio)
            + np.sum(self.other_weight * likelihoods.base)
            + np.sum(others.of_class * likelihoods.log_prior)
        )
        return replace(
            own.with_counts(own.counts + others.counts),
            log_likelihood=own.log_likelihood + float(expected),
        )

    def put_back(self, tally: Tally) -> Tally:
        """Return what the pass over all votes came to, with the part renewed."""
        confusion, right = self.whole.confusion.copy(), self.whole.right.copy()
        belief = self.whole.belief.copy()
        confusion[self.number] = tally.confusion
        right[self.cell] = tally.right
        belief[self.answer] = tally.belief
        return Tally(tally.log_likelihood, confusion, right, tally.of_class, belief)


def within(start: Indices, which: Indices) -> Indices:
    """Return the places of all that the chosen ones hold, if those of each begin at `start`."""
    size = np.diff(start)[which]
    ends = np.cumsum(size)
    first = np.repeat(start[which] - (ends - size), size)
    return np.asarray(first + np.arange(len(first)), np.int64)


def from_sizes(size: Indices) -> Indices:
    """Return where each begins if so many belong to it."""
    return np.append(0, np.cumsum(size)).astype(np.int64)
