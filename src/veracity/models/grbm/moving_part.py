"""Fitting the parameters that move; see `moving`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.engines.parts import place_in
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.claim_information import information_of_block
from veracity.models.grbm.curvature import Curvature, Placed, SharedCurvature, SharedSums
from veracity.models.grbm.even_shifts import EvenShifts
from veracity.models.grbm.lbfgs import Divide
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.moving import Marks, Moving
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.observation.base import FIXED
from veracity.models.grbm.observation.confusion import shared_by_items
from veracity.models.grbm.prior_pull import PriorPull, one_if_same
from veracity.models.grbm.priors import centre_of, free_parameters, precision_of
from veracity.models.grbm.speaking_norms import norm_places, through_norms, with_speaking_norms
from veracity.models.grbm.vectors import Vector, stored


class MovingPart:
    """The penalised likelihood as a function of the parameters that move; see `Objective`.

    Attributes
    ----------
    spec, blocks
        What is fitted, and the claims.
    marks
        Which of all parameters move.
    pull, even_shifts
        Their priors, and the directions among them that make no difference.
    curvatures
        The rough curvature of each attribute that is not judged by classes, by its number.
    held
        Twice the penalty of the parameters that stay.
    begin_at, begin_value
        The start of those that move, where it is not 0.
    stays, value
        The parameters that stay and are not 0, and what they are; and the norms of speaking, which
        follow from those that move in each evaluation.
    """

    def __init__(self, objective: Objective, start: Floats | None = None) -> None:
        """Find the parameters that move from a start; from the means of their priors if None."""
        spec = self.spec = objective.spec
        self.blocks = objective.blocks
        by_class = [attribute.range.form == "confusion" for attribute in spec.attributes]
        priors = objective.priors_of_attributes()
        curvatures = {
            str(number): prior.curvature
            for number, prior in enumerate(priors)
            if not by_class[number]
        }
        priors = [replace(prior, curvature=prior.centre) for prior in priors]  # as large as x
        precision = precision_of(spec, priors)
        is_free = free_parameters(spec, precision)
        self.marks = Marks.of(is_free)
        only = self.blocks.only
        in_order = only is not None and only.index is None
        self._of_only_block = np.flatnonzero(is_free) if in_order else None
        self.curvatures = {
            group: of_group[is_free[spec.names.group_slice(group)]]
            for group, of_group in curvatures.items()
        }
        runs = [
            (self.marks.part(part), one_if_same(precision[part][is_free[part]]))
            for part in spec.names.slices.values()
        ]
        centre = centre_of(spec, priors)
        self.held = 0.0
        if start is not None:
            self.held = float(precision[~is_free] @ (start - centre)[~is_free] ** 2)
        del precision, priors
        begin = centre if start is None else start
        self.pull = PriorPull(runs, *_but_zeros(centre[is_free]))
        self.begin_at, self.begin_value = _but_zeros(begin[is_free])
        stays = np.where(is_free, 0.0, begin)
        is_sent = stays != 0.0
        is_sent[norm_places(spec)] = True
        self.stays, self.value = np.flatnonzero(is_sent), stays[is_sent]
        del stays, is_sent
        shifts = EvenShifts.of(spec.attributes, spec.names).runs
        self.even_shifts = EvenShifts(tuple((self.marks.part(run), size) for run, size in shifts))

    @property
    def begin(self) -> Floats:
        """The start of those that move; most of it is 0, which takes no room."""
        found = np.zeros(len(self.marks))
        found[self.begin_at] = self.begin_value
        return found

    @staticmethod
    def laid(numbers: Floats) -> Vector:
        """Store a vector the way the search stores its own."""
        return stored(numbers)

    def whole(self, x: Floats) -> Floats:
        """Return all parameters, given those that move."""
        return self._moving(x).whole()

    def _moving(self, x: Floats) -> Moving:
        return Moving(self.marks, x, self.stays, self.value, self._of_only_block)

    def _sent(self, x: Floats) -> Moving:
        """Return the parameters to send to blocks, with the norms of speaking filled in."""
        moving = self._moving(x)
        if not self.spec.fits_speaking:
            return moving
        value = with_speaking_norms(self.spec, moving.whole())[self.stays]
        return replace(moving, value=value)

    def _through_norms(self, sent: Moving, ascent: Floats, of_stays: Floats) -> Floats:
        """Add the gradient in the norms of speaking, by the chain rule, to that in what moves."""
        whole = replace(sent, x=ascent, value=of_stays).whole()
        return through_norms(self.spec, sent.whole(), whole)[self.marks.mask()]

    def evaluate(self, x: Floats) -> tuple[float, Floats, float]:
        """Return the objective, its gradient and the log-likelihood; see `Objective.evaluate`."""
        sent = self._sent(x)
        sums = self.blocks.total(log_likelihood, sent)
        likelihood, gradient = sums["likelihood"], sums.pop("gradient").everywhere()
        if self.spec.fits_speaking:
            gradient = self._through_norms(sent, gradient, sums["of_stays"].everywhere())
        np.negative(gradient, out=gradient)
        held = self.held + self.pull.add_to(gradient, x)
        self.even_shifts.take_from(gradient)
        return 0.5 * held + sums["pull"] - likelihood, gradient, likelihood

    def curvature_at(self, x: Floats) -> Callable[[float], Divide]:
        """Return what divides a gradient of free parameters by the curvature at `x`, damped.

        The curvature is rough: as if it were known which claims are right.
        """
        spec, slices = self.spec, self.spec.names.slices
        sums = self.blocks.total(_information, spec, self._sent(x))
        own, of_source = sums.pop("own").everywhere(), sums["of_source"].everywhere()
        total = float(of_source.sum())
        cross = np.ascontiguousarray(sums.pop("cross").everywhere().T)
        rest = np.empty_like(x)
        for part, precision in self.pull.precision:
            rest[part] = precision
        together = []
        for number, attribute in enumerate(spec.attributes):
            group, place = str(number), spec.names.group_slice(str(number))
            part = self.marks.part(place)
            if group in self.curvatures:
                rest[part] = self.curvatures[group]
                continue
            shared = self._placed(place.start + shared_by_items(attribute.names))
            together.append((shared, sums[group] + np.diag(shared.spread(rest, FIXED))))
            rest[part] += own[part]
        linear = self._placed(spec.names.where(*spec.linear_names))
        source = self._placed(spec.names.where("source"))
        hold = linear.spread(rest, FIXED), source.spread(rest, FIXED)
        if not spec.reliability.is_linear:
            rest[self.marks.part(slices["psi"])] += total
        if spec.slopes is not None:
            rest[self.marks.part(slices["slope"])] += total
            own_slope = self._placed(spec.names.where("own_slope"))
            rest[own_slope.place] += np.repeat(of_source, len(spec.slopes))[own_slope.moves]
        of_claims = SharedCurvature.of(SharedSums(sums["square"], cross, of_source), *hold)
        found = Curvature(of_claims, rest, linear, source, together)
        return lambda damping: found.damped(damping).divide

    def _placed(self, index: Indices) -> Placed:
        """Return parameters by their places among all."""
        return Placed(*self.marks.among(index))


def _but_zeros(numbers: Floats) -> tuple[Indices, Floats]:
    """Return the numbers that are not 0, and where they are."""
    place = np.flatnonzero(numbers)
    return place, numbers[place]


def log_likelihood(block: BlockObjective, moving: Moving) -> Sums:
    """Return the log-likelihood of a block, and its gradient in the parameters that move."""
    own, moves, place = moving.own(block)
    likelihood, pull, gradient = block.log_likelihood(own)
    scattered = Scattered(place, gradient[moves], len(moving.x))
    sums: Sums = {"likelihood": likelihood, "pull": pull, "gradient": scattered}
    if block.spec.fits_speaking:
        stays, at = place_in(moving.place, block.places)
        sums["of_stays"] = Scattered(at, gradient[stays], len(moving.place))
    return sums


def _information(block: BlockObjective, spec: ModelSpec, moving: Moving) -> Sums:
    own, moves, place = moving.own(block)
    found, sums = information_of_block(block, spec, own)
    return sums | {"own": Scattered(place, found.values[moves], len(moving.x))}
