"""NumberParameters: what is learned about sources and attributes whose truth is a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Mask

#: Degrees of freedom of errors, and of the priors of variances, that are tried.
TAILS = np.array([2.0, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0])
STRENGTHS = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])


@dataclass(frozen=True, eq=False)
class NumberParameters:
    """What is learned, by attribute and by cell.

    A cell is a source speaking about an attribute. Behind the sources of each attribute comes a
    cell for sources that were not seen: the prior.

    Attributes
    ----------
    is_log
        Whether errors are alike on the scale of logarithms.
    floor, typical
        How far claims are from the median of their item: the typical distance, as a standard
        deviation, and the mean of clipped squares.
    centre
        The mean of the medians of the items, on the scale.
    ties
        The share of pairs of claims about an item that agree exactly.
    exact
        Whether many sources report the truth exactly, so that the location is a weighted median.
    nu, kappa
        Degrees of freedom of errors, and the variance that weights leave out: the larger, the more
        equal the weights of sources are.
    split
        Whether sources fall into camps whose numbers differ; see `camps`.
    strength, level
        Of the prior of items' variances.
    levels
        The level that goes with each of `STRENGTHS`; (n_attributes, 7).
    source_strength, source_level
        Of the prior of sources' variances.
    tau2
        Variance of sources' biases.
    n_items, n_claims
        Items and claims with a number.
    bias, doubt, error, trust, count
        Of each cell: the bias in spreads of the item and its variance, the variance of errors
        relative to the item's, how much its claims count, and how many there are.
    """

    is_log: Mask
    floor: Floats
    typical: Floats
    centre: Floats
    ties: Floats
    exact: Mask
    nu: Floats
    kappa: Floats
    split: Mask
    strength: Floats
    level: Floats
    levels: Floats
    source_strength: Floats
    source_level: Floats
    tau2: Floats
    n_items: Floats
    n_claims: Floats
    bias: Floats
    doubt: Floats
    error: Floats
    trust: Floats
    count: Floats

    @property
    def hyper(self) -> Floats:
        """What `kernel.locate` takes for each attribute; (n_attributes, 4)."""
        return np.stack([self.nu, self.kappa, self.strength, self.level], axis=1)

    @property
    def width(self) -> int:
        """Cells of an attribute: sources that were learned from, and one for all others."""
        return len(self.bias) // len(self.nu)

    def table(self, per_cell: Floats) -> Floats:
        """Return numbers of cells as a table; (n_attributes, width)."""
        return per_cell.reshape(len(self.nu), self.width)
