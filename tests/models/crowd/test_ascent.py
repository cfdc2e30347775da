"""Fewer passes: the same fixed point as plain expectation maximisation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.crowd_peers import CLOSED, assert_never_falls, columns_of, drawn_labels
from tests.engines.worlds import in_place

from veracity import Claims, DawidSkene, OneCoin
from veracity.engines.checkpoints import Checkpoints
from veracity.models.crowd.crowd_kernels import UNIT, changes_of
from veracity.models.crowd.extrapolation import Extrapolation, extrapolated
from veracity.models.views import by_class


def drawn(seed: int = 0) -> Claims:
    """Return labels of a crowd in which some sources say little, so that the fit takes long."""
    rows = drawn_labels(seed=seed, n_items=150, n_sources=40, n_classes=3, share=0.1)
    return Claims.from_frame(columns_of(rows), attributes=CLOSED)


@pytest.mark.parametrize("model", [DawidSkene(0.1), OneCoin((0.5, 0.5))], ids=str)
def test_the_fixed_point_is_that_of_plain_steps(model: Any) -> None:
    claims = drawn()
    plain = type(model)(prior=model.prior, max_iter=20_000, tol=None).fit(claims)
    assert plain.history_[-1]["change"] < 1e-11
    found = type(model)(prior=model.prior, max_iter=2_000, tol=1e-10).fit(claims)
    assert found.converged_
    assert found.plausibility_ == pytest.approx(plain.plausibility_, abs=1e-6)
    assert_never_falls(found.history_)


def test_it_takes_fewer_passes() -> None:
    claims, tol = drawn(), 1e-8
    plain = DawidSkene(0.1, max_iter=5_000, tol=None).fit(claims)
    n_plain = 1 + next(k for k, r in enumerate(plain.history_) if r["change"] <= tol)
    found = DawidSkene(0.1, max_iter=5_000, tol=tol).fit(claims)
    assert found.n_iter_ < n_plain / 2


def test_without_tolerance_all_steps_are_plain() -> None:
    claims = drawn()
    few = DawidSkene(max_iter=25, tol=None).fit(claims)
    more = DawidSkene(max_iter=40, tol=None).fit(claims)
    assert few.n_iter_ == 25
    assert more.history_[:25] == few.history_


def test_many_answers_are_judged_by_their_mean_change(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = drawn()
    thorough = OneCoin((0.5, 0.5), max_iter=2_000, tol=1e-6).fit(claims)
    monkeypatch.setattr(by_class, "MANY_ANSWERS", 2)
    found = OneCoin((0.5, 0.5), max_iter=2_000, tol=1e-6).fit(claims)
    assert found.converged_
    assert found.n_iter_ < thorough.n_iter_
    assert found.history_[-1]["change"] <= 1e-6
    assert found.plausibility_ == pytest.approx(thorough.plausibility_, abs=1e-2)


def test_the_mean_change_is_the_same_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_class, "MANY_ANSWERS", 2)
    rows = drawn_labels(seed=0, n_items=150, n_sources=40, n_classes=3, share=0.1)
    path = tmp_path / "claims.parquet"
    pq.write_table(pa.table(columns_of(rows)), path)
    whole = DawidSkene(0.1).fit(Claims.read(path, attributes=CLOSED))
    blocks = in_place(path, "blocks in memory", size=100, attributes=CLOSED)
    found = DawidSkene(0.1).fit(blocks)
    assert [r["change"] for r in found.history_] == [r["change"] for r in whole.history_]


def test_changes_by_hand() -> None:
    largest, total = changes_of(np.array([0.5, 0.25, 1.0]), np.array([0.25, 0.25, 0.5]))
    assert (largest, total * UNIT) == (0.5, 0.75)
    assert by_class.typical_change(largest, total, 3) == 0.5
    assert by_class.typical_change(largest, total, by_class.MANY_ANSWERS) == 0.75 / 50_000


def test_extrapolation_by_hand() -> None:
    # Steps of 4 and 2: r = 4, v = -2, a = 2; they would sum up to 8, and so does the formula.
    found, length = extrapolated(np.array([1.0]), np.array([5.0]), np.array([7.0]), 10.0)
    assert (found.tolist(), length) == ([9.0], 2.0)
    found, length = extrapolated(np.array([9.0]), np.array([5.0]), np.array([1.5]), 10.0)
    assert found.tolist() == [0.0]  # cut off


def test_a_fall_is_taken_back_and_what_is_remembered_can_be_kept() -> None:
    one = Extrapolation(n_votes=3.0, plain_steps=0)
    points = [np.array([x]) for x in (0.0, 4.0, 6.0)]
    assert not one.fell(-3.0)
    assert one.after(points[0], points[1]) is points[1]
    assert not one.fell(-2.0)
    assert one.after(points[1], points[2]).tolist() == [6.0]  # the first is no longer than two
    other = Extrapolation(n_votes=3.0)
    other.restore(one.state())
    for some in (one, other):
        assert some.fell(-2.5)
        assert not some.fell(-1.9)


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
def test_a_fit_that_goes_on_ends_as_one_in_a_piece(tmp_path: Path) -> None:
    claims = drawn()
    whole = DawidSkene(0.1, tol=1e-9, max_iter=400).fit(claims)
    for stop in (9, 16, 17, 21):
        found = resumed(claims, stop, tmp_path / str(stop))
        assert found.n_iter_ == whole.n_iter_
        assert found.plausibility_ == pytest.approx(whole.plausibility_, abs=1e-9)


def resumed(claims: Claims, stop: int, folder: Path) -> DawidSkene:
    """Fit for so many iterations, and go on from what was kept."""
    for max_iter in (stop, 400):
        with Checkpoints(folder, resume=True, every=0.0).used():
            found = DawidSkene(0.1, tol=1e-9, max_iter=max_iter).fit(claims)
    return found
