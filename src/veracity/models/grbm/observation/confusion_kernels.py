"""Classes that sources confuse: the compiled pass over items of a closed attribute.

With truth k, a source says j with the probability softmax_j of

    z_kj = a_j + A_j + [j != k] (C_kj + B_kj) + [j = k] u

where a and C belong to the attribute, A and B to the source, and u >= 0 to the claim. The tables
that the pass needs are made once per source or feature row; the pass itself only looks up and adds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.encode.denials import CLAIMS_TOO, DENIES_ALONE, SPEAKS_AND_CLAIMS
from veracity.models.compiled import compiled


@compiled
def class_pass(
    base: int,
    first_item: int,
    last_item: int,
    part: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    row: Any,
    said: Any,
    class_of_statement: Any,
    log_prior: Any,
    offset: Any,
    offset_unseen: Any,
    logit_said: Any,
    strength: Any,
    log_norm: Any,
    temper: Any,
    sum_said: Any,
    sum_row: Any,
    sum_own: Any,
    sum_prior: Any,
    score: Any,
    posterior: Any,
    left_over: Any,
    likelihood: Any,
    every_class: Any,
) -> Any:
    """Add the likelihood of a range of items, return it; and what its gradient is made of.

    Parameters
    ----------
    base
        The first item of the attribute.
    row, said
        Feature row of each claim, and the place of its source and class among those that occur.
    class_of_statement
        -1 for a value that is none of the classes: not believed, and no evidence.
    log_prior
        log P(k); (K,).
    offset, offset_unseen
        What is added to the score of each statement, and of the classes of an item that nobody
        claims: -inf for what is known to be false.
    logit_said
        z_kj without u, for each source and class j that it says; (n_said, K).
    strength, log_norm
        u of each row, and log sum_j e^z_kj; (n_rows,) and (n_rows, K).
    temper
        What the scores of each item are multiplied by; 1 while fitting.
    sum_said, sum_row, sum_own
        Sums, over claims, of P(k) of their items: by source and class said, by row, and by row of
        P(the class that is claimed); added to.
    sum_prior
        Sum of P(k) over items; added to; (K,).
    score, posterior
        Set for statements.
    left_over, likelihood
        Set, for items, to the probability of classes that nobody claims, and to the log-likelihood
        of the claims.
    every_class
        Set, for items counted from the first of the attribute, to the probability of each class;
        empty if that is not wanted.
    """
    n_classes = len(log_prior)
    total = 0.0
    q = np.empty(n_classes)
    claimed = np.empty(n_classes, np.bool_)
    for item in range(first_item, last_item):
        first, last = claim_start[item], claim_start[item + 1]
        for k in range(n_classes):
            q[k] = log_prior[k] + offset_unseen[item]
            claimed[k] = False
        for statement in range(statement_start[item], statement_start[item + 1]):
            k = class_of_statement[statement]
            if k >= 0:
                q[k] = log_prior[k] + offset[statement]
                claimed[k] = True
        for claim in range(first, last):
            kind, r, place = part[claim], row[claim], said[claim]
            j = class_of_statement[statement_index[claim]]
            if j < 0:
                continue
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                for k in range(n_classes):
                    q[k] += logit_said[place, k] - log_norm[r, k]
                q[j] += strength[r]
            elif kind == DENIES_ALONE:
                for k in range(n_classes):
                    x = logit_said[place, k] - log_norm[r, k]
                    if k == j:
                        x += strength[r]
                    q[k] += np.log1p(-min(np.exp(x), 1.0 - 1e-12))
        peak = -np.inf
        for k in range(n_classes):
            peak = max(peak, q[k])
        for statement in range(statement_start[item], statement_start[item + 1]):
            k = class_of_statement[statement]
            score[statement] = q[k] if k >= 0 else -np.inf
            posterior[statement] = 0.0
        left_over[item], likelihood[item] = 0.0, 0.0
        if peak == -np.inf:  # contradictory knowledge: nothing is possible
            continue
        mass = 0.0
        for k in range(n_classes):
            q[k] = np.exp(temper[item] * (q[k] - peak))
            mass += q[k]
        likelihood[item] = peak + np.log(mass)
        total += likelihood[item]
        for k in range(n_classes):
            q[k] /= mass
            sum_prior[k] += q[k]
            if not claimed[k]:
                left_over[item] += q[k]
            if len(every_class):
                every_class[item - base, k] = q[k]
        for statement in range(statement_start[item], statement_start[item + 1]):
            k = class_of_statement[statement]
            posterior[statement] = q[k] if k >= 0 else 0.0
        for claim in range(first, last):
            kind, r, place = part[claim], row[claim], said[claim]
            j = class_of_statement[statement_index[claim]]
            if j < 0:
                continue
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                for k in range(n_classes):
                    sum_said[place, k] += q[k]
                    sum_row[r, k] += q[k]
                sum_own[r] += q[j]
            elif kind == DENIES_ALONE:
                for k in range(n_classes):
                    x = logit_said[place, k] - log_norm[r, k]
                    if k == j:
                        x += strength[r]
                    p = min(np.exp(x), 1.0 - 1e-12)
                    share = -q[k] * p / (1.0 - p)
                    sum_said[place, k] += share
                    sum_row[r, k] += share
                    if k == j:
                        sum_own[r] += share
    return total


@compiled
def row_norms(place: Any, strength: Any, own: Any, wrong: Any, log_norm: Any) -> None:
    """Set log sum_j e^z_kj of each row and truth k, from sums over wrong classes of its source.

    Parameters
    ----------
    place
        The source of each row.
    strength
        u of each row.
    own, wrong
        e^(a_k + A_k), and the sum of e^z_kj over j other than k, of each source; (n_sources, K).
    """
    for row in range(len(place)):
        s, grown = place[row], np.exp(strength[row])
        for k in range(own.shape[1]):
            log_norm[row, k] = np.log(wrong[s, k] + own[s, k] * grown)


@compiled
def row_gradient(
    place: Any,
    strength: Any,
    base: Any,
    log_norm: Any,
    sum_row: Any,
    sum_own: Any,
    rest: Any,
    right: Any,
    delta: Any,
) -> None:
    """Turn sums by row into those by source that the gradient is made of.

    Parameters
    ----------
    rest, right
        Sums of P(k) / norm_k, and of P(k) P(says k | k), by source; added to; (n_sources, K).
    delta
        Set to the gradient in u of each row.
    """
    for row in range(len(place)):
        s = place[row]
        delta[row] = sum_own[row]
        for k in range(base.shape[1]):
            if sum_row[row, k] != 0.0:
                rest[s, k] += sum_row[row, k] * np.exp(-log_norm[row, k])
                expected = sum_row[row, k] * np.exp(base[s, k] + strength[row] - log_norm[row, k])
                right[s, k] += expected
                delta[row] -= expected
