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
    from veracity.models.base import TruthModel
    from veracity.models.grbm import GRBM, RBM
    from veracity.models.persistence import load
    from veracity.models.vote import MajorityVote
    from veracity.workflow import discover

__version__ = "0.1.0.dev0"

#: Where each public name lives; imported at its first use, so that `import veracity` is quick.
_HOMES = {
    "Attribute": "veracity.data.settings",
    "ClaimMatrix": "veracity.data.matrix",
    "Claims": "veracity.data.claims",
    "GroundTruth": "veracity.data.truth",
    "FeatureBuilder": "veracity.features",
    "GRBM": "veracity.models.grbm",
    "MajorityVote": "veracity.models.vote",
    "RBM": "veracity.models.grbm",
    "TruthModel": "veracity.models.base",
    "VeracityError": "veracity.errors",
    "discover": "veracity.workflow",
    "load": "veracity.models.persistence",
}

__all__ = [
    "GRBM",
    "RBM",
    "Attribute",
    "ClaimMatrix",
    "Claims",
    "FeatureBuilder",
    "GroundTruth",
    "MajorityVote",
    "TruthModel",
    "VeracityError",
    "datasets",
    "discover",
    "load",
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("veracity.datasets")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'veracity' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
