"""Promises on invariance: row order, names of sources, parts, and a second fit."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.matrix import ClaimMatrix
from veracity.data.output.tables import Table
from veracity.models.base import TruthModel
from veracity.testing.check import (
    ROUNDING,
    SAMPLED_AT_MOST,
    fresh,
    numbers,
    require,
    require_close,
    require_equal,
)
from veracity.testing.outcome import require_sound
from veracity.testing.tables import Said, contested, mixed


def row_order_makes_no_difference(model: TruthModel) -> None:
    """The same rows in another order give the same result."""
    said = mixed(model.needs_numbers)
    shuffled = said.take(np.random.default_rng(1).permutation(len(said)).tolist())
    first, second = model.fit(said.claims), fresh(model).fit(shuffled.claims)
    apart = np.max(np.abs(first.plausibility_ - second.plausibility_))
    expected = "the same plausibilities for the same rows in another order"
    require(apart <= ROUNDING, expected, f"a difference of {apart:.3g}")


def names_of_sources_make_no_difference(model: TruthModel) -> None:
    """Sources under other names, in the same order, give the same result."""
    said = mixed(model.needs_numbers)
    _require_same_under(model, said, {name: f"🦄 {name}'s" for name in _names(said)})


def order_of_sources_makes_no_difference(model: TruthModel) -> None:
    """Sources under names that sort in another order give the same result."""
    said = mixed(model.needs_numbers)
    names = _names(said)
    places = np.random.default_rng(2).permutation(len(names)).tolist()
    _require_same_under(model, said, {names[k]: f"x{place}" for k, place in enumerate(places)})


def _require_same_under(model: TruthModel, said: Said, names: dict[str, str]) -> None:
    first, second = model.fit(said.claims), fresh(model).fit(said.renamed(names).claims)
    require_close(
        model,
        first.statements_,
        second.statements_,
        "the same plausibilities with other names of sources",
    )
    mine, theirs = _reliability(first.sources_), _reliability(second.sources_)
    limit = SAMPLED_AT_MOST if model.is_sampled else ROUNDING
    for old, new in names.items():
        require(
            abs(mine[old] - theirs[new]) <= limit,
            f"reliability {mine[old]:.6g} of {old!r} also under the name {new!r}",
            f"{theirs[new]:.6g}",
        )


def _names(said: Said) -> list[str]:
    return sorted(set(said.columns["source"]))


def _reliability(sources: Table) -> dict[str, float]:
    rates = numbers(sources["reliability"]).tolist()
    return dict(zip(sources["source"].to_pylist(), rates, strict=True))


def parts_are_judged_like_the_whole(model: TruthModel) -> None:
    """What is predicted for a table is predicted for its parts, if no item is torn apart."""
    said = mixed(model.needs_numbers)
    model.fit(said.claims)
    halves = [
        said.take([row for row, entity in enumerate(said.columns["entity"]) if entity in half])
        for half in _halves(said)
    ]
    parts = [model.predict_plausibility(half.claims).to_arrow() for half in halves]
    require_close(
        model,
        model.predict_plausibility(said.claims),
        Table("statements", pa.concat_tables(parts)),
        "the same plausibilities for a table and for its parts",
    )


def _halves(said: Said) -> tuple[set[str], set[str]]:
    """Split entities such that all values of closed attributes occur in both halves."""
    entities = sorted(set(said.columns["entity"]))
    middle = len(entities) // 2
    return set(entities[:middle]), set(entities[middle:])


def same_seed_same_answer(model: TruthModel) -> None:
    """Two models with the same parameters, fitted to the same claims, agree to the bit."""
    claims = mixed(model.needs_numbers).claims
    _require_same_fit(model.fit(claims), fresh(model).fit(claims), "two models with one seed")


def a_second_fit_forgets_the_first(model: TruthModel) -> None:
    """A model that is fitted again gives what it would have given at first, to the bit."""
    said = mixed(model.needs_numbers)
    others = said.take(range(0, len(said), 2)).renamed({name: f"{name}!" for name in _names(said)})
    model.fit(others.claims).fit(said.claims)
    _require_same_fit(fresh(model).fit(said.claims), model, "a first and a second fit")
    length = len(model.history_)
    model.fit(said.claims)
    came = f"{len(model.history_)} after {length}"
    require(len(model.history_) == length, "history_ to begin anew with every fit", came)


def _require_same_fit(first: TruthModel, second: TruthModel, whose: str) -> None:
    for name in ("truths_", "statements_", "sources_"):
        require_equal(getattr(first, name), getattr(second, name), f"the same {name} from {whose}")


def input_is_left_as_it_was(model: TruthModel) -> None:
    """Neither the user's table nor the arrays of the claims are written to."""
    said = contested(model.needs_numbers)
    for table in (said, said.with_column("weight", [2.0] * len(said))):
        claims = table.claims
        before = _arrays(claims.matrix)
        model.fit(claims)
        model.predict(claims)
        model.predict_plausibility(claims)
        for name, array in _arrays(claims.matrix).items():
            same = np.array_equal(before[name], array)
            require(same, f"{name} of the claim matrix as it was", "other numbers")
    if not model.needs_numbers:  # these have to be told of numbers, which a bare table cannot
        given = said.take(range(100)).columns
        columns = deepcopy(given)
        model.fit(columns)
        model.predict(columns)
        require(columns == given, "the user's table as it was", "other columns")


def _arrays(matrix: ClaimMatrix) -> dict[str, npt.NDArray[Any]]:
    """Copy the arrays of a matrix, and those that it works out once and keeps."""
    kept = ("item_of_statement", "item_of_claim", "claim_weight", "domain_size")
    names = [name for name, held in vars(matrix).items() if isinstance(held, np.ndarray)]
    return {name: np.array(getattr(matrix, name)) for name in dict.fromkeys((*names, *kept))}


def predict_leaves_the_model(model: TruthModel) -> None:
    """To predict changes nothing: neither the results of the fit, nor the next prediction."""
    said = mixed(model.needs_numbers)
    half = said.take(range(len(said) // 2))
    model.fit(said.claims)
    before = [getattr(model, name).to_arrow() for name in ("truths_", "statements_", "sources_")]
    plausibility = model.plausibility_.copy()
    first = model.predict_plausibility(half.claims)
    model.predict(said.claims)
    require_equal(first, model.predict_plausibility(half.claims), "the same when asked again")
    after = [getattr(model, name).to_arrow() for name in ("truths_", "statements_", "sources_")]
    same = all(mine.equals(theirs) for mine, theirs in zip(before, after, strict=True))
    same = same and np.array_equal(plausibility, model.plausibility_)
    require(same, "the results of the fit to stay as they are on predict", "other results")


def a_feature_column_does_no_harm(model: TruthModel) -> None:
    """A column that says nothing leaves the result sound, and easy items as they were."""
    said = contested(model.needs_numbers)
    noise = np.random.default_rng(3).standard_normal(len(said)).round(3).tolist()
    kinds = ["a" if number < 0 else "b" for number in noise]
    with_features = said.with_column("claim_noise", noise).with_column("claim_kind", kinds)
    first = model.fit(said.claims)
    second = fresh(model).fit(with_features.claims)
    require_sound(second, with_features.claims)
    mine, theirs = (np.array(fit.truths_["value"].to_pylist()) for fit in (first, second))
    if not model.needs_numbers:
        multiple = np.array(first.truths_["attribute"].to_pylist()) == "tags"
        others = np.array(second.truths_["attribute"].to_pylist()) == "tags"
        same = float(np.mean(mine[~multiple] == theirs[~others]))
        require(same >= 0.9, "the same truths of nine items in ten", f"{same:.0%} the same")
    new = fresh(model).fit(said.claims).predict_plausibility(with_features.claims)
    require(len(new) == len(first.statements_), "a prediction for claims with features", len(new))


PROMISES = (
    row_order_makes_no_difference,
    names_of_sources_make_no_difference,
    order_of_sources_makes_no_difference,
    parts_are_judged_like_the_whole,
    same_seed_same_answer,
    a_second_fit_forgets_the_first,
    input_is_left_as_it_was,
    predict_leaves_the_model,
    a_feature_column_does_no_harm,
)
