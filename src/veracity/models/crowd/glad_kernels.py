"""The compiled pass of GLAD: expectation, a step of each item's easiness, sums for abilities.

A vote is right with probability sigmoid(x), x = ability * exp(log_easiness). With D answers to
choose from, its log-odds of being right, against any one wrong answer, are x + log(D - 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled
from veracity.models.crowd.crowd_kernels import ALL_SLOTS, add, add_sum, normalise, rule_out
from veracity.models.grbm.observation.statement_kernels import sigmoid, softplus
from veracity.models.two_sum import two_sum

#: No step of a log-easiness is longer than this.
LONGEST_STEP = 1.0
#: A step that makes things worse is halved this often, then left out.
HALVINGS = 12
#: What rounding may take from the terms of an item, as a share of them.
ROUNDING = 1e-14


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
    slope: Any,
    curvature: Any,
    belief: Any,
) -> Any:
    """Do a range of items; return the log-likelihood of their votes.

    Adds to `slope` and `curvature` of sources what the next abilities are made from.
    """
    widest, most = 2, 1
    for item in range(first_item, last_item):
        first_question, last_question = poll.question_start[item], poll.question_start[item + 1]
        for question in range(first_question, last_question):
            widest = max(widest, poll.width[question])
        n_terms = poll.vote_start[last_question] - poll.vote_start[first_question]
        most = max(most, n_terms + poll.blanket_start[item + 1] - poll.blanket_start[item])
    numbers, rest = np.empty(widest), np.empty(widest)
    # One term for each vote of an item: how much it counts, how much of it is right, and by whom.
    count, right, skill = np.empty(most), np.empty(most), np.empty(most)
    source = np.empty(most, np.int64)
    log_likelihood = 0.0
    for item in range(first_item, last_item):
        easiness = np.exp(log_easiness[item])
        first_question, last_question = poll.question_start[item], poll.question_start[item + 1]
        first_blanket, last_blanket = poll.blanket_start[item], poll.blanket_start[item + 1]
        width = poll.width[first_question]  # and of all other questions of the item
        others = np.log(width - 1.0)
        shared, shared_rest, shared_wrong = 0.0, 0.0, 0.0
        for blanket in range(first_blanket, last_blanket):
            weight, x = poll.blanket_weight[blanket], ability[blanket_source[blanket]] * easiness
            shared, shared_rest = two_sum(shared, shared_rest, weight * (x + others))
            shared_wrong -= weight * (softplus(x) + others)
        n, taken, times = 0, 0.0, 0.0
        for question in range(first_question, last_question):
            to_all = poll.blanket_slot[question] == ALL_SLOTS
            for place in range(width):
                numbers[place], rest[place] = -np.log(width), 0.0
            first, last = poll.vote_start[question], poll.vote_start[question + 1]
            for vote in range(first, last):
                weight, who = poll.vote_weight[vote], vote_source[vote]
                x = ability[who] * easiness
                add(numbers, rest, poll.vote_slot[vote], weight * (x + others))
                log_likelihood -= weight * (softplus(x) + others)
                count[n + vote - first], source[n + vote - first] = weight, who
            if last_blanket > first_blanket:
                if to_all:
                    for place in range(width):
                        add_sum(numbers, rest, place, shared, shared_rest)
                    log_likelihood += width * shared_wrong
                else:
                    add_sum(numbers, rest, poll.blanket_slot[question], shared, shared_rest)
                    log_likelihood += shared_wrong
            for place in range(width):
                numbers[place] += rest[place]
            if poll.settled[question]:
                rule_out(question, poll, numbers)
            log_likelihood += normalise(numbers, width)
            for answer in range(poll.answer_start[question], poll.answer_start[question + 1]):
                belief[answer] = numbers[poll.slot[answer]]
            for vote in range(first, last):
                place = n + vote - first
                right[place] = count[place] * numbers[poll.vote_slot[vote]]
            n += last - first
            if to_all:
                times += width
                for place in range(width):
                    taken += numbers[place]
            else:
                times += 1.0
                taken += numbers[poll.blanket_slot[question]]
        if not learning:
            continue
        for blanket in range(first_blanket, last_blanket):
            count[n] = poll.blanket_weight[blanket] * times
            right[n] = poll.blanket_weight[blanket] * taken
            source[n] = blanket_source[blanket]
            n += 1
        for term in range(n):
            skill[term] = ability[source[term]]
        now = easiness_step(log_easiness[item], n, count, right, skill, prior_mean, prior_precision)
        new_log_easiness[item] = now
        easiness = np.exp(now)
        for term in range(n):
            x = skill[term] * easiness
            # Jaakkola and Jordan: a parabola below log sigmoid that touches it at x.
            bend = 0.25 if abs(x) < 1e-4 else (sigmoid(x) - 0.5) / x
            slope[source[term]] += (right[term] - 0.5 * count[term]) * easiness
            curvature[source[term]] += count[term] * bend * easiness * easiness
    return log_likelihood


@compiled
def easiness_step(
    start: float,
    n: int,
    count: Any,
    right: Any,
    skill: Any,
    prior_mean: float,
    prior_precision: float,
) -> Any:
    """Return a log-easiness that is no worse than the one to start from: a safe Newton step.

    With r of c votes of a source right, it is judged by sum of r x - c softplus(x), x = skill *
    easiness, and by its prior.
    """
    easiness = np.exp(start)
    value = -0.5 * prior_precision * (start - prior_mean) ** 2
    slope, slope_rest, bend, bend_rest = 0.0, 0.0, 0.0, 0.0
    rounding = ROUNDING * abs(value)
    for term in range(n):
        x = skill[term] * easiness
        e = np.exp(-abs(x))
        p = (1.0 if x >= 0.0 else e) / (1.0 + e)
        loss = count[term] * (max(x, 0.0) + np.log1p(e))
        value += right[term] * x - loss
        rounding += ROUNDING * (abs(right[term] * x) + abs(loss))
        slope, slope_rest = two_sum(slope, slope_rest, (right[term] - count[term] * p) * x)
        bend, bend_rest = two_sum(bend, bend_rest, count[term] * p * (1.0 - p) * x * x)
    slope, bend = slope + slope_rest, bend + bend_rest
    second = slope - bend - prior_precision
    slope -= prior_precision * (start - prior_mean)
    step = slope / -second if second < 0.0 else np.sign(slope) * LONGEST_STEP
    step = min(max(step, -LONGEST_STEP), LONGEST_STEP)
    for _ in range(HALVINGS):
        place = start + step
        easiness = np.exp(place)
        found = -0.5 * prior_precision * (place - prior_mean) ** 2
        for term in range(n):
            x = skill[term] * easiness
            found += right[term] * x - count[term] * softplus(x)
        if found >= value - rounding:  # else rounding would decide, once a step is short
            return place
        step *= 0.5
    return start
