"""Where crowd-kit fails or errs, the stand-ins do not; and they are proper estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.crowd_tables import drawn_answers

from veracity.compat import crowdkit
from veracity.errors import InputError, InvalidParameter, MissingColumn, NotFitted

pandas = pytest.importorskip("pandas")
NAMES = [name for name in crowdkit.__all__ if name != "GoldMajorityVote"]


def make(name: str) -> Any:
    return getattr(crowdkit, name)()


def flipped(data: Any) -> Any:
    return data.assign(label=data["label"].map({"v0": True, "v1": False}))


@pytest.mark.parametrize("name", NAMES)
def test_missing_cells_are_no_answers(name: str) -> None:
    data = drawn_answers(0, 2, n_items=20)
    holes = pandas.DataFrame(
        {"task": ["e0", "e1", None], "worker": ["s0", None, "s1"], "label": [None, "v0", "v1"]}
    )
    with_holes = pandas.concat([data, holes], ignore_index=True)
    assert make(name).fit_predict(with_holes).equals(make(name).fit_predict(data))


@pytest.mark.parametrize("name", NAMES)
def test_labels_may_be_true_and_false(name: str) -> None:
    found = make(name).fit_predict(flipped(drawn_answers(0, 2, n_items=20)))
    assert set(found.unique()) <= {True, False}
    assert len(found) == 20


@pytest.mark.parametrize("name", NAMES)
def test_columns_may_be_categories(name: str) -> None:
    data = drawn_answers(0, 2, n_items=20)
    found, plain = make(name).fit_predict(data.astype("category")), make(name).fit_predict(data)
    assert found.to_dict() == plain.to_dict()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("KOS", "MACE", "GLAD")])
def test_order_of_rows_makes_no_difference(name: str) -> None:
    data = drawn_answers(3, 3, n_items=30)
    first = make(name).fit_predict_proba(data)
    second = make(name).fit_predict_proba(data.iloc[::-1].reset_index(drop=True))
    assert np.allclose(first, second.reindex_like(first), atol=1e-9)


def test_restarts_of_mace_start_elsewhere() -> None:
    data = drawn_answers(0, 3, n_items=20, share=0.2)
    starts = [crowdkit.MACE(1, random_state=seed).fit(data).probas_ for seed in range(10)]
    assert max(np.abs(one - starts[0]).to_numpy().max() for one in starts) > 1e-3
    found = crowdkit.MACE(10).fit(data).probas_
    assert min(np.abs(found - one).to_numpy().max() for one in starts) < 1e-12


def test_mace_does_not_depend_on_names_of_workers() -> None:
    data = drawn_answers(0, 3, n_items=30)
    names = {name: f"w{99 - int(name[1:])}" for name in data["worker"].unique()}
    renamed = data.assign(worker=data["worker"].map(names))
    first, second = crowdkit.MACE().fit(data), crowdkit.MACE().fit(renamed)
    assert np.allclose(first.probas_, second.probas_, atol=1e-9)


def test_mace_bears_a_task_with_thousands_of_answers() -> None:
    rows = [("big", f"w{i}", "yes" if i % 10 < 7 else "no") for i in range(3000)]
    data = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    found = crowdkit.MACE(n_restarts=1).fit(data)
    assert np.isfinite(found.probas_.to_numpy()).all()
    assert found.labels_["big"] == "yes"


def test_history_counts_in_every_iteration() -> None:
    data = drawn_answers(2, 2, n_items=20)
    worker = data["worker"].iloc[0]
    index = pandas.MultiIndex.from_product([[worker], ["v0", "v1"]], names=["worker", "label"])
    history = pandas.DataFrame([[1e6, 0.0], [0.0, 1e6]], index, ["v0", "v1"])
    model = crowdkit.DawidSkene(initial_error_strategy="addition")
    errors = model.fit(data, initial_error=history).errors_.loc[worker]
    assert np.allclose(errors.reindex(["v0", "v1"])[["v0", "v1"]], np.eye(2), atol=1e-4)


def test_a_true_label_that_nobody_gives_is_a_class() -> None:
    data = drawn_answers(0, 2, n_items=20)
    found = crowdkit.DawidSkene().fit(data, pandas.Series({"e0": "v9"}))
    assert found.labels_["e0"] == "v9"
    assert not found.probas_.isna().any().any()


def test_workers_without_any_skill_vote_alike() -> None:
    data = {"task": ["a"] * 3, "worker": ["x", "y", "z"], "label": [1, 1, 0]}
    skills = pandas.Series({"x": 0.0, "y": 0.0, "z": 0.0})
    assert crowdkit.MajorityVote().fit_predict(data, skills)["a"] == 1


@pytest.mark.parametrize("name", ["DawidSkene", "OneCoinDawidSkene", "MajorityVote", "KOS"])
def test_empty_tables_have_empty_results(name: str) -> None:
    empty = pandas.DataFrame({"task": [], "worker": [], "label": []})
    assert len(make(name).fit_predict(empty)) == 0


@pytest.mark.parametrize("name", crowdkit.__all__)
def test_estimators_can_be_cloned(name: str) -> None:
    base = pytest.importorskip("sklearn.base")
    model = make(name)
    assert base.clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("name", crowdkit.__all__)
def test_results_exist_only_after_fit(name: str) -> None:
    with pytest.raises(NotFitted, match="Call fit first"):
        make(name).labels_  # noqa: B018


def test_unknown_arguments_get_near_names() -> None:
    with pytest.raises(InvalidParameter, match="did you mean 'n_iter'"):
        crowdkit.DawidSkene(n_iters=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="at most 2 arguments"):
        crowdkit.KOS(1, 2, 3)  # type: ignore[call-arg]
    with pytest.raises(InvalidParameter, match="has no argument 'toll'"):
        crowdkit.DawidSkene().set_params(toll=1)


def test_other_names_are_refused_with_those_on_offer() -> None:
    with pytest.raises(AttributeError, match="does not offer 'MMSR'"):
        crowdkit.MMSR  # noqa: B018
    with pytest.raises(ImportError):
        from veracity.compat.crowdkit import BradleyTerry  # noqa: F401


def test_columns_are_asked_for_by_name() -> None:
    data = drawn_answers(0).rename(columns={"worker": "performer"})
    with pytest.raises(MissingColumn, match="no column 'worker'"):
        crowdkit.MajorityVote().fit(data)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data: crowdkit.KOS().fit(data), "KOS needs two labels"),
        (lambda data: crowdkit.MACE().set_params(method="bv").fit(data), "must be 'vb' or 'em'"),
        (lambda data: crowdkit.MajorityVote().fit(data, {"s0": 1.0}), "skills has no number"),
        (
            lambda data: crowdkit.MajorityVote(default_skill=0.3).fit(data, {"s0": 1.0}),
            "go together",
        ),
        (
            lambda data: crowdkit.DawidSkene().set_params(initial_error_strategy="add").fit(data),
            "must be None or one of assign, addition",
        ),
        (lambda data: crowdkit.GRBM().fit(data[:0]), "no answers"),
    ],
)
def test_errors_say_what_to_do(call: Any, message: str) -> None:
    with pytest.raises((InputError, InvalidParameter), match=message):
        call(drawn_answers(0))


def test_grbm_has_the_same_clothes() -> None:
    data = drawn_answers(0, 3)
    found = crowdkit.GRBM().fit(data)
    assert np.allclose(found.probas_.sum(axis=1), 1.0)
    assert found.labels_.name == "agg_label"
    assert sorted(found.skills_.index) == sorted(data["worker"].unique())
    assert found.skills_.between(0, 1).all()
    agreement = found.labels_ == crowdkit.DawidSkene().fit_predict(data)[found.labels_.index]
    assert agreement.mean() > 0.8


def test_grbm_takes_known_labels_and_judges_new_workers() -> None:
    data = drawn_answers(0, 3)
    known = pandas.Series({"e0": "v2"})
    model = crowdkit.GRBM().fit(data, known)
    assert model.labels_["e0"] == "v2"
    new = pandas.DataFrame({"task": ["n"] * 2, "worker": ["s0", "stranger"], "label": ["v0"] * 2})
    assert model.predict(new)["n"] == "v0"
    assert np.isclose(model.predict_proba(new).loc["n"].sum(), 1.0)


def test_grbm_keeps_labels_apart_that_look_alike() -> None:
    data = drawn_answers(0, 3)
    alike = data.assign(label=data["label"].map({"v0": "", "v1": 1, "v2": "1"}))
    found, plain = crowdkit.GRBM().fit(alike), crowdkit.GRBM().fit(data)
    same = found.probas_[["", 1, "1"]].to_numpy()
    assert np.allclose(same, plain.probas_[["v0", "v1", "v2"]].to_numpy(), atol=1e-6)
