"""The models, by the names they have on the command line."""

from __future__ import annotations

from typing import Any

from veracity.errors import InvalidParameter, listing, suggestion
from veracity.models.base import TruthModel
from veracity.models.vote import MajorityVote

MODELS: dict[str, type[TruthModel]] = {"vote": MajorityVote}
DEFAULT_MODEL = "vote"


def make_model(name: str, **params: Any) -> TruthModel:
    """Make a model by its name."""
    if name not in MODELS:
        raise InvalidParameter(
            f"There is no model {name!r}.{suggestion(name, MODELS)} "
            f"The models are: {listing(MODELS)}."
        )
    return MODELS[name](**params)


__all__ = ["DEFAULT_MODEL", "MODELS", "MajorityVote", "TruthModel", "make_model"]
