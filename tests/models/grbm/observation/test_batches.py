"""Items judged in batches: as each by itself, however many claims it has and whatever is known."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from tests.observations import EVERY_FORM, Row, judged, read

from veracity.data.arrays import Floats, Indices
from veracity.data.truth.known import KnownTruth
from veracity.models.grbm.observation import item_batches
from veracity.models.grbm.observation.base import Posterior
from veracity.models.grbm.observation.confusion import Confusion
from veracity.models.grbm.observation.item_batches import LANES, ItemBatches

#: Claims of items: few, as many as there are lanes, more, and more than are multiplied at a time.
COUNTS = [0, 1, 2, 5, 5, 5, 63, 64, 65, 130, 1100]


def many_claims(name: str, counts: list[int], seed: int = 0) -> list[Row]:
    """Draw items with so many claims each, of sources that are right more often than not."""
    rng, classes = np.random.default_rng(seed), EVERY_FORM[name].classes
    rows = [Row("s0", f"only {value}", name, value) for value in classes]
    for item, count in enumerate(counts):
        truth = rng.integers(len(classes))
        sources = rng.permutation(max(counts))[:count]
        right = rng.random(count) < 0.7
        said = np.where(right, truth, rng.integers(0, len(classes), count))
        rows += [
            Row(f"s{source:04d}", f"e{item:02d}", name, classes[value])
            for source, value in zip(sources, said, strict=True)
        ]
    return rows


def judge(
    rows: list[Row],
    *,
    alone: bool,
    size: float = 0.5,
    hardness: float = 0.5,
    known: KnownTruth | None = None,
) -> tuple[float, Floats, Floats, Posterior]:
    """Return log-likelihood, gradients and posterior; of items in batches, or of each alone."""
    claims = read(rows)
    block, all_own = judged(claims, size=size, hardness=hardness, known=known)
    ((found, own, eta),) = block.models(all_own)
    model = cast(Confusion, found)
    if alone:
        model.__dict__["_is_plain"] = np.zeros(claims.matrix.n_items, np.bool_)
        del model.__dict__["_batches"]
    else:
        assert model._is_plain.all()
    posterior = Posterior.empty(claims.matrix)
    model.judge(own, eta, posterior)
    return *model.log_likelihood(own, eta), posterior


def assert_same(
    batches: tuple[float, Floats, Floats, Posterior],
    alone: tuple[float, Floats, Floats, Posterior],
) -> None:
    assert batches[0] == pytest.approx(alone[0], rel=1e-12)
    for mine, other in zip(batches[1:3], alone[1:3], strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)
    for part in ("plausibility", "unclaimed", "likelihood", "hardness"):
        mine, other = (getattr(found[3], part) for found in (batches, alone))
        np.testing.assert_allclose(mine, other, atol=1e-10)


@pytest.mark.parametrize("hardness", [0.0, 0.5])
@pytest.mark.parametrize("name", ["sure", "three", "two"])
def test_items_are_judged_as_if_each_were_alone(name: str, hardness: float) -> None:
    rows = many_claims(name, COUNTS)
    found = [judge(rows, alone=alone, hardness=hardness) for alone in (False, True)]
    assert_same(*found)


@pytest.mark.parametrize("name", ["three", "two"])
def test_claims_that_are_next_to_impossible_are_counted_by_their_logarithms(name: str) -> None:
    """Sources are nearly never wrong, and contradict each other all the same."""
    rows = many_claims(name, [60, 300, 3])
    found = [judge(rows, alone=alone, size=12.0) for alone in (False, True)]
    assert found[1][3].likelihood.min() < np.log(1e-300)
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-9)
    np.testing.assert_allclose(found[0][3].plausibility, found[1][3].plausibility, atol=1e-9)


def test_what_is_known_to_be_false_is_left_out() -> None:
    rows = many_claims("three", COUNTS)
    claims = read(rows)
    entities = ["e03", "e07", "e10"]  # e10 has the most claims
    truth = {"entity": entities, "attribute": ["three"] * 3, "value": ["a", "b", "c"]}
    known = KnownTruth.of(truth, claims)
    found = [judge(rows, alone=alone, known=known) for alone in (False, True)]
    assert_same(*found)
    posterior, matrix = found[0][3], claims.matrix
    item = matrix.entities.to_pylist().index("e10")
    (place,) = np.flatnonzero(matrix.entity_index == item)
    of_values = posterior.plausibility[slice(*matrix.statement_start[place : place + 2])]
    assert sorted(of_values.tolist()) == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("each", [2, 31])
def test_values_with_equal_claims_tie_to_the_last_digit(each: int) -> None:
    """Sources that are alike say one value or the other, in whatever order."""
    rng = np.random.default_rng(each)
    said = rng.permutation(np.repeat(["a", "b"], each))
    rows = [Row("s", f"only {value}", "two", value) for value in ("a", "b")]
    rows += [Row(f"s{i:04d}", "tie", "two", value) for i, value in enumerate(said)]
    claims = read(rows)
    block, all_own = judged(claims, size=0.0)
    ((model, own, eta),) = block.models(all_own)
    posterior = Posterior.empty(claims.matrix)
    model.judge(own, eta, posterior)
    item = claims.matrix.entities.to_pylist().index("tie")
    (place,) = np.flatnonzero(claims.matrix.entity_index == item)
    one, other = posterior.plausibility[slice(*claims.matrix.statement_start[place : place + 2])]
    assert one == other


def test_there_may_be_hundreds_of_classes() -> None:
    said = np.array([300, 7], np.int32)
    cell = np.array([1, 2], np.int32)
    batches = ItemBatches.of(np.ones(1, np.bool_), np.array([0, 2]), said, cell, no_cell=0)
    assert sorted(batches.said_class[batches.said_class >= 0].tolist()) == [7, 300]


def test_every_claim_has_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_batches, "STRETCH", 4)
    rng = np.random.default_rng(0)
    counts = np.array([3, 0, 70, 2, 64, 65, 1, 1, 200, 5])
    start: Indices = np.append(0, np.cumsum(counts))
    said = rng.integers(-1, 3, start[-1]).astype(np.int32)
    chosen = np.arange(len(counts)) != 3
    cell = np.arange(start[-1], dtype=np.int32)
    batches = ItemBatches.of(chosen, start, said, cell, no_cell=-7)
    expected = [c for c in cell if said[c] >= 0 and not start[3] <= c < start[4]]
    assert sorted(batches.cell[batches.cell >= 0]) == expected
    held = batches.cell >= 0
    assert (batches.said_class[held] == said[batches.cell[held]]).all()
    assert (batches.said_class[~held] == -1).all()
    assert (
        sorted(batches.item_of_lane[batches.item_of_lane >= 0]) == np.flatnonzero(chosen).tolist()
    )
    for batch, wide in enumerate(batches.is_wide):
        grid = batches.cell[batches.start[batch] : batches.start[batch + 1]].reshape(-1, LANES)
        items = batches.item_of_lane[batch]
        for lane, item in enumerate(items):
            own = grid.ravel() if wide and lane == 0 else grid[:, lane]
            if item >= 0:
                found = own[own >= 0]
                assert ((found >= start[item]) & (found < start[item + 1])).all()
    assert batches.of_stretch.tolist() == [0, 1, 2, 4]
