"""One coin: a source is right with one probability, whatever the value of a closed domain.

With D values that an item may take, u >= 0 the strength of a claim, d the hardness of the item and
k the truth,

    P(says k | k) = e^(u + d) / (e^(u + d) + D - 1)      P(says j | k) = 1 / (e^(u + d) + D - 1)

and P(k) = 1/D. The strength follows from eta by u = softplus(eta + log(D - 1)), which makes nobody
worse than chance on an item of middling hardness. Written with level = u - log(D - 1), a claim is
right with the probability sigmoid(level + d), and a wrong one falls on each other value alike. The
compiled passes are in `coin_kernels`; `log_joint` is the same formula in numpy.

Thousands of attributes with a few claims each would cost a pass each, and most of it the calls. So
a model may stand for several attributes, whose items its passes judge one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, numbers_of, sum_by
from veracity.data.encode.denials import DENIES_ALONE, SPEAKS
from veracity.engines.threads import over_threads
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange, nobody
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.hardness import Hardness
from veracity.models.grbm.observation.base import (
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
    Scores,
)
from veracity.models.grbm.observation.coin_kernels import coin_pass, coin_scores
from veracity.models.grbm.observation.evidence import SHARE, Evidence, log_sum_exp
from veracity.models.grbm.observation.joined_items import JoinedItems
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.theta import softplus

#: Rows whose numbers are kept at hand to list evidence; most claims are of few sources.
ROWS_KEPT = 4096


@dataclass(frozen=True, eq=False)
class CoinTables:
    """Functions of the parameters that a pass looks up.

    Attributes
    ----------
    level, slope
        level of each row, and its derivative in eta; (n_rows,).
    right, log_wrong
        What a claim adds to its own value at each node, and log(1 - p); (n_rows, n_nodes).
    """

    level: Floats
    slope: Floats
    right: Floats
    log_wrong: Floats


@dataclass(frozen=True, eq=False)
class CoinSums:
    """What a pass over items finds.

    Attributes
    ----------
    value
        The log-likelihood.
    tables
        What the pass looked up.
    delta, of_share
        Its gradient in the level of each row, and in log(1/s) of each item.
    by_node, item_by_node
        P(k, t) of each statement, and P(t) of each item; empty if that is not wanted.
    """

    value: float
    tables: CoinTables
    delta: Floats
    of_share: Floats
    by_node: Floats
    item_by_node: Floats


def _looked_up(posterior: Posterior, arrays: JoinedItems) -> tuple[Floats, ...]:
    """Return the parts of a posterior that a pass sets."""
    of_items = (posterior.unclaimed, posterior.likelihood, posterior.hardness)
    return posterior.plausibility[arrays.statements], *(each[arrays.items] for each in of_items)


class OneCoin:
    """Items of closed attributes: each claim has one reliability. There are no own parameters.

    Parameters
    ----------
    data, own, attribute, place
        As for all observation models.
    further
        More attributes of the same form and hardness, whose items come later; then parameters
        have an axis of attributes.
    """

    uses_claim_count = True
    is_per_statement = False

    def __init__(
        self,
        data: BlockData,
        own: AttributeRange,
        attribute: AttributeParameters,
        place: Indices,
        further: Sequence[AttributeRange] = (),
    ) -> None:
        self.data, self.ranges = data, (own, *further)
        self.hardness = Hardness.of(own.hardness)
        self.parameters = replace(attribute, range=own, sources=nobody(), has_confusion=nobody())

    @cached_property
    def arrays(self) -> JoinedItems:
        """The claims about the items."""
        return JoinedItems.of(self.data, self.ranges)

    @property
    def rows(self) -> Indices:
        """The rows of eta that the claims have; one that several attributes have comes again."""
        return self.arrays.rows

    # What wrong values are like

    @cached_property
    def n_classes(self) -> Indices:
        """The number of values of each attribute; (n_attributes,)."""
        return np.array([max(own.n_classes, 2) for own in self.ranges])

    def log_others(self, own: ParameterVector) -> Floats:
        """Return the log of how many values are wrong, D - 1, of each attribute."""
        return np.asarray(np.log(self.n_classes - 1.0))

    def shares(self, own: ParameterVector) -> Floats:
        """Return s of each item, the share of wrong claims that fall on a given value."""
        return np.asarray(np.exp(-self.log_others(own))[self.arrays.attribute])

    def constants(self, own: ParameterVector) -> tuple[Floats, Floats]:
        """Return log P(k) and where wrong claims fall, of each statement and unclaimed values."""
        arrays, n_classes = self.arrays, self.n_classes[self.arrays.attribute]
        item, (said, total) = arrays.item_of_statement, self._said
        others, log_prior = self.log_others(own)[arrays.attribute], -np.log(n_classes)
        n_unseen = np.maximum(n_classes - np.diff(arrays.roles.statement_start), 0)
        constant = log_prior[item] - (total[item] - said) * others[item]
        with np.errstate(divide="ignore"):
            unseen = log_prior - total * others + np.log(n_unseen)
        return constant + arrays.offset, unseen + arrays.offset_unseen

    @cached_property
    def _said(self) -> tuple[Floats, Floats]:
        """The weight of the claims of each statement, and of each item."""
        arrays = self.arrays
        weight = np.where(arrays.names, arrays.weight, 0.0)
        n_statements = arrays.roles.n_statements
        said = sum_by(arrays.roles.statement_index, weight, n_statements)
        return said, sum_by(arrays.item_of_statement, said, arrays.n_items)

    # The passes

    def tables(self, own: ParameterVector, eta: Floats) -> CoinTables:
        """Return what the passes look up."""
        others = self.log_others(own)[self.arrays.attribute_of_row]
        u, slope = self.data.strength(eta[self.rows], others)
        level = u - others
        right = level[:, None] + self.hardness.shift
        return CoinTables(level, slope, right, -softplus(right))

    def least_right(self, own: ParameterVector, tables: CoinTables) -> Floats:
        """Return the least log-probability of each claim if its value is true, for scores.

        With hardness integrated out, a weak claim may speak against its own value: it makes a hard
        item likelier. So a claim counts as at least as likely if its value is true as if another
        is, on an item of whatever hardness; empty where sources may be worse than chance.
        """
        if self.data.floor == 0:
            return np.empty(0)
        return np.asarray(tables.log_wrong.max(axis=1)[self.arrays.row] + self._wrong_shares(own))

    def _wrong_shares(self, own: ParameterVector) -> Floats:
        """Return the log of the largest share of wrong claims that may fall on a claim's value."""
        arrays = self.arrays
        return np.asarray(-self.log_others(own)[arrays.attribute_of_row][arrays.row])

    def _pass(
        self, own: ParameterVector, eta: Floats, posterior: Posterior, by_node: bool = False
    ) -> CoinSums:
        """Return the log-likelihood, its gradients, and P(k, t) if wanted."""
        arrays, hardness = self.arrays, self.hardness
        tables, constants = self.tables(own, eta), self.constants(own)
        shape = (len(self.rows), hardness.n_nodes)
        of_statement, *of_items = _looked_up(posterior, arrays)
        share, of_share = self.shares(own), np.zeros(arrays.n_items)
        log_weight = tuple(hardness.log_weight.tolist())
        kept_statement, kept_item = (
            np.zeros((n if by_node else 0, hardness.n_nodes))
            for n in (arrays.roles.n_statements, arrays.n_items)
        )

        def work(first: int, last: int) -> tuple[float, list[Floats]]:
            sums = [np.zeros(shape[0]), np.zeros(shape), np.zeros(shape[0])]
            value = coin_pass(
                first, last, *arrays.kernel_arrays(), *constants, tables.right, tables.log_wrong,
                log_weight, share, np.empty(0), hardness.shift, *sums, of_share,
                of_statement, *of_items, kept_statement, kept_item,
            )  # fmt: skip
            return value, sums

        parts = over_threads(work, arrays.roles.claim_start, self.data.threads)
        own_sum, node_sum, of_denials = (sum(part[1][n] for part in parts) for n in range(3))
        right = -np.expm1(tables.log_wrong)
        delta = np.asarray(own_sum - (node_sum * right).sum(axis=1) + of_denials)
        posterior.plausibility[arrays.statements] = of_statement
        posterior.unclaimed[arrays.items], posterior.likelihood[arrays.items] = of_items[:2]
        posterior.hardness[arrays.items] = of_items[2]
        value = sum(part[0] for part in parts)
        return CoinSums(value, tables, delta, of_share, kept_statement, kept_item)

    def log_likelihood(self, own: ParameterVector, eta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        found = self._pass(own, eta, Posterior.empty(self.data.matrix))
        return found.value, np.zeros(0), found.delta * found.tables.slope

    def judge(self, own: ParameterVector, eta: Floats, posterior: Posterior) -> None:
        """Set what the parameters make of the claims."""
        self._pass(own, eta, posterior)

    def score(self, own: ParameterVector, eta: Floats, scores: Scores) -> None:
        """Set the scores of statements; a claim never lowers that of its own statement."""
        arrays, tables, constants = self.arrays, self.tables(own, eta), self.constants(own)
        share, least = self.shares(own), self.least_right(own, tables)
        log_weight = tuple(self.hardness.log_weight.tolist())
        of_statement, of_item = scores.statement[arrays.statements], scores.unclaimed[arrays.items]

        def work(first: int, last: int) -> None:
            coin_scores(
                first, last, *arrays.kernel_arrays(), *constants, tables.right, tables.log_wrong,
                log_weight, share, least, of_statement, of_item,
            )  # fmt: skip

        over_threads(work, arrays.roles.claim_start, self.data.threads)
        scores.statement[arrays.statements], scores.unclaimed[arrays.items] = of_statement, of_item

    def log_joint(self, own: ParameterVector, eta: Floats, item: int) -> Floats:
        """Return log P(claims, k, t) of an item, by numpy: its statements, then unclaimed values.

        The formula that the compiled pass computes; it names items within the attribute.
        """
        arrays, tables, hardness = self.arrays, self.tables(own, eta), self.hardness
        constant, unseen = self.constants(own)
        roles = arrays.roles
        statements = slice(*roles.statement_start[item : item + 2].tolist())
        joint = np.append(constant[statements], unseen[item])[:, None] + hardness.log_weight
        for claim in range(*roles.claim_start[item : item + 2].tolist()):
            row, weight = arrays.row[claim], arrays.weight[claim]
            k = int(roles.statement_index[claim]) - statements.start
            says = np.tile(tables.log_wrong[row], (len(joint), 1))
            if arrays.names[claim]:
                says[k] += tables.right[row]
            elif roles.role[claim] in (DENIES_ALONE, SPEAKS):
                says[:] = np.log1p(-self.shares(own)[item] * np.exp(says))
                says[k] = tables.log_wrong[row]
            else:
                continue
            joint = joint + weight * says
        return np.asarray(joint)

    # What follows from a fit

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        arrays, tables = self.arrays, self.tables(own, eta)
        right = (-np.expm1(tables.log_wrong) @ self.hardness.weight)[arrays.row]
        rates.right[arrays.claims] = rates.tpr[arrays.claims] = right
        others = self.log_others(own)[arrays.attribute_of_row][arrays.row]
        rates.fpr[arrays.claims] = (1.0 - right) * np.exp(-others)
        rates.slope[arrays.claims] = tables.slope[arrays.row]

    def information(self, own: ParameterVector, eta: Floats) -> Floats:
        """Return the information of claims in eta of each row, as if truth were known."""
        arrays, tables = self.arrays, self.tables(own, eta)
        right = -np.expm1(tables.log_wrong) @ self.hardness.weight
        spoken = sum_by(arrays.row, np.where(arrays.names, arrays.weight, 0.0), len(self.rows))
        return np.asarray(spoken * right * (1.0 - right) * tables.slope**2)

    def heldout_log_prob(self, own: ParameterVector, eta: Floats, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the likelihood does not see, given the rest."""
        arrays, posterior = self.arrays, Posterior.empty(self.data.matrix)
        found = self._pass(own, eta, posterior, by_node=True)
        by_node, item_by_node = found.by_node, found.item_by_node
        claims = arrays.place_of_claims(hidden)
        statement = arrays.roles.statement_index[claims].astype(np.int64)
        wrong = np.exp(found.tables.log_wrong[arrays.row[claims]])  # (n_hidden, n_nodes)
        share = self._share_of_wrong(own, statement, by_node, item_by_node)
        says = by_node[statement] * (1.0 - wrong) + share * wrong
        says += self._names_unclaimed(statement, by_node, item_by_node) * (1.0 - wrong)
        denies = self.data.matrix.claim_value[hidden] == 0
        total = says.sum(axis=1)
        return np.asarray(np.log(np.maximum(np.where(denies, 1.0 - total, total), 1e-300)))

    def _share_of_wrong(
        self, own: ParameterVector, statement: Indices, by_node: Floats, item_by_node: Floats
    ) -> Floats:
        """Return the chance that a wrong claim falls on each statement, and that it is false."""
        item = self.arrays.item_of_statement[statement]
        share = self.shares(own)[item][:, None]
        return np.asarray((item_by_node[item] - by_node[statement]) * share)

    def _names_unclaimed(
        self, statement: Indices, by_node: Floats, item_by_node: Floats
    ) -> Floats | float:
        """Return the chance that a right claim names a value that nobody else claims."""
        return 0.0

    def n_wrong_values(self, own: ParameterVector, claims: slice) -> float:
        """Return how many values of an item are wrong, D - 1."""
        return float(np.exp(self.log_others(own)[0]))

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item, against a value that nobody claims.

        Items are small: plain numbers take half as long as arrays of a few.
        """
        arrays, others = self.arrays, float(self.log_others(own)[0])
        first_claim, first_statement = self.data.first_of(self.parameters.range)
        first_item = self.parameters.range.first
        tables = self.tables(own, eta)
        wrong = np.exp(-softplus(tables.level))
        asserted = tables.level + others
        denied = np.log(wrong) - np.log1p(-np.exp(-others) * np.minimum(wrong, 1.0 - 1e-12))
        constant = numbers_of(self.constants(own)[0])
        unclaimed_constants = numbers_of(self._unclaimed_constants(own))
        weights, names_it = numbers_of(arrays.weight), numbers_of(arrays.names)
        rows = numbers_of(arrays.row)
        log_node = self.hardness.log_weight.tolist()

        @lru_cache(maxsize=ROWS_KEPT)
        def of_row(row: int) -> tuple[list[float], float, float]:
            return tables.log_wrong[row].tolist(), float(asserted[row]), float(denied[row])

        def bills(item: int, heard: Sequence[Heard]) -> list[Bill]:
            unclaimed = unclaimed_constants[item - first_item]
            statements = self.data.statements(item)
            about: dict[int, tuple[list[int], list[float], list[bool]]] = {
                statement: ([], [], []) for statement in statements
            }
            named = dict.fromkeys(statements, 0.0)
            all_wrong = [log_node]
            for claim, statement, _ in heard:
                place = claim - first_claim
                weight, names = weights[place], names_it[place]
                log_wrong, if_named, if_denied = of_row(rows[place])
                if names:
                    counted = [weight * one for one in log_wrong] if weight != 1.0 else log_wrong
                    all_wrong.append(counted)
                    named[statement] += weight
                claims, added, claimed = about[statement]
                claims.append(claim)
                added.append(weight * (if_named if names else if_denied))
                claimed.append(names)
            reference = unclaimed + log_sum_exp(list(map(sum, zip(*all_wrong, strict=True))))
            made = []
            for statement, (claims, added, claimed) in about.items():
                more = constant[statement - first_statement] - unclaimed
                values = self._values_repeat(sum(added), more, named[statement], others)
                steps = evidence.steps(item, statements, statement, reference, values)
                made.append(Bill(statement, 0.0, claims, added, claimed, steps, SHARE))
            return made

        return bills

    def _unclaimed_constants(self, own: ParameterVector) -> Floats:
        """Return c of one value that nobody claims, of each item."""
        others = self.log_others(own)[0]
        return np.asarray(-np.log(self.n_classes[0]) - self._said[1] * others)

    def _values_repeat(
        self, total: float, constant: float, named: float, others: float
    ) -> float | None:
        """Return the log-odds once the repetition of wrong values is allowed for, if it is.

        `named` is the weight of the claims that name the value.
        """
        return None

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.data.row_counts(self.parameters.range)

    def counts(self) -> Counts:
        """Count nothing: there are no parameters."""
        return {}

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Count nothing: there are no parameters."""
        return {}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Return no priors: there are no parameters."""
        return AttributePrior(*np.zeros((3, 0)))
