"""Refuse parameters of the paper's machine that make no sense, alone or together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veracity.errors import InvalidParameter, listing, suggestion
from veracity.features.statistics import NAMES
from veracity.models.grbm.sequences import SEQUENCES

if TYPE_CHECKING:
    from veracity.models.grbm.paper import BinaryGRBM

RELIABILITIES = ("linear", "mlp", "gru", "per-source")
#: The words that parameters may be.
WORDS = {
    "sequence": SEQUENCES,
    "weights": ("free", "nonnegative"),
    "scale": ("spread", "standard", "rank"),
    "pretraining": ("fitted", "constant"),
    "batch_by": ("item", "statement"),
}


def check_parameters(model: BinaryGRBM) -> None:
    """Refuse what cannot be fitted."""
    recurrent = model.is_recurrent
    if model.truth != "multiple":
        raise InvalidParameter(f"truth must be 'multiple'. Got {model.truth!r} instead.")
    given = model._reliability
    if model.pretraining == "constant" and not isinstance(given, str):
        raise InvalidParameter(
            "pretraining='constant' is for reliability='mlp': of a torch module of your own it "
            "is not known which layer is the last. Set pretraining='fitted'."
        )
    known = isinstance(given, str) and given in RELIABILITIES
    module = hasattr(given, "parameters") and not isinstance(given, type)
    if not known and not module:
        raise InvalidParameter(
            f"reliability must be one of {listing(RELIABILITIES)} or a torch module. "
            f"Got {given!r} instead.{suggestion(str(given), RELIABILITIES)}"
        )
    if isinstance(model.features, str) and model.features != "auto":
        raise InvalidParameter(
            f"features must be 'auto' or a list of names. Got {model.features!r} instead."
        )
    if recurrent and model.one_hot and model.sequence == "item":
        raise InvalidParameter(
            "one_hot=True makes two statements of a yes/no item, of which sequence='item' "
            "reads one. Set one_hot=False, or use sequence='source'."
        )
    in_batches = model.objective == "cd" or model.optimizer in ("adam", "sgd")
    by_source = recurrent and model.sequence == "source"
    if by_source and in_batches and model.batch_by == "statement":
        raise InvalidParameter(
            "With sequence='source', batches are made of whole sources. Leave batch_by at "
            "'item', and let batch_size be the number of sources."
        )
    if model.objective not in ("exact", "cd"):
        raise InvalidParameter(f"objective must be exact or cd. Got {model.objective!r}.")
    for name, words in WORDS.items():
        if getattr(model, name) not in words:
            raise InvalidParameter(
                f"{name} must be {' or '.join(words)}. Got {getattr(model, name)!r} instead."
            )
    unknown = [name for name in model.statistics if name not in NAMES]
    if unknown:
        raise InvalidParameter(
            f"There is no statistic {unknown[0]!r}.{suggestion(unknown[0], NAMES)} "
            f"The statistics are: {listing(NAMES, 20)}."
        )
    if model.optimizer not in (None, "lbfgs", "adam", "sgd"):
        raise InvalidParameter(
            f"optimizer must be lbfgs, adam or sgd. Got {model.optimizer!r} instead."
        )
    if model.objective == "cd" and model.optimizer == "lbfgs":
        raise InvalidParameter(
            "L-BFGS needs the exact objective: contrastive divergence is sampled. "
            "Use optimizer='adam' or 'sgd'."
        )
    for name in ("cd_steps", "batch_size", "patience", "max_iter"):
        if getattr(model, name) < 1:
            raise InvalidParameter(f"{name} must be 1 or more. Got {getattr(model, name)!r}.")
    for name in ("penalty", "anchor", "tol", "decay"):
        if not getattr(model, name) >= 0:
            raise InvalidParameter(f"{name} must be 0 or more. Got {getattr(model, name)!r}.")
    if not model.learning_rate > 0:
        raise InvalidParameter(f"learning_rate must be positive. Got {model.learning_rate!r}.")
    if not 0 <= model.average <= 1:
        raise InvalidParameter(f"average must be between 0 and 1. Got {model.average!r}.")
