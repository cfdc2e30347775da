"""What every model offers, in the manner of scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.base
from sklearn.utils.validation import check_is_fitted

from veracity import Claims, MajorityVote, TruthModel, VeracityError
from veracity.errors import InvalidParameter, NotFitted
from veracity.models import make_model

Columns = dict[str, list[Any]]


@pytest.fixture(params=["vote", "rbm", "grbm", "one-coin", "sums"])
def model(request: pytest.FixtureRequest) -> TruthModel:
    """Return models of every make; what the contract asks of all is not asked again here."""
    return make_model(request.param)


def test_parameters_are_held_and_nothing_learned_before_fit(model: TruthModel) -> None:
    params = model.get_params()
    assert "random_state" in params
    assert {name.lstrip("_") for name in vars(model)} >= set(params)
    assert not any(name.endswith("_") for name in vars(model))


def test_set_params(model: TruthModel) -> None:
    assert model.set_params(random_state=7) is model
    assert model.get_params()["random_state"] == 7
    with pytest.raises(InvalidParameter, match=r"no parameter 'random_sate'. Did you mean"):
        model.set_params(random_sate=1)


def test_clone_copies_parameters_and_nothing_learned(model: TruthModel, columns: Columns) -> None:
    model.set_params(random_state=5).fit(columns)
    copy = sklearn.base.clone(model)
    assert type(copy) is type(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFitted):
        copy.truths_  # noqa: B018


def test_nothing_is_known_before_fit(model: TruthModel, columns: Columns) -> None:
    for name in ("truths_", "statements_", "sources_", "plausibility_", "notes_", "history_"):
        with pytest.raises(NotFitted, match=f"{name} exists only after fit"):
            getattr(model, name)
        assert not hasattr(model, name)
    for method in (model.predict, model.predict_plausibility):
        with pytest.raises(NotFitted, match="needs a fitted model"):
            method(columns)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        model.nothing  # noqa: B018


def test_is_fitted_as_scikit_learn_sees_it(model: TruthModel, columns: Columns) -> None:
    assert not model.__sklearn_is_fitted__()
    model.fit(columns)
    check_is_fitted(model)
    assert model.__sklearn_is_fitted__()


def test_fit_accepts_whatever_claims_can_be_made_of(
    model: TruthModel, columns: Columns, tmp_path: Path
) -> None:
    path = tmp_path / "claims.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    expected = model.fit(Claims.from_frame(columns)).truths_.to_arrow()
    inputs: list[Any] = [columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]
    for claims in (*inputs, path, str(path)):
        assert model.fit(claims).truths_.to_arrow() == expected
        assert model.fit_predict(claims).to_arrow() == expected


def test_fit_returns_itself_and_ignores_y(model: TruthModel, columns: Columns) -> None:
    assert model.fit(columns, None) is model
    assert isinstance(model.claims_, Claims)
    assert len(model.plausibility_) == len(model.statements_)
    of_claims = model.claims_.notes
    assert [note.text for note in model.notes_][: len(of_claims)] == [n.text for n in of_claims]


def test_predict_on_new_claims_leaves_the_model(model: TruthModel, columns: Columns) -> None:
    model.fit(columns)
    before = model.truths_.to_arrow()
    new = {"source": ["ann", "new", "two"], "entity": ["sun"] * 3, "value": ["hot", "hot", "cold"]}
    truths = model.predict(new)
    assert truths["entity"].to_pylist() == ["sun"]
    assert truths["value"].to_pylist() == ["hot"]
    statements = model.predict_plausibility(new)
    assert statements["value"].to_pylist() == ["cold", "hot"]
    assert truths["plausibility"].to_pylist() == statements["plausibility"].to_pylist()[1:]
    assert model.truths_.to_arrow() == before


def test_predict_on_the_same_claims_gives_the_same_truths(
    model: TruthModel, columns: Columns
) -> None:
    claims = Claims.from_frame(columns)
    assert model.fit(claims).truths_.to_arrow() == model.predict(claims).to_arrow()


def test_same_seed_same_answer(model: TruthModel) -> None:
    tied = {"source": ["a", "b"] * 20, "entity": [f"e{i // 2}" for i in range(40)]}
    tied |= {"value": ["u", "v"] * 20}
    first = model.fit(tied).truths_.to_arrow()
    assert sklearn.base.clone(model).fit(tied).truths_.to_arrow() == first
    assert model.set_params(random_state=1).fit(tied).truths_.to_arrow() != first


def test_unanimous_sources_are_believed(model: TruthModel) -> None:
    said = {"source": list("abcd"), "entity": ["x"] * 4, "value": ["v"] * 4}
    (truth,) = model.fit(said).truths_.to_pylist()
    assert truth["value"] == "v"
    assert truth["plausibility"] > 0.5
    assert not truth["tie"]


@pytest.mark.parametrize("size", [1, 2])
def test_smallest_tables(model: TruthModel, size: int) -> None:
    said = {"source": ["a"] * size, "entity": ["x", "y"][:size], "value": ["v"] * size}
    model.fit(said)
    assert model.truths_["value"].to_pylist() == ["v"] * size
    assert model.sources_["n_claims"].to_pylist() == [size]


def test_many_claims_on_one_item(model: TruthModel) -> None:
    n = 100_000
    values = pa.array([0, 1, 1]).take(pa.array([i % 3 for i in range(n)]))
    said = pa.table({"source": pa.array(range(n)), "entity": ["x"] * n, "value": values})
    claims = Claims.from_frame(said, attributes={"*": "single"})
    (truth,) = model.fit(claims).truths_.to_pylist()
    assert (truth["value"], truth["n_sources"]) == ("1", n)


def test_repr_shows_the_parameters() -> None:
    assert repr(MajorityVote(0.5)) == "MajorityVote(random_state=0, smoothing=0.5)"


def test_unknown_models() -> None:
    with pytest.raises(InvalidParameter, match=r"no model 'votes'. Did you mean 'vote'"):
        make_model("votes")
    with pytest.raises(VeracityError):
        make_model("")


def test_options_for_claims_that_were_read_already(columns: Columns) -> None:
    claims = Claims.from_frame(columns)
    assert Claims.of(claims) is claims
    with pytest.raises(InvalidParameter, match="casefold cannot be set any more"):
        Claims.of(claims, casefold=True)
