"""One reliability whatever the value: the compiled pass over items with one true value.

With D values that an item may take, u >= 0 the strength of a claim and k the truth,

    P(says k | k) = e^u / (e^u + D - 1)        P(says j | k) = 1 / (e^u + D - 1)

so every claim of k adds u to its score. The strength follows from eta by e^u = 1 + (D - 1) e^eta,
which makes nobody worse than chance. A source that denies a value without naming another says one
of the others: P(denies j | k) = 1 - P(says j | k).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.encode.denials import CLAIMS_TOO, DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.models.grbm.observation.statement_kernels import LARGE, compiled


@compiled
def coin_pass(
    first_item: int,
    last_item: int,
    part: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    domain_size: Any,
    offset: Any,
    offset_unseen: Any,
    exp_eta: Any,
    floor: float,
    temper: Any,
    gradient: Any,
    score: Any,
    posterior: Any,
    likelihood: Any,
) -> Any:
    """Add the likelihood of a range of items, return it; and its gradient in eta of each row.

    Parameters
    ----------
    domain_size
        D of each item.
    offset, offset_unseen
        What is added to the score of each statement, and to that of each value of an item that
        nobody claims: -inf for what is known to be false.
    exp_eta
        e^eta of each row.
    floor
        The least e^u: 1, or 0 for sources that may be worse than chance.
    temper
        What the scores of each item are multiplied by; 1 while fitting.
    gradient
        With respect to eta of each row; added to.
    score, posterior, likelihood
        Set to the log-scores of statements, to their probabilities, and to the log-likelihood of
        the claims about each item.
    """
    total = 0.0
    for item in range(first_item, last_item):
        first, last = claim_start[item], claim_start[item + 1]
        first_statement, last_statement = statement_start[item], statement_start[item + 1]
        others = domain_size[item] - 1.0
        value, product = -np.log(domain_size[item]), 1.0
        for statement in range(first_statement, last_statement):
            score[statement] = offset[statement]
        for claim in range(first, last):
            kind = part[claim]
            x = floor + others * exp_eta[row[claim]]
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                score[statement_index[claim]] += np.log(x)
                product *= x + others
                if product > LARGE:
                    value -= np.log(product)
                    product = 1.0
            elif kind == DENIES_ALONE:
                left = x + others - 1.0
                score[statement_index[claim]] -= np.log(left / others)
                value += np.log(left / (x + others))
        n_unseen = domain_size[item] - (last_statement - first_statement)
        peak = offset_unseen[item] if n_unseen > 0.0 else -np.inf
        for statement in range(first_statement, last_statement):
            peak = max(peak, score[statement])
        if peak == -np.inf:  # contradictory knowledge: nothing is possible
            likelihood[item] = 0.0
            for statement in range(first_statement, last_statement):
                posterior[statement] = 0.0
            continue
        each = offset_unseen[item] - peak  # of the values that nobody claims
        mass = n_unseen * np.exp(temper[item] * each) if n_unseen > 0.0 else 0.0
        for statement in range(first_statement, last_statement):
            posterior[statement] = np.exp(temper[item] * (score[statement] - peak))
            mass += posterior[statement]
        likelihood[item] = value + peak + np.log(mass) - np.log(product)
        total += likelihood[item]
        for statement in range(first_statement, last_statement):
            posterior[statement] /= mass
        for claim in range(first, last):
            kind, r = part[claim], row[claim]
            x = floor + others * exp_eta[r]
            q = posterior[statement_index[claim]]
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                gradient[r] += (q / x - 1.0 / (x + others)) * (x - floor)
            elif kind == DENIES_ALONE:
                left = x + others - 1.0
                gradient[r] += ((1.0 - q) / left - 1.0 / (x + others)) * (x - floor)
    return total
