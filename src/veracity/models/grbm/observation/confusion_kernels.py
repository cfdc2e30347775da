"""Classes that sources confuse: the compiled passes over items of a closed attribute.

With truth k and node t of the item's hardness, a claim of class j has the log-probability

    log P(j | k, t) = says_kj - norm_kt + [j = k] (u + shift_t)

where says belongs to the source and the class that it names, and norm and u to the row of the
claim. The tables are made once for each row; the passes only look up and add. Claims have weights,
by which their log-probabilities are multiplied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.encode.denials import DENIES_ALONE, REDUNDANT
from veracity.models.compiled import compiled


@compiled
def start_of_item(
    item: int,
    statement_start: Any,
    class_of_statement: Any,
    log_prior: Any,
    offset: Any,
    offset_unseen: Any,
    of_class: Any,
    claimed: Any,
) -> None:
    """Set log P(k) of an item, -inf for what is known to be false, and mark the claimed classes."""
    for k in range(len(log_prior)):
        of_class[k] = log_prior[k] + offset_unseen[item]
        claimed[k] = False
    for statement in range(statement_start[item], statement_start[item + 1]):
        k = class_of_statement[statement]
        if k >= 0:
            of_class[k] = log_prior[k] + offset[statement]
            claimed[k] = True


@compiled
def class_pass(
    first_item: int,
    last_item: int,
    role: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    weight: Any,
    row: Any,
    said: Any,
    said_class: Any,
    class_of_statement: Any,
    log_prior: Any,
    offset: Any,
    offset_unseen: Any,
    says: Any,
    strength: Any,
    norm: Any,
    shift: Any,
    log_weight: Any,
    sum_said: Any,
    sum_row: Any,
    sum_own: Any,
    sum_node: Any,
    posterior: Any,
    unclaimed: Any,
    likelihood: Any,
    hardness: Any,
    by_node: Any,
) -> Any:
    """Return the log-likelihood of a range of items, and set what its gradient is made of.

    Parameters
    ----------
    said, said_class
        The place of each claim's source and class among those that occur, and the class; -1 for a
        value that is none of the classes, which is no evidence.
    class_of_statement
        The class of each statement, -1 for none.
    log_prior
        log P(k); (K,).
    offset, offset_unseen
        Added to the score of each statement, and of the classes of an item that nobody claims:
        -inf for what is known to be false.
    says, strength, norm
        The tables: (n_said, K), (n_rows,) and (n_rows, K, n_nodes).
    shift, log_weight
        The shift of the log-odds at each node, and log P(t | k); (n_nodes,) and (K, n_nodes).
    sum_said, sum_row, sum_own
        Sums over claims, added to: of P(k) by source and class said, of P(k, t) by row, and of
        P(the class that is claimed) by row.
    sum_node
        Sum of P(k, t) over items; added to; (K, n_nodes).
    posterior, unclaimed, likelihood, hardness
        Set; see `Posterior`.
    by_node
        Set to P(k, t) of each item; empty if that is not wanted.
    """
    n_classes, n_nodes = log_weight.shape
    total = 0.0
    joint = np.empty((n_classes, n_nodes))
    q, own = np.empty(n_classes), np.empty(n_classes)
    claimed = np.empty(n_classes, np.bool_)
    for item in range(first_item, last_item):
        first, last = claim_start[item], claim_start[item + 1]
        start_of_item(
            item, statement_start, class_of_statement, log_prior, offset, offset_unseen, q, claimed
        )
        for k in range(n_classes):
            own[k] = 0.0
            for t in range(n_nodes):
                joint[k, t] = log_weight[k, t]
        for claim in range(first, last):
            kind, j = role[claim], said_class[claim]
            if j < 0 or kind == REDUNDANT:
                continue
            r, place, w = row[claim], said[claim], weight[claim]
            if kind == DENIES_ALONE:
                for k in range(n_classes):
                    for t in range(n_nodes):
                        x = says[place, k] - norm[r, k, t]
                        if k == j:
                            x += strength[r] + shift[t]
                        joint[k, t] += w * np.log1p(-min(np.exp(x), 1.0 - 1e-12))
                continue
            q[j] += w * strength[r]
            own[j] += w
            for k in range(n_classes):
                q[k] += w * says[place, k]
                for t in range(n_nodes):
                    joint[k, t] -= w * norm[r, k, t]
        peak = -np.inf
        for k in range(n_classes):
            for t in range(n_nodes):
                joint[k, t] += q[k] + own[k] * shift[t]
                peak = max(peak, joint[k, t])
        for statement in range(statement_start[item], statement_start[item + 1]):
            posterior[statement] = 0.0
        unclaimed[item], likelihood[item], hardness[item] = 0.0, 0.0, 0.0
        if peak == -np.inf:  # contradictory knowledge: nothing is possible
            continue
        mass = 0.0
        for k in range(n_classes):
            for t in range(n_nodes):
                joint[k, t] = np.exp(joint[k, t] - peak)
                mass += joint[k, t]
        likelihood[item] = peak + np.log(mass)
        total += likelihood[item]
        for k in range(n_classes):
            q[k] = 0.0
            for t in range(n_nodes):
                joint[k, t] /= mass
                q[k] += joint[k, t]
                hardness[item] += joint[k, t] * shift[t]
                sum_node[k, t] += joint[k, t]
                if len(by_node):
                    by_node[item, k, t] = joint[k, t]
            if not claimed[k]:
                unclaimed[item] += q[k]
        for statement in range(statement_start[item], statement_start[item + 1]):
            k = class_of_statement[statement]
            posterior[statement] = q[k] if k >= 0 else 0.0
        for claim in range(first, last):
            kind, j = role[claim], said_class[claim]
            if j < 0 or kind == REDUNDANT:
                continue
            r, place, w = row[claim], said[claim], weight[claim]
            if kind == DENIES_ALONE:
                for k in range(n_classes):
                    for t in range(n_nodes):
                        x = says[place, k] - norm[r, k, t]
                        if k == j:
                            x += strength[r] + shift[t]
                        p = min(np.exp(x), 1.0 - 1e-12)
                        share = -w * joint[k, t] * p / (1.0 - p)
                        sum_said[place, k] += share
                        sum_row[r, k, t] += share
                        if k == j:
                            sum_own[r] += share
                continue
            sum_own[r] += w * q[j]
            for k in range(n_classes):
                sum_said[place, k] += w * q[k]
                for t in range(n_nodes):
                    sum_row[r, k, t] += w * joint[k, t]
    return total


@compiled
def class_scores(
    first_item: int,
    last_item: int,
    role: Any,
    claim_start: Any,
    statement_start: Any,
    statement_index: Any,
    weight: Any,
    row: Any,
    said: Any,
    said_class: Any,
    class_of_statement: Any,
    log_prior: Any,
    offset: Any,
    offset_unseen: Any,
    says: Any,
    strength: Any,
    norm: Any,
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
    strength
        u and the shift of each node together; (n_rows, n_nodes).
    scores
        Set; (n_items, K).
    """
    n_classes, n_nodes = log_weight.shape
    middling = n_nodes // 2
    joint, q = np.empty((n_classes, n_nodes)), np.empty(n_classes)
    claimed = np.empty(n_classes, np.bool_)
    for item in range(first_item, last_item):
        start_of_item(
            item, statement_start, class_of_statement, log_prior, offset, offset_unseen, q, claimed
        )
        for k in range(n_classes):
            for t in range(n_nodes):
                joint[k, t] = q[k] + log_weight[k, t]
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
                    x = says[place, k] - norm[r, k, t]
                    least = max(least, x)
                    if t == middling:
                        other = max(other, x)
                    if kind == DENIES_ALONE:
                        x = np.log1p(-min(np.exp(x), 1.0 - 1e-12))
                    joint[k, t] += w * x
            own = says[place, j] - norm[r, j, middling] + strength[r, middling]
            raised = is_monotone and own >= other - 1e-12
            for t in range(n_nodes):
                x = says[place, j] - norm[r, j, t] + strength[r, t]
                if raised:
                    x = max(x, least)
                if kind == DENIES_ALONE:
                    x = np.log1p(-min(np.exp(x), 1.0 - 1e-12))
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
def row_norms(place: Any, strength: Any, shift: Any, habit: Any, log_wrong: Any, norm: Any) -> None:
    """Set log( e^(h_k + u + shift_t) + sum_{j != k} e^h_j ) of each row, truth and node.

    Parameters
    ----------
    place
        The source of each row.
    strength, shift
        u of each row, and the shift of each node.
    habit, log_wrong
        h_k, and the log of the sum of e^h_j over j other than k, of each source; (n_sources, K).
    """
    n_classes, n_nodes = habit.shape[1], len(shift)
    growth = np.exp(shift)
    for row in range(len(place)):
        s = place[row]
        for k in range(n_classes):
            odds = np.exp(min(habit[s, k] + strength[row] - log_wrong[s, k], 600.0))
            for t in range(n_nodes):
                norm[row, k, t] = log_wrong[s, k] + np.log(1.0 + odds * growth[t])


@compiled
def row_gradient(
    place: Any,
    strength: Any,
    shift: Any,
    habit: Any,
    log_wrong: Any,
    sum_row: Any,
    sum_own: Any,
    hit: Any,
    spoken: Any,
    delta: Any,
) -> None:
    """Turn sums by row into those by source that the gradient is made of.

    Parameters
    ----------
    hit, spoken
        Sums of P(k, t) P(says k | k, t), and of P(k), by source; added to; (n_sources, K).
    delta
        Set to the gradient in u of each row.
    """
    n_classes, n_nodes = habit.shape[1], len(shift)
    growth = np.exp(shift)
    for row in range(len(place)):
        s = place[row]
        delta[row] = sum_own[row]
        for k in range(n_classes):
            odds = np.exp(min(habit[s, k] + strength[row] - log_wrong[s, k], 600.0))
            right, total = 0.0, 0.0
            for t in range(n_nodes):
                here, grown = sum_row[row, k, t], odds * growth[t]
                right += here * (grown / (1.0 + grown))
                total += here
            hit[s, k] += right
            spoken[s, k] += total
            delta[row] -= right


@compiled
def source_tables(
    habit: Any,
    source_habit: Any,
    between: Any,
    deviation: Any,
    place_there: Any,
    even: Any,
    log_wrong: Any,
    log_mixed: Any,
) -> None:
    """Set e^h, and the logs of the wrong mass of each truth without and with confusions.

    Parameters
    ----------
    habit, source_habit
        a, and A of each source.
    between, deviation, place_there
        C; B of the sources that have it; and the place of each source among these, or -1.
    even, log_wrong, log_mixed
        Set; (n_sources, K).
    """
    n_sources, n_classes = source_habit.shape
    for s in range(n_sources):
        total = 0.0
        for k in range(n_classes):
            even[s, k] = np.exp(habit[k] + source_habit[s, k])
            total += even[s, k]
        there = place_there[s]
        for k in range(n_classes):
            rest, mixed = 0.0, 0.0
            for j in range(n_classes):
                if j != k:
                    rest += even[s, j]
                    x = between[k, j]
                    if there >= 0:
                        x += deviation[there, k, j]
                    mixed += even[s, j] * np.exp(x) if x != 0.0 else even[s, j]
            log_wrong[s, k] = np.log(rest)
            log_mixed[s, k] = np.log(mixed)


@compiled
def said_table(
    pairs: Any,
    habit: Any,
    source_habit: Any,
    between: Any,
    deviation: Any,
    place_there: Any,
    log_wrong: Any,
    log_mixed: Any,
    says: Any,
) -> None:
    """Set log P(j | k) + norm, without u, for the classes j that sources say; (n_said, K)."""
    n_classes = says.shape[1]
    for pair in range(len(pairs)):
        s, j = pairs[pair] // n_classes, pairs[pair] % n_classes
        own, there = habit[j] + source_habit[s, j], place_there[s]
        for k in range(n_classes):
            if k == j:
                says[pair, k] = own
            else:
                x = own + between[k, j] + log_wrong[s, k] - log_mixed[s, k]
                if there >= 0:
                    x += deviation[there, k, j]
                says[pair, k] = x


@compiled
def said_gradient(
    pairs: Any,
    sum_said: Any,
    hit: Any,
    spoken: Any,
    even: Any,
    log_wrong: Any,
    log_mixed: Any,
    between: Any,
    deviation: Any,
    place_there: Any,
    of_habit: Any,
    of_between: Any,
    of_deviation: Any,
) -> None:
    """Set the gradients in A and B, and add that in C, from the sums of a pass.

    Parameters
    ----------
    pairs, sum_said
        The pairs of source and class said, and the sum of P(k) over their claims; (n_said, K).
    hit, spoken
        Sums of P(k, t) P(says k | k, t), and of P(k), by source; (n_sources, K).
    of_habit, of_between, of_deviation
        Added to; (n_sources, K), (K, K), (n_confused, K, K); the last two are empty without
        confusions.
    """
    n_sources, n_classes = hit.shape
    said_wrong = np.zeros((n_sources, n_classes))
    confuses = len(of_between) > 0
    for pair in range(len(pairs)):
        s, j = pairs[pair] // n_classes, pairs[pair] % n_classes
        there = place_there[s]
        for k in range(n_classes):
            x = sum_said[pair, k]
            of_habit[s, j] += x
            if k != j:
                said_wrong[s, k] += x
                if confuses:
                    of_between[k, j] += x
                    if there >= 0:
                        of_deviation[there, k, j] += x
    for s in range(n_sources):
        there = place_there[s]
        for k in range(n_classes):
            of_habit[s, k] -= hit[s, k]
            wrong, mixed = said_wrong[s, k], np.exp(-log_mixed[s, k])
            evenly = (wrong - spoken[s, k] + hit[s, k]) * np.exp(-log_wrong[s, k])
            for j in range(n_classes):
                if j == k:
                    continue
                x = between[k, j]
                if there >= 0:
                    x += deviation[there, k, j]
                share = even[s, j] * mixed
                if x != 0.0:
                    share *= np.exp(x)
                of_habit[s, j] += even[s, j] * evenly - share * wrong
                if confuses:
                    of_between[k, j] -= share * wrong
                    if there >= 0:
                        of_deviation[there, k, j] -= share * wrong
