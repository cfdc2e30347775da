"""Hardness of an item: a shift of the log-odds of being right, integrated out.

Sources err together on hard items. The shift d of an item is common to all claims about it. Its
integral is a sum over nodes:

    E f(d) = sum_t weight_t f(shift_t)

Where one reliability stands for all values, d is drawn from N(0, sd^2), and the nodes are those of
Gauss and Hermite. Where items have classes, how much d varies is learned for each class k: the log
weights of a few even nodes are those of the normal distribution plus

    basis @ shape_k,    shape_k ~ N(0, I)

which is symmetric, so that the mean of d stays 0, and makes neighbouring nodes move together. A
class whose items differ more in hardness than the normal distribution allows would be split
otherwise, and part of it would pass for another class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.grbm.parameters import ParameterVector

#: Nodes of the quadrature.
N_NODES = 5
#: How many numbers say how the weights of even nodes differ from the normal distribution.
N_SHAPES = N_NODES // 2
#: Distance of even nodes, in standard deviations.
SPACING = 2.0
#: Prior precisions of the log weights themselves, and of their second differences.
FLAT, SMOOTH = 1.0, 1.0


@dataclass(frozen=True, eq=False)
class Hardness:
    """The nodes by which the hardness of an item is integrated out.

    Attributes
    ----------
    shift
        The shift of the log-odds of being right at each node; (n_nodes,).
    log_weight
        The logarithm of each node's weight, before anything is learned; (n_nodes,).
    is_learned
        Whether weights are learned for each class.
    """

    shift: Floats
    log_weight: Floats
    is_learned: bool = False

    @classmethod
    def of(cls, sd: float, is_learned: bool = False) -> Hardness:
        """Return the nodes for a standard deviation; a single one if it is 0."""
        if sd == 0.0:
            return cls(np.zeros(1), np.zeros(1))
        if is_learned:
            place: Floats = SPACING * np.arange(-(N_NODES // 2), N_NODES // 2 + 1, dtype=np.float64)
            log_weight = -0.5 * place**2
            return cls(sd * place, log_weight - np.logaddexp.reduce(log_weight), True)
        x, weight = hermite_nodes()
        return cls(sd * np.sqrt(2.0) * x, np.log(weight / weight.sum()))

    @property
    def weight(self) -> Floats:
        """The weight of each node, before anything is learned; (n_nodes,)."""
        return np.exp(self.log_weight)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.shift)

    def by_class(self, own: ParameterVector, n_classes: int) -> Floats:
        """Return log P(node | class), how hard items of each class are; (n_classes, n_nodes)."""
        if not self.is_learned:
            return np.tile(self.log_weight, (n_classes, 1))
        found = self.log_weight + own["hardness"] @ basis().T
        return np.asarray(found - np.logaddexp.reduce(found, axis=1, keepdims=True))


@cache
def hermite_nodes() -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss and Hermite."""
    return np.polynomial.hermite.hermgauss(N_NODES)


@cache
def basis() -> Floats:
    """Return what turns independent standard normal numbers into smooth, even log weights.

    Their prior has the precision FLAT of each and SMOOTH of their second differences; a constant,
    which weights do not notice, is left out; (N_NODES, N_SHAPES).
    """
    bend = np.diff(np.eye(N_NODES), 2, axis=0)
    precision = FLAT * np.eye(N_NODES) + SMOOTH * bend.T @ bend
    half = np.abs(np.arange(N_NODES) - N_NODES // 2)[:, None] == np.arange(1, N_SHAPES + 1)
    even = half - half.mean(axis=0)
    root = np.linalg.cholesky(even.T @ precision @ even)
    return np.asarray(even @ np.linalg.inv(root).T)
