"""A rough curvature of the paper's machine, from which L-BFGS starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from veracity.data.arrays import Floats
from veracity.engines.base import Blocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.curvature import SharedCurvature, SharedSums
from veracity.models.grbm.model_spec import N_THETA, ModelSpec
from veracity.models.grbm.observation.base import AttributePrior
from veracity.models.grbm.parameters import ParameterVector

#: What keeps the curvature positive where there is no penalty.
FLOOR = 1e-3


@dataclass(frozen=True)
class ThetaCurvature:
    """The curvature of the paper's machine: in a + w, in a, in b, and in b_0.

    Attributes
    ----------
    shared
        That in a + w, in a and in b: in the coefficients of a linear g and in what sources have of
        their own.
    network
        That in the parameters of a g that is not linear, taken to be the same everywhere.
    global_hidden_bias
        That in b_0.
    spec
        What is fitted.
    """

    shared: Sequence[SharedCurvature]
    network: float
    global_hidden_bias: float
    spec: ModelSpec

    @classmethod
    def of(
        cls,
        sums: Sequence[SharedSums],
        information: float,
        penalty: float,
        global_hidden_bias: float,
        spec: ModelSpec,
    ) -> ThetaCurvature:
        """Add the penalty to the information of all claims."""
        floor = penalty + FLOOR
        shared = [
            SharedCurvature.of(
                part, np.full(len(part.square), floor), np.full(len(part.of_source), floor)
            )
            for part in sums
        ]
        return cls(shared, information + floor, global_hidden_bias, spec)

    def divide(self, gradient: Floats) -> Floats:
        """Divide a gradient by the curvature, in the coordinates a + w and a."""
        names = self.spec.names
        given, step = ParameterVector(names, gradient), names.zeros()
        linear = self.spec.reliability.is_linear
        psi = given["psi"].reshape(-1, 3) if linear else np.zeros((0, 3))
        own = given["source"] if "source" in given else np.zeros((0, 3))
        if_true, if_false, always = self.shared
        psi_false, own_false = if_false.divide(psi[:, 0] - psi[:, 1], own[:, 0] - own[:, 1])
        psi_true, own_true = if_true.divide(psi[:, 1], own[:, 1])
        psi_always, own_always = always.divide(psi[:, 2], own[:, 2])
        shared = np.stack([psi_false, psi_true - psi_false, psi_always], axis=1).ravel()
        step["psi"] = shared if linear else given["psi"] / self.network
        if "source" in step:
            step["source"] = np.stack([own_false, own_true - own_false, own_always], axis=1)
        (last,) = (name for name in names.axes if name.endswith("global_hidden_bias"))
        step[last] = given[last] / self.global_hidden_bias
        return step.values


def theta_curvature(
    blocks: Blocks[BlockObjective], spec: ModelSpec, prior: AttributePrior
) -> ThetaCurvature:
    """Return a rough curvature in theta, from the information of all claims.

    If truth were known, tpr and fpr of a source would be two logistic regressions: the log-odds of
    saying a true statement, a + w, and of saying a false one, a. Their curvature is the number of
    statements times a variance.
    """
    assert spec.penalty is not None
    sums = blocks.total(_theta_sums, spec.n_sources)
    shared = [
        SharedSums(
            sums[f"{number} square"],
            np.ascontiguousarray(sums[f"{number} cross"].everywhere().T),
            sums[f"{number} of_source"].everywhere(),
        )
        for number in range(N_THETA)
    ]
    return ThetaCurvature.of(
        shared, float(sums["information"]), spec.penalty, float(prior.curvature[0]), spec
    )


def _theta_sums(block: BlockObjective, n_sources: int) -> Sums:
    made: Sums = {}
    found = _sums_of_rows(block)
    has_sources = "source" in block.names.axes
    place, size = (block.place, n_sources) if has_sources else (np.empty(0, np.int64), 0)
    for number, sums in enumerate(found):
        made[f"{number} square"] = sums.square
        made[f"{number} cross"] = Scattered(place, np.ascontiguousarray(sums.cross.T), size)
        made[f"{number} of_source"] = Scattered(place, sums.of_source, size)
    return made | {"information": float(_theta_information(block)[2].sum())}


def _sums_of_rows(block: BlockObjective) -> list[SharedSums]:
    """Return the information of the claims of a block in a + w, in a and in b."""
    data, spec = block.data, block.spec
    design = np.zeros((data.n_rows, 0))
    if spec.reliability.is_linear and len(spec.reliability.start):
        design = np.hstack([data.rows.features, np.ones((data.n_rows, 1))])
    n_sources = len(block.place) if "source" in block.names.axes else 0
    source = data.source_of_row if n_sources else np.zeros(data.n_rows, np.int64)
    return [
        SharedSums.of(design, weight, source, n_sources) for weight in _theta_information(block)
    ]


def _theta_information(block: BlockObjective) -> Floats:
    """Return the information of the claims in a + w, in a and in b of each row; (3, n_rows)."""
    own = block.names.zeros()
    ((model, parameters, eta),) = block.models(own)
    return model.information(parameters, eta)
