"""Located: where the truths of a block's items are, given what was learned about sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats
from veracity.models.forms.number.block_numbers import BlockNumbers
from veracity.models.forms.number.kernel import locate, weighted_middles
from veracity.models.forms.number.parameters import NumberParameters

#: The spread of an item is its own, with the typical one counting as so many claims.
TYPICAL_CLAIMS = 4.0
#: Distances from the median are clipped at so many deviations of the item, or of typical claims.
CLIP, LEAST_CLIP = 3.0, 0.3
#: The deviation of a normal distribution, in medians of the distance from its middle.
NORMAL = 1.4826


@dataclass(frozen=True, eq=False)
class Located:
    """Items of a block, and what follows for them from the parameters.

    Attributes
    ----------
    spread
        How far the claims of each item are apart, which biases are multiples of; (n,).
    location, variance
        The truth of each item on its scale, and the variance of its estimate; (n,).
    scale
        The variance of the errors of a usual source about the item; (n,).
    calm
        How much of its weight each claim keeps, being as far off as it is; (n_claims,).
    """

    numbers: BlockNumbers
    parameters: NumberParameters
    spread: Floats
    location: Floats
    variance: Floats
    scale: Floats
    calm: Floats

    @property
    def away(self) -> Floats:
        """How far each claim is from the truth and its source's bias; (n_claims,)."""
        return self.numbers.u - self.location[self.numbers.of_claim] - self.bias

    @property
    def noise(self) -> Floats:
        """The variance of each claim's error; (n_claims,)."""
        numbers = self.numbers
        return self.scale[numbers.of_claim] * self.parameters.error[numbers.cell]

    @property
    def share(self) -> Floats:
        """The share of each claim in the estimate of its item; (n_claims,)."""
        numbers, learned = self.numbers, self.parameters
        kappa = learned.kappa[numbers.attribute][numbers.of_claim]
        error = learned.error[numbers.cell] + kappa
        weight = numbers.weight * learned.trust[numbers.cell] / error
        split = learned.split[numbers.attribute][numbers.of_claim]
        exact = learned.exact[numbers.attribute][numbers.of_claim]
        weight = np.where(exact, weight, weight * self.calm)
        weight = np.where(split, numbers.weight, weight)
        return weight / numbers.by_item(weight)[numbers.of_claim]

    @property
    def bias(self) -> Floats:
        """The bias of each claim's source about its item; (n_claims,)."""
        return self.spread[self.numbers.of_claim] * self.parameters.bias[self.numbers.cell]


def squares_within(numbers: BlockNumbers, floor: Floats) -> Floats:
    """Return the clipped squared distances from the median, summed by item."""
    of_claim = numbers.of_claim
    least = LEAST_CLIP * floor[numbers.attribute]
    most = CLIP * np.maximum(NORMAL * numbers.deviation, least)
    away = np.minimum(np.abs(numbers.u - numbers.middle[of_claim]), most[of_claim])
    return numbers.by_item(numbers.weight * away**2)


def locate_items(numbers: BlockNumbers, learned: NumberParameters) -> Located:
    """Find the truths of a block's items."""
    free = np.maximum(numbers.count - 1.0, 0.0) + TYPICAL_CLAIMS
    squares = squares_within(numbers, learned.floor)
    typical = TYPICAL_CLAIMS * learned.typical[numbers.attribute]
    spread = np.sqrt((squares + typical) / free)
    n_items = len(numbers.item)
    location, variance, scale = np.empty(n_items), np.empty(n_items), np.empty(n_items)
    calm = np.empty(len(numbers.u))
    locate(
        numbers.start,
        numbers.attribute,
        numbers.u,
        numbers.weight,
        numbers.cell,
        learned.bias,
        learned.doubt,
        learned.error,
        learned.trust,
        learned.hyper,
        spread,
        numbers.middle,
        numbers.known,
        location,
        variance,
        scale,
        calm,
    )
    return Located(numbers, learned, spread, location, variance, scale, calm)


def place_items(numbers: BlockNumbers, learned: NumberParameters) -> Located:
    """Find the truths of a block's items as they are shown.

    Where reports are exact, that is a weighted median; where sources fall into camps, the median.
    """
    found = locate_items(numbers, learned)
    wanted = learned.exact[numbers.attribute] & np.isnan(numbers.known)
    split = learned.split[numbers.attribute] & np.isnan(numbers.known)
    found.location[split] = numbers.middle[split]
    wanted &= ~split
    if wanted.any():
        weighted_middles(numbers.start, numbers.u, found.share, wanted, found.location)
    return found
