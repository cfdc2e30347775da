"""The compiled pass of GLAD: expectation, a step of each item's easiness, sums for abilities.

A vote is right with probability sigmoid(x), x = ability * exp(log_easiness). With D answers to
choose from, its log-odds of being right, against any one wrong answer, are x + log(D - 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.models.compiled import compiled
from veracity.models.crowd.crowd_kernels import ALL_SLOTS, normalise, rule_out
from veracity.models.grbm.observation.statement_kernels import sigmoid, softplus

#: No step of a log-easiness is longer than this.
LONGEST_STEP = 1.0
#: A step that makes things worse is halved this often, then left out.
HALVINGS = 12


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
    numbers = np.empty(widest)
    # One term for each vote of an item: how much it counts, how much of it is right, and by whom.
    count, right, skill = np.empty(most), np.empty(most), np.empty(most)
    source = np.empty(most, np.int64)
    log_likelihood = 0.0
    for item in range(first_item, last_item):
        easiness = np.exp(log_easiness[item])
        first_question, last_question = poll.question_start[item], poll.question_start[item + 1]
        first_blanket, last_blanket = poll.blanket_start[item], poll.blanket_start[item + 1]
        shared, shared_wrong, shared_weight = 0.0, 0.0, 0.0
        for blanket in range(first_blanket, last_blanket):
            x = ability[blanket_source[blanket]] * easiness
            shared += poll.blanket_weight[blanket] * x
            shared_wrong -= poll.blanket_weight[blanket] * softplus(x)
            shared_weight += poll.blanket_weight[blanket]
        n, taken, times = 0, 0.0, 0.0
        for question in range(first_question, last_question):
            width = poll.width[question]
            others = np.log(width - 1.0)
            to_all = poll.blanket_slot[question] == ALL_SLOTS
            for place in range(width):
                numbers[place] = -np.log(width)
            first, last = poll.vote_start[question], poll.vote_start[question + 1]
            for vote in range(first, last):
                weight, who = poll.vote_weight[vote], vote_source[vote]
                x = ability[who] * easiness
                numbers[poll.vote_slot[vote]] += weight * (x + others)
                log_likelihood -= weight * (softplus(x) + others)
                count[n + vote - first], source[n + vote - first] = weight, who
            if last_blanket > first_blanket:
                gain = shared + shared_weight * others
                lost = shared_wrong - shared_weight * others
                if to_all:
                    for place in range(width):
                        numbers[place] += gain
                    log_likelihood += width * lost
                else:
                    numbers[poll.blanket_slot[question]] += gain
                    log_likelihood += lost
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
    slope, bend = 0.0, 0.0
    for term in range(n):
        x = skill[term] * easiness
        e = np.exp(-abs(x))
        p = (1.0 if x >= 0.0 else e) / (1.0 + e)
        value += right[term] * x - count[term] * (max(x, 0.0) + np.log1p(e))
        slope += (right[term] - count[term] * p) * x
        bend += count[term] * p * (1.0 - p) * x * x
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
        if found >= value:
            return place
        step *= 0.5
    return start
