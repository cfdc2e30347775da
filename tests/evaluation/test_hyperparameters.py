"""Settings side by side: what is held out, what is measured, and what follows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from veracity import GRBM
from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.data.truth.ground_truth import GroundTruth
from veracity.datasets import synthetic
from veracity.errors import InputError, InvalidParameter
from veracity.evaluation.hyperparameters import (
    COLUMNS,
    NO_JUDGE,
    SETTINGS,
    Tuning,
    labels_needed,
    tune,
)
from veracity.models.grbm.held_out import HeldOut

DRAWN = synthetic.draw(20, 100, sources=synthetic.SourceSpec(reliability=0.5), random_state=3)
TWO: dict[str, dict[str, Any]] = {"default": {}, "never": {"features": "never"}}


def rows_of(found: Tuning) -> dict[str, dict[str, Any]]:
    return {row["setting"]: row for row in found.table.to_pylist()}


def hand_made(n_items: int, **tests: tuple[float, int, int, float]) -> Tuning:
    """Return a tuning with labels: for each setting accuracy, better, worse and p."""
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for name, (accuracy, better, worse, p) in tests.items():
        row = {"setting": name, "accuracy": accuracy, "better": better, "worse": worse, "p": p}
        row |= {"low": accuracy - 0.2, "high": accuracy + 0.1, "n_items": n_items}
        for column, cells in columns.items():
            cells.append(row.get(column))
    arrays = [pa.array(columns[name], kind) for name, kind in COLUMNS.items()]
    return Tuning(Table("tuning", pa.table(arrays, list(COLUMNS))))


# What is measured


def test_the_first_setting_is_what_others_are_compared_with() -> None:
    found = tune(DRAWN.claims, truth=DRAWN.truth, models=["vote"])
    first = found.table.to_pylist()[0]
    assert first["setting"] == "default"
    assert (first["gain"], first["standard_error"]) == (0, 0)
    assert (first["better"], first["worse"], first["p"]) == (0, 0, 1)
    assert first["log_probability"] < 0
    assert first["low"] < first["accuracy"] < first["high"]


def test_accuracy_is_that_of_the_model_with_wilsons_interval() -> None:
    vote = rows_of(tune(DRAWN.claims, truth=DRAWN.truth, settings=TWO, models=["vote"]))["vote"]
    n, p, z = vote["n_items"], vote["accuracy"], 1.959964
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert (vote["low"], vote["high"]) == pytest.approx((centre - half, centre + half), abs=1e-6)
    assert vote["log_probability"] is vote["gain"] is None


def test_truth_is_for_measuring_only() -> None:
    with_truth = tune(DRAWN.claims, truth=DRAWN.truth, settings=TWO, models=[])
    without = tune(DRAWN.claims, settings=TWO)
    for name in ("log_probability", "gain", "n_held_out"):
        assert with_truth.table[name] == without.table[name]
    assert without.table["accuracy"].null_count == 2
    assert without.best is None


def test_settings_that_would_be_the_default_again_are_left_out() -> None:
    found = tune(DRAWN.claims)
    left_out = [name for name in SETTINGS if name not in rows_of(found)]
    assert len(found.notes) == len(left_out) >= 1
    for name, note in zip(left_out, found.notes, strict=True):
        assert note.startswith(f"{name} is left out: ")
    chosen = {name: SETTINGS[name] for name in ("default", *left_out)}
    again = tune(DRAWN.claims, truth=DRAWN.truth, settings=chosen, models=[])
    for row in again.table.to_pylist():
        assert row["gain"] == pytest.approx(0, abs=1e-6)
        assert (row["better"], row["worse"]) == (0, 0)


def test_held_out_claims_are_compared_where_both_settings_count_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = GRBM(features="never").fit(DRAWN.claims).held_out(DRAWN.claims)
    counted = np.arange(len(found.claim)) % 3 == 0

    def held_out(self: GRBM, claims: Any) -> HeldOut:
        if self.allow_adversaries:
            return HeldOut(found.claim, found.log_prob + 1.0)
        return HeldOut(found.claim[counted], found.log_prob[counted])

    monkeypatch.setattr(GRBM, "held_out", held_out)
    monkeypatch.setattr(GRBM, "fit", lambda self, c: self)
    settings = {"default": {}, "all": {"allow_adversaries": True}}
    row = rows_of(tune(DRAWN.claims, settings=settings))["all"]
    assert (row["n_held_out"], row["gain"]) == (counted.sum(), pytest.approx(1.0))


def test_a_handful_of_claims_can_hold_nothing_out() -> None:
    claims = Claims.from_frame({"source": ["a", "b"], "entity": ["x", "y"], "value": ["1", "2"]})
    found = tune(claims, truth={"entity": ["x"], "value": ["1"]}, models=["vote"])
    assert found.notes[-1] == "There are too few claims to hold any out."
    assert found.table["log_probability"].null_count == len(found.table)
    assert rows_of(found)["vote"]["accuracy"] == 1


def test_the_same_seed_gives_the_same_figures() -> None:
    one, other = (tune(DRAWN.claims, settings=TWO, random_state=5).table for _ in range(2))
    assert one.to_arrow() == other.to_arrow()


def test_progress_names_every_fit() -> None:
    heard: list[tuple[int, int, str]] = []
    tune(
        DRAWN.claims,
        truth=DRAWN.truth,
        settings=TWO,
        models=["vote"],
        progress=lambda *now: heard.append(now),
    )
    assert heard == [(0, 3, "default"), (1, 3, "never"), (2, 3, "vote")]
    heard.clear()
    found = tune(DRAWN.claims, progress=lambda *now: heard.append(now))
    assert heard[-1][:2] == (len(found.table) - 1, len(found.table))


# What follows


def test_without_labels_held_out_claims_are_no_judge() -> None:
    found = tune(DRAWN.claims, settings=TWO)
    assert found.lines() == [found.verdict()]
    assert found.verdict().startswith(NO_JUDGE)
    assert found.advice() is None
    assert found.grid().header == ["setting", "log-probability", "gain"]


def test_a_difference_that_is_hardly_luck() -> None:
    found = hand_made(200, default=(0.7, 0, 0, 1.0), never=(0.8, 24, 4, 0.0002))
    assert (found.best, found.is_sure) == ("never", True)
    assert "never is the most accurate on these labels (80.0%, default 70.0%)" in found.verdict()
    assert "is unlikely to be luck (p = 0.0002)" in found.verdict()
    assert found.lines()[0] == NO_JUDGE


def test_the_best_of_several_has_more_to_show() -> None:
    alone = hand_made(100, default=(0.7, 0, 0, 1.0), never=(0.8, 14, 4, 0.031))
    tried = {f"s{number}": (0.7, 1, 1, 1.0) for number in range(3)}
    of_four = hand_made(100, default=(0.7, 0, 0, 1.0), never=(0.8, 14, 4, 0.031), **tried)
    assert alone.is_sure
    assert not of_four.is_sure
    assert "could be luck (p = 0.031 by itself)" in of_four.verdict()


def test_few_labels_say_how_many_it_takes() -> None:
    found = hand_made(10, default=(0.6, 0, 0, 1.0), never=(0.8, 2, 0, 0.5))
    advice = found.advice() or ""
    assert "could be luck" in found.verdict()
    assert "With 10 labelled items, the accuracy of default lies between 40.0% and 70.0%" in advice
    assert ": 30 points." in advice
    assert "To tell never from default, if they really are 20.0 points apart" in advice
    assert "takes about 37 labels" in advice


def test_where_the_default_is_best_the_nearest_is_named() -> None:
    tests = {"far": (0.5, 0, 2, 0.5), "near": (0.6, 0, 1, 1.0), "same": (0.7, 1, 1, 1.0)}
    found = hand_made(10, default=(0.7, 0, 0, 1.0), **tests)
    assert found.best == "default"
    assert found.verdict() == "No setting is more accurate than default on these labels."
    assert "To tell near from default, if they really are 10.0 points apart" in str(found.advice())


def test_labels_that_tell_nothing_apart() -> None:
    found = hand_made(10, default=(0.7, 0, 0, 1.0), never=(0.7, 1, 1, 1.0))
    assert "cannot tell them apart" in str(found.advice())


def test_labels_needed_by_hand() -> None:
    # d = 0.08, e = 0.04: (1.959964 * 0.282843 + 0.841621 * 0.28)² / 0.0016 = 390.08.
    assert labels_needed(better=6, worse=2, n_items=100) == 391
    assert labels_needed(better=2, worse=6, n_items=100) == 391
    with pytest.raises(InvalidParameter, match="must differ"):
        labels_needed(3, 3, 100)


# What is refused


def test_truth_about_other_items_is_refused_before_any_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(GRBM, "fit", lambda *_: pytest.fail("it was fitted"))
    truth = GroundTruth.from_frame({"entity": ["nowhere"], "value": ["1"]})
    with pytest.raises(InputError, match="shares no item"):
        tune(DRAWN.claims, truth=truth)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": ["vot"], "truth": DRAWN.truth}, "Did you mean 'vote'"),
        ({"models": ["vote"]}, "needs the truth of some items"),
        ({"settings": {}}, "at least one setting"),
        ({"settings": {"default": {"feature": "never"}}}, "Did you mean 'features'"),
    ],
)
def test_wrong_parameters_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        tune(DRAWN.claims, **options)


def test_a_model_named_twice_or_the_default_is_run_once() -> None:
    models = ["vote", "default", "vote", "grbm"]
    found = tune(DRAWN.claims, truth=DRAWN.truth, settings=TWO, models=models)
    assert found.table["setting"].to_pylist() == ["default", "never", "vote"]
