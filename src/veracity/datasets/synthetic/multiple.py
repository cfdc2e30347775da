"""Items with several true values: their truth, and the values that each visitor names."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Mask
from veracity.datasets.synthetic.rates import Rates
from veracity.datasets.synthetic.specs import AttributeSpec
from veracity.datasets.synthetic.visits import Visits


def draw_true_sets(rng: np.random.Generator, spec: AttributeSpec, n_entities: int) -> Mask:
    """Draw which candidates are true, each by itself, given that at least one is.

    The first true candidate follows a geometric distribution cut off at the last; those after it
    are free.
    """
    share, size = spec.true_share, spec.size
    upto = 1 - (1 - share) ** np.arange(1, size + 1)  # P(the first true one is no later)
    first = np.searchsorted(upto, rng.random(n_entities) * upto[-1], side="right")
    first = np.minimum(first, size - 1)[:, None]
    candidate = np.arange(size)[None, :]
    free = rng.random((n_entities, size)) < share
    return np.asarray((candidate == first) | ((candidate > first) & free))


def draw_named_sets(rng: np.random.Generator, true_set: Mask, visits: Visits, rates: Rates) -> Mask:
    """Draw which candidates are named at each visit: true ones by tpr, false ones by fpr."""
    chance = rng.random((len(visits), true_set.shape[1]), dtype=np.float32)
    tpr, fpr = rates.tpr[:, None], rates.fpr[:, None]
    named = np.where(true_set[visits.entity], chance < tpr, chance < fpr)
    return np.asarray(visits.repeat(named))


def draw_denied_sets(rng: np.random.Generator, named: Mask, visits: Visits, denials: float) -> Mask:
    """Draw which of the values that were not named are denied outright.

    They are as many as it takes for ``denials`` to be their share among the claims, as far as
    there are values to deny.
    """
    if denials == 0:
        return np.zeros_like(named)
    n_named = int(np.count_nonzero(named))
    n_silent = max(1, named.size - n_named)
    probability = denials / (1 - denials) * n_named / n_silent
    denied = ~named & (rng.random(named.shape, dtype=np.float32) < probability)
    return np.asarray(visits.repeat(denied))
