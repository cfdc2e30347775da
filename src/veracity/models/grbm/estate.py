"""What the owner of a shard knows of its parameters before the first pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.even_shifts import EvenShifts
from veracity.models.grbm.moving_part import MovingPart
from veracity.models.grbm.prior_pull import PriorPull, Run, cut, one_if_same
from veracity.models.grbm.shard_plan import HEAD, ShardPlan


@dataclass(frozen=True, eq=False)
class Estate:
    """What the owner of a shard, or of the head, knows of its parameters.

    Attributes
    ----------
    size
        How many there are.
    n_deviations
        How many of them, the first, are deviations of sources.
    pull, shifts
        Their priors, and the directions among them that make no difference.
    curvatures
        What is known of their curvature before a pass, by runs of neighbours.
    begin_at, begin
        Their start, where it is not 0.
    """

    size: int
    n_deviations: int
    pull: PriorPull
    shifts: EvenShifts
    curvatures: Sequence[Run]
    begin_at: Indices
    begin: Floats

    @classmethod
    def of(cls, part: MovingPart, plan: ShardPlan, shard: int) -> Estate:
        """Take what belongs to a shard from what is known of all."""
        known = _curvatures(part)
        precision: list[Run] = []
        curvatures: list[Run] = []
        shifts: list[tuple[slice, int]] = []
        for run, at in plan.runs(shard):
            precision += [(_moved(here, run, at), of) for here, of in cut(part.pull.precision, run)]
            curvatures += [(_moved(here, run, at), _short(of)) for here, of in cut(known, run)]
            for whole, size in part.even_shifts.runs:
                here = slice(max(whole.start, run.start), min(whole.stop, run.stop))
                if here.start < here.stop:
                    shifts.append((_moved(here, run, at), size))
        centre = _sparse(part.pull.place, part.pull.centre, plan, shard)
        begin = _sparse(part.begin_at, part.begin_value, plan, shard)
        n_deviations = 0 if shard == HEAD else int(plan.n_deviations[shard])
        pull, even = PriorPull(precision, *centre), EvenShifts(tuple(shifts))
        return cls(plan.size(shard), n_deviations, pull, even, curvatures, *begin)

    def start(self) -> Floats:
        """Return the parameters at the start."""
        found = np.zeros(self.size)
        found[self.begin_at] = self.begin
        return found

    @property
    def curvature(self) -> Floats:
        """What is known of the curvature in each parameter before a pass."""
        found = np.zeros(self.size)
        for part, of in self.curvatures:
            found[part] = of
        return found

    def penalised(self, gradient: Floats, x: Floats) -> tuple[Floats, float]:
        """Add the gradient of the priors in place; also return twice the penalty."""
        held = self.pull.add_to(gradient, x)
        self.shifts.take_from(gradient)
        return gradient, held


def _curvatures(part: MovingPart) -> list[Run]:
    """Return what is known of the curvature: that of the priors, or of attributes."""
    known: list[Run] = []
    of_attribute = [
        (part.marks.part(part.spec.names.group_slice(group)), of)
        for group, of in part.curvatures.items()
    ]
    for place, precision in part.pull.precision:
        here = [run for run, _ in of_attribute if run.start <= place.start < run.stop]
        known += cut(of_attribute, place) if here else [(place, precision)]
    return known


def _short(numbers: Floats | float) -> Floats | float:
    return numbers if isinstance(numbers, float) else one_if_same(numbers)


def _moved(here: slice, run: slice, at: int) -> slice:
    """Return where a slice of parameters lies within the shard that owns it."""
    return slice(here.start - run.start + at, here.stop - run.start + at)


def _sparse(place: Indices, numbers: Floats, plan: ShardPlan, shard: int) -> tuple[Indices, Floats]:
    """Return those of a few numbers that a shard has, and where they are in it; in order."""
    places, parts = [np.empty(0, np.int64)], [np.empty(0)]
    for run, at in plan.runs(shard):
        near = slice(*np.searchsorted(place, [run.start, run.stop]))
        places.append(place[near] - run.start + at)
        parts.append(numbers[near])
    return np.concatenate(places), np.concatenate(parts)
