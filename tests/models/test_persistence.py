"""Saved models: the same predictions to the bit, and clear words about what cannot be loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import veracity
from veracity import RBM, BinaryGRBM, MajorityVote, datasets
from veracity.errors import InputError, NotFitted, OutputError
from veracity.models.base import TruthModel

MODELS = [
    RBM(),
    RBM(tie_hidden_bias=False, max_iter=20),
    BinaryGRBM(),
    BinaryGRBM(source_effects=False, features=["source_kind", "claims of statement"]),
    BinaryGRBM("mlp", hidden_sizes=(4,), max_iter=15),
    MajorityVote(smoothing=0.5),
]


@pytest.fixture(scope="module")
def example() -> datasets.Dataset:
    return datasets.example.load()


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:40])
def test_a_loaded_model_predicts_the_same_to_the_bit(
    model: TruthModel, example: datasets.Dataset, tmp_path: Path
) -> None:
    model.fit(example.claims)
    loaded = veracity.load(model.save(tmp_path / "model"))
    assert type(loaded) is type(model)
    assert set(loaded.get_params()) == set(model.get_params())
    mine, theirs = (m.predict_plausibility(example.claims).to_arrow() for m in (model, loaded))
    assert theirs.equals(mine)
    assert loaded.predict(example.claims).to_arrow().equals(model.truths_.to_arrow())


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
def test_a_custom_module_needs_its_class(example: datasets.Dataset, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    def module() -> Any:
        return torch.nn.Sequential(torch.nn.Linear(1, 3))

    model = BinaryGRBM(module(), features=["claims of source"], source_effects=False, max_iter=10)
    folder = model.fit(example.claims).save(tmp_path / "model")
    with pytest.raises(InputError, match="module of your own"):
        veracity.load(folder)
    loaded = veracity.load(folder, module=module())
    expected = model.predict_plausibility(example.claims).to_arrow()
    assert loaded.predict_plausibility(example.claims).to_arrow().equals(expected)
    with pytest.raises(InputError, match=r"has 7 parameters, .* has 10\. Was it saved"):
        veracity.load(folder, module=torch.nn.Sequential(torch.nn.Linear(2, 3)))


@pytest.fixture
def saved(example: datasets.Dataset, tmp_path: Path) -> Path:
    return RBM().fit(example.claims).save(tmp_path / "model")


def test_what_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no saved model"):
        veracity.load(tmp_path)


def test_a_damaged_description(saved: Path) -> None:
    (saved / "model.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        veracity.load(saved)


@pytest.mark.parametrize("change", [lambda data: data[:-20], lambda data: data[:-1] + b"\0\1"])
def test_damaged_arrays(saved: Path, change: Any) -> None:
    path = saved / "model.safetensors"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(InputError, match="damaged"):
        veracity.load(saved)


def test_missing_arrays(saved: Path) -> None:
    (saved / "model.safetensors").unlink()
    with pytest.raises(InputError, match="incomplete"):
        veracity.load(saved)


def test_a_newer_format(saved: Path) -> None:
    description = json.loads((saved / "model.json").read_text(encoding="utf-8"))
    (saved / "model.json").write_text(json.dumps(description | {"format": 99}))
    with pytest.raises(InputError, match="format 99"):
        veracity.load(saved)


def test_saving_needs_a_fit_and_a_free_place(example: datasets.Dataset, tmp_path: Path) -> None:
    with pytest.raises(NotFitted, match="save"):
        RBM().save(tmp_path / "model")
    model = MajorityVote().fit(example.claims)
    model.save(tmp_path / "model")
    with pytest.raises(OutputError, match="exists already"):
        model.save(tmp_path / "model")
    model.save(tmp_path / "model", overwrite=True)
