"""The compiled sweep of LTM's collapsed Gibbs sampler."""

from __future__ import annotations

import math
from typing import Any

from veracity.models.compiled import compiled
from veracity.models.grbm.observation.statement_kernels import sigmoid

#: A product of ratios is turned into its logarithm before it leaves [1 / LARGE, LARGE].
LARGE = 1e250
#: Marks, among what speakings say about a statement, those that do not claim it.
DENIES = -1.0


@compiled
def sweep(
    item_of_statement: Any,
    speaking_start: Any,
    speaking_source: Any,
    speaking_weight: Any,
    claim_start: Any,
    claim_speaking: Any,
    claim_weight: Any,
    denial_start: Any,
    denial_source: Any,
    denial_weight: Any,
    is_known: Any,
    uniform: Any,
    prior_log_odds: float,
    said: Any,
    counts: Any,
    label: Any,
    log_odds: Any,
) -> Any:
    """Draw the label of each statement anew, given all others; return how many changed.

    ``counts[s, t, c]`` is how often source s says c about statements labelled t, with the prior
    counts; it follows the labels. ``said`` is scratch, one number per speaking, all `DENIES`.
    ``log_odds`` takes the log-odds from which each label was drawn.
    """
    n_changed = 0
    for statement in range(len(label)):
        if is_known[statement]:
            continue
        item = item_of_statement[statement]
        first, last = speaking_start[item], speaking_start[item + 1]
        old = 1 if label[statement] else 0
        for claim in range(claim_start[statement], claim_start[statement + 1]):
            said[claim_speaking[claim]] = claim_weight[claim]
        total, product = prior_log_odds, 1.0
        for speaking in range(first, last):
            source, claims = speaking_source[speaking], said[speaking] != DENIES
            weight = said[speaking] if claims else speaking_weight[speaking]
            ratio, logarithm = odds_ratio(counts, source, 1 if claims else 0, weight, old)
            total += logarithm
            product *= ratio
            if product > LARGE or product < 1.0 / LARGE:
                total += math.log(product)
                product = 1.0
        for denial in range(denial_start[statement], denial_start[statement + 1]):
            ratio, logarithm = odds_ratio(
                counts, denial_source[denial], 0, denial_weight[denial], old
            )
            total += logarithm + math.log(ratio)
        total += math.log(product)
        log_odds[statement] = total
        new = 1 if uniform[statement] < sigmoid(total) else 0
        if new != old:
            n_changed += 1
            label[statement] = new == 1
            for speaking in range(first, last):
                source, claims = speaking_source[speaking], said[speaking] != DENIES
                weight = said[speaking] if claims else speaking_weight[speaking]
                counts[source, old, 1 if claims else 0] -= weight
                counts[source, new, 1 if claims else 0] += weight
            for denial in range(denial_start[statement], denial_start[statement + 1]):
                counts[denial_source[denial], old, 0] -= denial_weight[denial]
                counts[denial_source[denial], new, 0] += denial_weight[denial]
        for claim in range(claim_start[statement], claim_start[statement + 1]):
            said[claim_speaking[claim]] = DENIES
    return n_changed


@compiled
def odds_ratio(counts: Any, source: int, claims: int, weight: float, old: int) -> Any:
    """P(what the source says | true, rest) / P(the same | false, rest): a ratio and a logarithm.

    The odds are the one times the exponential of the other. What the source says here is counted
    under the old label and first taken out of it.
    """
    in_true, in_false = (weight, 0.0) if old == 1 else (0.0, weight)
    true_same, true_other = counts[source, 1, claims] - in_true, counts[source, 1, 1 - claims]
    false_same, false_other = counts[source, 0, claims] - in_false, counts[source, 0, 1 - claims]
    true_all, false_all = true_same + true_other, false_same + false_other
    if weight == 1.0:
        return true_same * false_all / (true_all * false_same), 0.0
    logarithm = (
        log_rise(true_same, weight)
        - log_rise(true_all, weight)
        - log_rise(false_same, weight)
        + log_rise(false_all, weight)
    )
    return 1.0, logarithm


@compiled
def log_rise(x: float, weight: float) -> Any:
    """log(Gamma(x + weight) / Gamma(x)), which is log x for a weight of 1."""
    return math.lgamma(x + weight) - math.lgamma(x)
