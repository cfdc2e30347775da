"""Memory of the paper's machine: the rates of claims that it does not look at again.

Between two whole fits its parameters stay: an update judges the items that it is about by them, and
new sources have the rates of pre-training, or those of their features. With twice as many claims as
at the last whole fit, all is fitted anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, sum_by
from veracity.data.output.results import SourceRates
from veracity.models.memory import Arrays, PlainMemory, Portion, Recorded, Verdicts

if TYPE_CHECKING:
    from veracity.models.base import TruthModel
    from veracity.models.grbm.paper import BinaryGRBM

RATES = ("tpr", "fpr")


class BinaryMemory(PlainMemory):
    """What the paper's machine keeps of claims: sums of tpr and fpr over each source's claims."""

    recorded = RATES

    rate_sums: dict[str, Floats]

    def _begin(self, model: TruthModel, now: Verdicts) -> Recorded:
        super()._begin(model, now)
        found = _rates(model, now)
        self.rate_sums = {rate: now.block.matrix.sum_by_source(found[rate]) for rate in RATES}
        return found

    def _grow(self, model: TruthModel, sources: pa.StringArray) -> None:
        super()._grow(model, sources)
        more = np.zeros(len(sources) - len(self.rate_sums["tpr"]))
        self.rate_sums = {rate: np.append(sums, more) for rate, sums in self.rate_sums.items()}

    def _replace(self, model: TruthModel, before: Portion | None, now: Verdicts) -> Recorded:
        super()._replace(model, before, now)
        found = _rates(model, now)
        source = now.block.place[now.block.matrix.source_index]
        for rate in RATES:
            come = sum_by(source, found[rate], len(self.n_claims))
            self.rate_sums[rate] = self.rate_sums[rate] - self._by_source(before, rate) + come
        return found

    def rates(self) -> SourceRates:
        """Return reliability by the plausibilities, and the mean tpr and fpr, of every source."""
        count = np.maximum(self.n_claims, 1)
        tpr, fpr = (np.clip(self.rate_sums[rate] / count, 0.0, 1.0) for rate in RATES)
        return replace(super().rates(), tpr=tpr, fpr=fpr)

    def state(self) -> Arrays:
        """Return everything as arrays."""
        return super().state() | {f"rates.{rate}": self.rate_sums[rate] for rate in RATES}

    def restore(self, arrays: Arrays) -> None:
        """Restore what `state` returned."""
        super().restore(arrays)
        self.rate_sums = {rate: arrays[f"rates.{rate}"] for rate in RATES}


def _rates(model: TruthModel, now: Verdicts) -> Recorded:
    fitted = cast("BinaryGRBM", model).fitted_model
    block, own = fitted.bind(now.block.claims)
    rates = block.rates(own)
    return {"tpr": rates.tpr, "fpr": rates.fpr}
