"""Lures: open domains, in which wrong values attract further wrong claims.

There is no domain size. The wrong claims of an item fall on values as guests on the tables of a
Chinese restaurant with concentration alpha, so that three weak sources who repeat one error are not
taken for three witnesses, and an item on which all agree is believed. With c_j the weight of the
claims of value j, n that of all, h the number of claimed values and l = log(1 + alpha), a claim is
right with the probability p = sigmoid(softplus(eta + l) - l + d), and

    c_k         = (h - 1) log alpha + sum_{j != k} log Gamma(c_j) - log Gamma(alpha + n - c_k)
                  + log Gamma(alpha)
    c_unclaimed = h log alpha + sum_j log Gamma(c_j) - log Gamma(alpha + n) + log Gamma(alpha)

are the constants of `coin_kernels`. Own parameter: log alpha, drawn to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, sum_by
from veracity.models.gamma import digammas, log_gammas
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.observation.base import AttributePrior, Counts, Posterior
from veracity.models.grbm.observation.claimed_values import ClaimedValues
from veracity.models.grbm.observation.one_coin import CoinTables, OneCoin
from veracity.models.grbm.parameters import ParameterVector

#: Where log alpha starts, the precision of its prior, and the range within which it counts.
START, PRECISION, LOWEST, HIGHEST = 1.0, 1.0, -5.0, 8.0
#: The level of a source that is as reliable as an unknown one is taken to be.
RELIABLE = 1.0


class Lures(OneCoin):
    """Items of open attributes, judged by one reliability of each claim."""

    @cached_property
    def values(self) -> ClaimedValues:
        """What is claimed of each item."""
        return ClaimedValues.of(self.arrays, *self._said)

    def concentration(self, own: ParameterVector) -> Floats:
        """Return alpha of each attribute."""
        return np.exp(np.clip(own["log_alpha"].reshape(-1), LOWEST, HIGHEST))

    def log_others(self, own: ParameterVector) -> Floats:
        """Return l = log(1 + alpha), which takes the place of log(D - 1), of each attribute."""
        return np.log1p(self.concentration(own))

    def constants(self, own: ParameterVector) -> tuple[Floats, Floats]:
        """Return c_k of each statement, and that of a value that nobody claims."""
        arrays, values = self.arrays, self.values
        of_attribute = self.concentration(own)
        alpha = of_attribute[arrays.attribute]
        log_alpha, whole = np.log(alpha), log_gammas(of_attribute)[arrays.attribute]
        item = arrays.item_of_statement
        constant = (
            values.n_wrong * log_alpha[item]
            + values.orders_of_others - values.left.log_gammas_after(of_attribute) + whole[item]
        )  # fmt: skip
        unseen = (
            values.n_values * log_alpha
            + values.of_item - values.n.log_gammas_after(of_attribute) + whole
        )  # fmt: skip
        constant = np.where(values.is_possible, constant, -np.inf)
        return constant + arrays.offset, unseen + arrays.offset_unseen

    def least_right(self, own: ParameterVector, tables: CoinTables) -> Floats:
        """Return the least log-probability of each claim if its value is true, for scores.

        It holds for sources that are at least as reliable as an unknown one is taken to be, which
        is right about three times in four. What weaker ones repeat may be a lure.
        """
        least = super().least_right(own, tables)
        if len(least):
            least[tables.level[self.arrays.row] < RELIABLE] = -np.inf
        return least

    def _wrong_shares(self, own: ParameterVector) -> Floats:
        """Return log(c / (alpha + c)), with c the weight of the other claims of the value."""
        arrays = self.arrays
        rest = self.values.said[arrays.roles.statement_index] - arrays.weight
        rest = np.maximum(np.where(arrays.names, rest, 0.0), 0.0)
        alpha = self.concentration(own)[arrays.attribute_of_row][arrays.row]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(rest / (alpha + rest)))

    def log_likelihood(self, own: ParameterVector, eta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in log alpha and in eta of each row."""
        posterior = Posterior.empty(self.data.matrix)
        found, arrays, values = self._pass(own, eta, posterior), self.arrays, self.values
        of_attribute = self.concentration(own)
        alpha, at_alpha = (
            each[arrays.attribute] for each in (of_attribute, digammas(of_attribute))
        )
        item = arrays.item_of_statement
        q, unclaimed = posterior.plausibility[arrays.statements], posterior.unclaimed[arrays.items]
        of_statement = values.n_wrong - alpha[item] * (
            values.left.digammas_after(of_attribute) - at_alpha[item]
        )
        of_unclaimed = values.n_values - alpha * (values.n.digammas_after(of_attribute) - at_alpha)
        slope = arrays.by_attribute(unclaimed * of_unclaimed)
        slope += sum_by(arrays.attribute_of_statement, q * of_statement, arrays.n_attributes)
        in_log_others = arrays.by_attribute(found.of_share)
        if self.data.floor > 0:
            in_level = found.delta * (found.tables.slope - 1.0)
            in_log_others += sum_by(arrays.attribute_of_row, in_level, arrays.n_attributes)
        slope += in_log_others * of_attribute / (1.0 + of_attribute)
        log_alpha = own["log_alpha"].reshape(-1)
        slope[(log_alpha < LOWEST) | (log_alpha > HIGHEST)] = 0.0
        return found.value, slope, found.delta * found.tables.slope

    def _share_of_wrong(
        self, own: ParameterVector, statement: Indices, by_node: Floats, item_by_node: Floats
    ) -> Floats:
        arrays, values = self.arrays, self.values
        alpha, item = self.concentration(own)[arrays.attribute], arrays.item_of_statement
        each = by_node / (alpha[item] + values.left.each)[:, None]
        starts = arrays.roles.statement_start[:-1]
        of_item = np.add.reduceat(each, starts, axis=0)
        claimed = np.add.reduceat(by_node, starts, axis=0)
        of_item = of_item + (item_by_node - claimed) / (alpha + values.n.each)[:, None]
        attracts = np.where(values.is_claimed, values.said, alpha[item])[statement]
        return np.asarray(attracts[:, None] * (of_item[item[statement]] - each[statement]))

    def _names_unclaimed(self, statement: Indices, by_node: Floats, item_by_node: Floats) -> Floats:
        item = self.arrays.item_of_statement[statement]
        claimed = np.add.reduceat(by_node, self.arrays.roles.statement_start[:-1], axis=0)
        unclaimed = np.maximum(item_by_node[item] - claimed[item], 0.0)
        return np.where(self.values.is_claimed[statement][:, None], 0.0, unclaimed)

    def _unclaimed_constants(self, own: ParameterVector) -> Floats:
        """Return c of a value that nobody claims, of each item."""
        of_attribute, values = self.concentration(own), self.values
        alpha = of_attribute[:1]
        most = values.n_values * np.log(alpha) + values.of_item
        return np.asarray(most - values.n.log_gammas_after(of_attribute) + log_gammas(alpha))

    def _values_repeat(
        self, total: float, constant: float, named: float, others: float
    ) -> float | None:
        """Count the claims of a value as if wrong ones attracted each other."""
        return total + constant - others * named

    def counts(self) -> Counts:
        """Count items."""
        return {"n_items": self.parameters.range.n_items}

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""
        return {"n_items": 0}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Return the prior of log alpha."""
        curvature = PRECISION + 0.1 * float(counts["n_items"])
        return AttributePrior(np.array([START]), np.array([PRECISION]), np.array([curvature]))
