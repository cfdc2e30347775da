"""Items with one true value: their truth, and the answers of those who visit them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.datasets.synthetic.rates import Rates
from veracity.datasets.synthetic.specs import AttributeSpec
from veracity.datasets.synthetic.visits import Visits

TRUE = 0  #: Index of the value ``true`` of a boolean attribute.


@dataclass(frozen=True)
class SingleTruth:
    """What is true of each entity, and what people like to believe.

    Attributes
    ----------
    value
        The true value.
    favourite
        The value that comes first to mind; the others follow in their order, in a ring.
    """

    value: Indices  # (n_entities,)
    favourite: Indices  # (n_entities,)


@dataclass(frozen=True)
class Answers:
    """What is said at each visit: a value, asserted or denied."""

    value: Indices  # (n_visits,)
    asserts: Mask  # (n_visits,)


def draw_truth(rng: np.random.Generator, spec: AttributeSpec, n_entities: int) -> SingleTruth:
    """Draw the true value of every entity."""
    value = rng.choice(spec.size, n_entities, p=spec.prior)
    return SingleTruth(value, rng.integers(0, spec.size, n_entities))


def draw_answers(
    rng: np.random.Generator,
    spec: AttributeSpec,
    truth: SingleTruth,
    visits: Visits,
    rates: Rates,
    denials: float = 0.0,
) -> Answers:
    """Draw what is said at each visit.

    The source believes the true value with its rate, else a wrong one. It asserts what it
    believes, or denies one of the other values. Blind answers, and the beliefs behind denials,
    take all wrong values as equally likely; other wrong answers cluster.
    """
    true_value, favourite = truth.value[visits.entity], truth.favourite[visits.entity]
    asserts = rng.random(len(visits)) >= denials
    right = rng.random(len(visits)) < probability_right(spec, true_value, rates)
    clustered = _clustered_wrong(rng, true_value, favourite, popularity(spec))
    wrong = np.where(asserts & ~rates.blind, clustered, _another(rng, true_value, spec.size))
    belief = np.where(right, true_value, wrong)
    value = np.where(asserts, belief, _another(rng, belief, spec.size))
    return Answers(visits.repeat(value), visits.repeat(asserts))


def probability_right(spec: AttributeSpec, true_value: Indices, rates: Rates) -> Floats:
    """Return the probability that the source believes the true value, given what that is."""
    if spec.kind == "boolean":
        return np.where(true_value == TRUE, rates.tpr, 1 - rates.fpr)
    return rates.tpr


def popularity(spec: AttributeSpec) -> Floats:
    """Return the weight of each value as a mistake, the favourite first."""
    ranks = np.arange(1.0, spec.size + 1)
    return np.asarray(ranks**-spec.clustering)


def _another(rng: np.random.Generator, value: Indices, size: int) -> Indices:
    """Draw any value but the given one."""
    return (value + rng.integers(1, size, len(value))) % size


def _clustered_wrong(
    rng: np.random.Generator, true_value: Indices, favourite: Indices, weight: Floats
) -> Indices:
    """Draw wrong values by their weight, the true one cut out of the scale."""
    size, upto = len(weight), np.cumsum(weight)
    true_rank = (true_value - favourite) % size
    cut = weight[true_rank]
    draw = rng.random(len(true_value)) * (upto[-1] - cut)
    draw += np.where(draw >= upto[true_rank] - cut, cut, 0.0)
    rank = np.minimum(np.searchsorted(upto, draw, side="right"), size - 1)
    rank = np.where(rank == true_rank, (rank + 1) % size, rank)  # rounding may hit the cut
    return np.asarray((rank + favourite) % size)
