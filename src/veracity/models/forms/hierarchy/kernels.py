"""Compiled passes over the trees of items: how they are built, judged and counted.

Nodes of an item are in the order of their depth, so parents come before their children. The parent
of a node at the top of its item is -1: the fork from which all values branch off.
"""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.compiled import compiled


@compiled
def plant(
    path: Indices, depth: Indices, order: Indices, start: Indices
) -> tuple[Indices, Indices, Indices, Indices, Indices]:
    """Return the nodes of all items: their item, parent, depth, statement, and name in the path.

    The statements of an item come in the order of their paths. Beside the values that are claimed,
    a node is kept where claimed values part; ancestors that decide nothing are left out.
    """
    n = len(order)
    item, parent = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    level, statement = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    name = np.empty(2 * n, np.int64)
    stack = np.empty(path.shape[1] + 1, np.int64)
    count = 0
    for i in range(len(start) - 1):
        height = 0
        for place in range(start[i], start[i + 1]):
            own = order[place]
            shared = 0
            if place > start[i]:
                before = order[place - 1]
                while (
                    shared < min(depth[own], depth[before])
                    and path[own, shared] == path[before, shared]
                ):
                    shared += 1
            last = -1
            while height > 0 and level[stack[height - 1]] > shared:
                height -= 1
                last = stack[height]
            above = stack[height - 1] if height > 0 else -1
            if last >= 0 and shared > 0 and (above < 0 or level[above] < shared):
                item[count], parent[count], level[count] = i, above, shared
                statement[count], name[count] = -1, path[own, shared - 1]
                parent[last] = count
                stack[height] = count
                height += 1
                above = count
                count += 1
            item[count], parent[count], level[count] = i, above, depth[own]
            statement[count], name[count] = own, path[own, depth[own] - 1]
            stack[height] = count
            height += 1
            count += 1
    return item[:count], parent[:count], level[:count], statement[:count], name[:count]


@compiled
def weigh(
    item: int,
    claim_start: Indices,
    node_start: Indices,
    parent: Indices,
    n_below: Indices,
    n_top: Indices,
    node_of_claim: Indices,
    asserts: Mask,
    weight: Floats,
    log_right: Floats,
    log_wrong: Floats,
    source: Indices,
    allowed: Mask,
    allowed_top: Mask,
    inside: Floats,
    own: Floats,
) -> float:
    """Work out the posterior of one item; return the log of its probability.

    Sets `inside` of its nodes, the probability that the truth lies within each, and `own`, that it
    is the node itself or a place in it that nobody names.
    """
    first, last = node_start[item], node_start[item + 1]
    size = last - first
    right, wrong = np.zeros(size), np.zeros(size)
    count, astray, denied = np.zeros(size), np.zeros(size), np.zeros(size)
    for claim in range(claim_start[item], claim_start[item + 1]):
        node, w, s = node_of_claim[claim], weight[claim], source[claim]
        if not asserts[claim]:
            denied[node - first] += w * (log_wrong[s] - log_right[s])
            continue
        lost = 0.0
        while node >= 0:
            k = node - first
            right[k] += w * log_right[s]
            wrong[k] += w * log_wrong[s]
            count[k] += w
            astray[k] += w * lost
            node = parent[node]
            if node >= 0:
                lost -= np.log(n_below[node] + 1.0)
    # What claims say at each fork if all of them take a wrong turn there.
    at_fork = np.zeros(size)
    at_top = 0.0
    for k in range(size):
        above = parent[first + k]
        n = n_top[item] if above < 0 else n_below[above]
        missed = wrong[k] - count[k] * np.log(n) + astray[k]
        if above < 0:
            at_top += missed
        else:
            at_fork[above - first] += missed
    reached = np.empty(size)
    top = at_top - np.log(n_top[item] + 1.0)
    highest = top if allowed_top[item] else -np.inf
    for k in range(size):
        above = parent[first + k]
        n = n_top[item] if above < 0 else n_below[above]
        before = at_top if above < 0 else reached[above - first] + at_fork[above - first]
        gain = right[k] - wrong[k] + count[k] * np.log(n) - astray[k]
        reached[k] = before + gain - np.log(n + 1.0) + denied[k]
        state = reached[k]
        if n_below[first + k] > 0:
            state += at_fork[k] - np.log(n_below[first + k] + 1.0)
        own[first + k] = state if allowed[first + k] else -np.inf
        highest = max(highest, own[first + k])
    total = np.exp(top - highest) if allowed_top[item] else 0.0
    for k in range(size):
        own[first + k] = np.exp(own[first + k] - highest)
        total += own[first + k]
    for k in range(size):
        own[first + k] /= total
        inside[first + k] = own[first + k]
    for k in range(size - 1, -1, -1):
        above = parent[first + k]
        if above >= 0:
            inside[above] += inside[first + k]
    return float(highest + np.log(total))


@compiled
def weigh_all(
    claim_start: Indices,
    node_start: Indices,
    parent: Indices,
    n_below: Indices,
    n_top: Indices,
    node_of_claim: Indices,
    asserts: Mask,
    weight: Floats,
    log_right: Floats,
    log_wrong: Floats,
    source: Indices,
    allowed: Mask,
    allowed_top: Mask,
    inside: Floats,
    own: Floats,
) -> float:
    """Work out the posterior of every item; return the log of the probability of all claims."""
    total = 0.0
    for item in range(len(node_start) - 1):
        total += weigh(
            item,
            claim_start,
            node_start,
            parent,
            n_below,
            n_top,
            node_of_claim,
            asserts,
            weight,
            log_right,
            log_wrong,
            source,
            allowed,
            allowed_top,
            inside,
            own,
        )
    return total


@compiled
def count_turns(
    parent: Indices,
    depth: Indices,
    node_of_claim: Indices,
    asserts: Mask,
    weight: Floats,
    source: Indices,
    inside: Floats,
    own: Floats,
    right: Floats,
    turns: Floats,
    of_source: Floats,
) -> None:
    """Add up, by source, how many turns were right, and how many there were.

    A claim takes a turn at each fork on its way that the truth passes, too. `of_source` gets the
    claims that are compatible with the truth, those of them that others make more specific, the
    depth of claims, and their weight.
    """
    for claim in range(len(node_of_claim)):
        node, w, s = node_of_claim[claim], weight[claim], source[claim]
        if not asserts[claim]:
            right[s] += w * (1.0 - inside[node])
            turns[s] += w
            of_source[s, 0] += w * (1.0 - inside[node])
            of_source[s, 3] += w
            continue
        of_source[s, 0] += w * inside[node]
        of_source[s, 1] += w * (inside[node] - own[node])
        of_source[s, 2] += w * depth[node]
        of_source[s, 3] += w
        while node >= 0:
            above = parent[node]
            right[s] += w * inside[node]
            turns[s] += w if above < 0 else w * inside[above]
            node = above


@compiled
def within_claimed(parent: Indices, statement: Indices) -> Mask:
    """Mark the nodes that lie within another one that is claimed."""
    within = np.zeros(len(parent), np.bool_)
    for node in range(len(parent)):
        above = parent[node]
        if above >= 0:
            within[node] = within[above] or statement[above] >= 0
    return within
