"""What all passes see, and what they leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices
from veracity.data.encode.denials import REDUNDANT, Layout
from veracity.data.matrix import ClaimMatrix
from veracity.data.truth.known import UNKNOWN
from veracity.models.grbm.priors import THIN


@dataclass(frozen=True, eq=False)
class Scene:
    """Claims as all passes see them.

    Attributes
    ----------
    matrix, layout
        The claims, and the part of each in the likelihood of its item.
    row
        Feature row of each claim; (n_claims,).
    source_of_row
        The source whose claims have a row; rows of two sources differ; (n_rows,).
    offset, offset_unseen
        Added to the score of each statement, and to that of each value of an item that nobody
        claims; -inf for what is known to be false.
    known
        What is known of each statement, or None.
    floor
        The least e^u: 1, or 0 where sources may be worse than chance.
    threads
        How many to use; None for all cores.
    """

    matrix: ClaimMatrix
    layout: Layout
    row: npt.NDArray[np.int32]
    source_of_row: Indices
    offset: Floats
    offset_unseen: Floats
    known: npt.NDArray[np.int8] | None = None
    floor: float = 1.0
    threads: int | None = None

    @property
    def n_rows(self) -> int:
        """Number of feature rows."""
        return len(self.source_of_row)

    def n_thin(self, first: int, last: int) -> int:
        """Count the items of a range about which no more than a few sources speak."""
        return int((np.diff(self.layout.claim_start)[first:last] <= THIN).sum())

    @cached_property
    def plain(self) -> Floats:
        """No tempering; (n_items,)."""
        return np.ones(self.matrix.n_items)

    def about_known(self) -> Scene:
        """Return the same without the claims about items of unknown truth."""
        is_known = np.zeros(self.matrix.n_items, np.bool_)
        if self.known is not None:
            is_known = self.known[self.matrix.statement_start[:-1]] != UNKNOWN
        part = np.where(is_known[self.matrix.item_of_claim], self.layout.part, REDUNDANT)
        layout = replace(self.layout, part=part.astype(self.layout.part.dtype))
        return replace(self, layout=layout)

    def claims(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The arrays that the kernels begin with."""
        layout = self.layout
        return layout.part, layout.claim_start, layout.statement_start, layout.statement_index

    def strength(self, eta: Floats, n_values: float) -> tuple[Floats, Floats]:
        """Return u of eta, and du/deta."""
        x = eta + np.log(n_values - 1.0)
        if self.floor == 0.0:
            return x, np.ones(len(x))
        grown = np.exp(np.minimum(x, 300.0))
        return np.log1p(grown), grown / (1.0 + grown)


@dataclass(frozen=True, eq=False)
class ClaimRates:
    """How reliable each claim is, by what is known before the others are heard; all (n_claims,).

    Attributes
    ----------
    right
        The probability that its source is right.
    tpr, fpr
        The probability that its source says this value if it is true, and if it is not.
    slope
        How much the strength of the claim moves with eta, du/deta.
    """

    right: Floats
    tpr: Floats
    fpr: Floats
    slope: Floats

    @classmethod
    def empty(cls, matrix: ClaimMatrix) -> ClaimRates:
        """Make room."""
        return cls(*(np.zeros(matrix.n_claims) for _ in range(4)))


@dataclass
class Found:
    """What passes set for the statements and items that they go over.

    Attributes
    ----------
    score, posterior
        The log-score of each statement, by which those of an item are ranked, and its probability.
    left_over
        The probability that none of the claimed values of an item is true; NaN where statements
        are judged by themselves.
    likelihood
        The log-likelihood of the claims about each item with one true value.
    wants_classes
        Whether a pass over classes is to keep the probability of every class of its items.
    """

    score: Floats
    posterior: Floats
    left_over: Floats
    likelihood: Floats
    wants_classes: bool = False

    @classmethod
    def empty(cls, matrix: ClaimMatrix) -> Found:
        """Make room."""
        statements, items = matrix.n_statements, matrix.n_items
        return cls(np.zeros(statements), np.zeros(statements), np.zeros(items), np.zeros(items))
