"""The items of an attribute, judged by one reliability whatever the value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from veracity.data.arrays import Floats
from veracity.models.grbm.attribute_parameters import FittedBlock
from veracity.models.grbm.block_data import ClaimRates, Found, Scene
from veracity.models.grbm.forms import Block
from veracity.models.grbm.observation.free_binary import over_threads
from veracity.models.grbm.observation.one_coin_kernel import coin_pass
from veracity.models.grbm.priors import NoPrior


class CoinPart:
    """Items of one attribute, judged by one reliability of each claim; no own parameters."""

    classes: tuple[str, ...] = ()

    def __init__(self, scene: Scene, block: Block, fitted: FittedBlock | None = None) -> None:
        self.scene, self.block = scene, block
        self.sources = self.heavy = np.empty(0, np.int64)
        layout = scene.layout
        n_claimed = np.diff(layout.statement_start)
        size = np.full(scene.matrix.n_items, float(block.n_classes))
        self.domain_size = np.maximum(size, n_claimed) if block.n_classes else n_claimed + 1.0

    @property
    def prior(self) -> NoPrior:
        """No parameters of its own."""
        return NoPrior()

    @property
    def size(self) -> int:
        """Number of own parameters."""
        return 0

    def own_of(self, fitted: FittedBlock) -> Floats:
        """No parameters of its own."""
        return np.zeros(0)

    def rate(self, own: Floats, eta: Floats, rates: ClaimRates) -> None:
        """Set the rates of claims."""
        scene, block = self.scene, self.block
        layout = scene.layout
        claims = slice(int(layout.claim_start[block.first]), int(layout.claim_start[block.last]))
        others = self.domain_size[scene.matrix.item_of_claim[claims]] - 1.0
        x = scene.floor + others * np.exp(np.minimum(eta[scene.row[claims]], 300.0))
        rates.right[claims] = rates.tpr[claims] = x / (x + others)
        rates.fpr[claims] = 1.0 / (x + others)
        rates.slope[claims] = (x - scene.floor) / x

    def foresee(
        self, own: Floats, eta: Floats, found: Found, hidden: npt.NDArray[np.int64]
    ) -> Floats:
        """Return the log-probability of claims that the last pass did not see."""
        scene = self.scene
        others = self.domain_size[scene.matrix.item_of_claim[hidden]] - 1.0
        x = scene.floor + others * np.exp(np.minimum(eta[scene.row[hidden]], 300.0))
        q = found.posterior[scene.matrix.statement_index[hidden]]
        return np.asarray(np.log((q * x + 1.0 - q) / (x + others)))

    def run(
        self, own: Floats, eta: Floats, found: Found, temper: Floats | None = None
    ) -> tuple[float, Floats, Floats]:
        """Return the log-likelihood, and its gradient in own parameters and in eta of each row."""
        scene, block = self.scene, self.block
        exp_eta = np.exp(np.minimum(eta, 300.0))
        temper = scene.plain if temper is None else temper

        def work(first: int, last: int) -> tuple[float, Floats]:
            gradient = np.zeros(scene.n_rows)
            value = coin_pass(
                first, last, *scene.claims(), scene.row, self.domain_size, scene.offset,
                scene.offset_unseen, exp_eta, scene.floor, temper, gradient, found.score,
                found.posterior, found.likelihood,
            )  # fmt: skip
            return value, gradient

        parts = list(over_threads(work, scene.layout, scene.threads, block.first, block.last))
        starts = scene.layout.statement_start[block.first : block.last]
        end = scene.layout.statement_start[block.last]
        claimed = np.add.reduceat(found.posterior[:end], starts)
        found.left_over[block.first : block.last] = np.clip(1.0 - claimed, 0.0, 1.0)
        gradient = sum((part[1] for part in parts[1:]), parts[0][1])
        return sum(part[0] for part in parts), np.zeros(0), gradient
