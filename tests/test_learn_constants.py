"""`scripts/learn_constants.py`: it finds constants that were put in, and keeps sets apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest
from scripts.learn_constants import (
    Constants,
    Panel,
    accuracy,
    believed,
    fitted_panel,
    fitted_panels,
    learn,
    leave_out,
    log_loss,
    main,
    plausibility,
    study,
)

from veracity import GRBM, Claims, GroundTruth
from veracity.data.read.schema import ONLY_ATTRIBUTE
from veracity.data.read.settings import Attribute
from veracity.datasets import load
from veracity.datasets.folder import Dataset
from veracity.evaluation.calibration import calibration
from veracity.evaluation.metrics import assess


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


def drawn(seed: int, values: tuple[str, ...], n_items: int = 60) -> tuple[pa.Table, pa.Table]:
    """Draw what six sources, some better than others, say about items, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(len(values), size=n_items)
    rows = []
    for item in range(n_items):
        for source, right in enumerate((0.9, 0.8, 0.7, 0.6, 0.6, 0.5)):
            said = truth[item] if rng.random() < right else rng.integers(len(values))
            if rng.random() < 0.8:
                rows.append({"source": f"s{source}", "entity": f"e{item}", "value": values[said]})
    answers = {
        "entity": [f"e{item}" for item in range(n_items)],
        "value": [values[value] for value in truth],
    }
    return pa.Table.from_pylist(rows), pa.table(answers)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two data sets, of different families."""
    for seed, (name, values) in enumerate(
        {"dog": ("akita", "beagle", "collie"), "quiz": ("no", "yes")}.items()
    ):
        (tmp_path / name).mkdir()
        for table, rows in zip(("claims", "truth"), drawn(seed, values), strict=True):
            with pa.CompressedOutputStream(tmp_path / name / f"{table}.csv.gz", "gzip") as file:
                csv.write_csv(rows, file)
    return tmp_path


@pytest.mark.parametrize("name", ["dog", "quiz"])
def test_a_panel_of_a_set_gives_what_the_library_gives(folder: Path, name: str) -> None:
    data = load(folder / name)
    assert data.truth is not None
    assert data.claims.matrix.profiles[0].kind == {"dog": "single", "quiz": "boolean"}[name]
    model = GRBM(features="never").fit(data.claims)
    evaluation, outcomes = assess(model.truths_, data.truth, data.claims)
    panel = fitted_panel(data)
    present = Constants.present()
    assert len(panel.start) == evaluation.n_items
    assert log_loss(panel, present) == pytest.approx(calibration(outcomes).log_loss)
    assert accuracy(panel, present) == pytest.approx(evaluation.accuracy)
    p = plausibility(panel, present)
    np.testing.assert_allclose(np.add.reduceat(p, panel.start), 1.0)
    shown = p[panel.claimed] if name == "dog" else p[::2]
    np.testing.assert_allclose(shown, model.plausibility_)


def made_set(attribute: Attribute) -> Dataset:
    """Return claims about an attribute of a kind, and the truth."""
    rows, truth = drawn(2, tuple("abcde"))
    claims = Claims.from_frame(rows, attributes={ONLY_ATTRIBUTE: attribute})
    return Dataset("made", claims, GroundTruth.from_frame(truth))


def test_items_of_an_open_domain_have_none_of_these() -> None:
    data = made_set(Attribute("single", "open"))
    panel = fitted_panel(data)
    assert len(panel.start) == (~panel.claimed).sum() == data.claims.matrix.n_items
    p = plausibility(panel, Constants.present())
    model = GRBM(features="never").fit(data.claims)
    np.testing.assert_allclose(p[panel.claimed], model.plausibility_)


def test_of_several_true_values_each_is_asked_by_itself() -> None:
    data = made_set(Attribute("multiple"))
    panel = fitted_panel(data)
    assert len(panel.start) == data.claims.matrix.n_statements
    p = plausibility(panel, Constants.present())
    np.testing.assert_allclose(p[::2], GRBM(features="never").fit(data.claims).plausibility_)


def test_a_large_set_is_sampled_the_same_way_every_time(folder: Path) -> None:
    data = load(folder / "dog")
    first, again = (fitted_panel(data, max_items=20) for _ in range(2))
    assert len(first.start) == 20
    np.testing.assert_array_equal(first.x, again.x)


def test_a_study_of_a_folder_of_data_sets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, arrays = folder / "constants.json", folder / "arrays"
    monkeypatch.setattr(
        "sys.argv", ["learn_constants", str(arrays), "--data", str(folder), "--json", str(out)]
    )
    main()
    found = json.loads(out.read_text())
    panels = fitted_panels(folder, ["dog", "quiz"])
    for part in ("present", "without_set", "without_family"):
        assert set(found[part]["sets"]) == set(panels)
    expected = np.mean([log_loss(panel, Constants.present()) for panel in panels.values()])
    assert found["present"]["log_loss"] == pytest.approx(expected)
    assert found["log_loss"] <= found["present"]["log_loss"] + 1e-9
    assert len(Panel.read(arrays / "dog.npz").start) == len(panels["dog"].start)


def test_one_family_cannot_be_judged_by_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made(0, Constants(), 20).write(folder / "dog.npz")
    monkeypatch.setattr("sys.argv", ["learn_constants", str(folder)])
    with pytest.raises(SystemExit):
        main()
    assert "fewer than two families" in capsys.readouterr().err
