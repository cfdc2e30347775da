"""The compiled loops over pairs of sources: which pairs to compare, what they share, who repeats.

All of them lay out what one source says in arrays, look at the other sources of its pairs, and
clear the arrays again. So memory beyond the pairs themselves is linear in sources, questions and
items, and the time for a pair is that of reading the shorter of its two sources.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled

#: A product is turned into its logarithm before it leaves this range.
SMALL, LARGE = 1e-200, 1e200


@compiled
def count_pairs(
    source: int,
    n_sources: int,
    start: Any,
    answer: Any,
    supporter_start: Any,
    supporter: Any,
    surprise_of_answer: Any,
    min_shared: int,
    max_supporters: int,
    first: Any,
    second: Any,
    surprise: Any,
) -> Any:
    """Find pairs that give the same answers, from one source on until there is no room for more.

    A pair is kept if its sources, the lower number first, give the same answer to at least
    `min_shared` questions, and not all of these answers are undisputed. Return the source to go
    on with, and the number of pairs found.
    """
    n_same = np.zeros(n_sources, np.int32)
    weight = np.zeros(n_sources)
    met = np.empty(n_sources, np.int32)
    found = 0
    while source < n_sources and found + n_sources <= len(first):
        n_met = 0
        for place in range(start[source], start[source + 1]):
            said = answer[place]
            begin, end = supporter_start[said], supporter_start[said + 1]
            if end - begin > max_supporters:
                continue
            for other_place in range(end - 1, begin - 1, -1):
                other = supporter[other_place]
                if other <= source:
                    break
                if n_same[other] == 0:
                    met[n_met] = other
                    n_met += 1
                n_same[other] += 1
                weight[other] += surprise_of_answer[said]
        for index in range(n_met):
            other = met[index]
            if n_same[other] >= min_shared and weight[other] > 0.0:
                first[found], second[found] = source, other
                surprise[found] = weight[other]
                found += 1
            n_same[other] = 0
            weight[other] = 0.0
        source += 1
    return source, found


@compiled
def compare_pairs(
    first: Any,
    second: Any,
    start: Any,
    answer: Any,
    question: Any,
    item: Any,
    listed: Any,
    list_start: Any,
    list_item: Any,
    list_size: Any,
    n_items: int,
    belief: Any,
    n_false: Any,
    accuracy: Any,
    copy_rate: float,
    log_forward: Any,
    log_backward: Any,
    n_shared: Any,
    n_false_shared: Any,
) -> None:
    """Weigh what each pair shares: log-likelihood of copying less that of independence.

    Pairs are ordered by their first source. `log_forward` is for the first copying the second,
    `log_backward` for the second copying the first. Two lists of values that are not the same
    count as one difference. A source may give several answers to a question: each one that both
    give is shared, and they differ once if they share none.
    """
    gives = np.zeros(len(belief), np.bool_)
    speaks_of = np.zeros(len(n_false), np.bool_)
    size_at = np.zeros(n_items, np.int64)
    n_same_at = np.zeros(n_items, np.int64)
    alone = 1.0 - copy_rate
    log_alone = np.log(alone)
    shown = -1
    for pair in range(len(first)):
        one, two = first[pair], second[pair]
        if one != shown:
            if shown >= 0:
                for place in range(start[shown], start[shown + 1]):
                    gives[answer[place]] = speaks_of[question[place]] = False
                for place in range(list_start[shown], list_start[shown + 1]):
                    size_at[list_item[place]] = 0
            for place in range(start[one], start[one + 1]):
                gives[answer[place]] = speaks_of[question[place]] = True
            for place in range(list_start[one], list_start[one + 1]):
                size_at[list_item[place]] = list_size[place]
            shown = one
        right_one, right_two = accuracy[one], accuracy[two]
        forward, backward = 1.0, 1.0
        sum_forward, sum_backward = 0.0, 0.0
        n_same, n_different, n_wrong, agree = 0, 0, 0.0, False
        begin, end = start[two], start[two + 1]
        for place in range(begin, end):
            asked, said = question[place], answer[place]
            if not speaks_of[asked]:
                continue
            # The answers of a source to a question stand side by side.
            agree = gives[said] or (agree and place > begin and question[place - 1] == asked)
            if not agree and (place + 1 == end or question[place + 1] != asked):
                n_different += 1
            if not gives[said] or (place > begin and answer[place - 1] == said):
                continue
            p = belief[said]
            n_same += 1
            n_wrong += 1.0 - p
            if listed[said]:
                n_same_at[item[place]] += 1
            by_chance = p * right_one * right_two
            by_chance += (1.0 - p) * (1.0 - right_one) * (1.0 - right_two) / n_false[asked]
            from_two = p * right_two + (1.0 - p) * (1.0 - right_two)
            from_one = p * right_one + (1.0 - p) * (1.0 - right_one)
            forward *= alone + copy_rate * from_two / by_chance
            backward *= alone + copy_rate * from_one / by_chance
            if min(forward, backward) < SMALL or max(forward, backward) > LARGE:
                sum_forward += np.log(forward)
                sum_backward += np.log(backward)
                forward, backward = 1.0, 1.0
        for place in range(list_start[two], list_start[two + 1]):
            about, size = list_item[place], list_size[place]
            if size > 0 and size_at[about] > 0:
                if size != size_at[about] or size != n_same_at[about]:
                    n_different += 1
                n_same_at[about] = 0
        different = n_different * log_alone
        log_forward[pair] = sum_forward + np.log(forward) + different
        log_backward[pair] = sum_backward + np.log(backward) + different
        n_shared[pair] = n_same + n_different
        n_false_shared[pair] = n_wrong


@compiled
def discount_votes(
    first: Any,
    second: Any,
    factor: Any,
    rank: Any,
    start: Any,
    answer: Any,
    n_answers: int,
    of_vote: Any,
) -> None:
    """Multiply the votes that repeat an earlier source of the pair by the factor of the pair.

    Of the two, the one of the higher rank comes later. `of_vote` is in the order of `answer`, in
    which equal votes of a source stand side by side. Pairs are ordered by their first source,
    which is laid out: the place of its first vote for each answer. For lists, `answer` is the item.
    """
    place_at = np.full(n_answers, -1, np.int64)
    shown = -1
    for pair in range(len(first)):
        one, two = first[pair], second[pair]
        if one != shown:
            if shown >= 0:
                for place in range(start[shown], start[shown + 1]):
                    place_at[answer[place]] = -1
            for place in range(start[one + 1] - 1, start[one] - 1, -1):
                place_at[answer[place]] = place
            shown = one
        second_is_later = rank[two] > rank[one]
        for place in range(start[two], start[two + 1]):
            said = answer[place]
            other = place_at[said]
            if other < 0:
                continue
            if second_is_later:
                of_vote[place] *= factor[pair]
            elif place == start[two] or answer[place - 1] != said:
                while other < start[one + 1] and answer[other] == said:
                    of_vote[other] *= factor[pair]
                    other += 1
