"""The default model without one of its parts, and other models to hold beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from veracity import RBM, BinaryGRBM, Claims, MajorityVote
from veracity.models.base import TruthModel
from veracity.models.grbm.estimator import GRBM

#: What stands for "not held": none at all would leave what nothing bears on undetermined.
HARDLY = 1e-3

#: Settings of a module or of a class in it, for the time of a fit.
Changes = Mapping[str, Mapping[str, Any]]

CATEGORICAL = "veracity.models.categorical"
NO_PRIORS: Changes = {
    f"{CATEGORICAL}.fitting": dict.fromkeys(
        ("HOLD_START", "HOLD_PROLIFIC", "HOLD_SOURCE", "HOLD_FEATURES"), HARDLY
    ),
    f"{CATEGORICAL}.priors:ClassPrior": dict.fromkeys(
        ("PRIOR", "SAID", "CONFUSED", "SOURCE_SAID", "SOURCE_CONFUSED"), HARDLY
    ),
    f"{CATEGORICAL}.priors:BinaryPrior": dict.fromkeys(("TRUTH", "SAID", "SOURCE_SAID"), HARDLY),
    f"{CATEGORICAL}.priors": {"HOLD_PER_THIN_ITEM": 0.0},
}
ANY_COLUMN: Changes = {"veracity.models.grbm.feature_trial": {"MAX_VALUE_SHARE_GRBM": float("inf")}}
NO_CLASSES: Changes = {f"{CATEGORICAL}.forms": {"ITEMS_PER_PAIR_OF_CLASSES": float("inf")}}
NO_CLUSTERS: Changes = {f"{CATEGORICAL}.flow:Flow": {"_let_cluster": lambda self, learned: None}}
NOTHING_MIXED_IN: Changes = {f"{CATEGORICAL}.plausibility": {"SHARE_MIXED_IN": 0.0}}


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
    "features without the held-out veto": Variant(GRBM, {"features": "always"}),
    "features without either guard": Variant(GRBM, {"features": "always"}, ANY_COLUMN),
    "features without guards, no u >= 0, no priors": Variant(
        GRBM, {"features": "always", "allow_adversaries": True}, {**NO_PRIORS, **ANY_COLUMN}
    ),
    "without features": Variant(GRBM, {"features": "never"}),
    "a network for g": Variant(GRBM, {"reliability": "mlp"}),
    "a network for g, without either guard": Variant(
        GRBM, {"reliability": "mlp", "features": "always"}, ANY_COLUMN
    ),
    "without classes": Variant(GRBM, changes=NO_CLASSES),
    "without clusters of mistakes": Variant(GRBM, changes=NO_CLUSTERS),
    "all copies count": Variant(GRBM, {"discount_copies": False}),
    "copies always count once": Variant(GRBM, {"discount_copies": True}),
    "without tempering": Variant(GRBM, {"correlation": 0.0}),
    "without tempering and mixing": Variant(GRBM, {"correlation": 0.0}, NOTHING_MIXED_IN),
    "the binary machine, exact": Variant(BinaryGRBM),
    "the binary machine, contrastive divergence": Variant(BinaryGRBM, {"objective": "cd"}),
    "the paper's machine, exact": Variant(BinaryGRBM, PAPER),
    "the paper's machine, contrastive divergence": Variant(
        BinaryGRBM, {**PAPER, "objective": "cd"}
    ),
    "a machine of sources alone (RBM)": Variant(RBM),
    VOTE: Variant(MajorityVote),
}
