"""Hardness of an item: a normal shift of the log-odds of being right, integrated out.

Sources err together on hard items. The shift d of an item is drawn from N(0, sd^2) and is common to
all claims about it. Its integral is a sum over Gauss-Hermite nodes:

    E f(d) = sum_t weight_t f(shift_t)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats

#: Nodes of the quadrature.
N_NODES = 5


@dataclass(frozen=True, eq=False)
class Hardness:
    """The nodes by which the hardness of an item is integrated out.

    Attributes
    ----------
    shift
        The shift of the log-odds of being right at each node; (n_nodes,).
    log_weight
        The logarithm of each node's weight; (n_nodes,).
    """

    shift: Floats
    log_weight: Floats

    @classmethod
    def of(cls, sd: float) -> Hardness:
        """Return the nodes for a standard deviation; a single one if it is 0."""
        if sd == 0.0:
            return cls(np.zeros(1), np.zeros(1))
        x, weight = np.polynomial.hermite.hermgauss(N_NODES)
        return cls(sd * np.sqrt(2.0) * x, np.log(weight / weight.sum()))

    @property
    def weight(self) -> Floats:
        """The weight of each node; (n_nodes,)."""
        return np.exp(self.log_weight)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.shift)
