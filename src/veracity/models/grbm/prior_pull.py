"""How strongly priors pull at parameters, a few numbers at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.vectors import dot

#: Numbers that are worked on together.
AT_A_TIME = 1 << 16

#: Numbers of neighbours, or the one that all of them have.
Run = tuple[slice, Floats | float]


@dataclass(frozen=True, eq=False)
class PriorPull:
    """Independent normal priors of some parameters.

    Attributes
    ----------
    precision
        The precisions, by runs of neighbours.
    place, centre
        The means that are not 0, and where they are; few.
    """

    precision: Sequence[Run]
    place: Indices
    centre: Floats

    def add_to(self, gradient: Floats, x: Floats) -> float:
        """Add the gradient of the penalty at `x` to `gradient`; return twice the penalty."""
        held = 0.0
        for part, precision in self.precision:
            for first in range(part.start, part.stop, AT_A_TIME):
                here = slice(first, min(first + AT_A_TIME, part.stop))
                near = slice(*np.searchsorted(self.place, [here.start, here.stop]))
                step = x[here].copy()
                step[self.place[near] - first] -= self.centre[near]
                own = precision if isinstance(precision, float) else precision[within(here, part)]
                pull = own * step
                held += dot(pull, step)
                gradient[here] += pull
        return held


def within(some: slice, part: slice) -> slice:
    """Return where neighbours are within a part that they are in."""
    return slice(some.start - part.start, some.stop - part.start)


def one_if_same(numbers: Floats) -> Floats | float:
    """Return numbers, or only one of them if all are the same."""
    return float(numbers[0]) if len(numbers) and (numbers == numbers[0]).all() else numbers


def cut(runs: Sequence[Run], part: slice) -> Iterator[Run]:
    """Return those of neighbours in a part, counted from where they are in all."""
    for whole, numbers in runs:
        here = slice(max(whole.start, part.start), min(whole.stop, part.stop))
        if here.start < here.stop:
            own = numbers if isinstance(numbers, float) else numbers[within(here, whole)]
            yield here, own
