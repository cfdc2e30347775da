"""The statements of an attribute, each judged by itself: the paper's machine."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats, sum_by
from veracity.data.encode.denials import Layout
from veracity.features.codes import distinct_codes
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.block_data import ClaimRates, Found, Scene
from veracity.models.grbm.forms import Block
from veracity.models.grbm.observation.free_binary import Units, summarise
from veracity.models.grbm.priors import BinaryPrior
from veracity.models.grbm.theta import Theta, rates_of, sigmoid, tied_hidden_bias


class BinaryPart:
    """Statements of one attribute, each judged by itself as true or false: the paper's machine.

    A source says that a true statement is true with log-odds d + u, and that a false one is with
    d - u: visible bias a = d - u and weight w = 2 u, with the hidden bias that follows from them.
    Own parameters: log-odds of truth b_0, d of the attribute, and the deviation of each source.
    """

    classes: tuple[str, ...] = ()

    def __init__(self, scene: Scene, block: Block, fitted: FittedBlock | None = None) -> None:
        self.scene, self.block = scene, block
        matrix, layout = scene.matrix, scene.layout
        claims = slice(int(layout.claim_start[block.first]), int(layout.claim_start[block.last]))
        self.claims = claims
        first_statement = int(layout.statement_start[block.first])
        self.statements = slice(first_statement, int(layout.statement_start[block.last]))
        self.sources, place = distinct_codes(matrix.source_index[claims].astype(np.int64))
        self.rows, row = distinct_codes(scene.row[claims])
        self.heavy = self.sources[:0]
        self.place_of_row = np.searchsorted(self.sources, scene.source_of_row[self.rows])
        self.n_claims = np.bincount(place, minlength=len(self.sources))
        own = Layout(
            layout.part[claims],
            layout.speaker[claims] - claims.start,
            layout.claim_start[block.first : block.last + 1] - claims.start,
            layout.statement_start[block.first : block.last + 1] - first_statement,
            layout.statement_index[claims] - np.int32(first_statement),
        )
        self.units = Units.of(own, row.astype(np.int32), len(self.rows))
        if scene.known is not None:
            self.units = replace(self.units, known=scene.known[self.statements])

    @cached_property
    def prior(self) -> BinaryPrior:
        """Where the parameters start, and how strongly they are held there."""
        claimed, spoken = self.units.counts.sum(axis=0)
        return BinaryPrior(
            float(claimed),
            float(spoken),
            self.units.layout.n_statements,
            self.scene.n_thin(self.block.first, self.block.last),
            self.n_claims,
            sum_by(self.place_of_row, self.units.counts[:, 1], len(self.sources)),
        )

    @property
    def size(self) -> int:
        """Number of own parameters."""
        return 2 + len(self.sources)

    def own_of(self, fitted: FittedBlock) -> Floats:
        """Return the parameters of a fit, for the sources that speak here."""
        own = np.zeros(self.size)
        own[:2] = fitted.own[:2]
        place = fitted.place_of(self.sources)
        own[2:][place >= 0] = fitted.own[2:][place[place >= 0]]
        return own

    def theta(self, own: Floats, u: Floats) -> Theta:
        """Return a, w and b of each row."""
        said: Floats = own[1] + own[2:][self.place_of_row]
        a, w = said - u, 2 * u
        return Theta(a, w, tied_hidden_bias(a, w))

    def rate(self, own: Floats, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        u, slope = self.scene.strength(eta[self.rows], 2.0)
        by_row = rates_of(self.theta(own, u))
        prior = float(sigmoid(own[:1])[0])
        row = self.units.row
        rates.tpr[self.claims], rates.fpr[self.claims] = by_row.tpr[row], by_row.fpr[row]
        right = prior * by_row.tpr + (1.0 - prior) * (1.0 - by_row.fpr)
        rates.right[self.claims] = right[row]
        rates.slope[self.claims] = slope[row]

    def run(
        self, own: Floats, eta: Floats, found: Found, temper: Floats | None = None
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        scene, block = self.scene, self.block
        u, slope = scene.strength(eta[self.rows], 2.0)
        theta = self.theta(own, u)
        summary, evidence = summarise(self.units, theta, float(own[0]), scene.threads)
        rates = rates_of(theta)
        delta = summary.delta_theta
        delta_a = delta[:, 0] + delta[:, 2] * (rates.fpr - rates.tpr)
        delta_w = delta[:, 1] - delta[:, 2] * rates.tpr
        by_source = sum_by(self.place_of_row, delta_a, len(self.sources))
        gradient = np.concatenate([[summary.delta_global, delta_a.sum()], by_source])
        delta_eta = np.zeros(scene.n_rows)
        delta_eta[self.rows] = (2 * delta_w - delta_a) * slope
        found.score[self.statements] = evidence
        shown = evidence
        if temper is not None:
            item = scene.matrix.item_of_statement[self.statements]
            shown = evidence * temper[item]
        found.posterior[self.statements] = sigmoid(shown)
        found.left_over[block.first : block.last] = np.nan
        return summary.log_likelihood, gradient, delta_eta

    def foresee(
        self, own: Floats, eta: Floats, found: Found, hidden: npt.NDArray[np.int64]
    ) -> Floats:
        """Return the log-probability of claims that the last pass did not see.

        Denials that follow from naming other values are not counted.
        """
        scene = self.scene
        u, _ = scene.strength(eta[self.rows], 2.0)
        rates = rates_of(self.theta(own, u))
        statement = scene.matrix.statement_index[hidden]
        row = self.units.row[hidden - self.claims.start]
        p = found.posterior[statement]
        says_yes = p * rates.tpr[row] + (1 - p) * rates.fpr[row]
        yes = scene.matrix.claim_value[hidden] == 1
        return np.asarray(np.log(np.where(yes, says_yes, 1 - says_yes)))
