"""Even shifts: directions in which the parameters of classes move without any effect.

How often classes are true, and what sources like to say, are probabilities softmax(b): the same
number more for every class changes nothing. The gradient has no part in such a direction, but for
rounding. A search that knows nothing of the prior's curvature there, sixty times that of other
directions, would overshoot, and make the rounding larger with each of its steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.parameters import DOT, ParameterNames

#: The parameters of an attribute of which there is one for each class, by their last axis.
BY_CLASS = ("prior", "habit", "source_habit")


@dataclass(frozen=True, eq=False)
class EvenShifts:
    """The parameters that may be shifted together.

    Attributes
    ----------
    place
        Where they are in the vector of all parameters; (n,).
    group
        Which of them go together; (n,).
    size
        How many these are; (n_groups,).
    """

    place: Indices
    group: Indices
    size: Floats

    @classmethod
    def of(cls, attributes: tuple[AttributeParameters, ...], names: ParameterNames) -> EvenShifts:
        """Find the parameters of classes of all attributes."""
        parts = list(_parts(attributes, names))
        counts = np.concatenate([np.empty(0, np.int64), *(np.full(n, k) for _, n, k in parts)])
        place = np.concatenate([np.empty(0, np.int64), *(place for place, _, _ in parts)])
        group = np.repeat(np.arange(len(counts)), counts)
        return cls(place, group, counts.astype(np.float64))

    def taken_from(self, gradient: Floats) -> Floats:
        """Return a gradient without its part in these directions."""
        if not len(self.place):
            return gradient
        mean = sum_by(self.group, gradient[self.place], len(self.size)) / self.size
        gradient = gradient.copy()
        gradient[self.place] -= mean[self.group]
        return gradient


def _parts(
    attributes: tuple[AttributeParameters, ...], names: ParameterNames
) -> Iterator[tuple[Indices, int, int]]:
    """Yield the places of some parameters, how many groups they are, and the size of each."""
    for number, attribute in enumerate(attributes):
        if attribute.range.form != "confusion":
            continue
        for name in BY_CLASS:
            part = names.slices[f"{number}{DOT}{name}"]
            place, k = np.arange(part.start, part.stop), attribute.range.n_classes
            yield place, len(place) // k, k
