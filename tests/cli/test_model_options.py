"""Options of models: how the words on the command line become parameters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from veracity.datasets import example

Command = Callable[..., Any]


def _parameters(folder: Path) -> dict[str, Any]:
    told = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    parameters: dict[str, Any] = told["model"]["parameters"]
    return parameters


def _plausibility(folder: Path) -> list[float]:
    column: list[float] = pq.read_table(folder / "statements.parquet")["plausibility"].to_pylist()
    return column


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--features", "auto"], "auto"),
        (["--features", "always"], "always"),
        (["--features", " never "], "never"),
        (["--features", "source_kind"], ["source_kind"]),
        (["--features", "source_kind, source_verified"], ["source_kind", "source_verified"]),
        (["--no-features"], []),
        ([], "auto"),
    ],
)
def test_features_are_a_word_or_names(
    veracity: Command, tmp_path: Path, given: list[str], expected: object
) -> None:
    assert veracity("discover", example.path(), "-o", tmp_path / "out", *given).code == 0
    assert _parameters(tmp_path / "out")["features"] == expected


def test_no_features_is_the_same_as_never(veracity: Command, tmp_path: Path) -> None:
    for name, given in {"a": ["--no-features"], "b": ["--features", "never"]}.items():
        assert veracity("discover", example.path(), "-o", tmp_path / name, *given).code == 0
    without = _plausibility(tmp_path / "a")
    assert without == _plausibility(tmp_path / "b")
    veracity("discover", example.path(), "-o", tmp_path / "c", "--features", "always")
    assert without != _plausibility(tmp_path / "c")


def test_a_model_that_always_uses_features_refuses_the_word(
    veracity: Command, tmp_path: Path
) -> None:
    done = veracity(
        *("discover", example.path(), "-o", tmp_path / "out"),
        *("--model", "grbm-paper", "--features", "never"),
    )
    assert done.code == 2
    assert "features must be 'auto' or a list of names. Got 'never' instead." in done.err
    assert not (tmp_path / "out").exists()


def test_no_features_gives_the_paper_model_one_theta_per_source(
    veracity: Command, tmp_path: Path
) -> None:
    done = veracity(
        *("discover", example.path(), "-o", tmp_path / "out"),
        *("--model", "grbm-paper", "--no-features", "--objective", "exact"),
    )
    assert done.code == 0
    assert "every source has a reliability of its own" in done.out
