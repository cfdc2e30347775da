"""Who copies whom, among sources that agree more than their agreement with others explains."""

from __future__ import annotations

import numpy as np

from veracity.data.arrays import Floats, sum_by
from veracity.models.dependence import Dependence


def copied_by(pairs: Dependence, n_claims: Floats, informedness: Floats) -> dict[int, int]:
    """Return whom each copier copies, by their places.

    An original agrees with all of its copiers, who agree less with one another; and who copies
    cannot claim what the original does not. So of a pair the copier is the one that shares less
    with its partners, else the one that says less, else the one that is less informed. If nothing
    tells them apart, both are named, each as the copier of the other.

    Parameters
    ----------
    pairs
        Sources that depend on each other.
    n_claims, informedness
        Of each source; the second is NaN where it is not known; (n_sources,).
    """
    excess, n_sources = pairs.agreement - pairs.expected, len(n_claims)
    shared = sum_by(pairs.first, excess, n_sources) + sum_by(pairs.second, excess, n_sources)
    signs = (np.round(shared, 9), n_claims, np.nan_to_num(informedness))
    copied: dict[int, int] = {}
    for place in np.argsort(-excess, kind="stable").tolist():
        one, other = int(pairs.first[place]), int(pairs.second[place])
        mine, theirs = ([float(sign[who]) for sign in signs] for who in (one, other))
        if mine >= theirs:
            copied.setdefault(other, one)
        if mine <= theirs:
            copied.setdefault(one, other)
    return copied
