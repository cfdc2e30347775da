"""Closeness: how far from the truth a claimed number may be and still be right."""

from __future__ import annotations

import numpy as np
from scipy import special

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.data.clean.tolerance import Tolerance
from veracity.data.encode.attributes import AttributeProfile
from veracity.engines.base import Blocks
from veracity.engines.sums import Sums
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.parameters import NumberParameters
from veracity.models.forms.number.scale import to_scale

#: Decimals that the resolution of an attribute may have.
DECIMALS = 7
#: So many of the claims have to lie on the grid of a resolution.
ON_GRID = 0.98
#: Where no tolerance is given, it is this part of the typical distance of claims from the median.
OF_SPREAD = 1.0


class Closeness:
    """How far a number may be from the truth of its attribute and still be right.

    What the user gives as tolerance; else the typical standard deviation of claims about an
    item, and at least half a unit of the last digit that they have. On the scale of
    logarithms, the standard deviation is a part of the number.

    Parameters
    ----------
    given
        The tolerance of each attribute, None where none is given.
    resolution
        The unit of the last digit of each attribute's claims; (n_attributes,).
    """

    def __init__(self, given: list[float | str | None], resolution: Floats) -> None:
        self.given, self.resolution = given, resolution

    @classmethod
    def of(cls, profiles: tuple[AttributeProfile, ...], blocks: Blocks[BlockNumbers]) -> Closeness:
        """Find the resolution of each attribute."""
        counted = blocks.total(_on_grids, len(profiles))["on_grid"]
        fits = counted[:, :-1] >= ON_GRID * counted[:, -1:]
        decimals = np.where(fits.any(axis=1), np.argmax(fits, axis=1), DECIMALS)
        resolution = np.where(fits.any(axis=1), 10.0**-decimals, 0.0)
        return cls([profile.tolerance for profile in profiles], resolution)

    def reach(self, value: Floats, attribute: Indices, learned: NumberParameters) -> Floats:
        """Return how far from each number the truth may be."""
        spread = OF_SPREAD * learned.floor[attribute]
        own = np.where(learned.is_log[attribute], spread * np.abs(value), spread)
        reach = np.maximum(own, self.resolution[attribute] / 2)
        for place, tolerance in enumerate(self.given):
            if tolerance is not None:
                at = attribute == place
                reach[at] = Tolerance.of(tolerance).reach(value[at])
        return np.asarray(reach)

    def bounds(
        self, value: Floats, attribute: Indices, learned: NumberParameters
    ) -> tuple[Floats, Floats]:
        """Return the numbers, on their scale, between which the truth is close to each value."""
        reach = self.reach(value, attribute, learned)
        is_log = learned.is_log[attribute]
        low = to_scale(value - reach, is_log)
        return np.where(np.isnan(low), -np.inf, low), to_scale(value + reach, is_log)


def within(low: Floats, high: Floats, centre: Floats, error: Floats) -> Floats:
    """Return the normal probability between two numbers; 0 or 1 where there is no error."""
    sure = (low <= centre) & (centre <= high)
    size = np.where(error > 0, error, 1.0)
    mass = special.ndtr((high - centre) / size) - special.ndtr((low - centre) / size)
    return np.where(error > 0, np.clip(mass, 0.0, 1.0), sure.astype(np.float64))


def _on_grids(numbers: BlockNumbers, n_attributes: int) -> Sums:
    """Count the claims with at most 0, 1, 2 and so on decimals, and all claims."""
    attribute = numbers.attribute[numbers.of_claim]
    columns = []
    for decimals in range(DECIMALS):
        large = numbers.value * 10.0**decimals
        slack = 1e-6 * np.maximum(1.0, np.abs(large) * 1e-6)
        columns.append(np.abs(np.round(large) - large) <= slack)
    columns.append(np.ones(len(attribute), np.bool_))
    return {
        "on_grid": np.stack(
            [sum_by(attribute, one.astype(np.float64), n_attributes) for one in columns], axis=1
        )
    }
