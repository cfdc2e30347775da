"""Classes that sources confuse: the compiled passes over items of a closed attribute.

With truth k and node t of the item's hardness, a claim of class j has the probability

    P(j | k, t) = share_kj hit_kt     if j = k, with share 1
                = share_kj miss_kt    if not

where the share belongs to the source and the class that it names, and hit and miss = 1 - hit to the
row of the claim. The tables are made once for each row; the passes only look up and add. Cells are
pairs of a class and a node, the nodes of a class side by side. Claims have weights, by which their
log-probabilities are multiplied. Items whose claims all have weight 1 and name a class are judged
faster; see `batch_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled
from veracity.data.encode.denials import DENIES_ALONE, REDUNDANT

#: The least probability of what was said, and the largest of what was denied.
LEAST, MOST = 1e-300, 1.0 - 1e-12


@compiled
def class_pass(
    first_item: int,
    last_item: int,
    role: Any,
    claim_start: Any,
    weight: Any,
    row: Any,
    said: Any,
    said_class: Any,
    cell_of_claim: Any,
    is_plain: Any,
    prior: Any,
    allowed: Any,
    share: Any,
    hit: Any,
    miss: Any,
    log_share: Any,
    log_hit: Any,
    log_miss: Any,
    node_weight: Any,
    sums: Any,
    sum_node: Any,
    likelihood: Any,
    by_node: Any,
    from_item: int,
) -> Any:
    """Return the log-likelihood of the items in a range that are not plain, and what it is made of.

    Parameters
    ----------
    said, said_class
        The place of each claim's source and class among those that occur, and the class; -1 for a
        claim that is no evidence.
    cell_of_claim
        What each claim adds to; see `ClassCells`.
    is_plain
        Marks the items that are left alone, since `batch_pass` judges them.
    prior
        P(k); (K,).
    allowed
        0 for each item and class that is known to be false, else 1; empty if nothing is known;
        (n_items, K).
    share, hit, miss
        The tables; (n_said, K), (n_rows, n_cells), (n_rows, n_cells).
    log_share, log_hit, log_miss
        Their logarithms.
    node_weight
        P(t | k); (n_cells,).
    sums
        For each cell, sums over claims of P(k), and of P(k, t) P(says k | k, t); added to;
        (n_cells + 1, 2 K), or empty if they are not wanted.
    sum_node
        Sum of P(k, t) over items; added to; (n_cells,).
    likelihood, by_node, from_item
        Set to the log-likelihood, and to P(k, t), of each item from some item on; empty if they are
        not wanted; (n,) and (n, n_cells).
    """
    n_classes, n_cells = len(prior), len(node_weight)
    n_nodes = n_cells // n_classes
    total = 0.0
    joint = np.empty(n_cells)
    before = np.empty(n_classes)
    for item in range(first_item, last_item):
        if is_plain[item]:
            continue
        first, last = claim_start[item], claim_start[item + 1]
        for k in range(n_classes):
            before[k] = prior[k] * allowed[item, k] if len(allowed) else prior[k]
        scale = _in_logs(
            first, last, role, weight, row, said, said_class, share, hit, miss,
            log_share, log_hit, log_miss, node_weight, before, joint,
        )  # fmt: skip
        mass = joint.sum()
        if mass == 0.0:  # contradictory knowledge: nothing is possible
            continue
        total += scale + np.log(mass)
        for cell in range(n_cells):
            joint[cell] /= mass
            sum_node[cell] += joint[cell]
        if len(likelihood):
            likelihood[item - from_item] = scale + np.log(mass)
            by_node[item - from_item] = joint
        for claim in range(first, last if len(sums) else first):
            j = said_class[claim]
            if j < 0:
                continue
            r, place, w = row[claim], said[claim], weight[claim]
            mine = sums[cell_of_claim[claim]]
            for k in range(n_classes):
                for cell in range(k * n_nodes, (k + 1) * n_nodes):
                    x = w * joint[cell]
                    if role[claim] == DENIES_ALONE:
                        p = share[place, k] * (hit[r, cell] if k == j else miss[r, cell])
                        p = min(p, MOST)
                        x *= -p / (1.0 - p)
                    mine[k] += x
                    mine[n_classes + k] += x * hit[r, cell]
    return total


@compiled
def _in_logs(
    first: int,
    last: int,
    role: Any,
    weight: Any,
    row: Any,
    said: Any,
    said_class: Any,
    share: Any,
    hit: Any,
    miss: Any,
    log_share: Any,
    log_hit: Any,
    log_miss: Any,
    node_weight: Any,
    before: Any,
    joint: Any,
) -> Any:
    """Set the probability of an item's claims and each cell, but for a factor; return its log.

    Parameters
    ----------
    before
        P(k), 0 for what is known to be false; (K,).
    """
    n_classes, n_cells = len(before), len(joint)
    n_nodes = n_cells // n_classes
    for k in range(n_classes):
        of_class = np.log(before[k]) if before[k] > 0.0 else -np.inf
        for cell in range(k * n_nodes, (k + 1) * n_nodes):
            joint[cell] = of_class + np.log(node_weight[cell])
    for claim in range(first, last):
        j = said_class[claim]
        if j < 0:
            continue
        r, place, w = row[claim], said[claim], weight[claim]
        for k in range(n_classes):
            for cell in range(k * n_nodes, (k + 1) * n_nodes):
                if role[claim] == DENIES_ALONE:
                    p = share[place, k] * (hit[r, cell] if k == j else miss[r, cell])
                    joint[cell] += w * np.log1p(-min(p, MOST))
                else:
                    x = log_hit[r, cell] if k == j else log_miss[r, cell]
                    joint[cell] += w * (log_share[place, k] + x)
    peak = -np.inf
    for cell in range(n_cells):
        peak = max(peak, joint[cell])
    for cell in range(n_cells):
        joint[cell] = np.exp(joint[cell] - peak) if peak > -np.inf else 0.0
    return peak


@compiled
def class_scores(
    first_item: int,
    last_item: int,
    role: Any,
    claim_start: Any,
    weight: Any,
    row: Any,
    said: Any,
    said_class: Any,
    log_prior: Any,
    allowed: Any,
    log_share: Any,
    log_hit: Any,
    log_miss: Any,
    log_weight: Any,
    is_monotone: bool,
    scores: Any,
) -> None:
    """Set log P(claims, k) of each item and class, with the hardness integrated out.

    If scores are to be monotone, a claim that is not below chance is at least as likely if its
    class is true as if another is, on an item of whatever hardness. It is below chance if its
    source says this class more often where another is true, on an item of middling hardness.

    Parameters
    ----------
    allowed
        0 for each item and class that is known to be false, else 1; empty if nothing is known;
        (n_items, K).
    log_share, log_hit, log_miss, log_weight
        The logarithms of the tables; (n_said, K), (n_rows, n_cells), (n_rows, n_cells) and
        (K, n_nodes).
    scores
        Set; (n_items, K).
    """
    n_classes, n_nodes = log_weight.shape
    middling = n_nodes // 2
    joint = np.empty((n_classes, n_nodes))
    for item in range(first_item, last_item):
        for k in range(n_classes):
            is_false = len(allowed) > 0 and not allowed[item, k]
            for t in range(n_nodes):
                joint[k, t] = -np.inf if is_false else log_prior[k] + log_weight[k, t]
        for claim in range(claim_start[item], claim_start[item + 1]):
            kind, j = role[claim], said_class[claim]
            if j < 0 or kind == REDUNDANT:
                continue
            r, place, w = row[claim], said[claim], weight[claim]
            least, other = -np.inf, -np.inf
            for k in range(n_classes):
                for t in range(n_nodes):
                    if k == j:
                        continue
                    x = log_share[place, k] + log_miss[r, k * n_nodes + t]
                    least = max(least, x)
                    if t == middling:
                        other = max(other, x)
                    if kind == DENIES_ALONE:
                        x = np.log1p(-min(np.exp(x), MOST))
                    joint[k, t] += w * x
            own = log_share[place, j] + log_hit[r, j * n_nodes + middling]
            raised = is_monotone and own >= other - 1e-12
            for t in range(n_nodes):
                x = log_share[place, j] + log_hit[r, j * n_nodes + t]
                if raised:
                    x = max(x, least)
                if kind == DENIES_ALONE:
                    x = np.log1p(-min(np.exp(x), MOST))
                joint[j, t] += w * x
        for k in range(n_classes):
            peak = -np.inf
            for t in range(n_nodes):
                peak = max(peak, joint[k, t])
            mass = 0.0
            if peak > -np.inf:
                for t in range(n_nodes):
                    mass += np.exp(joint[k, t] - peak)
            scores[item, k] = peak + np.log(mass) if mass > 0.0 else -np.inf


@compiled
def claim_rates(
    row: Any,
    said: Any,
    class_of_said: Any,
    right: Any,
    share: Any,
    prior: Any,
    speaks: Any,
    tpr: Any,
    fpr: Any,
) -> None:
    """Set P(says j | j is true) and P(says j | another is true) of each claim.

    Parameters
    ----------
    row, said, class_of_said
        The row of eta of each claim, what it says, and the class of that.
    right
        P(says k | k) of each row; (n_rows, K).
    share
        The share of the wrong mass of each truth that what is said has; (n_said, K).
    prior
        P(k).
    speaks
        Marks the rows of sources that are judged by their speaking, whose shares are even.
    """
    n_classes = len(prior)
    for claim in range(len(row)):
        r, s = row[claim], said[claim]
        own = class_of_said[s]
        wrong = 0.0
        for k in range(n_classes):
            if k != own:
                part = 1.0 / (n_classes - 1.0) if speaks[r] else share[s, k]
                wrong += (1.0 - right[r, k]) * part * prior[k]
        tpr[claim] = right[r, own]
        fpr[claim] = wrong / max(1.0 - prior[own], 1e-12)


@compiled
def add_products(by_node: Any, prior: Any, node_weight: Any, shapes: Any, total: Any) -> None:
    """Add the products of what items tell about b and about hardness, below the diagonal and on it.

    Parameters
    ----------
    by_node
        P(k, t) of each item; (n_items, K, n_nodes).
    prior, node_weight
        P(k) and P(t | k); (K,) and (K, n_nodes).
    shapes
        How each number of the hardness of a class changes log P(t | k); (n_nodes, n_shapes).
    total
        Added to; b of all classes comes first, then the shapes of each; (K + K n_shapes, same).
    """
    n_items, n_classes, n_nodes = by_node.shape
    n_shapes, size = shapes.shape[1], len(total)
    slope, of_class = np.empty(size), np.empty(n_classes)
    for item in range(n_items):
        mass = 0.0
        for k in range(n_classes):
            of_class[k] = 0.0
            for t in range(n_nodes):
                of_class[k] += by_node[item, k, t]
            mass += of_class[k]
        for k in range(n_classes):
            slope[k] = of_class[k] - prior[k] * mass
            for shape in range(n_shapes):
                x = 0.0
                for t in range(n_nodes):
                    more = by_node[item, k, t] - of_class[k] * node_weight[k, t]
                    x += more * shapes[t, shape]
                slope[n_classes + k * n_shapes + shape] = x
        for one in range(size):
            for other in range(one + 1):
                total[one, other] += slope[one] * slope[other]
