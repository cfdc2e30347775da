"""Classes that sources confuse: a confusion matrix for each source of a closed attribute.

With truth k, a source says j with the probability softmax_j of

    z_kj = a_j + A_j + [j != k] (C_kj + B_kj) + [j = k] u

where a (habit) and C (confusion) belong to the attribute, A and B to the source, and u >= 0 to the
claim. The truth is k with the probability softmax(b)_k (prior). The compiled passes are in
`confusion_kernels`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels
from veracity.data.encode.denials import DENIES_ALONE
from veracity.engines.threads import over_threads
from veracity.features.codes import distinct_codes
from veracity.models.explanation import Bill
from veracity.models.grbm.attributes import AttributeParameters, AttributeRange
from veracity.models.grbm.block_data import BlockData
from veracity.models.grbm.observation.base import (
    FIXED,
    PRECISION_PER_THIN_ITEM,
    AttributePrior,
    ClaimRates,
    Counts,
    Heard,
    ItemBills,
    Posterior,
)
from veracity.models.grbm.observation.confusion_kernels import (
    class_pass,
    row_gradient,
    row_norms,
)
from veracity.models.grbm.observation.evidence import IMPOSSIBLE, SHARE, Evidence, competition
from veracity.models.grbm.parameters import ParameterVector

#: Prior precisions of b, a, C, A and B.
PRIOR, HABIT, CONFUSION, SOURCE_HABIT, SOURCE_CONFUSION = 1.0, 1.0, 1.0, 2.0, 5.0


class Confusion:
    """Items of one closed attribute, judged by classes that sources confuse.

    A source has deviations A, of which there are K, from K claims about the attribute on, and B, of
    which there are K^2, from K^2 claims on. So there are never more parameters than claims, and
    sources that say little are judged by what all have in common.
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
        self.data, self.k = data, own.n_classes
        matrix = data.matrix
        claims = self.claims = data.claims_of(own.first, own.last)
        statements = data.statements_of(own.first, own.last)
        values, value_place = distinct_codes(matrix.value_index[statements])
        names = take_labels(matrix.values, values).to_pylist()
        class_of = {name: index for index, name in enumerate(attribute.classes)}
        self.class_of_statement = np.zeros(matrix.n_statements, np.int64)
        of_value = np.array([class_of.get(name, -1) for name in names], np.int64)
        self.class_of_statement[statements] = of_value[value_place]
        source = matrix.source_index[claims].astype(np.int64)
        sources, speaker = distinct_codes(source)
        self.asserts = matrix.claim_value[claims] == 1
        own_class = self.own_class = np.maximum(
            self.class_of_statement[matrix.statement_index[claims]], 0
        )
        self.said_pairs, said = distinct_codes(speaker * self.k + own_class)
        self.said = np.zeros(matrix.n_claims, np.int64)
        self.said[claims] = said
        self.rows, row = distinct_codes(data.row[claims])
        self.row = np.zeros(matrix.n_claims, np.int64)
        self.row[claims] = row
        self.place_of_row = np.searchsorted(sources, data.source_of_row[self.rows])
        self.n_claims = np.bincount(speaker, minlength=len(sources))
        self.confused = np.flatnonzero(attribute.confuses(place[sources]))
        self.parameters = AttributeParameters(own, attribute.classes, sources, self.confused)

    def log_likelihood(
        self,
        own: ParameterVector,
        eta: Floats,
        posterior: Posterior,
        temper: Floats | None = None,
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        data, items, k = self.data, self.parameters.range, self.k
        u, slope = data.strength(eta[self.rows], float(k))
        tables = _Tables.of(self, own, u)
        log_prior = own["prior"] - np.logaddexp.reduce(own["prior"])
        temper = data.untempered if temper is None else temper
        every_class = np.empty((items.n_items if posterior.keeps_classes else 0, k))

        def work(first: int, last: int) -> tuple[float, _Sums]:
            sums = _Sums.empty(len(self.said_pairs), len(self.rows), k)
            value = class_pass(
                items.first, first, last, *data.kernel_arrays(), self.row, self.said,
                self.class_of_statement, log_prior, data.offset, data.offset_unseen,
                tables.logit_said, u, tables.log_norm, temper, sums.said, sums.row, sums.own,
                sums.prior, posterior.score, posterior.plausibility, posterior.unclaimed,
                posterior.likelihood, every_class,
            )  # fmt: skip
            return value, sums

        runs = over_threads(work, data.roles.claim_start, data.threads, items.first, items.last)
        sums = runs[0][1]
        for _, more in runs[1:]:
            sums += more
        if posterior.keeps_classes:
            self.every_class = every_class
        gradient, delta_u = self._gradient(own, tables, u, sums)
        gradient["prior"] = sums.prior - sums.prior.sum() * np.exp(log_prior)
        delta_eta = np.zeros(data.n_rows)
        delta_eta[self.rows] = delta_u * slope
        return sum(run[0] for run in runs), gradient.values, delta_eta

    def rate(self, own: ParameterVector, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        claims = self.claims
        u, slope = self.data.strength(eta[self.rows], float(self.k))
        tables = _Tables.of(self, own, u)
        prior = np.exp(own["prior"] - np.logaddexp.reduce(own["prior"]))
        # P(says k | k); (n_rows, K).
        right = np.exp(tables.base[self.place_of_row] + u[:, None] - tables.log_norm)
        row, said = self.row[claims], self.said[claims]
        own_class = self.said_pairs[said] % self.k
        rates.right[claims] = (right @ prior)[row]
        rates.tpr[claims] = right[row, own_class]
        says = np.exp(tables.logit_said[said] - tables.log_norm[row])  # if another is true
        says[np.arange(len(row)), own_class] = 0.0
        rates.fpr[claims] = (says @ prior) / np.maximum(1.0 - prior[own_class], 1e-12)
        rates.slope[claims] = slope[row]

    def _says(self, tables: _Tables, u: Floats, claims: Indices) -> Floats:
        """Return the log-probability of what claims say, for every truth; (n, K)."""
        row, said = self.row[claims], self.said[claims]
        says = tables.logit_said[said] - tables.log_norm[row]
        says[np.arange(len(row)), self.said_pairs[said] % self.k] += u[row]
        return says

    def heldout_log_prob(
        self, own: ParameterVector, eta: Floats, posterior: Posterior, hidden: Indices
    ) -> Floats:
        """Return the log-probability of claims that the last pass with classes did not see."""
        u, _ = self.data.strength(eta[self.rows], float(self.k))
        says = self._says(_Tables.of(self, own, u), u, hidden)
        item = self.data.matrix.item_of_claim[hidden] - self.parameters.range.first
        return np.asarray(np.log((self.every_class[item] * np.exp(says)).sum(axis=1)))

    def n_wrong_values(self, claims: Indices | slice) -> float:
        """Return how many values of an item are wrong, K - 1."""
        return self.k - 1.0

    def item_bills(self, own: ParameterVector, eta: Floats, evidence: Evidence) -> ItemBills:
        """Return what lists the evidence for an item, against the mean of the other classes."""
        u, _ = self.data.strength(eta[self.rows], float(self.k))
        tables, prior = _Tables.of(self, own, u), own["prior"]

        def bills(item: int, spoken: Sequence[Heard]) -> list[Bill]:
            heard = [one for one in spoken if self.class_of_statement[one[1]] >= 0]
            claims = [claim for claim, _, _ in heard]
            says = self._says(tables, u, np.array(claims, np.int64))  # (n_heard, K)
            denies = np.array([kind == DENIES_ALONE for _, _, kind in heard], np.bool_)
            if denies.any():
                says[denies] = np.log1p(-np.minimum(np.exp(says[denies]), 1 - 1e-12))
            score = (prior + says.sum(axis=0)).tolist()
            before, rows = prior.tolist(), says.tolist()
            made = []
            for statement in evidence.statements(item):
                k = int(self.class_of_statement[statement])
                claimed = [about == statement and kind != DENIES_ALONE for _, about, kind in heard]
                if k < 0:
                    nothing = [0.0] * len(claims)
                    made.append(Bill(statement, IMPOSSIBLE, claims, nothing, claimed, (), SHARE))
                    continue
                steps = competition(score, k, 0.0, evidence.temper_of(item))
                added = [_against_others(row, k) for row in rows]
                start = _against_others(before, k)
                made.append(Bill(statement, start, claims, added, claimed, steps, SHARE))
            return made

        return bills

    def row_counts(self) -> Floats:
        """Return how many statements each row claims and speaks about; (n_rows, 2)."""
        return self.data.row_counts(self.parameters.range)

    def counts(self) -> Counts:
        """Count how often classes are said, items, and the claims of sources."""
        items = self.parameters.range
        return {
            "n_said": np.bincount(self.own_class[self.asserts], minlength=self.k),
            "n_items": items.n_items,
            "n_thin": self.data.n_thin(items.first, items.last),
            "n_claims": self.n_claims,
        }

    @staticmethod
    def no_counts(attribute: AttributeParameters) -> Counts:
        """Return the counts of a block without the attribute."""
        n_said = np.zeros(attribute.range.n_classes, np.int64)
        return {"n_said": n_said, "n_items": 0, "n_thin": 0, "n_claims": np.empty(0, np.int64)}

    @staticmethod
    def prior(attribute: AttributeParameters, counts: Mapping[str, Any]) -> AttributePrior:
        """Draw b to the shares of claims, the more so the more items have few sources."""
        k, n_claims, names = attribute.range.n_classes, counts["n_claims"], attribute.names
        centre, precision, curvature = names.zeros(), names.zeros(), names.zeros()
        said = counts["n_said"] + 1.0
        centre["prior"] = np.log(said) - np.mean(np.log(said))
        precision["prior"] = PRIOR + PRECISION_PER_THIN_ITEM * int(counts["n_thin"])
        precision["habit"], precision["confusion"] = HABIT, CONFUSION
        precision["source_habit"] = np.where(n_claims >= k, SOURCE_HABIT, FIXED)[:, None]
        precision["source_confusion"] = SOURCE_CONFUSION
        total, spread = float(n_claims.sum()), 0.5 / k
        of_confused = n_claims[attribute.has_confusion] * spread / k
        curvature["prior"], curvature["habit"] = int(counts["n_items"]) * spread, total * spread
        curvature["confusion"] = total * spread / k
        curvature["source_habit"] = (n_claims * spread)[:, None]
        curvature["source_confusion"] = of_confused[:, None, None]
        return AttributePrior(centre.values, precision.values, precision.values + curvature.values)

    def _gradient(
        self, own: ParameterVector, tables: _Tables, u: Floats, sums: _Sums
    ) -> tuple[ParameterVector, Floats]:
        """Return the gradient in own parameters (b left out), and in u of each row."""
        k, n_sources = self.k, len(self.parameters.sources)
        rest, right = np.zeros((n_sources, k)), np.zeros((n_sources, k))
        delta_u = np.empty(len(self.rows))
        row_gradient(
            self.place_of_row, u, tables.base, tables.log_norm, sums.row, sums.own,
            rest, right, delta_u,
        )  # fmt: skip
        place, own_class = np.divmod(self.said_pairs, k)
        delta = own.names.zeros()
        source_habit = delta["source_habit"]
        # A: what is said, less what is expected, over all truths.
        source_habit[place, own_class] += sums.said.sum(axis=1)
        source_habit -= right
        source_habit -= tables.wrong_transposed(rest)
        delta["habit"] = source_habit.sum(axis=0)
        if k > 2:
            confusion = delta["confusion"]
            np.add.at(confusion.T, own_class, sums.said)
            confusion -= tables.wrong_by_truth(rest)
            np.fill_diagonal(confusion, 0.0)
            if len(self.confused):
                source_confusion = delta["source_confusion"]
                place_there = self.place_among_confused[place]
                has = place_there >= 0
                source_confusion[place_there[has], :, own_class[has]] += sums.said[has]
                source_confusion -= tables.confused * rest[self.confused][:, :, None]
                diagonal = np.arange(k)
                source_confusion[:, diagonal, diagonal] = 0.0
        return delta, delta_u

    @cached_property
    def place_among_confused(self) -> Indices:
        """The place of each source among those with a confusion matrix of their own, or -1."""
        place = np.full(len(self.parameters.sources), -1)
        place[self.confused] = np.arange(len(self.confused))
        return place


@dataclass
class _Sums:
    """What a pass over classes leaves; sums of disjoint sets of items add."""

    said: Floats
    row: Floats
    own: Floats
    prior: Floats

    @classmethod
    def empty(cls, n_said: int, n_rows: int, k: int) -> _Sums:
        return cls(np.zeros((n_said, k)), np.zeros((n_rows, k)), np.zeros(n_rows), np.zeros(k))

    def __iadd__(self, other: _Sums) -> _Sums:
        self.said += other.said
        self.row += other.row
        self.own += other.own
        self.prior += other.prior
        return self


@dataclass(frozen=True)
class _Tables:
    """Functions of the parameters that a pass over classes looks up.

    Attributes
    ----------
    logit_said
        z_kj without u for the classes that sources say; (n_said, K).
    base
        a + A; (n_sources, K).
    log_norm
        log sum_j e^z_kj; (n_rows, K).
    scale, mix, confused
        e^A; e^(a + C) with nothing on the diagonal; and e^z of the sources with deviations B, with
        nothing on the diagonal; (n_sources, K), (K, K), (n_confused, K, K).
    confused_places
        The places of these among all sources.
    """

    logit_said: Floats
    base: Floats
    log_norm: Floats
    scale: Floats
    mix: Floats
    confused: Floats
    confused_places: Indices

    @classmethod
    def of(cls, model: Confusion, own: ParameterVector, u: Floats) -> _Tables:
        k, has_confusion = model.k, model.confused
        off = ~np.eye(k, dtype=np.bool_)
        habit, source_habit = own["habit"], own["source_habit"]
        scale = np.exp(source_habit)
        between = own["confusion"] if k > 2 else np.zeros((k, k))
        mix = np.where(off, np.exp(habit + between), 0.0)
        wrong = scale @ mix.T  # sum over j != k; (n_sources, K)
        confused = np.zeros((0, k, k))
        if len(has_confusion):
            confused = mix * np.exp(own["source_confusion"]) * scale[has_confusion][:, None, :]
            wrong[has_confusion] = confused.sum(axis=2)
        base = habit + source_habit
        log_norm = np.empty((len(u), k))
        row_norms(model.place_of_row, u, np.exp(base), wrong, log_norm)
        place, own_class = np.divmod(model.said_pairs, k)
        logit = base[place, own_class][:, None] + np.where(off, between, 0.0)[:, own_class].T
        if len(has_confusion):
            place_there = model.place_among_confused[place]
            has = np.flatnonzero(place_there >= 0)
            deviation = own["source_confusion"][place_there[has], :, own_class[has]]
            logit[has] += np.where(off[own_class[has]], deviation, 0.0)
        return cls(logit, base, log_norm, scale, mix, confused, has_confusion)

    def wrong_transposed(self, rest: Floats) -> Floats:
        """Sum e^z_kj rest_k over truths k other than j; (n_sources, K)."""
        total = self.scale * (rest @ self.mix)
        if len(self.confused):
            place = self.confused_places
            total[place] = np.einsum("hkj,hk->hj", self.confused, rest[place])
        return total

    def wrong_by_truth(self, rest: Floats) -> Floats:
        """Sum e^z_kj rest_k over sources; (K, K)."""
        plain = np.ones(len(self.scale), np.bool_)
        plain[self.confused_places] = False
        total = self.mix * (rest[plain].T @ self.scale[plain])
        if len(self.confused):
            total += np.einsum("hkj,hk->kj", self.confused, rest[self.confused_places])
        return total


def _against_others(of_class: Sequence[float], k: int) -> float:
    """Return a number of a class less the average of those of all others."""
    n = len(of_class)
    return (of_class[k] * n - sum(of_class)) / (n - 1)
