"""Classes that sources confuse: the compiled loops over sources, before and after a pass.

Before a pass, the parameters of sources become what claims look up; after it, what claims left
becomes the gradient in these parameters. Both go from source to source, and through the cells of
each; see `ClassCells`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from veracity.data.compiled import compiled, inlined
from veracity.models.grbm.observation.confusion_kernels import LEAST

#: The largest odds, and the least.
LARGEST, LITTLE = 1e260, 1e-260


@compiled
def below_largest(first: int, last: int, habit: Any, source_habit: Any, found: Any) -> None:
    """Set h = a + A of some sources and all classes less the largest of the source."""
    n_classes = source_habit.shape[1]
    for s in range(first, last):
        top = -np.inf
        for k in range(n_classes):
            found[s, k] = habit[k] + source_habit[s, k]
            top = max(top, found[s, k])
        for k in range(n_classes):
            found[s, k] -= top


@compiled
def wrong_mass(
    first: int,
    last: int,
    even: Any,
    between: Any,
    deviation: Any,
    place_there: Any,
    wrong: Any,
    mixed: Any,
) -> None:
    """Set the wrong mass of each truth for some sources, without confusions and with them.

    Parameters
    ----------
    first, last
        The sources from the first to before the last.
    even
        e^h of each source, divided by the largest of the source, so that none is too large for a
        number; (n_sources, K).
    between, deviation, place_there
        e^C; e^B of the sources that have it; and the place of each source among these, or -1.
    wrong, mixed
        Set; (n_sources, K).
    """
    n_classes = even.shape[1]
    for s in range(first, last):
        there = place_there[s]
        for k in range(n_classes):
            rest, total = 0.0, 0.0
            for j in range(n_classes):
                if j != k:
                    rest += even[s, j]
                    total += _mixed_in(s, j, k, even, between, deviation, there)
            wrong[s, k] = max(rest, LEAST)
            mixed[s, k] = max(total, LEAST)


@inlined
def _mixed_in(s: int, j: int, k: int, even: Any, between: Any, deviation: Any, there: int) -> Any:
    """Return e^(h + C + B) of a source that says j where k is true."""
    x = even[s, j] * between[k, j]
    if there >= 0:
        x *= deviation[there, k, j]
    return x


@compiled
def row_odds(place: Any, grown: Any, even: Any, wrong: Any, odds: Any) -> None:
    """Set the odds of each row to say k if it is true, on an item of middling hardness.

    Parameters
    ----------
    place
        The source of each row.
    grown
        e^u of each row.
    even, wrong
        e^h_k, and the sum of e^h_j over j other than k, of each source; (n_sources, K).
    """
    for row in range(len(place)):
        s = place[row]
        for k in range(even.shape[1]):
            odds[row, k] = max(min(grown[row] * even[s, k] / wrong[s, k], LARGEST), LITTLE)


@compiled
def right_on_average(odds: Any, growth: Any, node_weight: Any, right: Any) -> None:
    """Set P(says k | k) of each row, on an item of unknown hardness.

    Parameters
    ----------
    odds
        Of saying k if it is true, on an item of middling hardness; (n_rows, K).
    growth, node_weight
        By how much each node of the hardness multiplies the odds, and P(t | k); (n_nodes,) and
        (K, n_nodes).
    right
        Set; (n_rows, K).
    """
    n_classes, n_nodes = node_weight.shape
    for row in range(len(odds)):
        for k in range(n_classes):
            total = 0.0
            for t in range(n_nodes):
                grown = odds[row, k] * growth[t]
                total += node_weight[k, t] * grown / (1.0 + grown)
            right[row, k] = total


@compiled
def said_table(
    pairs: Any, even: Any, between: Any, deviation: Any, place_there: Any, mixed: Any, share: Any
) -> None:
    """Set which share of the wrong mass of k falls on j, for the classes j that sources say.

    (n_said, K); 1 where k is j.
    """
    n_classes = share.shape[1]
    for pair in range(len(pairs)):
        s, j = pairs[pair] // n_classes, pairs[pair] % n_classes
        for k in range(n_classes):
            x = _mixed_in(s, j, k, even, between, deviation, place_there[s])
            share[pair, k] = 1.0 if k == j else x / mixed[s, k]


@compiled
def cell_records(
    first: int,
    last: int,
    start: Any,
    row: Any,
    said_class: Any,
    grown: Any,
    even: Any,
    wrong: Any,
    between: Any,
    deviation: Any,
    place_there: Any,
    mixed: Any,
    records: Any,
) -> None:
    """Set the odds and the shares of the cells of some sources.

    Parameters
    ----------
    first, last
        As in `wrong_mass`.
    start, row, said_class
        Where the cells of each source begin, and the row and the class of each cell;
        (n_sources + 1,) and twice (n_cells,).
    grown
        e^u of each row.
    records
        Set; (n_cells + 1, 2 K).
    """
    n_classes = even.shape[1]
    odds, per_mass = np.empty(n_classes), np.empty(n_classes)
    no_deviation = np.ones((n_classes, n_classes))
    for s in range(first, last):
        own = deviation[place_there[s]] if place_there[s] >= 0 else no_deviation
        for k in range(n_classes):
            odds[k], per_mass[k] = even[s, k] / wrong[s, k], 1.0 / mixed[s, k]
        for place in range(start[s], start[s + 1]):
            record, j, e_u = records[place], said_class[place], grown[row[place]]
            for k in range(n_classes):
                record[k] = max(min(e_u * odds[k], LARGEST), LITTLE)
                record[n_classes + k] = even[s, j] * between[k, j] * own[k, j] * per_mass[k]
            record[n_classes + j] = 1.0


@compiled
def cell_gradient(
    first: int,
    last: int,
    start: Any,
    row: Any,
    said_class: Any,
    sums: Any,
    even: Any,
    wrong: Any,
    between: Any,
    deviation: Any,
    place_there: Any,
    mixed: Any,
    of_habit: Any,
    of_between: Any,
    of_deviation: Any,
    of_strength: Any,
) -> None:
    """Set the gradients in A and B of some sources, and add those in C and u, from sums of a pass.

    Parameters
    ----------
    first, last, start, row, said_class
        As in `cell_records`.
    sums
        For each cell, sums over claims of P(k), and of P(k, t) P(says k | k, t);
        (n_cells + 1, 2 K).
    of_habit, of_between, of_deviation, of_strength
        (n_sources, K), (K, K), (n_confused, K, K) and (n_rows,); the second and the third are empty
        without confusions.
    """
    n_classes = even.shape[1]
    heard, hit = np.empty((n_classes, n_classes)), np.empty(n_classes)
    together, total = np.zeros((n_classes, n_classes)), np.empty(n_classes)
    more = np.empty(n_classes)
    for s in range(first, last):
        there = place_there[s]
        for j in range(n_classes):
            hit[j] = 0.0
            for k in range(n_classes):
                heard[j, k] = 0.0
        for place in range(start[s], start[s + 1]):
            mine, j = sums[place], said_class[place]
            of_row = mine[j]
            for k in range(n_classes):
                heard[j, k] += mine[k]
                hit[k] += mine[n_classes + k]
                of_row -= mine[n_classes + k]
            of_strength[row[place]] += of_row
        for k in range(n_classes):
            total[k] = heard[k, k] - hit[k]
        for k in range(n_classes):
            said_wrong = 0.0
            for j in range(n_classes):
                said_wrong += heard[j, k] if j != k else 0.0
            by_confusion = said_wrong / mixed[s, k]
            evenly = (hit[k] - heard[k, k]) / wrong[s, k]
            for j in range(n_classes):
                more[j] = even[s, j] * between[k, j] * by_confusion
            if there >= 0:
                for j in range(n_classes):
                    more[j] *= deviation[there, k, j]
            for j in range(n_classes):
                more[j] = heard[j, k] - more[j] if j != k else 0.0
                together[k, j] += more[j]
                total[j] += more[j] + even[s, j] * evenly if j != k else 0.0
            if there >= 0:
                for j in range(n_classes):
                    of_deviation[there, k, j] = more[j]
        for j in range(n_classes):
            of_habit[s, j] = total[j]
    if len(of_between):
        for k in range(n_classes):
            for j in range(n_classes):
                of_between[k, j] += together[k, j]
