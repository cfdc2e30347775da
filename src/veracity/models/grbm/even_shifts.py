"""Even shifts: directions in which the parameters of classes move without any effect.

How often classes are true, and what sources like to say, are probabilities softmax(b): the same
number more for every class changes nothing. The gradient has no part in such a direction, but for
rounding. A search that knows nothing of the prior's curvature there, sixty times that of other
directions, would overshoot, and make the rounding larger with each of its steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from veracity.data.arrays import Floats
from veracity.data.compiled import compiled
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.parameters import DOT, ParameterNames

#: The parameters of an attribute of which there is one for each class, by their last axis.
BY_CLASS = ("prior", "habit", "source_habit")


@dataclass(frozen=True)
class EvenShifts:
    """The parameters that may be shifted together.

    Attributes
    ----------
    runs
        Where they are in the vector of all parameters, and how many neighbours go together.
    """

    runs: tuple[tuple[slice, int], ...]

    @classmethod
    def of(cls, attributes: tuple[AttributeParameters, ...], names: ParameterNames) -> EvenShifts:
        """Find the parameters of classes of all attributes."""
        return cls(tuple(_runs(attributes, names)))

    def take_from(self, gradient: Floats) -> None:
        """Remove the part of a gradient that lies in these directions, in place."""
        for run, size in self.runs:
            _less_mean(gradient[run].reshape(-1, size))


@compiled
def _less_mean(groups: Any) -> None:
    """Take the mean of each row away from it."""
    n_groups, size = groups.shape
    for group in range(n_groups):
        total = 0.0
        for place in range(size):
            total += groups[group, place]
        for place in range(size):
            groups[group, place] -= total / size


def _runs(
    attributes: tuple[AttributeParameters, ...], names: ParameterNames
) -> Iterator[tuple[slice, int]]:
    """Yield where parameters of classes are, and how many classes there are."""
    for number, attribute in enumerate(attributes):
        if attribute.range.form == "confusion":
            for name in BY_CLASS:
                yield names.slices[f"{number}{DOT}{name}"], attribute.range.n_classes
