"""The models, by the names they have on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from veracity.errors import InvalidParameter, listing, suggestion
from veracity.models.base import TruthModel

#: Where each model lives; imported when it is asked for, since some bring a compiler with them.
MODELS = {
    "vote": ("veracity.models.vote", "MajorityVote"),
    "mle": ("veracity.models.mle", "MLE"),
    "ltm": ("veracity.models.ltm", "LTM"),
    "rbm": ("veracity.models.binary_grbm", "RBM"),
    "grbm": ("veracity.models.grbm", "GRBM"),
    "grbm-paper": ("veracity.models.binary_grbm", "paper"),
    "truthfinder": ("veracity.models.truthfinder", "TruthFinder"),
    "cosine": ("veracity.models.cosine", "Cosine"),
    "two-estimates": ("veracity.models.two_estimates", "TwoEstimates"),
    "three-estimates": ("veracity.models.three_estimates", "ThreeEstimates"),
    "sums": ("veracity.models.sums", "Sums"),
    "average-log": ("veracity.models.average_log", "AverageLog"),
    "investment": ("veracity.models.investment", "Investment"),
    "pooled-investment": ("veracity.models.pooled_investment", "PooledInvestment"),
    "accu": ("veracity.models.accu", "Accu"),
    "accu-copy": ("veracity.models.accu_copy", "AccuCopy"),
    "catd": ("veracity.models.catd", "CATD"),
    "crh": ("veracity.models.crh", "CRH"),
    "gtm": ("veracity.models.gtm", "GTM"),
    "mean": ("veracity.models.averages", "Mean"),
    "median": ("veracity.models.averages", "Median"),
    "dawid-skene": ("veracity.models.dawid_skene", "DawidSkene"),
    "one-coin": ("veracity.models.one_coin", "OneCoin"),
    "glad": ("veracity.models.glad", "GLAD"),
    "mace": ("veracity.models.mace", "MACE"),
}
DEFAULT_MODEL = "grbm"
#: Stands for the default model wherever the name of a model is asked for.
DEFAULT_ALIAS = "default"


def model_name(name: str) -> str:
    """Return the name of a model, that of the default for ``default``; refuse unknown names."""
    if name == DEFAULT_ALIAS:
        return DEFAULT_MODEL
    if name not in MODELS:
        names = [DEFAULT_ALIAS, *MODELS]
        raise InvalidParameter(
            f"There is no model {name!r}.{suggestion(name, names)} "
            f"The models are: {listing(names, 40)}."
        )
    return name


def make_model(name: str, **params: Any) -> TruthModel:
    """Make a model by its name."""
    module, kind = MODELS[model_name(name)]
    model: TruthModel = getattr(import_module(module), kind)()
    return model.set_params(**params)


__all__ = ["DEFAULT_ALIAS", "DEFAULT_MODEL", "MODELS", "TruthModel", "make_model", "model_name"]
