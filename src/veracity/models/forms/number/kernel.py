"""The loops over the claims of an item: medians, and the location of the truth."""

from __future__ import annotations

import math

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.compiled import compiled

#: Inner iterations of an item at most, and the change, in spreads of the item, to stop at.
MOST_ROUNDS = 40
SMALL_CHANGE = 1e-7
#: Items of up to so many claims look for a better place than the one next to the median.
FEW_CLAIMS = 6


@compiled
def middle_of(value: Floats, weight: Floats) -> float:
    """Return the weighted median of rising numbers, between two numbers the middle of them."""
    half = weight.sum() / 2.0
    slack = half * 1e-9
    up_to = 0.0
    for place in range(len(value)):
        up_to += weight[place]
        if up_to > half + slack:
            return float(value[place])
        if up_to >= half - slack and place + 1 < len(value):
            return float(value[place] + (value[place + 1] - value[place]) / 2.0)
    return float(value[-1])


@compiled
def between(value: Floats, weight: Floats) -> float:
    """Return the weighted median of rising numbers, interpolated between the claims about it.

    Of equal weights it is the median. Small changes of weights move it little. Claims of the same
    number share their weight, since nothing says which of them comes first.
    """
    half = weight.sum() / 2.0
    before, at = value[0], -1.0
    up_to, first = 0.0, 0
    while first < len(value):
        last, total = first + 1, weight[first]
        while last < len(value) and value[last] == value[first]:
            total += weight[last]
            last += 1
        edge = total / (last - first) / 2.0
        if up_to + edge >= half:
            if at < 0.0 or up_to + edge == at:
                return float(value[first])
            part = (half - at) / (up_to + edge - at)
            return float(before + part * (value[first] - before))
        up_to += total
        if up_to - edge >= half:
            return float(value[first])
        before, at = value[first], up_to - edge
        first = last
    return float(value[-1])


@compiled
def weighted_middles(
    start: Indices, u: Floats, weight: Floats, wanted: Mask, location: Floats
) -> None:
    """Put the weighted median of the claims as location of some items."""
    for item in range(len(start) - 1):
        if wanted[item]:
            first, last = start[item], start[item + 1]
            location[item] = between(u[first:last], weight[first:last])


@compiled
def medians_and_deviations(start: Indices, u: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the weighted median of each item, and that of the distances from it."""
    n_items = len(start) - 1
    middle, deviation = np.empty(n_items), np.empty(n_items)
    for item in range(n_items):
        own, by = u[start[item] : start[item + 1]], weight[start[item] : start[item + 1]]
        middle[item] = middle_of(own, by)
        away = np.abs(own - middle[item])
        order = np.argsort(away)
        deviation[item] = middle_of(away[order], by[order])
    return middle, deviation


@compiled
def _settle(
    u: Floats,
    weight: Floats,
    cell: Indices,
    shift: Floats,
    doubt: Floats,
    error: Floats,
    trust: Floats,
    hyper: Floats,
    spread: float,
    centre: float,
    is_known: bool,
    calm: Floats,
) -> tuple[float, float, float]:
    """Iterate location, its variance and the item's scale from a centre; fill `calm`."""
    nu, kappa, d1, g1 = hyper[0], hyper[1], hyper[2], hyper[3]
    part = nu / (nu + 3.0)
    a2 = spread * spread
    t, variance, scale = centre, 0.0, a2
    free = weight.sum() if is_known else max(weight.sum() - 1.0, 0.0)
    for _ in range(MOST_ROUNDS):
        total = moment = noise = 0.0
        for j in range(len(u)):
            s = cell[j]
            away = u[j] - t - spread * shift[s]
            q = (away * away + a2 * doubt[s] + variance) / (scale * error[s])
            calm[j] = (nu + 1.0) / (nu + q)
            w = weight[j] * calm[j] * trust[s] / (error[s] + kappa)
            total += w
            moment += w * (u[j] - spread * shift[s] - t)
            noise += w * w * error[s] / (weight[j] * calm[j])
        step = 0.0
        if not is_known:
            step = moment / total
            t += step
            variance = scale * noise / (total * total)
        squares = 0.0
        for j in range(len(u)):
            s = cell[j]
            away = u[j] - t - spread * shift[s]
            squares += weight[j] * calm[j] * (away * away + a2 * doubt[s]) / error[s]
        before = scale
        scale = (d1 * g1 + part * squares) / (d1 + part * free)
        if abs(step) < SMALL_CHANGE * spread and abs(scale - before) < 1e-6 * scale:
            break
    return t, variance, scale


@compiled
def _height(
    u: Floats,
    weight: Floats,
    cell: Indices,
    shift: Floats,
    error: Floats,
    nu: float,
    spread: float,
    scale: float,
    t: float,
) -> float:
    """Return the logarithm of the density of the claims at a location, but for a constant."""
    height = 0.0
    for j in range(len(u)):
        away = u[j] - t - spread * shift[cell[j]]
        height -= weight[j] * math.log1p(away * away / (nu * scale * error[cell[j]]))
    return height * (nu + 1.0) / 2.0


@compiled
def locate(
    start: Indices,
    attribute: Indices,
    u: Floats,
    weight: Floats,
    cell: Indices,
    shift: Floats,
    doubt: Floats,
    error: Floats,
    trust: Floats,
    hyper: Floats,
    spread: Floats,
    middle: Floats,
    known: Floats,
    location: Floats,
    variance: Floats,
    scale: Floats,
    calm: Floats,
) -> None:
    """Find the location of each item's truth, its variance, the item's scale and calm claims.

    `shift`, `doubt`, `error` and `trust` are the bias of each cell in spreads of the item, the
    variance of that bias, the cell's variance, and how much it counts. A claim is *calm* if it is
    near enough to where it is expected to count in full: lambda of a Student t error.
    """
    for item in range(len(start) - 1):
        first, last = start[item], start[item + 1]
        own, by, who = u[first:last], weight[first:last], cell[first:last]
        factors = hyper[attribute[item]]
        is_known = not np.isnan(known[item])
        centre = known[item] if is_known else middle[item]
        quiet = calm[first:last]
        t, v, size = centre, 0.0, 0.0
        for attempt in range(2):
            t, v, size = _settle(
                own,
                by,
                who,
                shift,
                doubt,
                error,
                trust,
                factors,
                spread[item],
                centre,
                is_known,
                quiet,
            )
            if attempt or is_known or not 3 <= last - first <= FEW_CLAIMS:
                break
            best, nu = t, factors[0]
            height = _height(own, by, who, shift, error, nu, spread[item], size, t) + 1e-9
            for j in range(last - first):
                at = own[j] - spread[item] * shift[who[j]]
                other = _height(own, by, who, shift, error, nu, spread[item], size, at)
                if other > height:
                    height, best = other, at
            if best == t:
                break
            centre = best
        location[item], variance[item], scale[item] = t, v, size
