"""veracity: latent truth discovery from conflicting claims.

`discover` goes from a table of claims to a run, and `open_run` opens one that was saved. `Claims`
reads tables, and a model such as `GRBM` or `MajorityVote` is fitted to them. `update` lets a saved
run learn from new claims, and `load` loads a model.

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
    from veracity.data.read.settings import Attribute
    from veracity.data.truth.ground_truth import GroundTruth
    from veracity.errors import VeracityError
    from veracity.features import FeatureBuilder
    from veracity.models.base import TruthModel
    from veracity.models.baselines.majority_vote import MajorityVote
    from veracity.models.crowd.dawid_skene import DawidSkene
    from veracity.models.crowd.glad import GLAD
    from veracity.models.crowd.mace import MACE
    from veracity.models.crowd.one_coin import OneCoin
    from veracity.models.grbm.estimator import GRBM
    from veracity.models.grbm.paper import RBM, BinaryGRBM
    from veracity.models.numeric.averages import Mean, Median
    from veracity.models.numeric.gtm import GTM
    from veracity.models.web.accu import Accu
    from veracity.models.web.accu_copy import AccuCopy
    from veracity.models.web.average_log import AverageLog
    from veracity.models.web.catd import CATD
    from veracity.models.web.cosine import Cosine
    from veracity.models.web.crh import CRH
    from veracity.models.web.investment import Investment
    from veracity.models.web.ltm import LTM
    from veracity.models.web.mle import MLE
    from veracity.models.web.pooled_investment import PooledInvestment
    from veracity.models.web.sums import Sums
    from veracity.models.web.three_estimates import ThreeEstimates
    from veracity.models.web.truthfinder import TruthFinder
    from veracity.models.web.two_estimates import TwoEstimates
    from veracity.workflow import discover, golden, load, open_run, update
    from veracity.workflow.jury import jury
    from veracity.workflow.run_schema import run_schema

__version__ = "0.1.0.dev0"

#: Where each public name lives; imported at its first use, so that `import veracity` is quick.
_HOMES = {
    "Attribute": "veracity.data.read.settings",
    "ClaimMatrix": "veracity.data.matrix",
    "Claims": "veracity.data.claims",
    "GroundTruth": "veracity.data.truth.ground_truth",
    "FeatureBuilder": "veracity.features",
    "BinaryGRBM": "veracity.models.grbm.paper",
    "GRBM": "veracity.models.grbm.estimator",
    "MLE": "veracity.models.web.mle",
    "LTM": "veracity.models.web.ltm",
    "TruthFinder": "veracity.models.web.truthfinder",
    "Cosine": "veracity.models.web.cosine",
    "TwoEstimates": "veracity.models.web.two_estimates",
    "ThreeEstimates": "veracity.models.web.three_estimates",
    "Sums": "veracity.models.web.sums",
    "AverageLog": "veracity.models.web.average_log",
    "Investment": "veracity.models.web.investment",
    "PooledInvestment": "veracity.models.web.pooled_investment",
    "Accu": "veracity.models.web.accu",
    "AccuCopy": "veracity.models.web.accu_copy",
    "CATD": "veracity.models.web.catd",
    "CRH": "veracity.models.web.crh",
    "GTM": "veracity.models.numeric.gtm",
    "Mean": "veracity.models.numeric.averages",
    "Median": "veracity.models.numeric.averages",
    "DawidSkene": "veracity.models.crowd.dawid_skene",
    "OneCoin": "veracity.models.crowd.one_coin",
    "GLAD": "veracity.models.crowd.glad",
    "MACE": "veracity.models.crowd.mace",
    "MajorityVote": "veracity.models.baselines.majority_vote",
    "RBM": "veracity.models.grbm.paper",
    "TruthModel": "veracity.models.base",
    "VeracityError": "veracity.errors",
    "discover": "veracity.workflow",
    "golden": "veracity.workflow",
    "jury": "veracity.workflow.jury",
    "load": "veracity.workflow",
    "open_run": "veracity.workflow",
    "run_schema": "veracity.workflow.run_schema",
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
    "golden",
    "jury",
    "load",
    "open_run",
    "run_schema",
    "update",
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("veracity.datasets")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    from veracity.errors import suggestion

    near = suggestion(name, __all__)
    raise AttributeError(f"module 'veracity' has no attribute {name!r}.{near}".removesuffix("."))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
