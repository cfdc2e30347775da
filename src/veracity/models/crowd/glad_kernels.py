"""The compiled pass of GLAD: expectation, a step of each item's easiness, sums for abilities.

A vote is right with probability sigmoid(x), x = ability * exp(log_easiness). With D answers to
choose from, its log-odds of being right, against any one wrong answer, are x + log(D - 1).

Votes of a batch of items, and then its blanket votes, are its *terms*: those of an item stand
together. What needs an exponential or a logarithm is done for all terms of a batch in one loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled
from veracity.models.crowd.crowd_kernels import ALL_SLOTS, add, add_sum, normalise, rule_out
from veracity.models.exponentials import exp_of, log1p_of
from veracity.models.two_sum import two_sum

#: So many terms are worked on at a time: they stay in a near cache.
BATCH = 2048
#: No step of a log-easiness is longer than this.
LONGEST_STEP = 1.0
#: A step that makes things worse is halved until so many were tried, then left out.
STEPS = 12
#: What rounding may take from the terms of an item, as a share of them.
ROUNDING = 1e-14
#: Below this x the bend of a parabola is that at 0.
SMALL = 1e-4


class Terms(NamedTuple):
    """What is known of each term of a batch.

    Attributes
    ----------
    source, skill
        By whom, and how able that source is.
    weight, right
        How much it counts, and how much of it is right.
    x, sigmoid, softplus
        Its x, the probability of being right, and minus the log-probability of being wrong.
    """

    source: npt.NDArray[np.uint32]
    skill: Floats
    weight: Floats
    right: Floats
    x: Floats
    sigmoid: Floats
    softplus: Floats


@compiled
def glad_pass(
    first_item: int,
    last_item: int,
    poll: Any,
    vote_source: Any,
    blanket_source: Any,
    ability: Any,
    log_easiness: Any,
    prior_mean: float,
    prior_precision: float,
    learning: bool,
    new_log_easiness: Any,
    sums: Any,
    belief: Any,
) -> Any:
    """Do a range of items; return the log-likelihood of their votes.

    Adds to `sums` of sources what the next abilities are made from: a slope and a curvature;
    (n_sources, 2).
    """
    log_of_width = np.log(np.arange(widest_of(first_item, last_item, poll) + 1))
    terms = terms_for(first_item, last_item, poll)
    log_likelihood = 0.0
    first = first_item
    while first < last_item:
        last = end_of_batch(first, last_item, poll)
        read_terms(first, last, poll, vote_source, blanket_source, ability, terms)
        judge_terms(first, last, poll, log_easiness, terms)
        log_likelihood += believe(first, last, poll, log_of_width, terms, belief)
        if learning:
            step_easiness(
                first, last, poll, log_easiness, prior_mean, prior_precision, terms,
                new_log_easiness,
            )  # fmt: skip
            add_to_sums(first, last, poll, new_log_easiness, terms, sums)
        first = last
    return log_likelihood


@compiled
def widest_of(first_item: int, last_item: int, poll: Any) -> Any:
    """Return how many answers a question of these items may have at most."""
    widest = 2
    for question in range(poll.question_start[first_item], poll.question_start[last_item]):
        widest = max(widest, poll.width[question])
    return widest


@compiled
def term_of(item: int, first_item: int, poll: Any) -> Any:
    """Return where the terms of an item begin, counted from those of the first item."""
    votes = poll.item_start[item] - poll.item_start[first_item]
    return votes + poll.blanket_start[item] - poll.blanket_start[first_item]


@compiled
def end_of_batch(first_item: int, last_item: int, poll: Any) -> Any:
    """Return where a batch of items ends: it has no more than `BATCH` terms, or is one item."""
    end = first_item + 1
    while end < last_item and term_of(end + 1, first_item, poll) <= BATCH:
        end += 1
    return end


@compiled
def terms_for(first_item: int, last_item: int, poll: Any) -> Any:
    """Return room for the terms of any batch of these items."""
    most, first = 0, first_item
    while first < last_item:
        last = end_of_batch(first, last_item, poll)
        most = max(most, term_of(last, first, poll))
        first = last
    return Terms(
        np.empty(most, np.uint32), np.empty(most), np.empty(most), np.empty(most),
        np.empty(most), np.empty(most), np.empty(most),
    )  # fmt: skip


@compiled
def read_terms(
    first_item: int,
    last_item: int,
    poll: Any,
    vote_source: Any,
    blanket_source: Any,
    ability: Any,
    terms: Any,
) -> None:
    """Set who the terms are by, how able they are, and how much each vote counts."""
    source, weight, skill = terms.source, terms.weight, terms.skill
    vote_weight, blanket_weight = poll.vote_weight, poll.blanket_weight
    term = 0
    for item in range(first_item, last_item):
        for vote in range(poll.item_start[item], poll.item_start[item + 1]):
            source[term], weight[term] = vote_source[vote], vote_weight[vote]
            term += 1
        for blanket in range(poll.blanket_start[item], poll.blanket_start[item + 1]):
            source[term], weight[term] = blanket_source[blanket], blanket_weight[blanket]
            term += 1
    for place in range(term):
        skill[place] = ability[source[place]]


@compiled
def judge_terms(first_item: int, last_item: int, poll: Any, log_easiness: Any, terms: Any) -> None:
    """Set x of all terms of a batch, its sigmoid and its softplus."""
    for item in range(first_item, last_item):
        first, last = term_of(item, first_item, poll), term_of(item + 1, first_item, poll)
        set_x(first, last, log_easiness[item], terms)
    judge(0, term_of(last_item, first_item, poll), terms)


@compiled
def set_x(first: int, last: int, log_easiness: float, terms: Any) -> None:
    """Set x of the terms of an item."""
    x, skill, easiness = terms.x, terms.skill, exp_of(log_easiness)
    for term in range(first, last):
        x[term] = skill[term] * easiness


@compiled
def judge(first: int, last: int, terms: Any) -> None:
    """Set what comes of the x of some terms."""
    x, sigmoid, softplus = terms.x, terms.sigmoid, terms.softplus
    for term in range(first, last):
        e = exp_of(-abs(x[term]))
        sigmoid[term] = (1.0 if x[term] >= 0.0 else e) / (1.0 + e)
        softplus[term] = max(x[term], 0.0) + log1p_of(e)


@compiled
def believe(
    first_item: int, last_item: int, poll: Any, log_of_width: Any, terms: Any, belief: Any
) -> Any:
    """Set the belief in answers, and how much of each term is right; return the log-likelihood.

    Blankets are then counted as often as they are a vote.
    """
    x, weight, right, softplus = terms.x, terms.weight, terms.right, terms.softplus
    vote_start, vote_slot, blanket_slot = poll.vote_start, poll.vote_slot, poll.blanket_slot
    answer_start, question_start = poll.answer_start, poll.question_start
    numbers, rest = np.empty(len(log_of_width)), np.empty(len(log_of_width))
    log_likelihood = 0.0
    term = 0
    for item in range(first_item, last_item):
        width = poll.width[question_start[item]]  # and of all other questions of the item
        others = log_of_width[width - 1]
        end = term_of(item + 1, first_item, poll)
        n_blankets = poll.blanket_start[item + 1] - poll.blanket_start[item]
        shared, shared_rest, shared_wrong = 0.0, 0.0, 0.0
        for blanket in range(end - n_blankets, end):
            number = weight[blanket] * (x[blanket] + others)
            shared, shared_rest = two_sum(shared, shared_rest, number)
            shared_wrong -= weight[blanket] * (softplus[blanket] + others)
        taken, times = 0.0, 0.0
        for question in range(question_start[item], question_start[item + 1]):
            first, last = vote_start[question], vote_start[question + 1]
            to_all = blanket_slot[question] == ALL_SLOTS
            for place in range(width):
                numbers[place], rest[place] = -log_of_width[width], 0.0
            for vote in range(first, last):
                place = term + vote - first
                add(numbers, rest, vote_slot[vote], weight[place] * (x[place] + others))
                log_likelihood -= weight[place] * (softplus[place] + others)
            if n_blankets > 0 and to_all:
                for place in range(width):
                    add_sum(numbers, rest, place, shared, shared_rest)
                log_likelihood += width * shared_wrong
            elif n_blankets > 0:
                add_sum(numbers, rest, blanket_slot[question], shared, shared_rest)
                log_likelihood += shared_wrong
            for place in range(width):
                numbers[place] += rest[place]
            if poll.settled[question]:
                rule_out(question, poll, numbers)
            log_likelihood += normalise(numbers, width)
            for answer in range(answer_start[question], answer_start[question + 1]):
                belief[answer] = numbers[poll.slot[answer]]
            for vote in range(first, last):
                right[term] = weight[term] * numbers[vote_slot[vote]]
                term += 1
            if to_all:
                times += width
                for place in range(width):
                    taken += numbers[place]
            else:
                times += 1.0
                taken += numbers[blanket_slot[question]]
        for _ in range(n_blankets):
            right[term] = weight[term] * taken
            weight[term] *= times
            term += 1
    return log_likelihood


@compiled
def step_easiness(
    first_item: int,
    last_item: int,
    poll: Any,
    log_easiness: Any,
    prior_mean: float,
    prior_precision: float,
    terms: Any,
    new_log_easiness: Any,
) -> None:
    """Set log-easinesses that are no worse than before, by a safe Newton step; see `worth`.

    All are tried at once. The terms are then judged by the new ones.
    """
    least = np.empty(last_item - first_item)
    for item in range(first_item, last_item):
        first, last = term_of(item, first_item, poll), term_of(item + 1, first_item, poll)
        start = log_easiness[item]
        step, least[item - first_item] = newton_step(
            first, last, start, prior_mean, prior_precision, terms
        )
        new_log_easiness[item] = start + step
    judge_terms(first_item, last_item, poll, new_log_easiness, terms)
    for item in range(first_item, last_item):
        first, last = term_of(item, first_item, poll), term_of(item + 1, first_item, poll)
        start, place = log_easiness[item], new_log_easiness[item]
        step, tried = place - start, 1
        while tried <= STEPS:
            found = worth(first, last, place, prior_mean, prior_precision, terms)
            if found >= least[item - first_item]:
                break
            step = 0.5 * step if tried < STEPS else 0.0
            place = start + step
            set_x(first, last, place, terms)
            judge(first, last, terms)
            tried += 1
        new_log_easiness[item] = place


@compiled
def worth(
    first: int, last: int, place: float, prior_mean: float, prior_precision: float, terms: Any
) -> Any:
    """Return what a log-easiness is worth, by the terms of its item and by its prior.

    With r of c votes of a source right, that is the sum of r x - c softplus(x), x = skill *
    easiness.
    """
    x, weight, right, softplus = terms.x, terms.weight, terms.right, terms.softplus
    found = -0.5 * prior_precision * (place - prior_mean) ** 2
    for term in range(first, last):
        found += right[term] * x[term] - weight[term] * softplus[term]
    return found


@compiled
def newton_step(
    first: int, last: int, start: float, prior_mean: float, prior_precision: float, terms: Any
) -> Any:
    """Return a Newton step of a log-easiness, and the least objective that accepts it."""
    value = -0.5 * prior_precision * (start - prior_mean) ** 2
    rounding = abs(value)
    slope, slope_rest, bend, bend_rest = 0.0, 0.0, 0.0, 0.0
    for term in range(first, last):
        x, p, weight, right = (
            terms.x[term],
            terms.sigmoid[term],
            terms.weight[term],
            terms.right[term],
        )
        loss = weight * terms.softplus[term]
        value += right * x - loss
        rounding += abs(right * x) + abs(loss)
        slope, slope_rest = two_sum(slope, slope_rest, (right - weight * p) * x)
        bend, bend_rest = two_sum(bend, bend_rest, weight * p * (1.0 - p) * x * x)
    slope, bend = slope + slope_rest, bend + bend_rest
    second = slope - bend - prior_precision
    slope -= prior_precision * (start - prior_mean)
    step = slope / -second if second < 0.0 else np.sign(slope) * LONGEST_STEP
    # Without regard to rounding it would decide, once a step is short.
    return min(max(step, -LONGEST_STEP), LONGEST_STEP), value - ROUNDING * rounding


@compiled
def add_to_sums(
    first_item: int, last_item: int, poll: Any, log_easiness: Any, terms: Any, sums: Any
) -> None:
    """Add what the terms say of abilities: a parabola that lies below what they are worth.

    Of Jaakkola and Jordan: it lies below log sigmoid, and touches it at x.
    """
    source, x, sigmoid = terms.source, terms.x, terms.sigmoid
    weight, right = terms.weight, terms.right
    for item in range(first_item, last_item):
        easiness = exp_of(log_easiness[item])
        first, last = term_of(item, first_item, poll), term_of(item + 1, first_item, poll)
        for term in range(first, last):
            bend = 0.25 if abs(x[term]) < SMALL else (sigmoid[term] - 0.5) / x[term]
            sums[source[term], 0] += (right[term] - 0.5 * weight[term]) * easiness
            sums[source[term], 1] += weight[term] * bend * easiness * easiness
