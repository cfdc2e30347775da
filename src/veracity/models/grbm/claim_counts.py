"""What there is to fit to: who says how much, and the shape of what is to be learned of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums, Together
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.forms import Block, choose_forms
from veracity.models.views.classes import values_by_attribute

#: What the claims about an attribute are called, before its name.
ABOUT = "about "


@dataclass(frozen=True, eq=False)
class Survey:
    """How much every source claims, and the shape of the parameters of every attribute."""

    n_claims: Indices
    shapes: tuple[FittedBlock, ...]

    @property
    def prolific(self) -> Floats:
        """The log of how much each source says, less its mean over claims; (n_sources,)."""
        return how_prolific(self.n_claims)


def how_prolific(n_claims: Indices) -> Floats:
    """Return the log of how much each source says, less its mean over claims; (n_sources,)."""
    size = np.log1p(n_claims)
    return np.asarray(size - (n_claims @ size) / n_claims.sum())


def survey(claims: ClaimsInBlocks, forms: Sequence[Block] | None = None) -> Survey:
    """Count the claims of sources, about all attributes and about each.

    The form that each attribute takes is chosen, unless it is given.
    """
    forms = choose_forms(claims.attributes) if forms is None else forms
    counts = claims.blocks.total(_survey, forms, claims.n_sources)
    values: dict[str, list[str]] = {}
    for name, label in sorted(counts["values"].members):
        values.setdefault(name, []).append(label)
    shapes = []
    for form in forms:
        sources = heavy = np.empty(0, np.int64)
        if form.form != "coin":
            n_claims = counts[ABOUT + form.name].everywhere()
            sources = np.flatnonzero(n_claims)
            if form.form == "classes" and form.n_classes > 2:
                heavy = np.flatnonzero(n_claims[sources] >= form.n_classes**2)
        classes = tuple(values.get(form.name, ()))
        shapes.append(FittedBlock(form, classes, sources, heavy, np.empty(0)))
    return Survey(counts["all claims"].everywhere(), tuple(shapes))


def _survey(block: ClaimBlock, forms: Sequence[Block], n_sources: int) -> Sums:
    matrix = block.matrix
    number = {profile.name: index for index, profile in enumerate(matrix.profiles)}
    bounds = np.searchsorted(matrix.attribute_index, np.arange(len(matrix.profiles) + 1))
    start = matrix.claim_start[bounds]

    def count(first: int, last: int) -> Scattered:
        of_source = np.bincount(matrix.source_index[first:last], minlength=matrix.n_sources)
        return Scattered(block.place, of_source, n_sources)

    sums: Sums = {"all claims": count(0, matrix.n_claims)}
    for form in forms:
        if form.form != "coin":
            index = number[form.name]
            sums[ABOUT + form.name] = count(int(start[index]), int(start[index + 1]))
    by_classes = {form.name for form in forms if form.form == "classes"}
    wanted = np.array([profile.name in by_classes for profile in matrix.profiles])
    values = values_by_attribute(matrix, wanted)
    pairs = ((name, label) for name, labels in values.items() for label in labels)
    return sums | {"values": Together(frozenset(pairs))}
