"""The default model without one of its parts, and other models to hold beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

from veracity import RBM, BinaryGRBM, Claims, MajorityVote
from veracity.models.base import TruthModel
from veracity.models.grbm.estimator import GRBM
from veracity.models.grbm.observation.base import FIXED
from veracity.models.grbm.plausibility import CONSTANTS, LearnedConstants, plausibilities
from veracity.models.grbm.priors import PRECISION

#: What stands for "not held": none at all would leave what nothing bears on undetermined.
HARDLY = 1e-3

#: Settings of a module or of a class in it, for the time of a fit.
Changes = Mapping[str, Mapping[str, Any]]

GRBM_PARTS = "veracity.models.grbm"
NO_PRIORS: Changes = {
    f"{GRBM_PARTS}.priors": {"PRECISION": dict.fromkeys(PRECISION, HARDLY)},
    f"{GRBM_PARTS}.observation.confusion": {
        **dict.fromkeys(("CONFUSION", "SOURCE_HABIT", "SOURCE_CONFUSION"), HARDLY),
        **dict.fromkeys(("PRIOR", "HABIT"), HARDLY),
        **dict.fromkeys(("PRIOR_PER_SINGLE", "HABIT_PER_SINGLE"), 0.0),
    },
    f"{GRBM_PARTS}.observation.per_statement": {
        **dict.fromkeys(("PRIOR", "HABIT", "SOURCE_HABIT"), HARDLY),
        "PRIOR_PER_SINGLE": 0.0,
    },
    f"{GRBM_PARTS}.observation.lures": {"PRECISION": HARDLY},
}
ANY_COLUMN: Changes = {f"{GRBM_PARTS}.feature_trial": {"MAX_VALUE_SHARE_GRBM": float("inf")}}
FORMS = f"{GRBM_PARTS}.attributes"
NO_CLASSES: Changes = {
    FORMS: dict.fromkeys(("ITEMS_PER_PAIR_OF_CLASSES", "CLAIMS_PER_CLASS"), float("inf"))
}
NO_HABITS: Changes = {
    f"{GRBM_PARTS}.observation.confusion": dict.fromkeys(("HABIT", "SOURCE_HABIT"), FIXED)
}
NO_HARDNESS: Changes = {FORMS: dict.fromkeys(("HARDNESS", "HARDNESS_IF_OPEN"), 0.0)}
#: Plain probabilities: f(x) = e^-x.
UNTEMPERED = replace(CONSTANTS, temper=1.0, shape=1e9)


def _with_constants(constants: LearnedConstants) -> Changes:
    judge = partial(plausibilities, constants=constants)
    return {f"{GRBM_PARTS}.contests": {"plausibilities": judge}}


@dataclass(frozen=True)
class Variant:
    """A model, and what is changed while it is fitted."""

    model: type[TruthModel]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)

    def fitted(self, claims: Claims) -> TruthModel:
        """Return the model, fitted to claims."""
        with ExitStack() as stack:
            for place, values in self.changes.items():
                stack.enter_context(changed(place, values))
            return self.model(**self.parameters).fit(claims)


@contextmanager
def changed(place: str, values: Mapping[str, Any]) -> Iterator[None]:
    """Change settings of a module, or of a class of it (``module:Class``), and put them back."""
    module, _, name = place.partition(":")
    owner = getattr(import_module(module), name) if name else import_module(module)
    before = {key: getattr(owner, key) for key in values}
    for key, value in values.items():
        setattr(owner, key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            setattr(owner, key, value)


DEFAULT, VOTE = "the default", "majority vote"
PAPER = {"source_effects": False, "tie_hidden_bias": False}
VARIANTS: Mapping[str, Variant] = {
    DEFAULT: Variant(GRBM),
    "without u >= 0": Variant(GRBM, {"allow_adversaries": True}),
    "without priors": Variant(GRBM, changes=NO_PRIORS),
    "without u >= 0 and priors": Variant(GRBM, {"allow_adversaries": True}, NO_PRIORS),
    "features without the trial": Variant(GRBM, {"features": "always"}),
    "features without any guard": Variant(GRBM, {"features": "always"}, ANY_COLUMN),
    "features without guards, no u >= 0, no priors": Variant(
        GRBM, {"features": "always", "allow_adversaries": True}, {**NO_PRIORS, **ANY_COLUMN}
    ),
    "without features": Variant(GRBM, {"features": "never"}),
    "a network for g": Variant(GRBM, {"reliability": "mlp"}),
    "a network for g, without any guard": Variant(
        GRBM, {"reliability": "mlp", "features": "always"}, ANY_COLUMN
    ),
    "without classes": Variant(GRBM, changes=NO_CLASSES),
    "without habits": Variant(GRBM, changes=NO_HABITS),
    "without hardness": Variant(GRBM, changes=NO_HARDNESS),
    "speaking is no evidence": Variant(GRBM, {"speaking": False}),
    "shares of classes as claimed": Variant(GRBM, {"class_prior": "claims"}),
    "without tempering": Variant(GRBM, changes=_with_constants(UNTEMPERED)),
    "without tempering and mixing": Variant(
        GRBM, changes=_with_constants(replace(UNTEMPERED, mix=1.0))
    ),
    "the binary machine, exact": Variant(BinaryGRBM),
    "the binary machine, contrastive divergence": Variant(BinaryGRBM, {"objective": "cd"}),
    "the paper's machine, exact": Variant(BinaryGRBM, PAPER),
    "the paper's machine, contrastive divergence": Variant(
        BinaryGRBM, {**PAPER, "objective": "cd"}
    ),
    "a machine of sources alone (RBM)": Variant(RBM),
    VOTE: Variant(MajorityVote),
}
