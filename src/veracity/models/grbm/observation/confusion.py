"""Classes that sources confuse: habits and a confusion matrix for each source.

With truth k, u >= 0 the strength of a claim, d the hardness of the item, and habits
h_j = a_j + A_j of the attribute and of the source, a source

    says the truth k with odds       e^(h_k + u + d) : sum_{j != k} e^h_j
    else the wrong class j with      probability proportional to e^(h_j + C_kj + B_kj)

and P(k) = softmax(b)_k. How much the hardness of items varies is learned for each class; see
`hardness`. The confusions C of the attribute and B of the source only share out the wrong mass, so
classes cannot swap their names. The compiled passes are in `confusion_kernels`; `log_says` is the
same formula in numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask, sum_by
from veracity.data.buffers import take_labels
from veracity.data.encode.denials import DENIES_ALONE, REDUNDANT, SET_ASIDE
from veracity.data.encode.grouping import among
from veracity.engines.threads import over_threads
from veracity.features.codes import distinct_codes
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.hardness import Hardness, basis
from veracity.models.grbm.observation.base import (
    FIXED,
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
    Scores,
)
from veracity.models.grbm.observation.batch_kernels import batch_pass
from veracity.models.grbm.observation.class_cells import ClassCells
from veracity.models.grbm.observation.class_tables import ClassTables, log_of, log_prior
from veracity.models.grbm.observation.confusion_kernels import (
    LEAST,
    add_products,
    claim_rates,
    class_pass,
    class_scores,
)
from veracity.models.grbm.observation.evidence import IMPOSSIBLE, SHARE, Evidence
from veracity.models.grbm.observation.item_batches import STRETCH, ItemBatches
from veracity.models.grbm.observation.source_kernels import right_on_average
from veracity.models.grbm.parameters import ParameterNames, ParameterVector
from veracity.models.grbm.speaking import SPEAKING_NORM
from veracity.models.two_sum import steady_sums

#: Prior precisions of C, A and B.
CONFUSION, SOURCE_HABIT, SOURCE_CONFUSION = 1.0, 2.0, 5.0
#: Prior precisions of b and a, and how much each item with a single claim adds: what all items
#: share must earn it, and items with one claim say nothing about it.
PRIOR, PRIOR_PER_SINGLE = 20.0, 0.1
HABIT, HABIT_PER_SINGLE = 60.0, 0.3
#: Parameters that all items share, of which each tells a little.
SHARED = ("prior", "hardness")


class Confusion:
    """Items of one closed attribute, judged by classes that sources confuse.

    A boolean attribute has the classes no and yes, of which yes is its one statement.
    """

    uses_claim_count = False
    is_per_statement = False

    def __init__(
        self,
        data: BlockData,
        own: AttributeRange,
        attribute: AttributeParameters,
        place: Indices,
    ) -> None:
        self.data, self.k, arrays = data, own.n_classes, data.item_arrays(own)
        self.arrays, self.rows = arrays, arrays.rows
        self.hardness = Hardness.of(own.hardness, own.learns_hardness)
        matrix = data.matrix
        values, value_place = distinct_codes(matrix.value_index[arrays.statements])
        names = take_labels(matrix.values, values).to_pylist()
        class_of = {name: index for index, name in enumerate(attribute.classes)}
        of_value = np.array([class_of.get(name, -1) for name in names], np.int64)
        self.class_of_statement = of_value[value_place]
        self.said_class = self.class_of_statement[arrays.roles.statement_index]
        profile = matrix.profiles[matrix.place_of_attribute[own.name]]
        self.is_boolean = profile.kind == "boolean"
        if self.is_boolean:  # who denies the statement says no
            says_no = matrix.claim_value[arrays.claims] == 0
            self.said_class = np.where(says_no, 1 - self.said_class, self.said_class)
        self.said_class[arrays.roles.role == SET_ASIDE] = -1
        source = matrix.source_index[arrays.claims].astype(np.int64)
        sources, speaker = distinct_codes(source)
        known_class = np.maximum(self.said_class, 0)
        self.said_pairs, said = distinct_codes(speaker * self.k + known_class)
        self.said = said.astype(np.int32)
        self.place_of_row = np.searchsorted(sources, data.source_of_row[self.rows])
        self.n_claims = np.bincount(speaker, minlength=len(sources))
        self.confused = np.flatnonzero(attribute.confuses(place[sources]))
        one_sided = attribute.one_sided
        self.parameters = AttributeParameters(
            own, attribute.classes, sources, self.confused, one_sided,
            np.flatnonzero(among(place[sources], attribute.sources[attribute.has_habit])),
        )  # fmt: skip
        # The place of each source among those that are judged by their speaking, or -1.
        self.one_sided = np.full(len(sources), -1)
        if len(one_sided):
            at = np.minimum(np.searchsorted(one_sided.source, place[sources]), len(one_sided) - 1)
            self.one_sided = np.where(one_sided.source[at] == place[sources], at, -1)

    # The passes

    @cached_property
    def _lookups(self) -> tuple[Any, ...]:
        """The arrays that the kernels for single items begin with."""
        arrays, roles = self.arrays, self.arrays.roles
        counted = np.where(roles.role == REDUNDANT, -1, self.said_class).astype(np.int32)
        return roles.role, roles.claim_start, arrays.weight, arrays.row, self.said, counted

    @cached_property
    def habits_before(self) -> Indices:
        """How many habits the sources before each have, and all of them; (n_sources + 1,)."""
        return self.k * np.arange(len(self.n_claims) + 1)

    @cached_property
    def row_speaks(self) -> Mask:
        """Mark the rows of sources that are judged by their speaking; (n_rows,)."""
        return np.asarray(self.one_sided[self.place_of_row] >= 0)

    @cached_property
    def _is_plain(self) -> Mask:
        """Mark the items all of whose claims name a class, count once and tell by what they say."""
        role, claim_start, weight, row, _, counted = self._lookups
        special = (role == DENIES_ALONE) | (weight != 1.0) | self.row_speaks[row]
        special &= counted >= 0
        before = np.append(0, np.cumsum(special))
        return np.asarray(before[claim_start[1:]] == before[claim_start[:-1]])

    @cached_property
    def _cells(self) -> ClassCells:
        """The cells of all claims."""
        *_, row, _, counted = self._lookups
        n_sources = len(self.parameters.sources)
        return ClassCells.of(row, counted, self.k, self.place_of_row, n_sources)

    @cached_property
    def _batches(self) -> ItemBatches:
        """The plain items."""
        _, claim_start, *_, counted = self._lookups
        cells = self._cells
        return ItemBatches.of(self._is_plain, claim_start, counted, cells.cell, len(cells))

    @cached_property
    def _allowed(self) -> Mask:
        """Mark the classes that each item may have; empty if nothing is known; (n_items, K)."""
        arrays, of_class = self.arrays, self.class_of_statement
        if not (arrays.offset.any() or arrays.offset_unseen.any()):
            return np.empty((0, self.k), np.bool_)
        allowed = np.tile((arrays.offset_unseen == 0.0)[:, None], self.k)
        names = of_class >= 0
        allowed[arrays.item_of_statement[names], of_class[names]] = arrays.offset[names] == 0.0
        return allowed

    def _pass(
        self, own: ParameterVector, tables: ClassTables
    ) -> tuple[float, list[Floats], Floats]:
        """Return the log-likelihood of all items, and its sums by cell and by node.

        The sums by cell are in parts, which are to be given back to the spare arrays of the cells.
        """
        nothing = np.empty(0), np.empty((0, self.k, self.hardness.n_nodes))
        records = self._records(tables)
        found = self._pass_over(own, tables, records, 0, self.arrays.n_items, *nothing)
        self._cells.spare.give_back(records)
        return found

    def _by_stretches(
        self, own: ParameterVector, tables: ClassTables
    ) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield stretches of items, their log-likelihoods, and P(k, t) of each."""
        n_items, records = self.arrays.n_items, self._records(tables)
        for first in range(0, n_items, STRETCH):
            last = min(first + STRETCH, n_items)
            likelihood = np.zeros(last - first)
            by_node = np.zeros((last - first, self.k, self.hardness.n_nodes))
            self._pass_over(own, tables, records, first, last, likelihood, by_node)
            yield slice(first, last), likelihood, by_node
        self._cells.spare.give_back(records)

    def _records(self, tables: ClassTables) -> Floats:
        """Return what the claims of plain items look up."""
        if not self._is_plain.any():
            return np.empty((0, 2 * self.k))
        return self._cells.records(tables, self.data.threads)

    def _pass_over(
        self,
        own: ParameterVector,
        tables: ClassTables,
        records: Floats,
        first_item: int,
        last_item: int,
        likelihood: Floats,
        by_node: Floats,
    ) -> tuple[float, list[Floats], Floats]:
        """Return the log-likelihood of stretches of items, and its sums; or set it for each item.

        If it is set for each item, the sums by cell are left out.
        """
        prior, node_weight = np.exp(log_prior(own)), np.exp(tables.log_weight)
        batches, cells = self._batches, self._cells

        def no_sums() -> Floats:
            return np.empty((0, 2 * self.k)) if len(likelihood) else cells.no_sums(self.k)

        def judge_batches(first: int, last: int) -> tuple[float, Floats, Floats]:
            sums, node = no_sums(), np.zeros_like(node_weight)
            value = batch_pass(
                first, last, *batches.arrays(), batches.most_rows, prior, tables.shift,
                node_weight, self._allowed, records, sums, node, likelihood, by_node, first_item,
            )  # fmt: skip
            return value, sums, node

        def judge_items(first: int, last: int) -> tuple[float, Floats, Floats]:
            sums, node = no_sums(), np.zeros_like(node_weight)
            value = class_pass(
                first, last, *self._lookups, cells.cell, self._is_plain, prior, self._allowed,
                tables.share, tables.hit, tables.miss, *tables.logs, node_weight.ravel(),
                sums, node.ravel(),
                likelihood, by_node.reshape(len(by_node), node_weight.size), first_item,
            )  # fmt: skip
            return value, sums, node

        threads, found = self.data.threads, list[tuple[float, Floats, Floats]]()
        some = batches.of_stretch[[first_item // STRETCH, -(-last_item // STRETCH)]].tolist()
        if some[1] > some[0]:
            found += over_threads(judge_batches, batches.start, threads, *some)
        if not self._is_plain[first_item:last_item].all():
            start = self.arrays.roles.claim_start
            found += over_threads(judge_items, start, threads, first_item, last_item)
        values, sums, nodes = zip(*found or [judge_items(first_item, first_item)], strict=True)
        return sum(values), list(sums), reduce(np.add, nodes)

    def log_likelihood(self, own: ParameterVector, eta: Floats) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        tables = ClassTables.of(self, own, eta)
        value, sums, by_node = self._pass(own, tables)
        gradient, delta_u = self._gradient(own, tables, sums)
        for part in sums:
            self._cells.spare.give_back(part)
        of_class = by_node.sum(axis=1)
        gradient["prior"] = of_class - of_class.sum() * np.exp(log_prior(own))
        if self.hardness.is_learned:
            expected = of_class[:, None] * np.exp(tables.log_weight)
            gradient["hardness"] = (by_node - expected) @ basis()
        return value, gradient.values, delta_u * tables.slope

    def judge(self, own: ParameterVector, eta: Floats, posterior: Posterior) -> None:
        """Set what the parameters make of the claims."""
        arrays, of_statement = self.arrays, self.class_of_statement
        tables = ClassTables.of(self, own, eta)
        plausibility = posterior.plausibility[arrays.statements]
        for items, likelihood, by_node in self._by_stretches(own, tables):
            there = slice(*arrays.roles.statement_start[[items.start, items.stop]].tolist())
            item, known = arrays.item_of_statement[there] - items.start, of_statement[there] >= 0
            place = item[known], of_statement[there][known]
            by_class = by_node.sum(axis=2)
            plausibility[there][known] = by_class[place]
            by_class[place] = 0.0
            posterior.unclaimed[arrays.items][items] = by_class.sum(axis=1)
            posterior.likelihood[arrays.items][items] = likelihood
            posterior.hardness[arrays.items][items] = by_node.sum(axis=1) @ tables.shift

    def score(self, own: ParameterVector, eta: Floats, scores: Scores) -> None:
        """Set the scores of statements; a claim never lowers that of its own statement."""
        arrays = self.arrays
        by_class = self.class_scores(own, eta)
        of_statement = by_class[arrays.item_of_statement, np.maximum(self.class_of_statement, 0)]
        of_statement = np.where(self.class_of_statement >= 0, of_statement, -np.inf)
        unclaimed = by_class.copy()
        known = self.class_of_statement >= 0
        unclaimed[arrays.item_of_statement[known], self.class_of_statement[known]] = -np.inf
        with np.errstate(invalid="ignore"):
            rest = np.logaddexp.reduce(unclaimed, axis=1)
        scores.statement[arrays.statements] = of_statement
        scores.unclaimed[arrays.items] = np.where(np.isnan(rest), -np.inf, rest)

    def class_scores(self, own: ParameterVector, eta: Floats, monotone: bool = True) -> Floats:
        """Return log P(claims, k) of each item and class, with the hardness integrated out."""
        arrays, tables = self.arrays, ClassTables.of(self, own, eta)
        scores = np.empty((arrays.n_items, self.k))

        def work(first: int, last: int) -> None:
            class_scores(
                first, last, *self._lookups, log_prior(own), self._allowed,
                *tables.logs, tables.log_weight, monotone and self.data.floor > 0, scores,
            )  # fmt: skip

        over_threads(work, arrays.roles.claim_start, self.data.threads)
        return scores

    # What follows from a fit

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        arrays, tables = self.arrays, ClassTables.of(self, own, eta)
        prior, row, right = np.exp(log_prior(own)), arrays.row, self._right(tables)
        rates.right[arrays.claims] = (right @ prior)[row]
        claim_rates(
            row, self.said, self.said_pairs % self.k, right, tables.share, prior,
            self.row_speaks, rates.tpr[arrays.claims], rates.fpr[arrays.claims],
        )  # fmt: skip
        rates.slope[arrays.claims] = tables.slope[row]

    def _right(self, tables: ClassTables) -> Floats:
        """Return P(says k | k) of each row, on an item of unknown hardness; (n_rows, K)."""
        right = np.empty_like(tables.odds)
        right_on_average(tables.odds, np.exp(tables.shift), np.exp(tables.log_weight), right)
        speaks = self.row_speaks
        right[speaks] = (1.0 / (1.0 + (self.k - 1.0) * np.exp(-tables.strength[speaks])))[:, None]
        return np.asarray(right)

    # How much claims tell, roughly: the curvature by which a fit goes on

    @cached_property
    def _spoken(self) -> Floats:
        """The weight of the claims of each row; (n_rows,)."""
        weight = np.where(self.said_class >= 0, self.arrays.weight, 0.0)
        return sum_by(self.arrays.row, weight, len(self.rows))

    def information(self, own: ParameterVector, eta: Floats) -> Floats:
        """Return the information of claims in eta of each row, as if truth were known."""
        tables = ClassTables.of(self, own, eta)
        right = self._right(tables) @ np.exp(log_prior(own))
        return _single(self._spoken * right * (1.0 - right) * tables.slope**2)

    def own_information(self, own: ParameterVector, eta: Floats) -> tuple[Floats, Floats]:
        """Return the information in each own parameter by itself, and in b and hardness together.

        That of habits and confusions is as if truth were known, and classes were alike. Of how
        often classes are true, and of how hard their items are, every item tells a little: there
        the products of what each tells are added up, at these parameters; see `SHARED`.
        """
        k, n_sources, tables = self.k, len(self.parameters.sources), ClassTables.of(self, own, eta)
        right = self._right(tables) @ np.exp(log_prior(own))
        of_row = self._spoken * right * (1.0 - right), self._spoken * (1.0 - right)
        doubt, wrong = (sum_by(self.place_of_row, numbers, n_sources) for numbers in of_row)
        others, found = k - 1.0, own.names.zeros()
        # Habits add up to nothing, so that of k speaks against all others too.
        of_habit = doubt * k / others**2 + wrong / k * (1.0 - others**-2)
        found["source_habit"], found["habit"] = of_habit[:, None], of_habit.sum()
        if "confusion" in own:
            of_pair = wrong / (k * others) * (1.0 - 1.0 / others)
            found["source_confusion"] = of_pair[self.confused][:, None, None]
            found["confusion"] = of_pair.sum()
        return _single(found.values), self._products(own, tables)

    def _products(self, own: ParameterVector, tables: ClassTables) -> Floats:
        """Add up the products of the gradients of items in b and in hardness."""
        prior, weight = np.exp(log_prior(own)), np.exp(tables.log_weight)
        shapes = basis() if self.hardness.is_learned else np.empty((self.hardness.n_nodes, 0))
        size = len(shared_by_items(own.names))
        total = np.zeros((size, size))
        for _, _, by_node in self._by_stretches(own, tables):
            add_products(by_node, prior, weight, shapes, total)
        return np.asarray(total + np.tril(total, -1).T)

    def log_says(self, tables: ClassTables, claims: Indices) -> Floats:
        """Return the log-probability of what claims say, for every truth and node; (n, K, T)."""
        row, said = self.arrays.row[claims], self.said[claims]
        own_class, each = self.said_pairs[said] % self.k, np.arange(len(row))
        shape = (len(row), self.k, self.hardness.n_nodes)
        says = tables.miss[row].reshape(shape)
        says[each, own_class] = tables.hit[row].reshape(shape)[each, own_class]
        return log_of(says * tables.share[said][:, :, None])

    def heldout_log_prob(self, own: ParameterVector, eta: Floats, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the likelihood does not see, given the rest."""
        claims, tables = hidden - self.arrays.claims.start, ClassTables.of(self, own, eta)
        item, found = self.data.matrix.item_of_claim[hidden] - self.arrays.items.start, []
        for items, _, by_node in self._by_stretches(own, tables):
            here = slice(*np.searchsorted(item, [items.start, items.stop]).tolist())
            says = np.exp(self.log_says(tables, claims[here]))
            found.append((by_node[item[here] - items.start] * says).sum(axis=(1, 2)))
        return np.asarray(np.log(np.maximum(np.concatenate([*found, np.empty(0)]), LEAST)))

    def n_wrong_values(self, own: ParameterVector, claims: slice) -> float:
        """Return how many values of an item are wrong, K - 1."""
        return self.k - 1.0

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item, against the mean of the other classes."""
        tables, arrays = ClassTables.of(self, own, eta), self.arrays
        middling = self.hardness.n_nodes // 2  # the node of an item of middling hardness
        before = log_prior(own)
        by_class = self.class_scores(own, eta)

        def bills(item: int, spoken: Sequence[Heard]) -> list[Bill]:
            places = np.array([claim for claim, _, _ in spoken], np.int64) - arrays.claims.start
            counts = self.said_class[places] >= 0
            heard = [one for one, counted in zip(spoken, counts.tolist(), strict=True) if counted]
            places = places[counts]
            says = self.log_says(tables, places)[:, :, middling]  # (n_heard, K)
            denies = np.array([kind == DENIES_ALONE for _, _, kind in heard], np.bool_)
            if denies.any():
                says[denies] = np.log1p(-np.minimum(np.exp(says[denies]), 1 - 1e-12))
            says = says * arrays.weight[places][:, None]
            own_scores = np.maximum(by_class[item - arrays.items.start], IMPOSSIBLE * 1e3)
            statements = self.data.statements(item)
            made = []
            for statement in statements:
                k = int(self.class_of_statement[statement - arrays.statements.start])
                claimed = (self.said_class[places] == k) & ~denies
                if k < 0:
                    made.append(
                        Bill(statement, IMPOSSIBLE, [], [], [], ((SHARE, IMPOSSIBLE),), SHARE)
                    )
                    continue
                added = [_against_others(row, k) for row in says]
                reference = float(own_scores[k]) - _against_others(own_scores, k)
                steps = evidence.steps(item, statements, statement, reference)
                made.append(
                    Bill(
                        statement,
                        _against_others(before, k),
                        [claim for claim, _, _ in heard],
                        added,
                        claimed.tolist(),
                        steps,
                        SHARE,
                    )
                )
            return made

        return bills

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.data.row_counts(self.parameters.range)

    # Priors and gradient

    def counts(self) -> Counts:
        """Count items, those with a single claim, what is said, and the claims of sources."""
        arrays = self.arrays
        said = np.where(self.said_class >= 0, arrays.weight, 0.0)
        return {
            "n_items": arrays.n_items,
            "n_single": arrays.n_single,
            "n_said": sum_by(np.maximum(self.said_class, 0), said, self.k),
            "n_claims": self.n_claims,
        }

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""
        n_said = np.zeros(attribute.range.n_classes)
        return {"n_items": 0, "n_single": 0, "n_said": n_said, "n_claims": np.empty(0, np.int64)}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Hold what all items share, the more so the more of them have a single claim."""
        k, n_claims, names = attribute.range.n_classes, counts["n_claims"], attribute.names
        precision, curvature = names.zeros(), names.zeros()
        single, n_items = int(counts["n_single"]), int(counts["n_items"])
        precision["prior"] = PRIOR + PRIOR_PER_SINGLE * single
        precision["habit"] = HABIT + HABIT_PER_SINGLE * single
        # Who says one class only shows no habit: given one, its claims would explain themselves.
        precision["source_habit"] = FIXED
        precision["source_habit"][attribute.has_habit] = SOURCE_HABIT
        total, spread = float(n_claims.sum()), 0.5 / k
        curvature["prior"], curvature["habit"] = n_items * spread, total * spread
        curvature["source_habit"] = (n_claims * spread)[:, None]
        if "hardness" in names.axes:
            precision["hardness"] = 1.0
            curvature["hardness"] = n_items * spread * (basis() ** 2).mean(axis=0)
        if SPEAKING_NORM in names.axes:
            precision[SPEAKING_NORM] = 1.0  # it stays where it is: its gradient goes elsewhere
        if "confusion" in names.axes:
            precision["confusion"] = CONFUSION
            precision["source_confusion"] = SOURCE_CONFUSION
            same = np.arange(k)  # of the truth itself nothing is shared out
            precision["confusion"][same, same] = FIXED
            precision["source_confusion"][:, same, same] = FIXED
            of_confused = n_claims[attribute.has_confusion] * spread / k
            curvature["confusion"] = total * spread / k
            curvature["source_confusion"] = of_confused[:, None, None]
        curvature.values[:] += precision.values
        nought = np.broadcast_to(0.0, names.size)
        return AttributePrior(nought, precision.values, curvature.values)

    def _gradient(
        self, own: ParameterVector, tables: ClassTables, sums: list[Floats]
    ) -> tuple[ParameterVector, Floats]:
        """Return the gradient in own parameters (b left out), and in u of each row.

        It may change the sums.
        """
        k, cells, delta = self.k, self._cells, own.names.zeros()
        if SPEAKING_NORM in own:
            speaks = np.flatnonzero(self.row_speaks[cells.row])
            of_speaking = reduce(np.add, [part[speaks] for part in sums])
            delta[SPEAKING_NORM] = -of_speaking[:, :k].sum(axis=0)
            of_own = of_speaking[np.arange(len(speaks)), cells.said_class[speaks]]
            for part in sums:
                part[speaks] = 0.0
        confuses = "confusion" in own
        delta_u = cells.gradient(
            tables,
            sums,
            delta["source_habit"],
            delta["confusion"] if confuses else np.empty((0, k)),
            delta["source_confusion"] if confuses else np.empty((0, k, k)),
            self.data.threads,
        )
        if SPEAKING_NORM in own:
            delta_u += sum_by(cells.row[speaks], of_own, len(delta_u))
        # In no order, so that classes with equal claims get equal sums to the last digit.
        delta["habit"] = steady_sums(delta["source_habit"])
        return delta, delta_u

    def let_speak(self, share: Floats) -> None:
        """Set the shares of one-sided sources to how much they say."""
        of_pair = self.one_sided[self.said_pairs // self.k]
        n_claims = self.parameters.one_sided.n_claims
        share[of_pair >= 0] = n_claims[of_pair[of_pair >= 0]][:, None]

    @cached_property
    def place_among_confused(self) -> Indices:
        """The place of each source among those with a confusion matrix of their own, or -1."""
        place = np.full(len(self.parameters.sources), -1)
        place[self.confused] = np.arange(len(self.confused))
        return place


def _single(numbers: Floats) -> Floats:
    """Round to single precision, so that sources that are alike have the same curvature."""
    return numbers.astype(np.float32).astype(np.float64)


def shared_by_items(names: ParameterNames) -> Indices:
    """Return where b and hardness lie among the parameters of an attribute."""
    parts = [names.slices[name] for name in SHARED if name in names.slices]
    return np.concatenate([np.arange(part.start, part.stop) for part in parts])


def _against_others(of_class: Floats, k: int) -> float:
    """Return a number of a class less the average of those of all others."""
    n = len(of_class)
    return float((of_class[k] * n - of_class.sum()) / (n - 1))
