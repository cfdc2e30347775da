"""Who copies whom, among sources that agree more than their agreement with others explains."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.dependence import Dependence


def copied_by(pairs: Dependence, n_claims: Floats, informedness: Floats) -> dict[int, int]:
    """Return whom each copier copies, by their places.

    Who copies cannot claim what the original does not, so of a pair the one that says less is the
    copier and, if they say as much, the one that is less informed. If neither shows, both are
    named, each as the copier of the other.

    Parameters
    ----------
    pairs
        Sources that depend on each other.
    n_claims, informedness
        Of each source; the second is NaN where it is not known; (n_sources,).
    """
    copied: dict[int, int] = {}
    order = np.argsort(-(pairs.agreement - pairs.expected), kind="stable")
    for place in order.tolist():
        one, other = int(pairs.first[place]), int(pairs.second[place])
        more = np.sign(n_claims[one] - n_claims[other])
        more = more or np.sign(np.nan_to_num(informedness[one] - informedness[other]))
        if more >= 0:
            copied.setdefault(other, one)
        if more <= 0:
            copied.setdefault(one, other)
    return copied
