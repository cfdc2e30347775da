"""Learning from some items when the others are remembered by a parabola.

Let x* maximise the penalised likelihood of all claims so far. New claims change some items: T
before, T' after. The likelihood of all others is replaced by its second-order expansion about x* (a
streaming Laplace approximation; cf. Broderick et al., Streaming variational Bayes, 2013):

    -l_T'(x) + P'(x) + L . (x - x*) + 1/2 (x - x*)' R (x - x*)

P is the penalty, which may change with the counts that it rests on. The gradient of everything is 0
at x*, so that of the other items is known without a look at them: L = grad l_T(x*) - grad P(x*). R
is the sum of the outer products of their claims' gradients, in what all claims share and in the
deviations of sources; in the parameters of attributes it is the rough curvature of their priors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.block_objective import Piece
from veracity.models.grbm.curvature import Curvature, SharedCurvature, SharedSums
from veracity.models.grbm.lbfgs import dot
from veracity.models.grbm.optimise import minimise_in_stage


@dataclass(frozen=True, eq=False)
class Penalty:
    """Where every parameter is drawn to, and how strongly."""

    centre: Floats
    hold: Floats

    def gradient(self, x: Floats) -> Floats:
        """Return the gradient of the penalty."""
        return np.asarray(self.hold * (x - self.centre))


@dataclass(frozen=True, eq=False)
class Remembered:
    """All items but some, by a parabola about where the parameters are.

    Attributes
    ----------
    x
        The parameters, in the order of `Penalised`.
    slope
        L, the gradient of the negative log-likelihood there.
    sums
        R in what all claims share, and in the deviations of sources.
    rest
        The diagonal of R in all other parameters: those of a g that is not linear, and of
        attributes.
    penalty
        P'.
    """

    x: Floats
    slope: Floats
    sums: SharedSums
    rest: Floats
    penalty: Penalty

    @property
    def n_sources(self) -> int:
        """Number of all sources."""
        return len(self.sums.of_source)

    @property
    def n_columns(self) -> int:
        """Number of parameters of a linear g."""
        return len(self.sums.square) - 2

    @cached_property
    def shared(self) -> Indices:
        """The places of m, gamma and the parameters of a linear g."""
        first = 2 + self.n_sources
        return np.append([0, 1], np.arange(first, first + self.n_columns)).astype(np.int64)

    @cached_property
    def first_rest(self) -> int:
        """Where the parameters begin that are neither shared nor deviations."""
        return 2 + self.n_sources + self.n_columns

    @cached_property
    def total_slope(self) -> Floats:
        """The gradient of all of it at `x`, the penalty included."""
        return self.slope + self.penalty.gradient(self.x)


class UpdateObjective:
    """The penalised likelihood of some items and of the memory of all others.

    It is a function of the parameters that the items know of, those of `piece`. The deviations of
    other sources follow in closed form and are eliminated beforehand.
    """

    def __init__(self, piece: Piece, memory: Remembered) -> None:
        self.piece, self.memory = piece, memory
        place, index = piece.place, piece.places
        sums, hold = memory.sums, memory.penalty.hold
        hold_source = hold[2 : 2 + memory.n_sources]
        self._others = np.ones(memory.n_sources, np.bool_)
        self._others[place] = False
        out = self._others
        self._cross_out = sums.cross[:, out]
        self._diagonal_out = sums.of_source[out] + hold_source[out]
        self._slope_out = memory.total_slope[2 : 2 + memory.n_sources][out]
        divided = self._cross_out / self._diagonal_out
        # What is left in what is shared, once the other sources' deviations have followed.
        self._square = sums.square - divided @ self._cross_out.T
        self._cross, self._of_source = sums.cross[:, place], sums.of_source[place]
        slope = memory.slope.copy()
        slope[memory.shared] -= divided @ self._slope_out
        self._slope, self._base = slope[index], memory.x[index]
        self._hold, self._centre = hold[index], memory.penalty.centre[index]
        self._own = index[2 + len(place) + memory.n_columns :]
        self._rest = memory.rest[self._own - memory.first_rest]

    def _cut(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Cut a vector into what is shared, deviations, and the rest."""
        n, columns = len(self.piece.place), self.memory.n_columns
        both, own, more, rest = np.split(x, [2, 2 + n, 2 + n + columns])
        return np.append(both, more), own, rest

    def _joined(self, shared: Floats, own: Floats, rest: Floats) -> Floats:
        return np.concatenate([shared[:2], own, shared[2:], rest])

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return what is to be minimised, its gradient, and the log-likelihood of the items."""
        likelihood, ascent = self.piece.objective.ascend(x)
        step = x - self._base
        shared, own, rest = self._cut(step)
        bent = self._joined(
            self._square @ shared + self._cross @ own,
            shared @ self._cross + self._of_source * own,
            self._rest * rest,
        )
        away = x - self._centre
        value = dot(self._slope, step) + 0.5 * dot(bent, step) + 0.5 * dot(self._hold * away, away)
        return value - likelihood, self._slope + bent + self._hold * away - ascent, likelihood

    def curvature(self) -> Curvature:
        """Return a rough curvature, to start L-BFGS from."""
        objective, memory = self.piece.objective, self.memory
        new = objective.shared_sums()
        shared, own, rest = self._cut(self._hold)
        sums = SharedSums(
            self._square + new.square, self._cross + new.cross, self._of_source + new.of_source
        )
        size = 0 if objective.score.is_linear else len(objective.score.psi)
        more = [np.full(size, float(new.of_source.sum()))]
        more += [prior.curvature - prior.penalty for prior in objective.priors]
        rest = rest + self._rest + np.concatenate(more)
        assert len(rest) == len(self._own), memory.n_columns
        return Curvature(SharedCurvature(sums, shared, own), rest, len(own))

    def minimise(self, max_iter: int, tol: float) -> Floats:
        """Return all parameters where the objective is least."""
        ended = minimise_in_stage(self.evaluate, self._base, self.curvature().divide, max_iter, tol)
        memory = self.memory
        x = memory.x.copy()
        x[self.piece.places] = ended.found.point.x
        moved = (x - memory.x)[memory.shared]
        followed = -(self._slope_out + moved @ self._cross_out) / self._diagonal_out
        x[2 : 2 + memory.n_sources][self._others] += followed
        return x
