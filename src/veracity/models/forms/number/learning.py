"""Learning: passes over the blocks until biases and variances of sources settle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.camps import has_camps
from veracity.models.forms.number.dependence import with_dependence
from veracity.models.forms.number.exactness import has_exact_reports
from veracity.models.forms.number.kernel import between
from veracity.models.forms.number.parameters import STRENGTHS, TAILS, NumberParameters
from veracity.models.forms.number.passes import damping, pass_sums, strength_terms
from veracity.models.forms.number.start import first_parameters
from veracity.models.forms.number.stuck import trust_of_sources

#: Passes of each of the two rounds at most, and the change of a bias or log variance to stop at.
MOST_PASSES = 30
SMALL_CHANGE = 1e-3
#: Hyperparameters are chosen anew every so many passes.
CHOICE_EVERY = 3
#: The prior of the variance of biases: so much, counting as so many sources.
TAU2_SUM, TAU2_SOURCES = 0.02, 4.0
#: Biases are Student t with three degrees of freedom: a few sources may be far off.
BIAS_TAIL = 3.0
#: No variance is smaller than this, relative to the usual one, and none of a source larger than its
#: inverse: a millionth of the usual deviation is as good as none. Else claims that agree to the
#: last digit would make it smaller with each pass, the faster the heavier they are.
LEAST_VARIANCE = 1e-12


def learn(blocks: Blocks[BlockNumbers], is_log: Mask, width: int) -> NumberParameters:
    """Learn about all sources: first as if they were independent, then with what they share."""
    learned = settle(blocks, first_parameters(blocks, is_log, width))
    learned = replace(learned, exact=has_exact_reports(learned))
    exact = np.repeat(learned.exact, learned.width)
    trust = np.where(exact, 1.0, trust_of_sources(blocks, learned))
    learned = replace(learned, trust=trust)
    learned = with_dependence(blocks, learned)
    if learned.kappa.any() or (learned.trust < 1).any():
        learned = settle(blocks, learned)
    return replace(learned, split=has_camps(learned))


def settle(blocks: Blocks[BlockNumbers], learned: NumberParameters) -> NumberParameters:
    """Pass over the blocks until the parameters settle."""
    for number in range(1, MOST_PASSES + 1):
        sums = blocks.total(pass_sums, learned)
        after = _sources(learned, sums["cells"].everywhere())
        if number % CHOICE_EVERY == 0:
            after = _hyperparameters(after, sums)
        changes = np.abs(after.bias - learned.bias), np.abs(np.log(after.error / learned.error))
        learned = after
        if number > 2 * CHOICE_EVERY and max(float(c.max()) for c in changes) < SMALL_CHANGE:
            break
    return learned


def _sources(learned: NumberParameters, cells: Floats) -> NumberParameters:
    """Return the next biases and variances of sources, and the priors that they share."""
    attribute = np.repeat(np.arange(len(learned.nu)), learned.width)
    squares, products, spreads, count = cells.T
    tau2 = learned.tau2[attribute]
    pull = (BIAS_TAIL + 1) / (BIAS_TAIL + (learned.bias**2 + learned.doubt) / tau2)
    precision = spreads / learned.error + pull / tau2
    bias, doubt = products / learned.error / precision, 1.0 / precision
    heard = count > 0
    bias = np.where(heard, _centred(bias, doubt, heard, learned.tau2, attribute), 0.0)
    moment = np.where(heard, pull * (bias**2 + doubt), 0.0)
    n_heard = sum_by(attribute, heard.astype(np.float64), len(learned.nu))
    total = TAU2_SUM + sum_by(attribute, moment, len(learned.nu))
    tau2 = total / (TAU2_SOURCES + n_heard)
    doubt = np.where(heard, doubt, tau2[attribute])
    part = damping(learned.nu)[attribute]
    rest = np.maximum(squares - 2 * bias * products + (bias**2 + doubt) * spreads, 0.0)
    strength, level = learned.source_strength, learned.source_level
    prior = (strength * level)[attribute]
    error = (prior + part * rest) / (strength[attribute] + part * count)
    logs = sum_by(attribute, np.where(heard, np.log(error), 0.0), len(learned.nu))
    error = error / np.exp(logs / np.maximum(n_heard, 1.0))[attribute]
    error = np.clip(error, LEAST_VARIANCE, 1.0 / LEAST_VARIANCE)
    next_strength, next_level = strength.copy(), level.copy()
    for place in range(len(learned.nu)):
        own = heard & (attribute == place)
        if own.any():
            next_strength[place], next_level[place] = _best_prior(
                part[own] * rest[own], part[own] * count[own], level[place]
            )
    return replace(
        learned,
        bias=bias,
        doubt=doubt,
        error=error,
        tau2=tau2,
        source_strength=next_strength,
        source_level=next_level,
    )


def _centred(bias: Floats, doubt: Floats, heard: Mask, tau2: Floats, attribute: Indices) -> Floats:
    """Take the median of all biases of an attribute from each: nothing tells it from the truth.

    It is a median since most sources are taken to have a small bias, and a few a large one.
    """
    centred = bias.copy()
    for place in range(len(tau2)):
        own = np.flatnonzero(heard & (attribute == place))
        if len(own):
            order = own[np.argsort(bias[own], kind="stable")]
            centred[own] -= between(bias[order], 1.0 / (tau2[place] + doubt[order]))
    return centred


def _best_prior(squares: Floats, free: Floats, level: float) -> tuple[float, float]:
    """Choose strength and level of the prior of sources' variances by marginal likelihood."""
    best = (-np.inf, 1.0, level)
    for strength in STRENGTHS.tolist():
        at = np.array(level)
        for _ in range(6):
            ratio, _ = strength_terms(squares, free, strength, at)
            at = np.maximum(len(squares) / ratio.sum(), LEAST_VARIANCE)
        _, likelihood = strength_terms(squares, free, strength, at)
        best = max(best, (float(likelihood.sum()), strength, float(at)))
    return best[1], best[2]


def _hyperparameters(learned: NumberParameters, sums: Sums) -> NumberParameters:
    """Choose the tails of errors and the prior of items' variances by likelihood."""
    ratio, likelihood, n_items = np.moveaxis(sums["levels"], 2, 0)
    some = n_items[:, 0] > 0
    levels = np.where(some[:, None], n_items / np.where(ratio > 0, ratio, 1.0), learned.levels)
    levels = np.maximum(levels, LEAST_VARIANCE * learned.typical[:, None])
    place = np.argmax(likelihood, axis=1)
    chosen = np.where(some, STRENGTHS[place], learned.strength)
    level = np.where(some, levels[np.arange(len(place)), place], learned.level)
    nu = TAILS[np.argmax(sums["tails"], axis=1)]
    return replace(learned, nu=nu, strength=chosen, level=level, levels=levels)
