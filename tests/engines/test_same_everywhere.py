"""Wherever claims are, every model that is offered there says the same; Spark: `test_spark`."""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.engines.worlds import HERE, in_memory, in_place, write_world

from veracity import BinaryGRBM
from veracity.data.arrays import Floats
from veracity.data.output.summary import summarise_claims
from veracity.data.output.tables import Table
from veracity.data.threads import use_threads
from veracity.engines.summary import summarise_blocks
from veracity.errors import ConvergenceWarning, InvalidParameter
from veracity.models import make_model
from veracity.models.base import TruthModel

#: Fits are carried to their end: where one stops short of it hangs on the rounding of sums.
TO_THE_END = {"tol": 1e-12, "max_iter": 1000}
MODELS: dict[str, dict[str, Any]] = {
    "vote": {},
    "one-coin": {},
    "dawid-skene": {"prior": 0.1},
    "mle": {},
    "rbm": TO_THE_END,
    # Of the paper's machine, gradient steps and claims of sources need memory; the rest does not.
    "grbm-paper": {
        **{"objective": "exact", "optimizer": "lbfgs", "reliability": "linear", "penalty": 1.0},
        **{"statistics": ["sources of item", "values of item"], **TO_THE_END},
    },
    "grbm": TO_THE_END,
}
ORDER = [("entity", "ascending"), ("attribute", "ascending"), ("value", "ascending")]
CELLS = [(name, "ascending") for name in ("source", "attribute", "believed", "claimed")]
CLOSE = 1e-6


def fitted(name: str, claims: Any, **others: Any) -> TruthModel:
    parameters = MODELS[name] | ({} if name == "vote" else others)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_model(name, **parameters).fit(claims)


@lru_cache
def fitted_in_memory(name: str, path: Path, max_iter: int | None = None) -> TruthModel:
    """Fit a model to claims side by side in memory, once for all places."""
    return fitted(name, in_memory(path), **({} if max_iter is None else {"max_iter": max_iter}))


@lru_cache
def fitted_in_place(name: str, path: Path, place: str) -> TruthModel:
    """Fit a model to claims in one of the places, once for all tests that look at it."""
    claims = in_place(path, place)
    assert len(claims.blocks) > 2
    return fitted(name, claims)


def check_same_results(whole: TruthModel, parts: TruthModel) -> None:
    """Check that two fitted models say the same about statements, items and sources."""
    check_same(whole.statements_, parts.statements_, ORDER)
    check_same(whole.truths_, parts.truths_, ORDER)
    check_same(whole.sources_, parts.sources_, "source")
    assert whole.confusions_ is not None
    assert parts.confusions_ is not None
    check_same(whole.confusions_, parts.confusions_, CELLS, 1e-4)
    assert [note.subject for note in parts.notes_] == [note.subject for note in whole.notes_]


def check_same(one: Table, other: Table, order: Any, close: float = CLOSE) -> None:
    """Check that two tables have the same rows but for rounding, in whatever order."""
    left, right = one.to_arrow().sort_by(order), other.to_arrow().sort_by(order)
    assert left.column_names == right.column_names
    for name in left.column_names:
        if pa.types.is_floating(left[name].type):
            one_way, other_way = (
                np.array(table[name].to_pylist(), np.float64) for table in (left, right)
            )
            np.testing.assert_allclose(one_way, other_way, rtol=0, atol=close, err_msg=name)
        else:
            assert left[name].to_pylist() == right[name].to_pylist(), name


@pytest.mark.parametrize("place", HERE)
@pytest.mark.parametrize("name", MODELS)
def test_results_are_the_same(world: Path, name: str, place: str) -> None:
    check_same_results(fitted_in_memory(name, world), fitted_in_place(name, world, place))


@pytest.mark.parametrize("together", [1, 7])
def test_sources_in_parts_change_nothing(
    world: Path, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fitted_in_place("grbm", world, "blocks in memory")
    monkeypatch.setattr("veracity.engines.parts.TOGETHER", together)
    parts = fitted("grbm", in_place(world, "blocks in memory"))
    check_same(whole.statements_, parts.statements_, ORDER, 1e-12)
    check_same(whole.sources_, parts.sources_, "source", 1e-12)
    assert whole.confusions_ is not None
    assert parts.confusions_ is not None
    check_same(whole.confusions_, parts.confusions_, CELLS, 1e-12)
    assert parts.notes_ == whole.notes_


@pytest.mark.slow
def test_the_default_says_the_same_on_real_claims(data_folder: Path) -> None:
    path = data_folder / "birthplaces" / "claims.csv.gz"
    whole = make_model("grbm").fit(in_memory(path))
    parts = make_model("grbm").fit(in_place(path, "two threads", 4_000))
    check_same(whole.statements_, parts.statements_, ORDER)


@pytest.mark.slow
def test_the_default_says_the_same_on_real_claims_with_copies(
    data_folder: Path, tmp_path: Path
) -> None:
    table = csv.read_csv(data_folder / "flights_noairline" / "claims.csv.gz")
    chosen = pc.match_substring_regex(table["entity"], "@2011120[12]")  # two days of a month
    path = tmp_path / "flights.parquet"
    pq.write_table(table.filter(chosen), path)
    whole = make_model("grbm").fit(in_memory(path))
    parts = make_model("grbm").fit(in_place(path, "two threads", 4_000))
    check_same(whole.statements_, parts.statements_, ORDER)


@pytest.mark.parametrize("name", ["grbm", "rbm", "one-coin", "dawid-skene", "glad"])
def test_threads_in_memory(world: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 100)
    claims = in_memory(world)
    found: dict[int, Floats] = {}
    for threads in (1, 2, 4, 4):
        with use_threads(threads), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            plausibility = make_model(name).fit(claims).plausibility_
        if threads in found:
            assert (plausibility == found[threads]).all()  # to the bit
        found[threads] = plausibility
        np.testing.assert_allclose(plausibility, found[1], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("data", ["rte", "birthplaces", "book_lists"])
@pytest.mark.parametrize("name", MODELS)
def test_results_are_the_same_on_real_claims(data_folder: Path, data: str, name: str) -> None:
    path = data_folder / data / "claims.csv.gz"
    whole = fitted(name, in_memory(path))
    parts = fitted(name, in_place(path, "two threads", 4_000))
    # Hundreds of steps of L-BFGS carry rounding further than others do.
    close = 1e-3 if name.startswith("grbm") else CLOSE
    check_same(whole.statements_, parts.statements_, ORDER, close)


@pytest.mark.parametrize("place", ["blocks in memory", "blocks on disk"])
def test_a_network_learns_from_blocks_too(world: Path, place: str) -> None:
    def learned(claims: Any) -> Table:
        # Few iterations: networks have no one best end, and drift apart on the way to any.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = make_model("grbm", reliability="mlp", features="always", max_iter=3)
            return model.fit(claims).statements_

    check_same(learned(in_memory(world)), learned(in_place(world, place)), ORDER)


@pytest.mark.parametrize("reliability", ["linear", "mlp"])
@pytest.mark.parametrize("place", ["blocks on disk", "two threads"])
def test_sources_deviate_from_their_features_in_blocks_too(
    world: Path, reliability: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a fit, the pre-training of a network drifts to any of many ends if it goes on for long.
    monkeypatch.setattr("veracity.models.grbm.pretraining.MAX_ITER", 3)

    def learned(claims: Any) -> TruthModel:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return BinaryGRBM(reliability, hidden_sizes=(4,), max_iter=8).fit(claims)

    whole, parts = learned(in_memory(world)), learned(in_place(world, place))
    check_same(whole.statements_, parts.statements_, ORDER)
    check_same(whole.sources_, parts.sources_, "source")


@pytest.mark.parametrize("place", ["blocks on disk", "two threads"])
def test_the_past_of_items_is_read_in_blocks_too(world: Path, place: str) -> None:
    def learned(claims: Any) -> TruthModel:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return BinaryGRBM("gru", hidden_sizes=(4,), max_iter=8).fit(claims)

    whole, parts = learned(in_memory(world)), learned(in_place(world, place))
    check_same(whole.statements_, parts.statements_, ORDER)
    assert {note.text for note in whole.notes_ if note.subject == "time"} == {
        note.text for note in parts.notes_ if note.subject == "time"
    }


def test_the_past_of_sources_needs_memory(world: Path) -> None:
    with pytest.raises(InvalidParameter, match="blocks are made of items"):
        BinaryGRBM("gru", sequence="source").fit(in_place(world, "blocks in memory"))


def test_threads_change_nothing_at_all(world: Path) -> None:
    one, two = (
        fitted_in_place("grbm", world, place).statements_.to_arrow()
        for place in ("blocks on disk", "two threads")
    )
    assert one.equals(two)


def test_a_model_learned_from_blocks_judges_other_claims(world: Path, tmp_path: Path) -> None:
    other = in_memory(write_world(tmp_path / "other.parquet", seed=1))
    whole = fitted_in_memory("grbm", world)
    parts = fitted_in_place("grbm", world, "blocks on disk")
    check_same(whole.predict(other), parts.predict(other), ORDER)
    parts.save(tmp_path / "model")
    assert (tmp_path / "model" / "model.json").exists()


@pytest.mark.parametrize("name", ["grbm", "rbm", "grbm-paper"])
def test_what_needs_claims_side_by_side_says_so(world: Path, name: str) -> None:
    model: Any = fitted_in_place(name, world, "blocks in memory")
    item = ("3", "colour")
    for ask, about in ((model.explain, item), (model.plot.item, item), (model.plot.agreement, ())):
        with pytest.raises(InvalidParameter, match="needs claims in memory"):
            ask(*about)
    found = model.explain("3", "colour", in_memory(world))
    plausible = {
        row["value"]: row["plausibility"]
        for row in model.statements_.to_pylist()
        if (row["entity"], row["attribute"]) == ("3", "colour")
    }
    assert {one.value: one.plausibility for one in found.statements} == pytest.approx(plausible)
    assert model.plot.sources().name == "sources"


def test_what_there_is(world: Path) -> None:
    claims = in_place(world, "blocks on disk")
    assert summarise_blocks(claims) == summarise_claims(in_memory(world))
    assert claims.attributes == in_memory(world).attributes
    assert [note.text for note in claims.notes] == [note.text for note in in_memory(world).notes]


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("truthfinder", {}, "needs all claims in memory"),
        ("mle", {"silence": "evidence"}, "silence='evidence'"),
        ("rbm", {"objective": "cd"}, "Contrastive divergence"),
        ("rbm", {"rates": {"tpr": "claim_sure", "fpr": "claim_sure"}}, "Rates by column"),
        ("grbm", {"features": ["claims of source"]}, "'claims of source'"),
    ],
)
def test_a_model_that_cannot_says_so(
    world: Path, name: str, parameters: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidParameter, match=reason):
        make_model(name, **parameters).check_blocks()
    with pytest.raises(InvalidParameter, match=reason):
        make_model(name, **parameters).fit(in_place(world, "blocks in memory"))
