"""TruthModel: what every model offers, in the manner of scikit-learn's estimators."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

import numpy.typing as npt

from veracity.data.claims import Claims
from veracity.data.matrix import Floats
from veracity.data.notes import Note
from veracity.data.results import (
    SourceRates,
    Verdict,
    decide,
    sources_table,
    statements_table,
    truths_table,
)
from veracity.data.tables import Table
from veracity.errors import InvalidParameter, NotFitted, listing, suggestion
from veracity.models.rates import rates_given_plausibility


class TruthModel(ABC):
    """Base of all models: claims in, plausibilities and reliabilities out.

    The constructor only stores its arguments; `fit` learns, and sets the attributes whose names
    end in an underscore.

    Attributes
    ----------
    truths_
        The value to believe for each item: entity, attribute, value, plausibility, margin to the
        next value, n_sources, n_values, tie.
    statements_
        Every statement: entity, attribute, value, plausibility, supporters, deniers.
    sources_
        Every source: source, n_claims, reliability, tpr, fpr, agreement with what is believed.
    plausibility_
        Plausibility of each statement, in the order of ``claims_.matrix``.
    history_
        One record per iteration of the fit; empty for models that do not iterate.
    notes_
        What a user should know about the input and the run.
    """

    random_state: int

    truths_: Table
    statements_: Table
    sources_: Table
    plausibility_: Floats
    history_: list[dict[str, float]]
    notes_: list[Note]
    claims_: Claims
    _fitted: bool = False

    # What a model has to say

    @abstractmethod
    def _fit(self, claims: Claims) -> None:
        """Learn from claims; set fitted attributes of the model's own."""

    @abstractmethod
    def _plausibility(self, claims: Claims) -> Floats:
        """Return the plausibility of each statement of claims, seen or new."""

    def _source_rates(self, claims: Claims, plausibility: Floats) -> SourceRates:
        """Return how reliable each source is, by default judged by the plausibilities."""
        return rates_given_plausibility(claims.matrix, plausibility)

    # What a user calls

    def fit(self, claims: Any, y: None = None) -> Self:
        """Fit to claims: `Claims`, a frame, or the path of a file. `y` is ignored."""
        claims = Claims.of(claims)
        self.claims_ = claims
        self.history_ = []
        self.notes_ = list(claims.notes)
        self._fit(claims)
        matrix = claims.matrix
        self.plausibility_ = self._plausibility(claims)
        verdict = self._decide(claims, self.plausibility_)
        self.truths_ = truths_table(matrix, self.plausibility_, verdict)
        self.statements_ = statements_table(matrix, self.plausibility_)
        rates = self._source_rates(claims, self.plausibility_)
        self.sources_ = sources_table(matrix, rates, verdict)
        self._fitted = True
        return self

    def predict(self, claims: Any) -> Table:
        """Return the truths of new claims, judged by what was learned; the model stays as it is."""
        self._check_fitted("predict")
        claims = Claims.of(claims)
        plausibility = self._plausibility(claims)
        return truths_table(claims.matrix, plausibility, self._decide(claims, plausibility))

    def predict_plausibility(self, claims: Any) -> Table:
        """Return every statement of new claims with its plausibility."""
        self._check_fitted("predict_plausibility")
        claims = Claims.of(claims)
        return statements_table(claims.matrix, self._plausibility(claims))

    def fit_predict(self, claims: Any, y: None = None) -> Table:
        """Fit to claims and return their truths."""
        return self.fit(claims).truths_

    def _decide(self, claims: Claims, plausibility: Floats) -> Verdict:
        return decide(claims.matrix, plausibility, self.random_state)

    # Keeping it

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Save the fitted model to a folder: JSON and safetensors, read again by `veracity.load`.

        What was learned is saved, the claims and results are not.
        """
        from veracity.models.persistence import save

        self._check_fitted("save")
        return save(self, folder, overwrite=overwrite)

    def _state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what was learned, as plain data and as arrays."""
        return {}, {}

    def _restore(
        self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], module: Any
    ) -> None:
        """Take over what `_state` returned."""
        self._fitted = True

    # What scikit-learn expects

    @classmethod
    def _parameter_names(cls) -> list[str]:
        signature = inspect.signature(cls.__init__)
        return sorted(name for name in signature.parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {name: getattr(self, self._held_as(name)) for name in self._parameter_names()}

    @classmethod
    def _held_as(cls, parameter: str) -> str:
        """Return the attribute that holds a parameter; one named like a method is held apart."""
        return f"_{parameter}" if callable(getattr(cls, parameter, None)) else parameter

    def set_params(self, **params: Any) -> Self:
        """Set constructor arguments anew."""
        names = self._parameter_names()
        for name, value in params.items():
            if name not in names:
                raise InvalidParameter(
                    f"{type(self).__name__} has no parameter {name!r}.{suggestion(name, names)} "
                    f"It has {listing(names)}."
                )
            setattr(self, self._held_as(name), value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so that it is there to be imported.
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def _check_fitted(self, asked: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFitted(
                f"{type(self).__name__}.{asked} needs a fitted model. Call fit(claims) first."
            )

    def __getattr__(self, name: str) -> Any:
        if name in TruthModel.__annotations__ and name.endswith("_"):
            raise NotFitted(f"{type(self).__name__}.{name} exists after fit(claims) only.")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"
