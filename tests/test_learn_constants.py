"""`scripts/learn_constants.py`: it finds constants that were put in, and keeps sets apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scripts.learn_constants import (
    Constants,
    Panel,
    accuracy,
    believed,
    learn,
    leave_out,
    log_loss,
    plausibility,
    study,
)


def made(seed: int, constants: Constants, n_items: int = 1_000, n_values: int = 3) -> Panel:
    """Draw scores and shares, and a truth that is as likely as the constants say."""
    rng = np.random.default_rng(seed)
    x = rng.exponential(4.0, (n_items, n_values))
    x -= x.min(axis=1, keepdims=True)
    share = rng.dirichlet(np.ones(n_values), n_items)
    panel = Panel(
        x.ravel(),
        share.ravel(),
        np.zeros(x.size, np.bool_),
        np.ones(x.size, np.bool_),
        np.arange(0, x.size, n_values),
    )
    chance = plausibility(panel, constants).reshape(x.shape).cumsum(axis=1)
    truth = (rng.random((n_items, 1)) > chance).sum(axis=1)
    is_true = np.arange(n_values) == truth[:, None]
    return replace(panel, is_true=is_true.ravel())


def test_plausibilities_follow_the_formula() -> None:
    panel = Panel(
        np.array([0.0, 2.0]),
        np.array([0.25, 0.75]),
        np.array([False, True]),
        np.array([True, True]),
        np.array([0]),
    )
    weight = (1 + 0.7 * 2 / 2) ** -2
    expected = 0.6 * np.array([1, weight]) / (1 + weight) + 0.4 * panel.share
    np.testing.assert_allclose(plausibility(panel, Constants(0.6, 0.7, 2.0)), expected)


def test_the_most_plausible_claimed_value_is_believed() -> None:
    panel = Panel(
        np.array([0.0, 5.0, 9.0, 0.0, 0.0]),
        np.array([0.1, 0.2, 0.7, 0.5, 0.5]),
        np.array([False, True, False, False, True]),
        np.array([False, True, True, True, True]),
        np.array([0, 3]),
    )
    p, right = believed(panel, Constants(1.0 - 1e-9, 1.0, 2.0))
    assert right.tolist() == [True, False]  # "none of these" is not believed; of equals the first
    assert p[1] == pytest.approx(0.5)
    assert accuracy(panel, Constants(1e-9, 1.0, 2.0)) == 0.0


def test_learning_finds_what_was_put_in() -> None:
    true = Constants(0.7, 0.5, 2.0)
    panels = [made(seed, true) for seed in range(4)]
    found = learn(panels)
    assert found.mix == pytest.approx(true.mix, abs=0.1)
    at_truth = np.mean([log_loss(panel, true) for panel in panels])
    at_found = np.mean([log_loss(panel, found) for panel in panels])
    assert at_truth - 0.01 < at_found <= at_truth + 1e-5


def test_a_set_says_nothing_about_the_constants_it_is_judged_by() -> None:
    true = Constants(0.7, 0.5, 2.0)
    panels = {name: made(seed, true, 200) for seed, name in enumerate(("a1", "a2", "b1", "b2"))}
    turned = replace(panels["a1"], is_true=np.roll(panels["a1"].is_true, 1))
    before, after = (
        leave_out(each, lambda name: name[0]) for each in (panels, {**panels, "a1": turned})
    )
    assert after["a1"].log_loss != before["a1"].log_loss
    for name in ("a1", "a2"):
        assert after[name].constants == before[name].constants
    for name in ("b1", "b2"):
        assert after[name].constants != before[name].constants


def test_a_study_has_means_and_every_set(tmp_path: Path) -> None:
    panels = {name: made(seed, Constants(), 50) for seed, name in enumerate(("a1", "a2", "b1"))}
    for name, panel in panels.items():
        panel.write(tmp_path / f"{name}.npz")
    read = {path.stem: Panel.read(path) for path in sorted(tmp_path.glob("*.npz"))}
    found = study(read, lambda name: name[0])
    without = found["without_family"]
    assert isinstance(without, dict)
    assert set(without["sets"]) == set(panels)
    assert found == study(panels, lambda name: name[0])


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="one entry a value"):
        Panel(np.zeros(2), np.zeros(3), np.zeros(2, bool), np.zeros(2, bool), np.array([0]))
