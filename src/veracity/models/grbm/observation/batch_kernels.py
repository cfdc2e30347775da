"""Classes that sources confuse: the compiled pass over items whose claims are plain.

A claim is plain if it names a class and counts once; nearly all are. Their probabilities are
multiplied, not added up as logarithms, for a batch of items at a time: the innermost loops run over
lanes, so that the processor works on whole vectors of numbers; see `item_batches`. All numbers that
a claim looks up lie side by side in the record of its cell, its row and the class it names, and so
do those that it adds to. Rates are worked out from the odds for every claim,

    hit_kt = odds_k e^shift_t / (1 + odds_k e^shift_t),   miss_kt = 1 - hit_kt

since a table of them would not fit into the caches next to the processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled, inlined
from veracity.models.grbm.observation.confusion_kernels import LEAST
from veracity.models.grbm.observation.item_batches import LANES

#: A product of probabilities below this is made of logarithms instead.
SMALLEST = 1e-250
#: A product over items below this is turned into a logarithm.
SMALL = 1e-50
#: Rows of a wide batch that are multiplied at a time. When a product of them is below TINY, it is
#: scaled by a power of two, which rounds nothing.
ROWS_AT_A_TIME, TINY, POWER_OF_TWO = 16, 1e-140, 2.0**500


@compiled
def batch_pass(
    first_batch: int,
    last_batch: int,
    start: Any,
    is_wide: Any,
    item_of_lane: Any,
    cell: Any,
    said_class: Any,
    most_rows: int,
    prior: Any,
    shift: Any,
    node_weight: Any,
    allowed: Any,
    records: Any,
    sums: Any,
    sum_node: Any,
    likelihood: Any,
    by_node: Any,
    first_item: int,
) -> Any:
    """Return the log-likelihood of the items in some batches, and set what its gradient needs.

    Parameters
    ----------
    start, is_wide, item_of_lane, cell, said_class, most_rows
        The batches; see `ItemBatches`.
    prior
        P(k); (K,).
    shift, node_weight
        The shift of the log-odds at each node of the hardness of items, and P(t | k); (n_nodes,)
        and (K, n_nodes).
    allowed
        0 for each item and class that is known to be false, else 1; empty if nothing is known;
        (n_items, K).
    records
        For each cell, the odds of saying k if k is true on an item of middling hardness, and the
        share of the wrong mass of k; (n_cells + 1, 2 K).
    sums
        For each cell, sums over claims of P(k), and of P(k, t) hit_kt; added to; as large, or empty
        if they are not wanted.
    sum_node
        Sum of P(k, t) over items; added to; (K, n_nodes).
    likelihood, by_node, first_item
        Set to the log-likelihood, and to P(k, t), of each item from the first on; empty if they are
        not wanted; (n,) and (n, K, n_nodes).
    """
    n_classes, n_nodes = node_weight.shape
    growth, is_asked = np.empty(n_nodes), len(likelihood) > 0
    for t in range(n_nodes):
        growth[t] = np.exp(shift[t])
    odds = np.empty((most_rows, n_classes, LANES))
    hit = np.empty((most_rows, n_classes, n_nodes, LANES))
    share, of_class = np.empty((n_classes, LANES)), np.empty((n_classes, LANES))
    right = np.empty((n_classes, n_nodes, LANES))
    joint = np.empty((n_classes, n_nodes, LANES))
    node = np.zeros((n_classes, n_nodes, LANES))
    whole, of_right = np.empty((n_classes, n_nodes)), np.empty((n_classes, n_nodes))
    power = np.empty((n_classes, n_nodes), np.int64)
    mass = np.empty(LANES)
    total, product = 0.0, 1.0
    for batch in range(first_batch, last_batch):
        at, n_rows = start[batch], (start[batch + 1] - start[batch]) // LANES
        items, wide = item_of_lane[batch], is_wide[batch]
        n_items = 1 if wide else LANES
        scale, step = 0.0, ROWS_AT_A_TIME if wide else max(n_rows, 1)
        if wide:
            _begin(items[0], prior, node_weight, allowed, whole, of_right, power)
        for first_row in range(0, max(n_rows, 1), step):
            last_row = min(first_row + step, n_rows)
            _look_up(at, first_row, last_row, cell, records, odds, share)
            _multiply(at, first_row, last_row, said_class, growth, odds, hit, share, right, joint)
            if wide:
                _multiply_lanes(right, joint, of_right, whole, power)
        if wide:
            scale = _put_together(of_right, whole, power)
            _copy_cells(whole, joint, 0)
        else:
            for k in range(n_classes):
                for t in range(n_nodes):
                    before = prior[k] * node_weight[k, t]
                    right_here, joint_here = right[k, t], joint[k, t]
                    for lane in range(LANES):
                        joint_here[lane] *= before * right_here[lane]
            if len(allowed):
                _rule_out(items, allowed, joint)
        _sum_cells(joint, mass)
        for lane in range(n_items):
            item = items[lane]
            if item < 0:
                mass[lane] = 0.0
                continue
            here = scale
            if mass[lane] < SMALLEST:
                _begin(item, prior, node_weight, allowed, whole, of_right, power)
                here = _in_logs(at, n_rows, lane, wide, cell, said_class, growth, records, whole)
                mass[lane] = _copy_cells(whole, joint, lane)
            if mass[lane] == 0.0:  # contradictory knowledge: nothing is possible
                continue
            total += here
            if is_asked:
                likelihood[item - first_item] = here + np.log(mass[lane])
            if mass[lane] < SMALL:
                total += np.log(mass[lane])
                continue
            product *= mass[lane]
            if product < SMALLEST:
                total += np.log(product)
                product = 1.0
        _normalise(mass, joint, of_class, node, n_items)
        if is_asked:
            for lane in range(n_items):
                if items[lane] >= 0:
                    for k in range(n_classes):
                        for t in range(n_nodes):
                            by_node[items[lane] - first_item, k, t] = joint[k, t, lane]
        if len(sums) == 0:
            continue
        if wide:
            _spread(joint, of_class)
        _add(at, n_rows, cell, of_class, joint, hit, share, sums)
    for k in range(n_classes):
        for t in range(n_nodes):
            for lane in range(LANES):
                sum_node[k, t] += node[k, t, lane]
    return total + np.log(product)


@inlined
def _look_up(
    at: int, first_row: int, last_row: int, cell: Any, records: Any, odds: Any, share: Any
) -> None:
    """Set the odds of claims, and the product of their shares in each lane."""
    n_classes = len(share)
    for k in range(n_classes):
        of_share = share[k]
        for lane in range(LANES):
            of_share[lane] = 1.0
    for row in range(first_row, last_row):
        cells = cell[at + row * LANES : at + (row + 1) * LANES]
        for k in range(n_classes):
            of_odds, of_share = odds[row, k], share[k]
            for lane in range(LANES):
                place = np.uint32(cells[lane])
                of_odds[lane] = records[place, k]
                of_share[lane] *= records[place, n_classes + k]


@inlined
def _multiply(
    at: int,
    first_row: int,
    last_row: int,
    said_class: Any,
    growth: Any,
    odds: Any,
    hit: Any,
    share: Any,
    right: Any,
    joint: Any,
) -> None:
    """Set the rates of claims, and multiply those of what is right and those of what is wrong.

    The two products are kept apart, so that values with equal claims tie to the last digit.
    """
    n_classes, n_nodes, _ = joint.shape
    for k in range(n_classes):
        of_share = share[k]
        for t in range(n_nodes):
            of_right, of_wrong, grown = right[k, t], joint[k, t], growth[t]
            for lane in range(LANES):
                of_right[lane] = 1.0
                of_wrong[lane] = of_share[lane]
            for row in range(first_row, last_row):
                of_odds, of_hit = odds[row, k], hit[row, k, t]
                said = said_class[at + row * LANES : at + (row + 1) * LANES]
                for lane in range(LANES):
                    x = of_odds[lane] * grown
                    miss = 1.0 / (1.0 + x)
                    x *= miss
                    of_hit[lane] = x
                    is_own = said[lane] == k
                    of_right[lane] *= x if is_own else 1.0
                    of_wrong[lane] *= 1.0 if is_own else miss


@compiled
def _multiply_lanes(right: Any, joint: Any, of_right: Any, whole: Any, power: Any) -> None:
    """Multiply P(k, t) of a wide batch by all lanes; count the powers of two that scale it."""
    n_classes, n_nodes = whole.shape
    for k in range(n_classes):
        for t in range(n_nodes):
            a, b = of_right[k, t], whole[k, t]
            for lane in range(LANES):
                a *= right[k, t, lane]
                b *= joint[k, t, lane]
                if a < TINY:
                    a *= POWER_OF_TWO
                    power[k, t] += 1
                if b < TINY:
                    b *= POWER_OF_TWO
                    power[k, t] += 1
            of_right[k, t], whole[k, t] = a, b


@compiled
def _put_together(of_right: Any, whole: Any, power: Any) -> Any:
    """Set P(k, t) of a wide batch and its claims, but for a factor; return its log."""
    n_classes, n_nodes = whole.shape
    least = 0
    for k in range(n_classes):
        for t in range(n_nodes):
            least = max(least, power[k, t])
    for k in range(n_classes):
        for t in range(n_nodes):
            if of_right[k, t] * whole[k, t] > 0.0:
                least = min(least, power[k, t])
    for k in range(n_classes):
        for t in range(n_nodes):
            whole[k, t] *= of_right[k, t]
            for _ in range(min(power[k, t] - least, 3)):
                whole[k, t] /= POWER_OF_TWO
    return -least * np.log(POWER_OF_TWO)


@compiled
def _rule_out(items: Any, allowed: Any, joint: Any) -> None:
    """Set what is known to be false to 0."""
    n_classes, n_nodes, _ = joint.shape
    for lane in range(LANES):
        for k in range(n_classes):
            if items[lane] >= 0 and not allowed[items[lane], k]:
                for t in range(n_nodes):
                    joint[k, t, lane] = 0.0


@inlined
def _sum_cells(joint: Any, mass: Any) -> None:
    """Add up the cells of each lane."""
    n_classes, n_nodes, _ = joint.shape
    for lane in range(LANES):
        mass[lane] = 0.0
    for k in range(n_classes):
        for t in range(n_nodes):
            of_joint = joint[k, t]
            for lane in range(LANES):
                mass[lane] += of_joint[lane]


@inlined
def _normalise(mass: Any, joint: Any, of_class: Any, node: Any, n_items: int) -> None:
    """Divide joint probabilities by their mass; set P(k), and add P(k, t) to its sums."""
    n_classes, n_nodes, _ = joint.shape
    for lane in range(LANES):
        mass[lane] = 1.0 / mass[lane] if mass[lane] > 0.0 and lane < n_items else 0.0
    for k in range(n_classes):
        of_k = of_class[k]
        for lane in range(LANES):
            of_k[lane] = 0.0
        for t in range(n_nodes):
            of_joint, of_node = joint[k, t], node[k, t]
            for lane in range(LANES):
                x = of_joint[lane] * mass[lane]
                of_joint[lane] = x
                of_node[lane] += x
                of_k[lane] += x


@compiled
def _spread(joint: Any, of_class: Any) -> None:
    """Copy what the first lane of a wide batch has to all others."""
    n_classes, n_nodes, _ = joint.shape
    for k in range(n_classes):
        for lane in range(1, LANES):
            of_class[k, lane] = of_class[k, 0]
            for t in range(n_nodes):
                joint[k, t, lane] = joint[k, t, 0]


@inlined
def _add(
    at: int, n_rows: int, cell: Any, of_class: Any, joint: Any, hit: Any, rest: Any, sums: Any
) -> None:
    """Add P(k), and the sum over t of P(k, t) hit_kt, to the sums of each claim's cell."""
    n_classes, n_nodes, _ = joint.shape
    for row in range(n_rows):
        for k in range(n_classes):
            of_k = rest[k]
            for lane in range(LANES):
                of_k[lane] = 0.0
            for t in range(n_nodes):
                of_joint, of_hit = joint[k, t], hit[row, k, t]
                for lane in range(LANES):
                    of_k[lane] += of_joint[lane] * of_hit[lane]
        cells = cell[at + row * LANES : at + (row + 1) * LANES]
        for k in range(n_classes):
            of_k, of_rest = of_class[k], rest[k]
            for lane in range(LANES):
                place = np.uint32(cells[lane])
                sums[place, k] += of_k[lane]
                sums[place, n_classes + k] += of_rest[lane]


@compiled
def _copy_cells(whole: Any, joint: Any, lane: int) -> Any:
    """Copy P(k, t) of an item into its lane; return the sum."""
    total = 0.0
    for k in range(whole.shape[0]):
        for t in range(whole.shape[1]):
            joint[k, t, lane] = whole[k, t]
            total += whole[k, t]
    return total


@compiled
def _begin(
    item: int,
    prior: Any,
    node_weight: Any,
    allowed: Any,
    whole: Any,
    of_right: Any,
    power: Any,
) -> None:
    """Set the prior P(k, t) of an item; 0 for what is known to be false."""
    for k in range(len(prior)):
        before = prior[k]
        if len(allowed) and not allowed[item, k]:
            before = 0.0
        for t in range(whole.shape[1]):
            whole[k, t] = before * node_weight[k, t]
            of_right[k, t], power[k, t] = 1.0, 0


@compiled
def _in_logs(
    at: int,
    n_rows: int,
    lane: int,
    wide: bool,
    cell: Any,
    said_class: Any,
    growth: Any,
    records: Any,
    whole: Any,
) -> Any:
    """Multiply P(k, t) of an item by its claims, but for a factor; return its log.

    For items whose claims are so unlikely that the product is too small for a number.
    """
    n_classes, n_nodes = whole.shape
    first, step = (at, 1) if wide else (at + lane, LANES)
    peak = -np.inf
    for k in range(n_classes):
        for t in range(n_nodes):
            x = np.log(max(whole[k, t], LEAST)) if whole[k, t] > 0.0 else -np.inf
            for place in range(first, at + n_rows * LANES, step):
                j = said_class[place]
                if j >= 0:
                    record = records[cell[place]]
                    grown = record[k] * growth[t]
                    p = record[n_classes + k] * (grown if j == k else 1.0) / (1.0 + grown)
                    x += np.log(max(p, LEAST))
            whole[k, t] = x
            peak = max(peak, x)
    for k in range(n_classes):
        for t in range(n_nodes):
            whole[k, t] = np.exp(whole[k, t] - peak) if peak > -np.inf else 0.0
    return peak
