"""The compiled sweep of LTM's collapsed Gibbs sampler."""

from __future__ import annotations

import math
from typing import Any

from veracity.data.compiled import compiled
from veracity.models.grbm.observation.statement_kernels import sigmoid

#: A product of ratios is turned into its logarithm before it leaves [1 / LARGE, LARGE].
LARGE = 1e250
#: Marks, among what speakings say about a statement, those that do not claim it.
DENIES = -1.0
# Places in ``counts``, by the label of a statement and by what a source says about it.
FALSE, TRUE = 0, 1
NO, YES = 0, 1


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
        old = TRUE if label[statement] else FALSE
        for claim in range(claim_start[statement], claim_start[statement + 1]):
            said[claim_speaking[claim]] = claim_weight[claim]
        total, product = prior_log_odds, 1.0
        for speaking in range(first, last):
            source, claims = speaking_source[speaking], said[speaking] != DENIES
            weight = said[speaking] if claims else speaking_weight[speaking]
            ratio, logarithm = odds_ratio(counts, source, YES if claims else NO, weight, old)
            total += logarithm
            product *= ratio
            if product > LARGE or product < 1.0 / LARGE:
                total += math.log(product)
                product = 1.0
        for denial in range(denial_start[statement], denial_start[statement + 1]):
            ratio, logarithm = odds_ratio(
                counts, denial_source[denial], NO, denial_weight[denial], old
            )
            total += logarithm + math.log(ratio)
        total += math.log(product)
        log_odds[statement] = total
        new = TRUE if uniform[statement] < sigmoid(total) else FALSE
        if new != old:
            n_changed += 1
            label[statement] = new == TRUE
            for speaking in range(first, last):
                source, claims = speaking_source[speaking], said[speaking] != DENIES
                weight = said[speaking] if claims else speaking_weight[speaking]
                counts[source, old, YES if claims else NO] -= weight
                counts[source, new, YES if claims else NO] += weight
            for denial in range(denial_start[statement], denial_start[statement + 1]):
                counts[denial_source[denial], old, NO] -= denial_weight[denial]
                counts[denial_source[denial], new, NO] += denial_weight[denial]
        for claim in range(claim_start[statement], claim_start[statement + 1]):
            said[claim_speaking[claim]] = DENIES
    return n_changed


@compiled
def odds_ratio(counts: Any, source: int, claims: int, weight: float, old: int) -> Any:
    """P(what the source says | true, rest) / P(the same | false, rest): a ratio and a logarithm.

    The odds are the one times the exponential of the other. What the source says here is counted
    under the old label and first taken out of it.
    """
    in_true, in_false = (weight, 0.0) if old == TRUE else (0.0, weight)
    other = NO if claims == YES else YES
    true_same, true_other = counts[source, TRUE, claims] - in_true, counts[source, TRUE, other]
    false_same, false_other = counts[source, FALSE, claims] - in_false, counts[source, FALSE, other]
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
