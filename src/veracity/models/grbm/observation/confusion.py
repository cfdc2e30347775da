"""The items of a closed attribute, judged by classes that sources confuse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from veracity.data.arrays import Floats, Indices
from veracity.data.buffers import take_labels
from veracity.features.codes import distinct_codes
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.block_data import ClaimRates, Found, Scene
from veracity.models.grbm.forms import Block
from veracity.models.grbm.observation.confusion_kernels import class_pass, row_gradient, row_norms
from veracity.models.grbm.observation.free_binary import over_threads
from veracity.models.grbm.priors import ClassPrior


@dataclass(frozen=True)
class ClassParameters:
    """The parameters of an attribute with classes, as views of one vector."""

    prior: Floats  # b; (K,)
    said: Floats  # a; (K,)
    confused: Floats  # C; (K, K), truth by said
    source_said: Floats  # A; (n_sources, K)
    source_confused: Floats  # B; (n_heavy, K, K)

    @classmethod
    def of(cls, vector: Floats, n_classes: int, n_sources: int, n_heavy: int) -> ClassParameters:
        """Cut a vector into its parts."""
        k = n_classes
        sizes = np.cumsum([k, k, k * k, n_sources * k])
        b, a, c, own, heavy = np.split(vector, sizes)
        return cls(b, a, c.reshape(k, k), own.reshape(n_sources, k), heavy.reshape(n_heavy, k, k))


class ClassPart:
    """Items of one closed attribute, judged by classes that sources confuse.

    A source has deviations A, of which there are K, from K claims about the attribute on, and B, of
    which there are K^2, from K^2 claims on. So there are never more parameters than claims, and
    sources that say little are judged by what all have in common.
    """

    def __init__(self, scene: Scene, block: Block, fitted: FittedBlock | None = None) -> None:
        self.scene, self.block = scene, block
        self.k = block.n_classes
        matrix, layout = scene.matrix, scene.layout
        claims = slice(int(layout.claim_start[block.first]), int(layout.claim_start[block.last]))
        self.claims = claims
        statements = slice(
            int(layout.statement_start[block.first]), int(layout.statement_start[block.last])
        )
        values, place = distinct_codes(matrix.value_index[statements])
        names = take_labels(matrix.values, values).to_pylist()
        self.classes: tuple[str, ...] = tuple(names) if fitted is None else fitted.classes
        class_of = {name: index for index, name in enumerate(self.classes)}
        self.class_of_statement = np.zeros(matrix.n_statements, np.int64)
        of_value = np.array([class_of.get(name, -1) for name in names], np.int64)
        self.class_of_statement[statements] = of_value[place]
        source = matrix.source_index[claims].astype(np.int64)
        self.sources, place = distinct_codes(source)
        self.asserts = matrix.claim_value[claims] == 1
        own_class = self.own_class = np.maximum(
            self.class_of_statement[matrix.statement_index[claims]], 0
        )
        self.said_pairs, said = distinct_codes(place * self.k + own_class)
        self.said = np.zeros(matrix.n_claims, np.int64)
        self.said[claims] = said
        self.rows, row = distinct_codes(scene.row[claims])
        self.row = np.zeros(matrix.n_claims, np.int64)
        self.row[claims] = row
        self.place_of_row = np.searchsorted(self.sources, scene.source_of_row[self.rows])
        self.n_claims = np.bincount(place, minlength=len(self.sources))
        self.heavy = np.flatnonzero(self.n_claims >= self.k**2) if self.k > 2 else self.n_claims[:0]
        if fitted is not None:
            self.heavy = np.flatnonzero(fitted.is_heavy(self.sources))

    @cached_property
    def prior(self) -> ClassPrior:
        """Where the parameters start, and how strongly they are held there."""
        said = self.own_class[self.asserts]
        return ClassPrior(
            np.bincount(said, minlength=self.k),
            self.block.n_items,
            self.scene.n_thin(self.block.first, self.block.last),
            self.n_claims,
            self.heavy,
        )

    @property
    def size(self) -> int:
        """Number of own parameters."""
        k = self.k
        return k * (2 + k + len(self.sources) + len(self.heavy) * k)

    def own_of(self, fitted: FittedBlock) -> Floats:
        """Return the parameters of a fit, for the sources that speak here."""
        own = np.zeros(self.size)
        here = self.parameters(own)
        k = self.k
        there = ClassParameters.of(fitted.own, k, len(fitted.sources), len(fitted.heavy))
        here.prior[:], here.said[:], here.confused[:] = there.prior, there.said, there.confused
        place = fitted.place_of(self.sources)
        here.source_said[place >= 0] = there.source_said[place[place >= 0]]
        if len(self.heavy):
            of_heavy = np.searchsorted(fitted.heavy, place[self.heavy])
            here.source_confused[:] = there.source_confused[of_heavy]
        return own

    def parameters(self, own: Floats) -> ClassParameters:
        """Cut the vector of own parameters into its parts."""
        return ClassParameters.of(own, self.k, len(self.sources), len(self.heavy))

    def rate(self, own: Floats, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        part, claims = self.parameters(own), self.claims
        u, slope = self.scene.strength(eta[self.rows], float(self.k))
        tables = _Tables.of(self, part, u)
        prior = np.exp(part.prior - np.logaddexp.reduce(part.prior))
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

    def run(
        self, own: Floats, eta: Floats, found: Found, temper: Floats | None = None
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        scene, block, k = self.scene, self.block, self.k
        part = self.parameters(own)
        u, slope = scene.strength(eta[self.rows], float(k))
        tables = _Tables.of(self, part, u)
        log_prior = part.prior - np.logaddexp.reduce(part.prior)
        temper = scene.plain if temper is None else temper
        every_class = np.empty((block.n_items if found.wants_classes else 0, k))

        def work(first: int, last: int) -> tuple[float, _Sums]:
            sums = _Sums.empty(len(self.said_pairs), len(self.rows), k)
            value = class_pass(
                block.first, first, last, *scene.claims(), self.row, self.said,
                self.class_of_statement, log_prior, scene.offset, scene.offset_unseen,
                tables.logit_said, u, tables.log_norm, temper, sums.said, sums.row, sums.own,
                sums.prior, found.score, found.posterior, found.left_over, found.likelihood,
                every_class,
            )  # fmt: skip
            return value, sums

        runs = list(over_threads(work, scene.layout, scene.threads, block.first, block.last))
        sums = runs[0][1]
        for _, more in runs[1:]:
            sums += more
        if found.wants_classes:
            self.every_class = every_class
        gradient, delta_u = self._gradient(tables, u, sums)
        gradient[:k] = sums.prior - sums.prior.sum() * np.exp(log_prior)
        delta_eta = np.zeros(scene.n_rows)
        delta_eta[self.rows] = delta_u * slope
        return sum(run[0] for run in runs), gradient, delta_eta

    def tables(self, own: Floats, eta: Floats) -> tuple[_Tables, Floats]:
        """Return what the parameters make of rows and sources, to look up; and u of each row."""
        u, _ = self.scene.strength(eta[self.rows], float(self.k))
        return _Tables.of(self, self.parameters(own), u), u

    def says(self, tables: tuple[_Tables, Floats], claims: Indices) -> Floats:
        """Return the log-probability of what claims say, for every truth; (n, K)."""
        of_rows, u = tables
        row, said = self.row[claims], self.said[claims]
        says = of_rows.logit_said[said] - of_rows.log_norm[row]
        says[np.arange(len(row)), self.said_pairs[said] % self.k] += u[row]
        return says

    def foresee(self, own: Floats, eta: Floats, found: Found, hidden: Indices) -> Floats:
        """Return the log-probability of claims that the last pass with classes did not see."""
        says = self.says(self.tables(own, eta), hidden)
        item = self.scene.matrix.item_of_claim[hidden] - self.block.first
        return np.asarray(np.log((self.every_class[item] * np.exp(says)).sum(axis=1)))

    def _gradient(self, tables: _Tables, u: Floats, sums: _Sums) -> tuple[Floats, Floats]:
        """Return the gradient in own parameters (b left out), and in u of each row."""
        k, n_sources = self.k, len(self.sources)
        rest, right = np.zeros((n_sources, k)), np.zeros((n_sources, k))
        delta_u = np.empty(len(self.rows))
        row_gradient(
            self.place_of_row, u, tables.base, tables.log_norm, sums.row, sums.own,
            rest, right, delta_u,
        )  # fmt: skip
        place, own_class = np.divmod(self.said_pairs, k)
        gradient = np.zeros(self.size)
        delta = self.parameters(gradient)
        # A: what is said, less what is expected, over all truths.
        delta.source_said[place, own_class] += sums.said.sum(axis=1)
        delta.source_said[:] -= right
        delta.source_said[:] -= tables.wrong_transposed(rest)
        delta.said[:] = delta.source_said.sum(axis=0)
        if k > 2:
            np.add.at(delta.confused.T, own_class, sums.said)
            delta.confused[:] -= tables.wrong_by_truth(rest)
            np.fill_diagonal(delta.confused, 0.0)
            if len(self.heavy):
                heavy_place = np.full(n_sources, -1)
                heavy_place[self.heavy] = np.arange(len(self.heavy))
                own = heavy_place[place] >= 0
                delta.source_confused[heavy_place[place[own]], :, own_class[own]] += sums.said[own]
                delta.source_confused[:] -= tables.heavy * rest[self.heavy][:, :, None]
                diagonal_of = np.arange(k)
                delta.source_confused[:, diagonal_of, diagonal_of] = 0.0
        return gradient, delta_u


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
    scale, mix, heavy
        e^A; e^(a + C) with nothing on the diagonal; and e^z of the sources with deviations B, with
        nothing on the diagonal; (n_sources, K), (K, K), (n_heavy, K, K).
    """

    logit_said: Floats
    base: Floats
    log_norm: Floats
    scale: Floats
    mix: Floats
    heavy: Floats
    heavy_places: Indices

    @classmethod
    def of(cls, block: ClassPart, part: ClassParameters, u: Floats) -> _Tables:
        k = block.k
        off = ~np.eye(k, dtype=np.bool_)
        scale = np.exp(part.source_said)
        between = part.confused if k > 2 else np.zeros((k, k))
        mix = np.where(off, np.exp(part.said + between), 0.0)
        wrong = scale @ mix.T  # sum over j != k; (n_sources, K)
        heavy = np.zeros((0, k, k))
        if len(block.heavy):
            heavy = mix * np.exp(part.source_confused) * scale[block.heavy][:, None, :]
            wrong[block.heavy] = heavy.sum(axis=2)
        base = part.said + part.source_said
        log_norm = np.empty((len(u), k))
        row_norms(block.place_of_row, u, np.exp(base), wrong, log_norm)
        place, own_class = np.divmod(block.said_pairs, k)
        logit = base[place, own_class][:, None] + np.where(off, between, 0.0)[:, own_class].T
        if len(block.heavy):
            heavy_place = np.full(len(scale), -1)
            heavy_place[block.heavy] = np.arange(len(block.heavy))
            own = np.flatnonzero(heavy_place[place] >= 0)
            deviation = part.source_confused[heavy_place[place[own]], :, own_class[own]]
            logit[own] += np.where(off[own_class[own]], deviation, 0.0)
        return cls(logit, base, log_norm, scale, mix, heavy, block.heavy)

    def wrong_transposed(self, rest: Floats) -> Floats:
        """Sum e^z_kj rest_k over truths k other than j; (n_sources, K)."""
        total = self.scale * (rest @ self.mix)
        if len(self.heavy):
            total[self.heavy_places] = np.einsum("hkj,hk->hj", self.heavy, rest[self.heavy_places])
        return total

    def wrong_by_truth(self, rest: Floats) -> Floats:
        """Sum e^z_kj rest_k over sources; (K, K)."""
        light = np.ones(len(self.scale), np.bool_)
        light[self.heavy_places] = False
        total = self.mix * (rest[light].T @ self.scale[light])
        if len(self.heavy):
            total += np.einsum("hkj,hk->kj", self.heavy, rest[self.heavy_places])
        return total
