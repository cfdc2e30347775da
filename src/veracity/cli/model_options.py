"""Options of models on the command line, and their translation to parameters."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from veracity.cli.options import gathers, option_parameter
from veracity.errors import InvalidParameter

PANEL = "Model"
#: Words in the place of features' names; which of them a model knows is for the model to say.
FEATURE_WORDS = ("auto", "always", "never")

ModelName = Annotated[
    str,
    typer.Option(
        help="Model to use: default, grbm, vote, ... (a wrong name lists all), or auto: the one "
        "that --known-truth chooses.",
        metavar="NAME",
    ),
]


def _rates(text: str) -> Any:
    """Read rates: a name, or tpr and fpr with a comma between."""
    if "," not in text:
        return text
    try:
        tpr, fpr = (float(part) for part in text.split(","))
    except ValueError as error:
        raise InvalidParameter(f"--rates takes TPR,FPR such as 0.8,0.2. Got {text!r}.") from error
    return tpr, fpr


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _features(text: str) -> str | list[str]:
    """Read features: a word that says when to use them, or their names."""
    word = text.strip()
    return word if word in FEATURE_WORDS else _names(text)


def _smooth(given: Sequence[str]) -> list[list[str]]:
    """Read the columns of smooth functions."""
    return [_names(text) for text in given]


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in _names(text)]
    except ValueError as error:
        raise InvalidParameter(
            f"--hidden-sizes takes whole numbers such as 16,8. Got {text!r}."
        ) from error


def _class_prior(text: str) -> str | dict[str, float]:
    """Read a class prior: a word, or the probability of each class, as in yes=0.2,no=0.8."""
    if "=" not in text:
        return text.strip()
    pairs = [pair.rpartition("=") for pair in _names(text)]
    try:
        shares = {name.strip(): float(share) for name, _, share in pairs}
    except ValueError:
        shares = {}
    if "" in shares or len(shares) < len(pairs):
        raise InvalidParameter(
            "--class-prior takes claims, uniform, or the probability of each class once, such as "
            f"yes=0.2,no=0.8. Got {text!r}. Classes with a comma in their name can be given as "
            'JSON: --set \'class_prior={"a, b": 0.2, "c": 0.8}\'.'
        )
    return shares


#: How the text of an option becomes a parameter; others are taken as they are.
READ: dict[str, Callable[[Any], Any]] = {
    "class_prior": _class_prior,
    "features": _features,
    "hidden_sizes": _sizes,
    "rates": _rates,
    "smooth": _smooth,
}


def _option(name: str, kind: Any, help: str, metavar: str | None = None) -> inspect.Parameter:
    return option_parameter(name, kind | None, None, PANEL, help, metavar)


MODEL_PARAMETERS = (
    _option(
        "features",
        str,
        "Features to use, by name; or when to use any.",
        "A,B,...|auto|always|never",
    ),
    option_parameter("no_features", bool, False, PANEL, "Use no features: look at sources only."),
    _option("family", str, "Feature column that says which sources err together.", "COLUMN"),
    _option(
        "confidence",
        str,
        "Feature column in which sources state how sure they are; or when to look for one.",
        "COLUMN|auto|never",
    ),
    _option(
        "domain_column",
        str,
        "Feature column of domains, such as topics; sources have a reliability in each.",
        "COLUMN",
    ),
    _option(
        "smooth",
        list[str],
        "Column, or pair of coordinates, of which reliability is a smooth function; repeatable.",
        "COLUMN[,COLUMN]",
    ),
    _option(
        "class_prior",
        str,
        "How often each class of a closed attribute is true, if you know it.",
        "claims|uniform|A=0.2,B=0.8",
    ),
    _option("speaking", bool, "Judge sources that say one value or nothing by whether they speak."),
    _option("reliability", str, "The reliability function.", "linear|mlp|gru|per-source"),
    _option("sequence", str, "Whose earlier claims a recurrent function reads.", "item|source"),
    _option("source_effects", bool, "Give each source its own deviation, beside its features."),
    _option("hidden_sizes", str, "Hidden layers of the network.", "16,8"),
    _option("activation", str, "Activation of the network.", "tanh|relu|gelu|sigmoid"),
    _option("rates", str, "Rates to pre-train towards.", "optimistic|pessimistic|TPR,FPR"),
    _option("tie_hidden_bias", bool, "Whether the hidden bias follows from the rates."),
    _option("weights", str, "Whether weights may be negative.", "nonnegative|free"),
    _option("penalty", float, "Strength of the pull of all parameters to their start."),
    _option("anchor", float, "Strength of the pull of every claim's theta to its start."),
    _option("objective", str, "Exact likelihood or contrastive divergence.", "exact|cd"),
    _option("cd_steps", int, "Steps of contrastive divergence."),
    _option("optimizer", str, "Optimiser of the fit.", "lbfgs|adam|sgd"),
    _option("learning_rate", float, "Learning rate of adam and sgd."),
    _option("batch_size", int, "How many items, or statements, make a batch of adam or sgd."),
    _option("max_iter", int, "Largest number of iterations."),
    _option("tol", float, "Relative improvement below which the fit stops."),
    _option("threads", int, "Threads to use; by default, one per core."),
    option_parameter(
        "set",
        list[str] | None,
        None,
        PANEL,
        "Any other parameter of the model; repeatable.",
        "PARAMETER=VALUE",
    ),
)


def model_settings(
    no_features: bool, features: str | None, set: Sequence[str] | None, **given: Any
) -> dict[str, Any]:
    """Return the parameters that were given on the command line."""
    if no_features and features is not None:
        raise InvalidParameter("Give either --features or --no-features, not both.")
    settings = {name: value for name, value in given.items() if value is not None}
    if "domain_column" in settings:  # --domain is about the values of attributes
        settings["domain"] = settings.pop("domain_column")
    if features is not None:
        settings["features"] = features
    for name, read in READ.items():
        if name in settings:
            settings[name] = read(settings[name])
    if no_features:
        settings["features"] = []
    return settings | dict(map(_assignment, set or ()))


def _assignment(text: str) -> tuple[str, Any]:
    """Read PARAMETER=VALUE; the value is JSON where it can be read so, else text."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise InvalidParameter(f"--set takes PARAMETER=VALUE, as in alpha=0.1. Got {text!r}.")
    try:
        return name.strip().replace("-", "_"), json.loads(value)
    except ValueError:
        return name.strip().replace("-", "_"), value


#: Gives a command the options of models, as one dictionary ``settings``.
fits_model = gathers("settings", MODEL_PARAMETERS, model_settings)
