"""One reliability for all values: the compiled passes over items.

A claim is right with the probability p_t = sigmoid(level + shift_t) at node t of the item's
hardness. With c_k a constant of hypothesis k, which stands for how wrong claims fall on values,

    log P(claims, k, t) = c_k + log weight_t + sum_i log(1 - p_it)
                          + sum_{v_i = k} (level_i + shift_t)

so a claim costs one look-up for each node, and no exponential. Claims have weights, by which their
log-probabilities are multiplied. A source that denies a value without naming another says one of
the others: it does so with the probability 1 - p if the value is true, else 1 - (1 - p) s, with s
the share of wrong claims that fall on a given value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled
from veracity.data.encode.denials import CLAIMS_TOO, DENIES_ALONE, SPEAKS, SPEAKS_AND_CLAIMS


@compiled
def joint_of_item(
    item: int,
    role: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    weight: Any,
    row: Any,
    constant: Any,
    constant_unseen: Any,
    right: Any,
    log_wrong: Any,
    log_weight: Any,
    wrong_share: float,
    least: Any,
    joint: Any,
) -> Any:
    """Set log P(claims, k, t) of an item; return its largest entry.

    Parameters
    ----------
    constant, constant_unseen
        c_k of each statement, and of the values of each item that nobody claims; -inf for what is
        known to be false.
    right
        What a claim adds to its own value at each node, beside `log_wrong`; (n_rows, n_nodes).
    log_wrong
        log(1 - p) of each row and node; (n_rows, n_nodes).
    log_weight
        log P(t), in a tuple: its length is known to the compiler, which unrolls loops over nodes.
    wrong_share
        s.
    least
        The least log-probability of each claim if its value is true; empty for none.
    joint
        Set, for the statements of the item and then for the unclaimed values.
    """
    n_nodes = len(log_weight)
    first_statement = statement_start[item]
    n_statements = statement_start[item + 1] - first_statement
    for k in range(n_statements + 1):
        for t in range(n_nodes):
            joint[k, t] = 0.0
    for claim in range(claim_start[item], claim_start[item + 1]):
        kind, r, w = role[claim], row[claim], weight[claim]
        k = statement_index[claim] - first_statement
        if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
            for t in range(n_nodes):
                joint[n_statements, t] += w * log_wrong[r, t]
                added = right[r, t]
                if len(least):
                    added = max(added, least[claim] - log_wrong[r, t])
                joint[k, t] += w * added
        elif kind == DENIES_ALONE or kind == SPEAKS:  # noqa: SIM109
            for t in range(n_nodes):
                elsewhere = np.log1p(-wrong_share * min(np.exp(log_wrong[r, t]), 1.0 - 1e-12))
                joint[n_statements, t] += w * elsewhere
                joint[k, t] += w * (log_wrong[r, t] - elsewhere)
    peak = -np.inf
    for t in range(n_nodes):
        all_wrong = joint[n_statements, t] + log_weight[t]
        for k in range(n_statements):
            joint[k, t] += all_wrong + constant[first_statement + k]
            peak = max(peak, joint[k, t])
        joint[n_statements, t] = all_wrong + constant_unseen[item]
        peak = max(peak, joint[n_statements, t])
    return peak


@compiled
def coin_pass(
    first_item: int,
    last_item: int,
    role: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    weight: Any,
    row: Any,
    constant: Any,
    constant_unseen: Any,
    right: Any,
    log_wrong: Any,
    log_weight: Any,
    wrong_share: Any,
    least: Any,
    shift: Any,
    sum_own: Any,
    sum_node: Any,
    of_denials: Any,
    of_share: Any,
    posterior: Any,
    unclaimed: Any,
    likelihood: Any,
    hardness: Any,
    by_node: Any,
    item_by_node: Any,
) -> Any:
    """Return the log-likelihood of a range of items.

    Parameters
    ----------
    wrong_share
        s of each item.
    least
        Empty.
    sum_own, sum_node
        Sums over the claims of each row: of P(the claimed value), and of P(t); added to.
    of_denials
        The gradient of denials in the level of each row; added to.
    of_share
        The gradient of denials in log(1/s) of each item; set.
    posterior, unclaimed, likelihood, hardness
        Set; see `Posterior`.
    by_node, item_by_node
        Set to P(k, t) of each statement and P(t) of each item; empty if that is not wanted.
    """
    n_nodes = len(log_weight)
    most = 0
    for item in range(first_item, last_item):
        most = max(most, statement_start[item + 1] - statement_start[item])
    joint, node = np.empty((most + 1, n_nodes)), np.empty(n_nodes)
    total = 0.0
    for item in range(first_item, last_item):
        first_statement = statement_start[item]
        n_statements = statement_start[item + 1] - first_statement
        peak = joint_of_item(
            item, role, claim_start, statement_start, statement_index, weight, row, constant,
            constant_unseen, right, log_wrong, log_weight, wrong_share[item], least, joint,
        )  # fmt: skip
        unclaimed[item], likelihood[item], hardness[item], of_share[item] = 0.0, 0.0, 0.0, 0.0
        if peak == -np.inf:  # contradictory knowledge: nothing is possible
            for k in range(n_statements):
                posterior[first_statement + k] = 0.0
            continue
        mass = 0.0
        for k in range(n_statements + 1):
            for t in range(n_nodes):
                joint[k, t] = np.exp(joint[k, t] - peak)
                mass += joint[k, t]
        likelihood[item] = peak + np.log(mass)
        total += likelihood[item]
        for t in range(n_nodes):
            node[t] = 0.0
        for k in range(n_statements + 1):
            of_value = 0.0
            for t in range(n_nodes):
                joint[k, t] /= mass
                of_value += joint[k, t]
                node[t] += joint[k, t]
            if k < n_statements:
                posterior[first_statement + k] = of_value
                if len(by_node):
                    for t in range(n_nodes):
                        by_node[first_statement + k, t] = joint[k, t]
            else:
                unclaimed[item] = of_value
        for t in range(n_nodes):
            hardness[item] += node[t] * shift[t]
            if len(item_by_node):
                item_by_node[item, t] = node[t]
        for claim in range(claim_start[item], claim_start[item + 1]):
            kind, r, w = role[claim], row[claim], weight[claim]
            statement = statement_index[claim]
            if kind == SPEAKS_AND_CLAIMS or kind == CLAIMS_TOO:  # noqa: SIM109
                sum_own[r] += w * posterior[statement]
                for t in range(n_nodes):
                    sum_node[r, t] += w * node[t]
            elif kind == DENIES_ALONE or kind == SPEAKS:  # noqa: SIM109
                share = wrong_share[item]
                for t in range(n_nodes):
                    wrong = min(np.exp(log_wrong[r, t]), 1.0 - 1e-12)
                    is_true = joint[statement - first_statement, t]
                    odds = share * wrong / (1.0 - share * wrong)
                    rest = (node[t] - is_true) * odds
                    of_denials[r] += w * (1.0 - wrong) * (rest - is_true)
                    of_share[item] += w * rest
    return total


@compiled
def coin_scores(
    first_item: int,
    last_item: int,
    role: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    weight: Any,
    row: Any,
    constant: Any,
    constant_unseen: Any,
    right: Any,
    log_wrong: Any,
    log_weight: Any,
    wrong_share: Any,
    least: Any,
    score: Any,
    score_unclaimed: Any,
) -> None:
    """Set the scores of a range of items: log P(claims, k), with the hardness integrated out."""
    n_nodes = len(log_weight)
    most = 0
    for item in range(first_item, last_item):
        most = max(most, statement_start[item + 1] - statement_start[item])
    joint = np.empty((most + 1, n_nodes))
    for item in range(first_item, last_item):
        first_statement = statement_start[item]
        n_statements = statement_start[item + 1] - first_statement
        joint_of_item(
            item, role, claim_start, statement_start, statement_index, weight, row, constant,
            constant_unseen, right, log_wrong, log_weight, wrong_share[item], least, joint,
        )  # fmt: skip
        for k in range(n_statements + 1):
            peak = -np.inf
            for t in range(n_nodes):
                peak = max(peak, joint[k, t])
            mass = 0.0
            if peak > -np.inf:
                for t in range(n_nodes):
                    mass += np.exp(joint[k, t] - peak)
            found = peak + np.log(mass) if mass > 0.0 else -np.inf
            if k < n_statements:
                score[first_statement + k] = found
            else:
                score_unclaimed[item] = found
