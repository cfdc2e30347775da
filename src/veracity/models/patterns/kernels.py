"""The compiled loops over answers: what sources say for each truth, and how likely each J is."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled


@compiled
def log_likelihoods(
    source_start: Any,
    group_start: Any,
    first_class: Any,
    width: Any,
    said: Any,
    count: Any,
    q: Any,
    prior: Any,
    grid: Any,
    steps: int,
    curve: Any,
) -> None:
    """Add the log-likelihood of each source at each J, with the h and pi_s that are best there.

    A group of rows are the classes that a source says of an attribute.
    """
    n_bins = count.shape[1]
    for source in range(len(source_start) - 1):
        for group in range(source_start[source], source_start[source + 1]):
            first, last = group_start[group], group_start[group + 1]
            n_said, n_classes, base = last - first, width[group], first_class[group]
            h, new_h = np.empty(n_said), np.empty(n_said)
            share, new_share = np.empty(n_classes), np.empty(n_classes)
            start = np.empty(n_said)
            for row in range(n_said):
                start[row] = _total(count[first + row])
            _copy_shares(start, start)
            for place in range(len(grid)):
                for row in range(n_said):
                    h[row] = start[row]
                for k in range(n_classes):
                    share[k] = prior[base + k]
                value = 0.0
                for _ in range(steps):
                    for row in range(n_said):
                        new_h[row] = 1e-12
                    for k in range(n_classes):
                        new_share[k] = 1e-12
                    for row in range(n_said):
                        own = said[first + row] - base
                        u, v, guess, true, false = _weights(
                            grid[place], n_classes, h[row], share[own], prior[base + own]
                        )
                        elsewhere = 0.0
                        for where in range(n_bins):
                            n = count[first + row, where]
                            if n > 0.0:
                                if_true = u * q[first + row, where]
                                if_false = v * (1.0 - q[first + row, where])
                                each = n / max(true * if_true + false * if_false, 1e-300)
                                new_h[row] += each * guess * (if_true + if_false)
                                new_share[own] += each * true * if_true
                                elsewhere += each * false * if_false
                        rest = max(1.0 - share[own], 1e-12)
                        for other in range(n_classes):
                            if other != own:
                                new_share[other] += elsewhere * share[other] / rest
                    _copy_shares(new_h, h)
                    _copy_shares(new_share, share)
                for row in range(n_said):
                    own = said[first + row] - base
                    u, v, _guess, true, false = _weights(
                        grid[place], n_classes, h[row], share[own], prior[base + own]
                    )
                    for where in range(n_bins):
                        n = count[first + row, where]
                        if n > 0.0:
                            if_true = u * q[first + row, where]
                            if_false = v * (1.0 - q[first + row, where])
                            value += n * np.log(max(true * if_true + false * if_false, 1e-300))
                curve[source, place] += value


@compiled
def _total(numbers: Any) -> Any:
    """Add up numbers."""
    total = 0.0
    for place in range(len(numbers)):
        total += numbers[place]
    return total


@compiled
def _copy_shares(numbers: Any, share: Any) -> None:
    """Set the share that each number has in the sum of all."""
    total = _total(numbers)
    for place in range(len(numbers)):
        share[place] = numbers[place] / total


@compiled
def _weights(j: float, n_classes: int, h: float, p_s: float, p: float) -> Any:
    """Return u, v, (1 - |J|) h, and what of J is added to it if what is said is true or false."""
    guess = (1.0 - abs(j)) * h
    true = guess + max(j, 0.0)
    false = guess + max(-j, 0.0) / (n_classes - 1.0)
    return p_s / p, (1.0 - p_s) / max(1.0 - p, 1e-12), guess, true, false


@compiled
def count_by_row(
    question: Any,
    row: Any,
    row_said: Any,
    belief: Any,
    settled: Any,
    says: Any,
    log_prior: Any,
    bin_of_row: Any,
    of_class: Any,
    n_answers: Any,
    confusion: Any,
    in_bin: Any,
    sum_in_bin: Any,
) -> None:
    """Add up, for each row, q of its answers by what the others say; see `habits`.

    Without log-probabilities of what is said, `says`, q is the belief of the question.
    """
    n_questions, n_classes = belief.shape
    n_bins = in_bin.shape[1]
    by_all, rest, q = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    last = 0
    for number in range(n_questions):
        first = last
        while last < len(question) and question[last] == number:
            last += 1
        is_settled = settled[number] or not len(says)
        if is_settled:
            for k in range(n_classes):
                q[k] = belief[number, k]
        else:
            for k in range(n_classes):
                by_all[k] = log_prior[k]
            for answer in range(first, last):
                for k in range(n_classes):
                    by_all[k] += says[row[answer], k]
            for k in range(n_classes):
                rest[k] = by_all[k]
            _to_probabilities(rest, q)
        for k in range(n_classes):
            of_class[k] += q[k]
        if last - first < 2 and not settled[number]:
            continue
        for answer in range(first, last):
            own = row[answer]
            if not is_settled:
                for k in range(n_classes):
                    rest[k] = by_all[k] - says[own, k]
                _to_probabilities(rest, q)
            n_answers[own] += 1.0
            for k in range(n_classes):
                confusion[own, k] += q[k]
            place = bin_of_row[own]
            if place >= 0:
                of_said = q[row_said[own]]
                where = min(int(of_said * n_bins), n_bins - 1)
                in_bin[place, where] += 1.0
                sum_in_bin[place, where] += of_said


@compiled
def _to_probabilities(log_odds: Any, q: Any) -> None:
    largest, total = log_odds[0], 0.0
    for k in range(1, len(q)):
        largest = max(largest, log_odds[k])
    for k in range(len(q)):
        q[k] = np.exp(log_odds[k] - largest)
        total += q[k]
    for k in range(len(q)):
        q[k] /= total
