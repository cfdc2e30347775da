"""Promises on estimators in the manner of scikit-learn, and on saved models."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from veracity.errors import InvalidParameter, NotFitted
from veracity.models import MODELS
from veracity.models.base import TruthModel
from veracity.models.persistence import load, plain_parameters
from veracity.testing.check import fresh, require, require_equal
from veracity.testing.tables import contested, mixed

FITTED = ("truths_", "statements_", "sources_", "plausibility_", "notes_", "history_")


def constructor_only_stores(model: TruthModel) -> None:
    """The constructor keeps its arguments as they are, and checks none of them."""
    learned = [name for name in vars(model) if name.endswith("_")]
    require(not learned, "no attribute with a trailing underscore before fit", learned)
    given = {name: object() for name in model.get_params()}
    try:
        made = type(model)(**given)
    except Exception as error:
        require(False, "a constructor that takes any arguments, for fit to check them", repr(error))
    held = made.get_params()
    for name, value in given.items():
        require(held[name] is value, f"parameter {name!r} held as it was given", repr(held[name]))


def parameters_can_be_set(model: TruthModel) -> None:
    """get_params and set_params go together, and an unknown parameter is refused."""
    params = model.get_params()
    require(model.set_params(**params) is model, "set_params to return the model", "another object")
    marks = {name: object() for name in params}
    held = fresh(model).set_params(**marks).get_params()
    for name, mark in marks.items():
        require(held[name] is mark, f"parameter {name!r} as it was set", repr(held[name]))
    try:
        model.set_params(no_such_parameter=1)
    except InvalidParameter:
        return
    require(False, "InvalidParameter for an unknown parameter", "no error")


def copies_have_learned_nothing(model: TruthModel) -> None:
    """A copy made from the parameters of a fitted model has these parameters, and is not fitted."""
    model.fit(contested(model.needs_numbers).claims)
    params = model.get_params(deep=False)
    copy = type(model)(**params)
    for name, value in copy.get_params(deep=False).items():
        require(
            value is params[name],
            f"parameter {name!r} to be held as it was given, or else sklearn.base.clone fails",
            repr(value),
        )
    require(not copy.__sklearn_is_fitted__(), "a copy that is not fitted", "a fitted one")


def nothing_is_known_before_fit(model: TruthModel) -> None:
    """What is asked before fit raises NotFitted."""
    claims = contested(model.needs_numbers).claims
    asked: dict[str, Callable[[], object]] = {
        "predict": lambda: model.predict(claims),
        "predict_plausibility": lambda: model.predict_plausibility(claims),
        "save": lambda: model.save(Path(tempfile.gettempdir()) / "never written"),
    }
    asked |= {name: partial(getattr, model, name) for name in FITTED}
    for name, ask in asked.items():
        try:
            ask()
        except NotFitted:
            continue
        require(False, f"NotFitted from {name} before fit", "no error")


def fit_returns_the_model(model: TruthModel) -> None:
    """Fit returns the model itself, and fit_predict its truths."""
    claims = contested(model.needs_numbers).claims
    require(model.fit(claims) is model, "fit to return the model", "something else")
    require(model.__sklearn_is_fitted__(), "a model that is fitted after fit", "one that is not")
    truths = fresh(model).fit_predict(claims)
    require_equal(truths, model.truths_, "fit_predict to return truths_")


def saved_models_predict_the_same(model: TruthModel) -> None:
    """A model that was saved and loaded has its parameters, and predicts the same to the bit."""
    said = mixed(model.needs_numbers)
    model.fit(said.claims)
    known = {kind for _, kind in MODELS.values()}
    own = None if type(model).__name__ in known else type(model)
    with tempfile.TemporaryDirectory() as folder:
        loaded = load(model.save(Path(folder) / "model"), model_class=own)
    kind = type(loaded).__name__
    require(type(loaded) is type(model), f"a {type(model).__name__}", f"a {kind}")
    mine, theirs = (json.dumps(plain_parameters(each)) for each in (model, loaded))
    require(mine == theirs, f"the parameters {mine}", theirs)
    newcomers = {name: f"new {name}" for name in ("s0", "s1")}
    names = {name: newcomers.get(name, name) for name in said.columns["source"]}
    for claims in (said.claims, said.renamed(names).claims):
        require_equal(
            loaded.predict_plausibility(claims),
            model.predict_plausibility(claims),
            "predict_plausibility to return the same, to the bit, after loading",
        )
        require_equal(
            loaded.predict(claims),
            model.predict(claims),
            "predict to return the same, to the bit, after loading",
        )


PROMISES = (
    constructor_only_stores,
    parameters_can_be_set,
    copies_have_learned_nothing,
    nothing_is_known_before_fit,
    fit_returns_the_model,
    saved_models_predict_the_same,
)
