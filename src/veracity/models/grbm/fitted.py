"""FittedModel: all that was learned, to judge other claims by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.blocks import ClaimBlock
from veracity.data.claims import Claims
from veracity.data.labels.arrays import arrays_to_labels, labels_to_arrays, places_among
from veracity.data.truth.known import KnownTruth
from veracity.errors import InputError
from veracity.features import FeatureBuilder
from veracity.models.grbm.attributes import AttributeParameters
from veracity.models.grbm.block_data import add_features, prepare_block
from veracity.models.grbm.block_objective import BlockObjective, bind_prepared
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.reliability import ReliabilityFunction
from veracity.models.grbm.terms.base import Term, slopes_of
from veracity.models.grbm.terms.saving import terms_of_state, terms_state

Bound = tuple[BlockObjective, ParameterVector]


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Parameters with what they belong to.

    Attributes
    ----------
    spec, x
        What was fitted, and the parameters.
    sources
        The labels of the sources, in order.
    builder
        Builds the features in use; None without.
    terms
        The terms in use.
    """

    spec: ModelSpec
    x: Floats
    sources: pa.StringArray
    builder: FeatureBuilder | None
    terms: tuple[Term, ...] = ()

    @property
    def parameters(self) -> ParameterVector:
        """The parameters by name."""
        return ParameterVector(self.spec.names, self.x)

    def places(self, sources: pa.StringArray) -> Indices:
        """Return the place of other sources among ours, -1 for those that are new."""
        return places_among(sources, self.sources)

    def bind(self, claims: Claims, known: KnownTruth | None = None) -> Bound:
        """Apply the model to claims, seen or new: their objective, and its parameters."""
        block = ClaimBlock(claims, self.places(claims.matrix.sources), known=known)
        bound = self.bind_block(block)
        return bound, bound.own(self.x)

    def bind_block(self, block: ClaimBlock) -> BlockObjective:
        """Apply the model to a block, which knows the places of its sources."""
        prepared = prepare_block(block, self.spec.family)
        if self.spec.uses_features:
            by_source, sequence = "source" in self.spec.predictor, self.spec.reliability.sequence
            prepared = add_features(prepared, self.builder, by_source, sequence, self.terms)
        return bind_prepared(prepared, self.spec)

    # Saving

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return it as plain data and arrays."""
        text, offsets = labels_to_arrays(self.sources)
        arrays: dict[str, npt.NDArray[Any]] = {
            "sources": text,
            "source_starts": offsets,
            "parameters": self.x,
            "log_claim_count": self.spec.log_claim_count,
        }
        attributes = []
        for number, attribute in enumerate(self.spec.attributes):
            described, own = attribute.state()
            attributes.append(described)
            arrays |= {f"attribute.{number}.{name}": array for name, array in own.items()}
        if self.spec.unseen is not None:
            arrays["unseen"] = self.spec.unseen
        if self.spec.source_is_free is not None:
            arrays["source_is_free"] = self.spec.source_is_free
        terms, of_terms = terms_state(self.terms)
        arrays |= of_terms
        return {
            "attributes": attributes,
            "predictor": list(self.spec.predictor),
            "family": self.spec.family,
            "class_prior": self.spec.class_prior,
            "one_hot": self.spec.one_hot,
            "features": None if self.builder is None else self.builder.state(),
            "terms": terms,
        }, arrays

    @classmethod
    def of_state(
        cls,
        state: dict[str, Any],
        arrays: dict[str, npt.NDArray[Any]],
        reliability: ReliabilityFunction,
        floor: float,
    ) -> FittedModel:
        """Restore what `state` returned; g and the least e^u are those of the estimator."""
        attributes = tuple(
            AttributeParameters.of_state(
                described,
                {
                    name: arrays[f"attribute.{number}.{name}"]
                    for name in ("sources", "has_confusion", "one_sided", "has_habit")
                },
            )
            for number, described in enumerate(state["attributes"])
        )
        features, terms = state["features"], terms_of_state(state.get("terms", ()), arrays)
        spec = ModelSpec(
            attributes,
            arrays["log_claim_count"],
            reliability,
            floor=floor,
            uses_features=features is not None or bool(terms),
            slopes=slopes_of(terms),
            predictor=tuple(state["predictor"]),
            family=state["family"],
            class_prior=state.get("class_prior"),
            one_hot=state.get("one_hot", False),
            is_fitted=True,
            unseen=arrays.get("unseen"),
            source_is_free=arrays.get("source_is_free"),
        )
        if spec.names.size != len(arrays["parameters"]):
            raise InputError(
                f"The saved model has {len(arrays['parameters']):,} parameters, but a model of "
                f"this form has {spec.names.size:,}. Was it saved with another reliability "
                "function?"
            )
        return cls(
            spec,
            arrays["parameters"],
            arrays_to_labels(arrays["sources"], arrays["source_starts"]),
            None if features is None else FeatureBuilder.of_state(features),
            terms,
        )

    def with_sources(self, sources: pa.StringArray) -> FittedModel:
        """Make room for sources that were added at the end."""
        more = len(sources) - len(self.sources)
        z = np.append(self.spec.log_claim_count, np.zeros(more))
        free = self.spec.source_is_free
        if free is not None:  # who is new may turn out to be anything
            free = np.append(free, np.ones(more, np.bool_))
        spec = replace(self.spec, log_claim_count=z, source_is_free=free)
        x = self.parameters.resized(spec.names, {}).values
        return replace(self, spec=spec, x=x, sources=sources)
