"""Classes that sources confuse: the compiled pass over items whose claims are plain.

A claim is plain if it names a class and counts once; nearly all are. Their probabilities are
multiplied, not added up as logarithms. What a pass costs is to wait for memory: a source's numbers
are somewhere in a table that does not fit into the caches next to the processor. So the table has
few of them, side by side, and rates are worked out from the odds again for every claim:

    hit_kt = odds_k e^shift_t / (1 + odds_k e^shift_t),   miss_kt = 1 - hit_kt

The five nodes of the hardness of an item are written out, which keeps them in registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled
from veracity.models.grbm.observation.confusion_kernels import LEAST, begin_item

#: A product of probabilities below this is made of logarithms instead.
SMALLEST = 1e-250


@compiled
def plain_pass(
    first_item: int,
    last_item: int,
    is_plain: Any,
    claim_start: Any,
    statement_start: Any,
    row: Any,
    said: Any,
    said_class: Any,
    class_of_statement: Any,
    prior: Any,
    allowed: Any,
    allowed_unseen: Any,
    shift: Any,
    node_weight: Any,
    most_claims: int,
    by_row: Any,
    by_said: Any,
    sum_node: Any,
    posterior: Any,
    unclaimed: Any,
    likelihood: Any,
    hardness: Any,
    by_node: Any,
) -> Any:
    """Return the log-likelihood of the plain items in a range, and set what its gradient needs.

    Parameters
    ----------
    is_plain
        Marks the items that are judged here; others are left alone.
    said, said_class
        The place of each claim's source and class among those that occur, and the class; -1 for a
        claim that is no evidence.
    class_of_statement
        The class of each statement, -1 for none.
    prior
        P(k); a tuple, since its length is then known when this is compiled.
    allowed, allowed_unseen
        1 for each statement, and for the classes of an item that nobody claims; 0 for what is known
        to be false.
    shift, node_weight
        The shift of the log-odds at each of five nodes, and P(t | k); a tuple, and (K, 5).
    most_claims
        Claims of an item at most.
    by_row
        For each row, the odds of saying k if k is true on an item of middling hardness; then what
        is added to: sums over claims of P(k, t) hit_kt, and of P(the class that is claimed);
        (n_rows, 2 K + 1).
    by_said
        For each source and class said, its share of the wrong mass of k; then what is added to: the
        sum of P(k) over claims; (n_said, 2 K).
    sum_node
        Sum of P(k, t) over items; added to; (K, 5).
    posterior, unclaimed, likelihood, hardness
        Set; see `Posterior`.
    by_node
        Set to P(k, t) of each item in the range; empty if that is not wanted; (n, K, 5).
    """
    n_classes = len(prior)
    total = 0.0
    s0, s1, s2, s3, s4 = shift
    g0, g1, g2, g3, g4 = np.exp(s0), np.exp(s1), np.exp(s2), np.exp(s3), np.exp(s4)
    joint, hit = np.empty((n_classes, 5)), np.empty((most_claims, n_classes, 5))
    before, q = np.empty(n_classes), np.empty(n_classes)
    claimed = np.empty(n_classes, np.bool_)
    for item in range(first_item, last_item):
        if not is_plain[item]:
            continue
        first, last = claim_start[item], claim_start[item + 1]
        statements = statement_start[item], statement_start[item + 1]
        begin_item(
            item, statements, class_of_statement, prior, allowed, allowed_unseen, before, claimed,
            posterior,
        )  # fmt: skip
        mass, scale = 0.0, 0.0
        for k in range(n_classes):
            # Rates of what is right have a product of their own, so that equal claims tie.
            r0 = r1 = r2 = r3 = r4 = 1.0
            w0, w1, w2 = node_weight[k, 0], node_weight[k, 1], node_weight[k, 2]
            w3, w4 = node_weight[k, 3], node_weight[k, 4]
            shared = before[k]
            for claim in range(first, last):
                j = said_class[claim]
                if j < 0:
                    continue
                odds = by_row[row[claim], k]
                h0, h1, h2, h3, h4 = odds * g0, odds * g1, odds * g2, odds * g3, odds * g4
                m0, m1, m2 = 1.0 / (1.0 + h0), 1.0 / (1.0 + h1), 1.0 / (1.0 + h2)
                m3, m4 = 1.0 / (1.0 + h3), 1.0 / (1.0 + h4)
                h0, h1, h2, h3, h4 = h0 * m0, h1 * m1, h2 * m2, h3 * m3, h4 * m4
                if j == k:
                    r0, r1, r2, r3, r4 = r0 * h0, r1 * h1, r2 * h2, r3 * h3, r4 * h4
                else:
                    w0, w1, w2, w3, w4 = w0 * m0, w1 * m1, w2 * m2, w3 * m3, w4 * m4
                shared *= by_said[said[claim], k]
                c = claim - first
                hit[c, k, 0], hit[c, k, 1], hit[c, k, 2] = h0, h1, h2
                hit[c, k, 3], hit[c, k, 4] = h3, h4
            w0, w1, w2 = w0 * (shared * r0), w1 * (shared * r1), w2 * (shared * r2)
            w3, w4 = w3 * (shared * r3), w4 * (shared * r4)
            joint[k, 0], joint[k, 1], joint[k, 2], joint[k, 3], joint[k, 4] = w0, w1, w2, w3, w4
            mass += w0 + w1 + w2 + w3 + w4
        if mass < SMALLEST:
            scale = _in_logs(
                first, last, row, said, said_class, by_row, by_said, shift, node_weight, before,
                joint,
            )  # fmt: skip
            mass = joint.sum()
        unclaimed[item], likelihood[item], hardness[item] = 0.0, 0.0, 0.0
        if len(by_node):
            by_node[item - first_item] = 0.0
        if mass == 0.0:  # contradictory knowledge: nothing is possible
            continue
        likelihood[item] = scale + np.log(mass)
        total += likelihood[item]
        for k in range(n_classes):
            w0, w1, w2 = joint[k, 0] / mass, joint[k, 1] / mass, joint[k, 2] / mass
            w3, w4 = joint[k, 3] / mass, joint[k, 4] / mass
            sum_node[k, 0] += w0
            sum_node[k, 1] += w1
            sum_node[k, 2] += w2
            sum_node[k, 3] += w3
            sum_node[k, 4] += w4
            here = w0 + w1 + w2 + w3 + w4
            hardness[item] += w0 * s0 + w1 * s1 + w2 * s2 + w3 * s3 + w4 * s4
            q[k] = here
            if not claimed[k]:
                unclaimed[item] += here
            if len(by_node):
                here_by_node = by_node[item - first_item, k]
                here_by_node[0], here_by_node[1], here_by_node[2] = w0, w1, w2
                here_by_node[3], here_by_node[4] = w3, w4
            for claim in range(first, last):
                if said_class[claim] < 0:
                    continue
                c = claim - first
                by_said[said[claim], n_classes + k] += here
                by_row[row[claim], n_classes + k] += (
                    (w0 * hit[c, k, 0] + w1 * hit[c, k, 1])
                    + (w2 * hit[c, k, 2] + w3 * hit[c, k, 3])
                    + w4 * hit[c, k, 4]
                )
        for statement in range(*statements):
            k = class_of_statement[statement]
            if k >= 0:
                posterior[statement] = q[k]
        for claim in range(first, last):
            j = said_class[claim]
            if j >= 0:
                by_row[row[claim], 2 * n_classes] += q[j]
    return total


@compiled
def _in_logs(
    first: int,
    last: int,
    row: Any,
    said: Any,
    said_class: Any,
    by_row: Any,
    by_said: Any,
    shift: Any,
    node_weight: Any,
    before: Any,
    joint: Any,
) -> Any:
    """Set the probability of an item's claims and each cell, but for a factor; return its log.

    For items with so many claims that the product of their probabilities is too small for a number.
    """
    n_classes, n_nodes = joint.shape
    peak = -np.inf
    for k in range(n_classes):
        of_class = np.log(before[k]) if before[k] > 0.0 else -np.inf
        for t in range(n_nodes):
            x = of_class + np.log(max(node_weight[k, t], LEAST))
            for claim in range(first, last):
                j = said_class[claim]
                if j < 0:
                    continue
                grown = by_row[row[claim], k] * np.exp(shift[t])
                p = by_said[said[claim], k] * (grown if j == k else 1.0) / (1.0 + grown)
                x += np.log(max(p, LEAST))
            joint[k, t] = x
            peak = max(peak, x)
    for k in range(n_classes):
        for t in range(n_nodes):
            joint[k, t] = np.exp(joint[k, t] - peak) if peak > -np.inf else 0.0
    return peak
