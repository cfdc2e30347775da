"""Roles of sources: honest, adversary, spammer or copier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Indices
from veracity.datasets.synthetic.checks import require
from veracity.datasets.synthetic.specs import SourceSpec

ROLES = ("honest", "adversary", "spammer", "copier")
HONEST, ADVERSARY, SPAMMER, COPIER = range(4)
NOBODY = -1


@dataclass(frozen=True)
class Roles:
    """The part that each source plays.

    Attributes
    ----------
    role
        Index into `ROLES`.
    copies
        The source that a copier copies; `NOBODY` for all others.
    """

    role: Indices  # (n_sources,)
    copies: Indices  # (n_sources,)


def assign_roles(rng: np.random.Generator, spec: SourceSpec, n_items: Indices) -> Roles:
    """Assign roles by their shares; the most prolific of the honest sources are copied.

    Parameters
    ----------
    rng
        Where randomness comes from.
    spec
        Shares of the roles.
    n_items
        The number of items that each source speaks about.
    """
    role = _shuffled_roles(rng, spec, len(n_items))
    copies = np.full(len(role), NOBODY)
    copiers = np.flatnonzero(role == COPIER)
    if len(copiers):
        copies[copiers] = rng.choice(_originals(role, n_items, spec.n_originals), len(copiers))
    return Roles(role, copies)


def _shuffled_roles(rng: np.random.Generator, spec: SourceSpec, n_sources: int) -> Indices:
    shares = (spec.adversaries, spec.spammers, spec.copiers)
    bounds = np.rint(np.cumsum(shares) * n_sources).astype(np.int64)
    role = np.full(n_sources, HONEST)
    for kind, (low, high) in enumerate(zip((0, *bounds[:-1]), bounds, strict=True), ADVERSARY):
        role[low:high] = kind
    return rng.permutation(role)


def _originals(role: Indices, n_items: Indices, n_originals: int) -> Indices:
    honest = np.flatnonzero(role == HONEST)
    require(
        len(honest) > 0, "copiers", "fewer, so that an honest source remains to copy", len(role)
    )
    return honest[np.argsort(-n_items[honest], kind="stable")][:n_originals]
