"""A pass over a block: sums, by source and overall, from which parameters are learned."""

from __future__ import annotations

import numpy as np
from scipy import special

from veracity.data.arrays import Floats, sum_by
from veracity.engines.sums import Scattered, Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.located import Located, locate_items
from veracity.models.forms.number.parameters import STRENGTHS, TAILS, NumberParameters


def damping(nu: Floats) -> Floats:
    """Return how much a square of a Student t error says of its variance, beside a normal one."""
    return np.asarray(nu / (nu + 3.0))


def pass_sums(numbers: BlockNumbers, learned: NumberParameters) -> Sums:
    """Return the sums of a pass over a block."""
    found = locate_items(numbers, learned)
    return {
        "cells": _by_cell(found),
        "tails": _by_tail(found),
        "levels": _by_strength(found),
    }


def _by_cell(found: Located) -> Scattered:
    """Sum squares of distances from the truth, products with the spread, and its squares."""
    numbers, of_claim = found.numbers, found.numbers.of_claim
    away = numbers.u - found.location[of_claim]
    spread, scale = found.spread[of_claim], found.scale[of_claim]
    weight = numbers.weight * found.calm / scale
    cells = np.unique(numbers.cell)
    at = np.searchsorted(cells, numbers.cell)
    columns = [
        weight * (away**2 + found.variance[of_claim]),
        weight * spread * away,
        weight * spread**2,
        numbers.weight,
    ]
    table = np.stack([sum_by(at, column, len(cells)) for column in columns], axis=1)
    return Scattered(cells, table, len(found.parameters.bias))


def log_density(away: Floats, noise: Floats, nu: Floats | float) -> Floats:
    """Return the logarithm of the density of Student t errors of a given variance."""
    tail = np.asarray(nu, np.float64)
    constant = special.gammaln((tail + 1) / 2) - special.gammaln(tail / 2)
    return np.asarray(
        constant
        - 0.5 * np.log(tail * np.pi * noise)
        - (tail + 1) / 2 * np.log1p(away**2 / (tail * noise))
    )


def _by_tail(found: Located) -> Floats:
    """Sum the log-likelihood of claims for each of `TAILS`; (n_attributes, n_tails)."""
    numbers, n_attributes = found.numbers, len(found.parameters.nu)
    of_claim = numbers.attribute[numbers.of_claim]
    away, noise = found.away, found.noise
    columns = [
        sum_by(of_claim, numbers.weight * log_density(away, noise, tail), n_attributes)
        for tail in TAILS.tolist()
    ]
    return np.stack(columns, axis=1)


def _by_strength(found: Located) -> Floats:
    """Sum what the level of items' variances, and its likelihood, follow from.

    For each of `STRENGTHS` at its own level; (n_attributes, n_strengths, 3).
    """
    numbers, learned = found.numbers, found.parameters
    part = damping(learned.nu)[numbers.attribute]
    doubt = found.spread[numbers.of_claim] ** 2 * learned.doubt[numbers.cell]
    square = numbers.weight * found.calm * (found.away**2 + doubt)
    squares = part * numbers.by_item(square / learned.error[numbers.cell])
    several = (numbers.count > 1) | ~np.isnan(numbers.known)
    free = part * np.where(np.isnan(numbers.known), numbers.count - 1.0, numbers.count)
    squares, free = squares[several], free[several]
    attribute, n_attributes = numbers.attribute[several], len(learned.nu)
    table = np.empty((n_attributes, len(STRENGTHS), 3))
    for place, strength in enumerate(STRENGTHS.tolist()):
        level = learned.levels[attribute, place]
        terms = strength_terms(squares, free, strength, level)
        for column, term in enumerate((*terms, np.ones(len(squares)))):
            table[:, place, column] = sum_by(attribute, term, n_attributes)
    return table


def strength_terms(
    squares: Floats, free: Floats, strength: float, level: Floats
) -> tuple[Floats, Floats]:
    """Return what the next level is made of, and the marginal log-likelihood, of each variance."""
    total = strength * level + squares
    after = strength + free
    likelihood = (
        special.gammaln(after / 2)
        - special.gammaln(strength / 2)
        + strength / 2 * np.log(strength * level)
        - after / 2 * np.log(total)
    )
    return after / total, likelihood
