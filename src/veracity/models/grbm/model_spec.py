"""What is to be fitted, as every block of claims is told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.forms import Block
from veracity.models.grbm.scores import Score


@dataclass(frozen=True, eq=False)
class Plan:
    """What every block needs to know to make its objective.

    Attributes
    ----------
    shapes
        The attributes, the form that each takes, and the sources and classes of its parameters.
    prolific
        z of each source.
    floor
        The least e^u: 1, or 0 where sources may be worse than chance.
    score
        g, with its parameters at their start.
    uses_features
        Whether g sees the features of claims.
    clustered
        Whether wrong values cluster.
    holds_out
        Whether the claims that are held out are hidden.
    only_known
        Whether only claims about items of known truth count.
    threads
        How many work on a block; None for what is usual there.
    """

    shapes: tuple[FittedBlock, ...]
    prolific: Floats
    floor: float
    score: Score
    uses_features: bool = False
    clustered: bool = False
    holds_out: bool = False
    only_known: bool = False
    threads: int | None = None

    @property
    def forms(self) -> list[Block]:
        """The attributes and their forms."""
        return [shape.block for shape in self.shapes]

    @property
    def uses_prolific(self) -> bool:
        """Whether one reliability stands for all values of some attribute."""
        return any(block.form == "coin" for block in self.forms)

    @property
    def may_cluster(self) -> bool:
        """Whether all items are open, so that wrong values may cluster."""
        return all(block.form == "coin" and not block.n_classes for block in self.forms)

    @property
    def n_sources(self) -> int:
        """Number of all sources."""
        return len(self.prolific)

    def starts(self) -> Indices:
        """Return where the parameters of each attribute begin; (n_attributes + 1,)."""
        first = 2 + self.n_sources + len(self.score.psi)
        return first + np.append(0, np.cumsum([n_parameters(shape) for shape in self.shapes]))


def n_parameters(shape: FittedBlock) -> int:
    """Return how many parameters an attribute has."""
    k, n_sources, n_heavy = shape.block.n_classes, len(shape.sources), len(shape.heavy)
    if shape.block.form == "classes":
        return k * (2 + k + n_sources + n_heavy * k)
    return 2 + n_sources if shape.block.form == "binary" else 0
