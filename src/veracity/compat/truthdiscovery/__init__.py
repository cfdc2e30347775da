"""The interface of truthdiscovery, backed by this library: only the import changes."""

from __future__ import annotations

from typing import NoReturn

from veracity.compat.truthdiscovery.algorithms import (
    GRBM,
    AverageLog,
    Investment,
    MajorityVoting,
    PooledInvestment,
    Sums,
    TruthFinder,
)
from veracity.compat.truthdiscovery.dataset import Dataset, MatrixDataset, SupervisedData
from veracity.compat.truthdiscovery.iteration import (
    ConvergenceIterator,
    DistanceMeasures,
    FixedIterator,
    PriorBelief,
)
from veracity.compat.truthdiscovery.result import Result
from veracity.errors import listing, suggestion

__all__ = [
    "GRBM",
    "AverageLog",
    "ConvergenceIterator",
    "Dataset",
    "DistanceMeasures",
    "FixedIterator",
    "Investment",
    "MajorityVoting",
    "MatrixDataset",
    "PooledInvestment",
    "PriorBelief",
    "Result",
    "Sums",
    "SupervisedData",
    "TruthFinder",
]


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"veracity.compat.truthdiscovery does not offer {name!r}.{suggestion(name, __all__)} It "
        f"offers {listing(__all__, 20)}."
    )
