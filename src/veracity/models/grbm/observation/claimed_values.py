"""What is claimed of the items of open domains, whatever the parameters are.

In every pass, an open domain asks for the gamma function at the concentration of its attribute plus
the weight of some claims. Few of these weights differ, so the function is worked out once for each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.features.codes import distinct_codes
from veracity.models.gamma import digammas, log_gammas
from veracity.models.grbm.observation.joined_items import JoinedItems

#: Less weight than this behind a value is that of no claim.
NO_CLAIM = 1e-9


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of items or of statements.

    Attributes
    ----------
    each
        The weights; (n,).
    attribute, weight
        The distinct pairs of an attribute and a weight; (n_pairs,).
    pair
        The pair of each; (n,).
    """

    each: Floats
    attribute: Indices
    weight: Floats
    pair: npt.NDArray[np.int32]

    @classmethod
    def of(cls, each: Floats, attribute: Indices) -> Self:
        """Find the distinct pairs of an attribute and a weight."""
        weights, code = distinct_codes(each)
        pairs, pair = distinct_codes(attribute * len(weights) + code)
        attributes, places = np.divmod(pairs, max(len(weights), 1))
        return cls(each, attributes, weights[places], pair.astype(np.int32))

    def log_gammas_after(self, start: Floats) -> Floats:
        """Return log Gamma(start + weight) of each; `start` is that of each attribute."""
        return self._after(start, log_gammas)

    def digammas_after(self, start: Floats) -> Floats:
        """Return digamma(start + weight) of each; `start` is that of each attribute."""
        return self._after(start, digammas)

    def _after(self, start: Floats, function: Callable[[Floats], Floats]) -> Floats:
        return function(start[self.attribute] + self.weight)[self.pair]


@dataclass(frozen=True, eq=False)
class ClaimedValues:
    """What is claimed of items.

    Attributes
    ----------
    said, n
        c of each statement, and n of each item.
    is_claimed, is_possible
        Mark the statements that somebody claims, and those that may be true: a value that is only
        denied is one of those that nobody claims, unless it is known to be true.
    n_values, n_wrong
        h of each item, and how many of its claimed values are wrong if a statement is true.
    of_item, orders_of_others
        The sum of log Gamma(c_j) over the values of each item, and over those other than each.
    left
        n - c of each statement.
    """

    said: Floats
    n: Weights
    is_claimed: Mask
    is_possible: Mask
    n_values: Floats
    n_wrong: Floats
    of_item: Floats
    orders_of_others: Floats
    left: Weights

    @classmethod
    def of(cls, arrays: JoinedItems, said: Floats, n: Floats) -> Self:
        """Count values, given the weight of the claims of each statement and of each item."""
        item, n_items, is_claimed = arrays.item_of_statement, arrays.n_items, said > NO_CLAIM
        known = (arrays.offset == 0.0) & (arrays.offset_unseen == -np.inf)[item]
        n_values = sum_by(item, is_claimed.astype(np.float64), n_items)
        log_orders = np.where(is_claimed, log_gammas(np.maximum(said, NO_CLAIM)), 0.0)
        of_item = sum_by(item, log_orders, n_items)
        return cls(
            said,
            Weights.of(n, arrays.attribute),
            is_claimed,
            is_claimed | known,
            n_values,
            n_values[item] - is_claimed,
            of_item,
            of_item[item] - log_orders,
            Weights.of(np.maximum(n[item] - said, 0.0), arrays.attribute_of_statement),
        )
