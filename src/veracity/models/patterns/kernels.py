"""The compiled loops over answers: what sources say for each truth, and how likely each J is."""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.models.compiled import compiled


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
                start[row] = count[first + row].sum()
            start /= start.sum()
            for place in range(len(grid)):
                j = abs(grid[place])
                h[:] = start
                share[:] = prior[base : base + n_classes]
                value = 0.0
                for step in range(steps + 1):
                    value = 0.0
                    new_h[:] = 1e-12
                    new_share[:] = 1e-12
                    for row in range(n_said):
                        own = said[first + row] - base
                        p, p_s = prior[base + own], share[own]
                        u, v = p_s / p, (1.0 - p_s) / max(1.0 - p, 1e-12)
                        guess = (1.0 - j) * h[row]
                        true = guess + (j if grid[place] >= 0.0 else 0.0)
                        false = guess + (j / (n_classes - 1.0) if grid[place] < 0.0 else 0.0)
                        elsewhere = 0.0
                        for where in range(n_bins):
                            n = count[first + row, where]
                            if n > 0.0:
                                if_true = u * q[first + row, where]
                                if_false = v * (1.0 - q[first + row, where])
                                total = max(true * if_true + false * if_false, 1e-300)
                                value += n * np.log(total)
                                new_h[row] += n * guess * (if_true + if_false) / total
                                new_share[own] += n * true * if_true / total
                                elsewhere += n * false * if_false / total
                        rest = max(1.0 - p_s, 1e-12)
                        for other in range(n_classes):
                            if other != own:
                                new_share[other] += elsewhere * share[other] / rest
                    if step < steps:
                        h[:] = new_h / new_h.sum()
                        share[:] = new_share / new_share.sum()
                curve[source, place] += value


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
    by_all, q = np.empty(n_classes), np.empty(n_classes)
    last = 0
    for number in range(n_questions):
        first = last
        while last < len(question) and question[last] == number:
            last += 1
        is_settled = settled[number] or not len(says)
        if is_settled:
            q[:] = belief[number]
        else:
            by_all[:] = log_prior
            for answer in range(first, last):
                by_all += says[row[answer]]
            _to_probabilities(by_all, q)
        of_class += q
        if last - first < 2 and not settled[number]:
            continue
        for answer in range(first, last):
            own = row[answer]
            if not is_settled:
                _to_probabilities(by_all - says[own], q)
            n_answers[own] += 1.0
            confusion[own, :n_classes] += q
            place = bin_of_row[own]
            if place >= 0:
                of_said = q[row_said[own]]
                where = min(int(of_said * n_bins), n_bins - 1)
                in_bin[place, where] += 1.0
                sum_in_bin[place, where] += of_said


@compiled
def _to_probabilities(log_odds: Any, q: Any) -> None:
    largest, total = log_odds.max(), 0.0
    for place in range(len(q)):
        q[place] = np.exp(log_odds[place] - largest)
        total += q[place]
    q /= total
