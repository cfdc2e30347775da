"""Learning from some items while the others are replaced by a parabola.

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

from veracity.data.arrays import Floats
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.curvature import Curvature, Placed, SharedCurvature, SharedSums
from veracity.models.grbm.model_spec import SLOPES, ModelSpec
from veracity.models.grbm.optimise import minimise_in_stage
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM
from veracity.models.grbm.vectors import dot, whole


@dataclass(frozen=True, eq=False)
class Penalty:
    """The means and precisions of all priors."""

    centre: Floats
    precision: Floats

    def gradient(self, x: Floats) -> Floats:
        """Return the gradient of the penalty."""
        return np.asarray(self.precision * (x - self.centre))


@dataclass(frozen=True, eq=False)
class LaplaceApproximation:
    """All items but some, by a parabola about the present parameters.

    Attributes
    ----------
    spec, x
        What is fitted, and its parameters.
    slope
        L, the gradient of the negative log-likelihood there.
    sums
        R in what all claims share, and in the deviations of sources.
    diagonal
        The diagonal of R in all other parameters, 0 in those.
    penalty
        P'.
    """

    spec: ModelSpec
    x: Floats
    slope: Floats
    sums: SharedSums
    diagonal: Floats
    penalty: Penalty

    def by_source(self, values: Floats) -> Floats:
        """Return the part of a vector that belongs to the deviations of sources."""
        return ParameterVector(self.spec.names, values)["source"]

    @cached_property
    def total_slope(self) -> Floats:
        """The gradient of all of it at `x`, the penalty included."""
        return self.slope + self.penalty.gradient(self.x)


class UpdateObjective:
    """The penalised likelihood of some items, and the parabola of all others.

    It is a function of the parameters of `block`, which has these items. The deviations of other
    sources follow in closed form and are eliminated beforehand.
    """

    def __init__(self, block: BlockObjective, rest: LaplaceApproximation) -> None:
        self.block, self.rest = block, rest
        spec, place, index, sums = rest.spec, block.place, block.places, rest.sums
        self._linear = spec.linear_names
        self._others = np.ones(spec.n_sources, np.bool_)
        self._others[place] = False
        out = self._others
        self._cross_out = sums.cross[:, out]
        self._diagonal_out = sums.of_source[out] + rest.by_source(rest.penalty.precision)[out]
        self._slope_out = rest.by_source(rest.total_slope)[out]
        divided = self._cross_out / self._diagonal_out
        # What is left in what is shared, once the other sources' deviations have followed.
        self._square = sums.square - divided @ self._cross_out.T
        self._cross, self._of_source = sums.cross[:, place], sums.of_source[place]
        slope = ParameterVector(spec.names, rest.slope.copy())
        slope.put(self._linear, slope.take(self._linear) - divided @ self._slope_out)
        self._slope, self._base = slope.values[index], rest.x[index]
        self._precision = rest.penalty.precision[index]
        self._centre = rest.penalty.centre[index]
        self._diagonal = rest.diagonal[index]
        # Slopes of terms are held: nothing is kept of what the other items say about them.
        frozen = [name for name in block.names.axes if name.endswith((SPEAKING_NORM, *SLOPES))]
        self._moves = np.ones(len(index))
        for name in frozen:
            self._moves[block.names.slices[name]] = 0.0

    def _vector(self, values: Floats) -> ParameterVector:
        return ParameterVector(self.block.names, values)

    def _bent(self, step: Floats) -> Floats:
        """Multiply a step by R."""
        given, bent = self._vector(step), self._vector(self._diagonal * step)
        shared, own = given.take(self._linear), given["source"]
        bent.put(self._linear, self._square @ shared + self._cross @ own)
        bent["source"] = shared @ self._cross + self._of_source * own
        return bent.values

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return the objective, its gradient, and the log-likelihood of the items."""
        likelihood, _, ascent = self.block.log_likelihood(self._vector(x))
        step, away = x - self._base, x - self._centre
        bent, pull = self._bent(step), self._precision * away
        value = dot(self._slope, step) + 0.5 * dot(bent, step) + 0.5 * dot(pull, away)
        descent = self._moves * (self._slope + bent + pull - ascent)
        return value - likelihood, descent, likelihood

    def curvature(self) -> Curvature:
        """Return a rough curvature, with which L-BFGS starts."""
        block, new = self.block, self.block.shared_sums(self._vector(self._base))
        precision = self._vector(self._precision)
        sums = SharedSums(
            self._square + new.square, self._cross + new.cross, self._of_source + new.of_source
        )
        shared = SharedCurvature.of(sums, precision.take(self._linear), precision["source"])
        names, of_block = block.names, block.names.zeros()
        if "psi" not in self._linear:
            of_block["psi"] = float(new.of_source.sum())
        for group, model in block.observations.items():
            prior = model.prior(model.parameters, model.counts())
            of_block.group(group).values[:] = prior.curvature - prior.precision
        rest = self._precision + self._diagonal + of_block.values
        linear = Placed.all(names.where(*self._linear))
        return Curvature(shared, rest, linear, Placed.all(names.where("source")))

    def minimise(self, max_iter: int, tol: float) -> Floats:
        """Return all parameters where the objective is least."""
        ended = minimise_in_stage(self.evaluate, self._base, self.curvature().divide, max_iter, tol)
        rest = self.rest
        x = rest.x.copy()
        x[self.block.places] = whole(ended.found.point.x)
        moved = ParameterVector(rest.spec.names, x - rest.x).take(self._linear)
        followed = -(self._slope_out + moved @ self._cross_out) / self._diagonal_out
        rest.by_source(x)[self._others] += followed
        return x
