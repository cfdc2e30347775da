"""A run goes on from its checkpoints only if everything that it was given is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from veracity import discover
from veracity.engines.checkpoints import Checkpoints
from veracity.errors import InputError

CLAIMS: dict[str, list[Any]] = {
    "source": ["ann", "bob", "cat"] * 4,
    "entity": [entity for entity in "abcd" for _ in range(3)],
    "value": ["x", "x", "y", "y", "x", "y", "z", "z", "x", "x", "y", "z"],
}
BASE: dict[str, Any] = {"model": "grbm", "known_truth": {"entity": ["a"], "value": ["x"]}}
OTHER: dict[str, tuple[dict[str, Any], str]] = {
    "another known truth": ({"known_truth": {"entity": ["a"], "value": ["y"]}}, "known truth"),
    "further known truth": (
        {"known_truth": {"entity": ["a", "b"], "value": ["x", "x"]}},
        "known truth",
    ),
    "no known truth": ({"known_truth": None}, "known truth"),
    "another tolerance": ({"parameters": {"tol": 0.1}}, "model"),
    "another model": ({"model": "ltm"}, "model"),
    "other reading": ({"duplicates": "all"}, "settings"),
}


def _run(folder: Path, resume: bool, **changes: Any) -> Any:
    kept = Checkpoints(folder, resume=resume, every=0.0)
    return discover(CLAIMS, **{**BASE, **changes}, checkpoints=kept)


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Return the checkpoints of a run."""
    _run(tmp_path / "kept", resume=False)
    assert (tmp_path / "kept" / "run.json").exists()
    return tmp_path / "kept"


def test_the_same_run_goes_on(begun: Path) -> None:
    again = _run(begun, resume=True)
    assert again.model.truths_.to_arrow().num_rows == 4


def test_the_order_of_known_truth_makes_no_other_run(tmp_path: Path) -> None:
    truth = {"entity": ["a", "b"], "value": ["x", "y"]}
    turned = {name: cells[::-1] for name, cells in truth.items()}
    _run(tmp_path / "kept", resume=False, known_truth=truth)
    assert _run(tmp_path / "kept", resume=True, known_truth=turned) is not None


@pytest.mark.parametrize("name", OTHER)
def test_another_run_does_not(begun: Path, name: str) -> None:
    changes, differs = OTHER[name]
    with pytest.raises(InputError, match=f"belong to another run: .*{differs}"):
        _run(begun, resume=True, **changes)
