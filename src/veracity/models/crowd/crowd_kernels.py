"""The compiled passes over votes that the crowd-label methods share: expectation and counts in one.

A pass is given a range of items and adds to arrays of its caller, so that threads run the same
code. What a source may say about a question is a *cell*; see `veracity.models.views.classes`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.compiled import compiled
from veracity.models.two_sum import two_sum

Codes = npt.NDArray[np.int32]

#: A blanket vote that is for every answer of a question, not for one of them.
ALL_SLOTS = -1
# The slots of a question that is answered by yes or no.
YES, NO = 0, 1
# The numbers of a cell in a ledger, if it has not one for each truth.
RATIO, BASE, RIGHT, GRID = np.uint32(0), np.uint32(1), np.uint32(2), np.uint32(3)
#: How finely changes of beliefs are added up.
UNIT = 2.0**-32


class Poll(NamedTuple):
    """Votes, sorted by question, and what is known of the questions; plain arrays for the passes.

    Attributes
    ----------
    question_start, blanket_start, item_start
        Where the questions, the blanket votes and the votes of each item begin; (n_items + 1,).
    answer_start, vote_start
        Where the claimed answers and the votes of each question begin; (n_questions + 1,).
    width
        How many answers a question may have, those that nobody gives among them; (n_questions,).
    prior_at
        Where the class priors of a question are kept, or `NOWHERE` for equal ones; (n_questions,).
    confused
        Whether what is said of a question has one likelihood for each truth; (n_questions,).
    blanket_slot
        Which answer blanket votes are for, or `ALL_SLOTS`; (n_questions,).
    slot
        The place of each claimed answer among all that its question may have; (n_answers,).
    vote_cell, vote_slot, vote_weight, blanket_cell, blanket_weight
        What is said by whom, for which answer, and how much it counts.
    vote_row, blanket_row
        Where the numbers of its cell begin in a ledger; see `open_ledger`.
    settled, given_slot
        The questions whose truth is known, and the true answer where nobody claims it, else
        `NOWHERE`; (n_questions,).
    excluded
        Claimed answers that are known to be wrong; (n_answers,).
    """

    question_start: Indices
    blanket_start: Indices
    item_start: Indices
    answer_start: Indices
    vote_start: Indices
    width: Codes
    prior_at: Indices
    confused: Mask
    blanket_slot: Codes
    slot: Codes
    vote_cell: Codes
    vote_row: npt.NDArray[np.uint32]
    vote_slot: Codes
    vote_weight: Floats
    blanket_cell: Codes
    blanket_row: npt.NDArray[np.uint32]
    blanket_weight: Floats
    settled: Mask
    given_slot: Codes
    excluded: Mask


class Likelihoods(NamedTuple):
    """Likelihoods of votes, as a pass reads them.

    Attributes
    ----------
    log_prior
        Of each class of each attribute, end to end.
    cell_at
        Where the likelihoods of a cell begin in `log_confusion`; (n_cells,).
    log_confusion
        Log-probability that a source says this, for each truth; cells of confused questions.
    ratio, base
        Of the other cells: log-probability of saying this if it is wrong, and how much more it is
        if it is right; (n_cells,).
    """

    log_prior: Floats
    cell_at: Indices
    log_confusion: Floats
    ratio: Floats
    base: Floats


class Grids(NamedTuple):
    """How finely counts are added up: `on_grid` makes sums of them exact, in whatever parts.

    Attributes
    ----------
    of_cell
        For what is counted of a cell; (n_cells,).
    of_class
        For the questions of a class; (n_classes,).
    """

    of_cell: Floats
    of_class: Floats


@compiled
def normalise(numbers: Any, width: int) -> Any:
    """Turn log-numbers into probabilities, in place; return the logarithm of their sum.

    Where none is possible, all become 0, and so does what is returned.
    """
    peak = -np.inf
    for place in range(width):
        peak = max(peak, numbers[place])
    if peak == -np.inf:
        for place in range(width):
            numbers[place] = 0.0
        return 0.0
    total = 0.0
    for place in range(width):
        numbers[place] = np.exp(numbers[place] - peak)
        total += numbers[place]
    inverse = 1.0 / total
    for place in range(width):
        numbers[place] *= inverse
    return peak + np.log(total)


@compiled
def share(numbers: Any, width: int) -> None:
    """Turn votes into shares, in place; equal ones where there are no votes."""
    total = 0.0
    n_possible = 0
    for place in range(width):
        if numbers[place] > -np.inf:
            n_possible += 1
            numbers[place] = max(numbers[place], 0.0)
            total += numbers[place]
    for place in range(width):
        if numbers[place] == -np.inf:
            numbers[place] = 0.0
        elif total > 0.0:
            numbers[place] /= total
        else:
            numbers[place] = 1.0 / n_possible


@compiled
def rule_out(question: int, poll: Any, numbers: Any) -> None:
    """Set what is known to be wrong to minus infinity."""
    width, given = poll.width[question], poll.given_slot[question]
    kept = np.full(width, -np.inf)
    if given >= 0:
        kept[given] = numbers[given]
    for answer in range(poll.answer_start[question], poll.answer_start[question + 1]):
        if not poll.excluded[answer]:
            kept[poll.slot[answer]] = numbers[poll.slot[answer]]
    for place in range(width):
        numbers[place] = kept[place]


@compiled
def add(totals: Any, rests: Any, place: int, number: float) -> None:
    """Add a number to the total in a place, and to its rest what rounding takes away."""
    totals[place], rests[place] = two_sum(totals[place], rests[place], number)


@compiled
def add_sum(totals: Any, rests: Any, place: int, total: float, rest: float) -> None:
    """Add a total and its rest to those in a place."""
    add(totals, rests, place, total)
    rests[place] += rest


@compiled
def on_grid(number: float, grid: float) -> float:
    """Round a number to the last digit of what it is added to; see `grid_of`."""
    return (number + grid) - grid


@compiled
def open_ledger(row: Any, is_confused: bool, likelihoods: Any, grid_of_cell: Any) -> Any:
    """Return a ledger: all numbers of a cell side by side, so that a vote finds them in one place.

    Those of a cell begin at its `row`. A confused cell has its log-likelihood for each truth, a
    count for each, and its grid. Others have `RATIO`, `BASE`, `RIGHT` and `GRID`.
    """
    cell_at, log_confusion = likelihoods.cell_at, likelihoods.log_confusion
    ratio, base = likelihoods.ratio, likelihoods.base
    ledger = np.zeros(row[-1])
    for cell in range(len(row) - 1):
        first, last = row[cell], row[cell + 1]
        ledger[last - 1] = grid_of_cell[cell]
        width = cell_at[cell + 1] - cell_at[cell]
        if is_confused and width > 0:
            if len(log_confusion) > 0:
                for truth in range(width):
                    ledger[first + truth] = log_confusion[cell_at[cell] + truth]
        elif len(ratio) > 0:
            ledger[first + RATIO], ledger[first + BASE] = ratio[cell], base[cell]
    return ledger


@compiled
def counts_of(ledger: Any, row: Any, cell_at: Any, confusion: Any, right: Any) -> None:
    """Add the counts in a ledger to those of other ledgers."""
    is_confused = len(confusion) > 0
    for cell in range(len(row) - 1):
        first, width = row[cell], cell_at[cell + 1] - cell_at[cell]
        if is_confused and width > 0:
            for truth in range(width):
                confusion[cell_at[cell] + truth] += ledger[first + width + truth]
        else:
            right[cell] += ledger[first + RIGHT]


@compiled
def crowd_pass(
    first_item: int,
    last_item: int,
    poll: Any,
    log_prior: Any,
    grid_of_class: Any,
    starting: bool,
    noise: Any,
    ledger: Any,
    prior_counts: Any,
    belief: Any,
) -> Any:
    """Do the expectation step on a range of items, count for the next maximisation step.

    Adds to the ledger the expected number of times that each confused cell is said, for each truth,
    and that every other cell is right; and to `prior_counts` the expected number of questions of
    each class. Sets the belief in each claimed answer. Returns the log-likelihood.

    At the start beliefs are shares of the votes, those for an answer multiplied by its `noise`
    where there is any.

    No sum depends on the order of its terms: neither names of sources nor parts of the claims may
    decide anything. Votes on a question are added up with what rounding takes away, so `numbers`
    have their `rest`; counts are added up on grids.
    """
    confused, prior_at, width_of = poll.confused, poll.prior_at, poll.width
    vote_row, vote_slot, vote_weight = poll.vote_row, poll.vote_slot, poll.vote_weight
    blanket_row, blanket_weight = poll.blanket_row, poll.blanket_weight
    question_start, blanket_start = poll.question_start, poll.blanket_start
    answer_start, vote_start, slot = poll.answer_start, poll.vote_start, poll.slot
    blanket_slot, settled = poll.blanket_slot, poll.settled
    first_question, last_question = question_start[first_item], question_start[last_item]
    widest = 2
    for question in range(first_question, last_question):
        widest = max(widest, width_of[question])
    numbers, rest = np.empty(widest), np.empty(widest)
    # What blanket votes say of every question of an item, for yes and for no.
    shared, shared_rest = np.empty(2), np.empty(2)
    log_likelihood = 0.0
    for item in range(first_item, last_item):
        first_blanket, last_blanket = blanket_start[item], blanket_start[item + 1]
        item_is_confused = confused[question_start[item]]
        shared_base = 0.0
        shared[:], shared_rest[:] = 0.0, 0.0
        for blanket in range(first_blanket, last_blanket):
            weight, row = blanket_weight[blanket], blanket_row[blanket]
            if starting:
                add(shared, shared_rest, NO, weight)
            elif item_is_confused:
                add(shared, shared_rest, YES, weight * ledger[row + np.uint32(YES)])
                add(shared, shared_rest, NO, weight * ledger[row + np.uint32(NO)])
            else:
                add(shared, shared_rest, NO, weight * ledger[row + RATIO])
                shared_base += weight * ledger[row + BASE]
        taken, taken_yes, taken_no = 0.0, 0.0, 0.0
        for question in range(question_start[item], question_start[item + 1]):
            width, at = width_of[question], prior_at[question]
            first, last = vote_start[question], vote_start[question + 1]
            for place in range(width):
                rest[place] = 0.0
            if starting:
                for place in range(width):
                    numbers[place] = 0.0
                for vote in range(first, last):
                    add(numbers, rest, vote_slot[vote], vote_weight[vote])
            elif at >= 0:
                for place in range(width):
                    numbers[place] = log_prior[at + place]
            else:
                for place in range(width):
                    numbers[place] = -np.log(width)
            if not starting and confused[question]:
                for place in range(width):
                    total, lost = numbers[place], 0.0
                    for vote in range(first, last):
                        number = vote_weight[vote] * ledger[vote_row[vote] + np.uint32(place)]
                        total, lost = two_sum(total, lost, number)
                    numbers[place], rest[place] = total, lost
            elif not starting:
                for vote in range(first, last):
                    row = vote_row[vote]
                    add(numbers, rest, vote_slot[vote], vote_weight[vote] * ledger[row + RATIO])
                    log_likelihood += vote_weight[vote] * ledger[row + BASE]
            if last_blanket > first_blanket:
                if not starting and item_is_confused:
                    add_sum(numbers, rest, YES, shared[YES], shared_rest[YES])
                    add_sum(numbers, rest, NO, shared[NO], shared_rest[NO])
                elif blanket_slot[question] == ALL_SLOTS:  # a vote for each of them
                    log_likelihood += width * shared_base
                    for place in range(width):
                        add_sum(numbers, rest, place, shared[NO], shared_rest[NO])
                else:
                    log_likelihood += shared_base
                    add_sum(numbers, rest, blanket_slot[question], shared[NO], shared_rest[NO])
            for place in range(width):
                numbers[place] += rest[place]
            if starting and len(noise) > 0:
                for answer in range(answer_start[question], answer_start[question + 1]):
                    numbers[slot[answer]] *= noise[answer]
            if settled[question]:
                rule_out(question, poll, numbers)
            if starting:
                share(numbers, width)
            else:
                log_likelihood += normalise(numbers, width)
            for answer in range(answer_start[question], answer_start[question + 1]):
                belief[answer] = numbers[slot[answer]]
            if at >= 0:
                grid = grid_of_class[at]
                for place in range(width):
                    prior_counts[at + place] += on_grid(numbers[place], grid)
            if confused[question]:
                for vote in range(first, last):
                    weight, row = vote_weight[vote], vote_row[vote] + np.uint32(width)
                    grid = ledger[row + np.uint32(width)]
                    for place in range(width):
                        part = on_grid(weight * numbers[place], grid)
                        ledger[row + np.uint32(place)] += part
                taken_yes += numbers[YES]
                taken_no += numbers[NO]
            else:
                for vote in range(first, last):
                    row = vote_row[vote]
                    part = vote_weight[vote] * numbers[vote_slot[vote]]
                    ledger[row + RIGHT] += on_grid(part, ledger[row + GRID])
                if blanket_slot[question] == ALL_SLOTS:
                    for place in range(width):
                        taken += numbers[place]
                else:
                    taken += numbers[blanket_slot[question]]
        for blanket in range(first_blanket, last_blanket):
            weight, row = blanket_weight[blanket], blanket_row[blanket]
            if item_is_confused:  # a scale of yes and no: two likelihoods, two counts, the grid
                grid = ledger[row + np.uint32(4)]
                ledger[row + np.uint32(2 + YES)] += on_grid(weight * taken_yes, grid)
                ledger[row + np.uint32(2 + NO)] += on_grid(weight * taken_no, grid)
            else:
                ledger[row + RIGHT] += on_grid(weight * taken, ledger[row + GRID])
    return log_likelihood


@compiled
def changes_of(new: Any, old: Any) -> Any:
    """Return the largest change of a belief, and the sum of all in units of `UNIT`.

    Whole numbers add up to the same in any order, and in any parts.
    """
    largest, total = 0.0, 0
    for answer in range(len(new)):
        change = abs(new[answer] - old[answer])
        largest = max(largest, change)
        total += int(change / UNIT + 0.5)
    return largest, total


@compiled
def confusion_from_counts(
    counts: Any,
    pair_start: Any,
    cell_at: Any,
    cell_class: Any,
    cell_width: Any,
    pseudo: float,
    pseudo_diagonal: float,
    least: float,
    log_confusion: Any,
) -> Any:
    """Do the maximisation step of confusion matrices; return the logarithm of their prior.

    The cells of one source and attribute stand together, from one `pair_start` to the next. What a
    source never says has no cell, only its pseudo-counts.
    """
    penalty = 0.0
    widest = 1
    for cell in range(len(cell_width)):
        widest = max(widest, cell_width[cell])
    total = np.empty(widest)
    own = np.empty(widest)
    for pair in range(len(pair_start) - 1):
        first, last = pair_start[pair], pair_start[pair + 1]
        width = cell_width[first]
        for truth in range(width):
            total[truth] = (width - (last - first)) * pseudo + pseudo_diagonal
            own[truth] = pseudo + pseudo_diagonal
        for cell in range(first, last):
            own[cell_class[cell]] = 0.0  # counted with its cell
            total[cell_class[cell]] -= pseudo_diagonal
            for truth in range(width):
                number = counts[cell_at[cell] + truth] + pseudo
                number = max(number + pseudo_diagonal * (truth == cell_class[cell]), least)
                log_confusion[cell_at[cell] + truth] = number
                total[truth] += number
        for cell in range(first, last):
            for truth in range(width):
                place = cell_at[cell] + truth
                log_confusion[place] = np.log(log_confusion[place] / total[truth])
                weight = pseudo + pseudo_diagonal * (truth == cell_class[cell])
                penalty += weight * log_confusion[place]
        n_unsaid = width - (last - first)
        for truth in range(width):
            n_plain = n_unsaid - (own[truth] > 0.0)
            if pseudo > 0.0 and n_plain > 0:
                penalty += n_plain * pseudo * np.log(pseudo / total[truth])
            if own[truth] > 0.0:
                penalty += own[truth] * np.log(own[truth] / total[truth])
    return penalty
