"""Class priors: how often each class of a closed attribute is true, as declared by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real

import numpy as np

from veracity.data.arrays import Floats
from veracity.data.notes import Note
from veracity.errors import InvalidParameter, listing, suggestion
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.model_spec import ClassPrior
from veracity.models.grbm.observation.base import FIXED, AttributePrior
from veracity.models.grbm.parameters import ParameterVector

#: What may be said in a word.
WORDS = ("claims", "uniform")
#: How far the probabilities of all classes may be from 1 together.
ROUNDING = 0.01


def check_class_prior(given: object) -> None:
    """Refuse what is neither a word nor probabilities of classes."""
    if given is None or (isinstance(given, str) and given in WORDS):
        return
    if not isinstance(given, Mapping) or not given:
        raise InvalidParameter(
            f"class_prior must be one of {listing(WORDS)}, or a mapping from every class to its "
            f"probability. Got {given!r} instead.{suggestion(str(given), WORDS)}"
        )
    numbers = [
        float(share) if isinstance(share, Real) and not isinstance(share, bool) else np.nan
        for share in given.values()
    ]
    if not all(0 < share <= 1 for share in numbers) or abs(sum(numbers) - 1.0) > ROUNDING:
        raise InvalidParameter(
            "class_prior must give every class a positive probability, and they must sum to 1. "
            f"Got {dict(given)!r} instead."
        )


def check_classes(
    attributes: Sequence[AttributeParameters], given: ClassPrior | None
) -> list[Note]:
    """Refuse classes that no attribute has; note where nothing is judged by classes."""
    by_class = [attribute for attribute in attributes if attribute.classes]
    if given is None:
        return []
    if not by_class:
        text = (
            "The class prior has no effect: no attribute has a closed domain with items or claims "
            "enough to be judged by classes."
        )
        return [Note("class prior", text)]
    if isinstance(given, Mapping) and not any(_concerns(given, one) for one in by_class):
        classes = "; ".join(f"{one.range.name!r} has {listing(one.classes)}" for one in by_class)
        raise InvalidParameter(
            f"class_prior names {listing(given)}, which no attribute has as classes: {classes}."
        )
    return []


def with_class_prior(
    prior: AttributePrior, attribute: AttributeParameters, given: ClassPrior, n_said: Floats
) -> AttributePrior:
    """Fix the probabilities of classes at what is known of them.

    Probabilities given by name hold for the attributes that have classes of these names.
    """
    if isinstance(given, Mapping) and not _concerns(given, attribute):
        return prior
    if given == "claims":
        share = (n_said + 1.0) / (n_said + 1.0).sum()
    elif given == "uniform":
        share = np.full(len(n_said), 1.0 / len(n_said))
    else:
        assert isinstance(given, Mapping)
        share = class_shares(attribute, given)
    names = attribute.names
    centre = ParameterVector(names, prior.centre.copy())
    precision = ParameterVector(names, prior.precision.copy())
    centre["prior"] = np.log(share) - np.mean(np.log(share))
    precision["prior"] = FIXED
    return replace(prior, centre=centre.values, precision=precision.values)


def _concerns(given: Mapping[str, float], attribute: AttributeParameters) -> bool:
    return any(name in attribute.classes for name in given)


def class_shares(attribute: AttributeParameters, given: Mapping[str, float]) -> Floats:
    """Return the probability of each class of an attribute, as given by name."""
    unknown = [name for name in given if name not in attribute.classes]
    missing = [name for name in attribute.classes if name not in given]
    if unknown or missing:
        raise InvalidParameter(
            f"class_prior must name the classes of {attribute.range.name!r}, which are "
            f"{listing(attribute.classes)}. Got {listing(given)} instead."
        )
    share = np.array([float(given[name]) for name in attribute.classes])
    return np.asarray(share / share.sum())
