"""The models, by the names they have on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from veracity.errors import InvalidParameter, listing, suggestion
from veracity.models.base import TruthModel

#: Where each model lives; imported when it is asked for, since some bring a compiler with them.
MODELS = {
    "grbm": ("veracity.models.grbm", "GRBM"),
    "rbm": ("veracity.models.grbm", "RBM"),
    "vote": ("veracity.models.vote", "MajorityVote"),
}
DEFAULT_MODEL = "grbm"


def make_model(name: str, **params: Any) -> TruthModel:
    """Make a model by its name."""
    if name not in MODELS:
        raise InvalidParameter(
            f"There is no model {name!r}.{suggestion(name, MODELS)} "
            f"The models are: {listing(MODELS)}."
        )
    module, kind = MODELS[name]
    model: TruthModel = getattr(import_module(module), kind)()
    return model.set_params(**params)


__all__ = ["DEFAULT_MODEL", "MODELS", "TruthModel", "make_model"]
