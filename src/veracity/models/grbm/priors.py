"""The normal priors of all parameters, and the counts of claims that they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from veracity.data.arrays import Floats, Indices, Mask
from veracity.engines.sums import Scattered, Sums
from veracity.models.grbm.block_objective import BlockObjective
from veracity.models.grbm.class_prior import with_class_prior
from veracity.models.grbm.model_spec import SLOPES, ModelSpec
from veracity.models.grbm.observation import OBSERVATION_MODELS
from veracity.models.grbm.observation.base import FIXED, AttributePrior
from veracity.models.grbm.parameters import DOT
from veracity.models.grbm.speaking_norms import norm_places

#: Where m, the log-odds of being right beyond chance, starts.
START = 1.0
#: Prior precisions of m, gamma, the deviations of sources and the parameters of g.
PRECISION = {"m": 5.0, "gamma": 5.0, "source": 1.0, "psi": 20.0}
#: Typical variance of a claim's being right.
VARIANCE = 0.15
#: Counts of which there is one for each source.
BY_SOURCE = ("n_claims", "n_spoken")


def tells_enough(n_telling: Indices) -> Mask:
    """Mark the sources whose claims hold more information about them than the prior does.

    Others are as reliable as sources in general. Given a reliability of its own, a source with very
    few claims would explain them away one by one, and all of them together a class.
    """
    return np.asarray(n_telling * VARIANCE >= PRECISION["source"])


def prior_counts(block: BlockObjective, spec: ModelSpec) -> Sums:
    """Count claims and items for the priors; zeros for attributes that the block lacks."""
    sums: Sums = {}
    for number, attribute in enumerate(spec.attributes):
        model = block.observations.get(str(number))
        kind = OBSERVATION_MODELS[attribute.range.form]
        counts = kind.no_counts(attribute) if model is None else model.counts()
        sources = np.empty(0, np.int64) if model is None else model.parameters.sources
        for name, numbers in counts.items():
            if name in BY_SOURCE:
                numbers = Scattered(block.place[sources], numbers, spec.n_sources)
            sums[f"{number}{DOT}{name}"] = numbers
    return sums


def attribute_priors(spec: ModelSpec, counts: Mapping[str, Any]) -> list[AttributePrior]:
    """Return the priors of all attributes, by the counts of all blocks."""
    of_attribute: list[dict[str, Any]] = [{} for _ in spec.attributes]
    for place, numbers in counts.items():
        number, _, name = place.partition(DOT)
        of_attribute[int(number)][name] = numbers
    priors = []
    for attribute, found in zip(spec.attributes, of_attribute, strict=True):
        own = {
            name: numbers.everywhere()[attribute.sources]
            if isinstance(numbers, Scattered)
            else numbers
            for name, numbers in found.items()
        }
        prior = OBSERVATION_MODELS[attribute.range.form].prior(attribute, own)
        if attribute.range.form == "confusion" and spec.class_prior is not None:
            prior = with_class_prior(prior, attribute, spec.class_prior, own["n_said"])
        priors.append(prior)
    return priors


def centre_of(spec: ModelSpec, priors: Sequence[AttributePrior]) -> Floats:
    """Return the means of all priors."""
    centre = spec.names.zeros()
    centre["m"] = START
    centre["psi"] = spec.reliability.start
    for number, prior in enumerate(priors):
        centre.group(str(number)).values[:] = prior.centre
    return centre.values


def precision_of(spec: ModelSpec, priors: Sequence[AttributePrior]) -> Floats:
    """Return the precisions of all priors."""
    precision = spec.names.zeros()
    for name in spec.predictor:
        if name not in SLOPES:
            precision[name] = PRECISION[name]
    if spec.source_is_free is not None:
        precision["source"] = np.where(spec.source_is_free, PRECISION["source"], FIXED)
    if spec.slopes is not None:
        precision["slope"] = np.where(spec.slopes.is_common, spec.slopes.precision, FIXED)
        precision["own_slope"] = spec.slopes.own_precision
        if spec.source_is_free is not None:
            precision["own_slope"][~spec.source_is_free] = FIXED
    for number, prior in enumerate(priors):
        precision.group(str(number)).values[:] = prior.precision
    return precision.values


def free_parameters(spec: ModelSpec, precision: Floats) -> Mask:
    """Mark the parameters that move, given the precisions of their priors.

    Stiff ones would take most steps of a plain search, and norms of speaking follow from others.
    """
    is_free = np.asarray(precision < FIXED)
    is_free[norm_places(spec)] = False
    return is_free
