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
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from veracity.data.arrays import Floats, Indices
from veracity.models.grbm.attributes import AttributeParameters, nobody
from veracity.models.grbm.observation.base import AttributePrior, Counts, Posterior
from veracity.models.grbm.observation.one_coin import CoinTables, OneCoin
from veracity.models.grbm.parameters import ParameterVector

#: Where log alpha starts, the precision of its prior, and the range within which it counts.
START, PRECISION, LOWEST, HIGHEST = 1.0, 1.0, -5.0, 8.0
#: The level of a source that is as reliable as an unknown one is taken to be.
RELIABLE = 1.0
#: Less weight than this behind a value is that of no claim.
NO_CLAIM = 1e-9


class Lures(OneCoin):
    """Items of one open attribute, judged by one reliability of each claim."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.parameters = replace(self.parameters, sources=nobody())
        said, total = self._said
        self.said, self.n = said, total
        self.is_claimed = said > NO_CLAIM
        item = self.arrays.item_of_statement
        # A value that is only denied is one of those that nobody claims, unless it is known to be
        # true.
        known = (self.arrays.offset == 0.0) & (self.arrays.offset_unseen == -np.inf)[item]
        self.is_possible = self.is_claimed | known
        n_items = self.arrays.n_items
        self.n_values = np.bincount(item, self.is_claimed, minlength=n_items)
        self.log_orders = np.where(self.is_claimed, gammaln(np.maximum(said, NO_CLAIM)), 0.0)
        self.of_item = np.bincount(item, self.log_orders, minlength=n_items)

    def concentration(self, own: ParameterVector) -> float:
        """Return alpha."""
        return float(np.exp(np.clip(own.number("log_alpha"), LOWEST, HIGHEST)))

    def log_others(self, own: ParameterVector) -> float:
        """Return l = log(1 + alpha), which takes the place of log(D - 1)."""
        return float(np.log1p(self.concentration(own)))

    def constants(self, own: ParameterVector) -> tuple[Floats, Floats]:
        """Return c_k of each statement, and that of a value that nobody claims."""
        alpha, arrays, item = self.concentration(own), self.arrays, self.arrays.item_of_statement
        log_alpha, whole = np.log(alpha), gammaln(alpha)
        left = np.maximum(self.n[item] - self.said, 0.0)
        constant = (
            (self.n_values[item] - self.is_claimed) * log_alpha
            + self.of_item[item] - self.log_orders - gammaln(alpha + left) + whole
        )  # fmt: skip
        unseen = self.n_values * log_alpha + self.of_item - gammaln(alpha + self.n) + whole
        constant = np.where(self.is_possible, constant, -np.inf)
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
        rest = self.said[self.arrays.roles.statement_index] - self.arrays.weight
        rest = np.maximum(np.where(self.arrays.names, rest, 0.0), 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(rest / (self.concentration(own) + rest)))

    def log_likelihood(
        self, own: ParameterVector, eta: Floats, posterior: Posterior
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in log alpha and in eta of each row."""
        value, tables, delta, of_share, _ = self._pass(own, eta, posterior)
        alpha, item = self.concentration(own), self.arrays.item_of_statement
        q, unclaimed = (
            posterior.plausibility[self.arrays.statements],
            posterior.unclaimed[self.arrays.items],
        )
        left = np.maximum(self.n[item] - self.said, 0.0)
        at_alpha = digamma(alpha)
        n_wrong = self.n_values[item] - self.is_claimed
        of_statement = n_wrong - alpha * (digamma(alpha + left) - at_alpha)
        of_unclaimed = self.n_values - alpha * (digamma(alpha + self.n) - at_alpha)
        slope = float((q * of_statement).sum() + (unclaimed * of_unclaimed).sum())
        in_level = delta @ (tables.slope - 1.0) if self.data.floor > 0 else 0.0
        slope += float(in_level + of_share) * alpha / (1.0 + alpha)
        if not LOWEST <= own.number("log_alpha") <= HIGHEST:
            slope = 0.0
        return value, np.array([slope]), delta * tables.slope

    def _share_of_wrong(
        self, own: ParameterVector, statement: Indices, by_node: Floats, item_by_node: Floats
    ) -> Floats:
        alpha, item = self.concentration(own), self.arrays.item_of_statement
        left = np.maximum(self.n[item] - self.said, 0.0)
        each = by_node / (alpha + left)[:, None]
        starts = self.arrays.roles.statement_start[:-1]
        of_item = np.add.reduceat(each, starts, axis=0)
        claimed = np.add.reduceat(by_node, starts, axis=0)
        of_item = of_item + (item_by_node - claimed) / (alpha + self.n)[:, None]
        attracts = np.where(self.is_claimed, self.said, alpha)[statement]
        return np.asarray(attracts[:, None] * (of_item[item[statement]] - each[statement]))

    def _names_unclaimed(self, statement: Indices, by_node: Floats, item_by_node: Floats) -> Floats:
        item = self.arrays.item_of_statement[statement]
        claimed = np.add.reduceat(by_node, self.arrays.roles.statement_start[:-1], axis=0)
        unclaimed = np.maximum(item_by_node[item] - claimed[item], 0.0)
        return np.where(self.is_claimed[statement][:, None], 0.0, unclaimed)

    def _unclaimed_constant(self, own: ParameterVector, item: int) -> float:
        alpha, n_values = self.concentration(own), float(self.n_values[item])
        return float(
            n_values * np.log(alpha) + self.of_item[item]
            - gammaln(alpha + self.n[item]) + gammaln(alpha)
        )  # fmt: skip

    def _values_repeat(
        self, total: float, constant: float, weight: Floats, names: Any, others: float
    ) -> float | None:
        """Count the claims of a value as if wrong ones attracted each other."""
        return float(total + constant - others * weight[names].sum())

    def counts(self) -> Counts:
        """Count items."""
        return {"n_items": self.arrays.n_items}

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""
        return {"n_items": 0}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Return the prior of log alpha."""
        curvature = PRECISION + 0.1 * float(counts["n_items"])
        return AttributePrior(np.array([START]), np.array([PRECISION]), np.array([curvature]))
