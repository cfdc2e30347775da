"""The models, by the names they have on the command line."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from veracity.errors import InvalidParameter, listing, suggestion
from veracity.models.base import TruthModel

#: Where each model lives; imported when it is asked for, since some bring a compiler with them.
MODELS = {
    "vote": ("veracity.models.baselines.majority_vote", "MajorityVote"),
    "mle": ("veracity.models.web.mle", "MLE"),
    "ltm": ("veracity.models.web.ltm", "LTM"),
    "rbm": ("veracity.models.grbm.paper", "RBM"),
    "grbm": ("veracity.models.grbm.estimator", "GRBM"),
    "grbm-paper": ("veracity.models.grbm.paper_setting", "paper"),
    "truthfinder": ("veracity.models.web.truthfinder", "TruthFinder"),
    "cosine": ("veracity.models.web.cosine", "Cosine"),
    "two-estimates": ("veracity.models.web.two_estimates", "TwoEstimates"),
    "three-estimates": ("veracity.models.web.three_estimates", "ThreeEstimates"),
    "sums": ("veracity.models.web.sums", "Sums"),
    "average-log": ("veracity.models.web.average_log", "AverageLog"),
    "investment": ("veracity.models.web.investment", "Investment"),
    "pooled-investment": ("veracity.models.web.pooled_investment", "PooledInvestment"),
    "accu": ("veracity.models.web.accu", "Accu"),
    "accu-copy": ("veracity.models.web.accu_copy", "AccuCopy"),
    "catd": ("veracity.models.web.catd", "CATD"),
    "crh": ("veracity.models.web.crh", "CRH"),
    "gtm": ("veracity.models.numeric.gtm", "GTM"),
    "mean": ("veracity.models.numeric.averages", "Mean"),
    "median": ("veracity.models.numeric.averages", "Median"),
    "dawid-skene": ("veracity.models.crowd.dawid_skene", "DawidSkene"),
    "one-coin": ("veracity.models.crowd.one_coin", "OneCoin"),
    "glad": ("veracity.models.crowd.glad", "GLAD"),
    "mace": ("veracity.models.crowd.mace", "MACE"),
}
DEFAULT_MODEL = "grbm"
#: Stands for the default model wherever the name of a model is asked for.
DEFAULT_ALIAS = "default"
#: Where a run is made, stands for the model that known truth chooses, if there is any.
AUTO = "auto"


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


__all__ = [
    "AUTO",
    "DEFAULT_ALIAS",
    "DEFAULT_MODEL",
    "MODELS",
    "TruthModel",
    "make_model",
    "model_name",
]
