"""veracity: which of many conflicting claims to believe, and whom to trust.

>>> import veracity
>>> claims = veracity.Claims.from_triples(
...     [("ann", "sky", "blue"), ("bob", "sky", "blue"), ("cat", "sky", "green")]
... )
>>> veracity.MajorityVote().fit(claims).truths_["value"].to_pylist()
['blue']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veracity import datasets
    from veracity.data.claims import Claims
    from veracity.data.matrix import ClaimMatrix
    from veracity.data.settings import Attribute
    from veracity.data.truth import GroundTruth
    from veracity.errors import VeracityError
    from veracity.features import FeatureBuilder
    from veracity.models.accu import Accu
    from veracity.models.accu_copy import AccuCopy
    from veracity.models.average_log import AverageLog
    from veracity.models.averages import Mean, Median
    from veracity.models.base import TruthModel
    from veracity.models.binary_grbm import RBM, BinaryGRBM
    from veracity.models.catd import CATD
    from veracity.models.cosine import Cosine
    from veracity.models.crh import CRH
    from veracity.models.dawid_skene import DawidSkene
    from veracity.models.glad import GLAD
    from veracity.models.grbm import GRBM
    from veracity.models.gtm import GTM
    from veracity.models.investment import Investment
    from veracity.models.ltm import LTM
    from veracity.models.mace import MACE
    from veracity.models.mle import MLE
    from veracity.models.one_coin import OneCoin
    from veracity.models.persistence import load
    from veracity.models.pooled_investment import PooledInvestment
    from veracity.models.sums import Sums
    from veracity.models.three_estimates import ThreeEstimates
    from veracity.models.truthfinder import TruthFinder
    from veracity.models.two_estimates import TwoEstimates
    from veracity.models.vote import MajorityVote
    from veracity.workflow import discover, update

__version__ = "0.1.0.dev0"

#: Where each public name lives; imported at its first use, so that `import veracity` is quick.
_HOMES = {
    "Attribute": "veracity.data.settings",
    "ClaimMatrix": "veracity.data.matrix",
    "Claims": "veracity.data.claims",
    "GroundTruth": "veracity.data.truth",
    "FeatureBuilder": "veracity.features",
    "BinaryGRBM": "veracity.models.binary_grbm",
    "GRBM": "veracity.models.grbm",
    "MLE": "veracity.models.mle",
    "LTM": "veracity.models.ltm",
    "TruthFinder": "veracity.models.truthfinder",
    "Cosine": "veracity.models.cosine",
    "TwoEstimates": "veracity.models.two_estimates",
    "ThreeEstimates": "veracity.models.three_estimates",
    "Sums": "veracity.models.sums",
    "AverageLog": "veracity.models.average_log",
    "Investment": "veracity.models.investment",
    "PooledInvestment": "veracity.models.pooled_investment",
    "Accu": "veracity.models.accu",
    "AccuCopy": "veracity.models.accu_copy",
    "CATD": "veracity.models.catd",
    "CRH": "veracity.models.crh",
    "GTM": "veracity.models.gtm",
    "Mean": "veracity.models.averages",
    "Median": "veracity.models.averages",
    "DawidSkene": "veracity.models.dawid_skene",
    "OneCoin": "veracity.models.one_coin",
    "GLAD": "veracity.models.glad",
    "MACE": "veracity.models.mace",
    "MajorityVote": "veracity.models.vote",
    "RBM": "veracity.models.binary_grbm",
    "TruthModel": "veracity.models.base",
    "VeracityError": "veracity.errors",
    "discover": "veracity.workflow",
    "load": "veracity.models.persistence",
    "update": "veracity.workflow",
}

__all__ = [
    "CATD",
    "CRH",
    "GLAD",
    "GRBM",
    "GTM",
    "LTM",
    "MACE",
    "MLE",
    "RBM",
    "Accu",
    "AccuCopy",
    "Attribute",
    "AverageLog",
    "BinaryGRBM",
    "ClaimMatrix",
    "Claims",
    "Cosine",
    "DawidSkene",
    "FeatureBuilder",
    "GroundTruth",
    "Investment",
    "MajorityVote",
    "Mean",
    "Median",
    "OneCoin",
    "PooledInvestment",
    "Sums",
    "ThreeEstimates",
    "TruthFinder",
    "TruthModel",
    "TwoEstimates",
    "VeracityError",
    "datasets",
    "discover",
    "load",
    "update",
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("veracity.datasets")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'veracity' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
