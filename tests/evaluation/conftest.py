"""Small data sets in folders, and models that misbehave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.odd_models import WHERE

from veracity.datasets import folder, synthetic
from veracity.models import MODELS

ODD = {"sleeper": "Sleeper", "faulty": "Faulty", "crasher": "Crasher", "talker": "Talker"}


@pytest.fixture(autouse=True)
def odd_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the misbehaving models names."""
    for name, kind in ODD.items():
        monkeypatch.setitem(MODELS, name, (WHERE, kind))


def draw_set(place: Path, seed: int = 0, **options: Any) -> Path:
    """Write a small set of claims, some 800, to a folder."""
    drawn = synthetic.draw_tables(20, 100, random_state=seed, **options)
    return folder.save(drawn.named(), place, "csv", overwrite=True)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder of two data sets."""
    draw_set(tmp_path / "data" / "first", 1)
    draw_set(tmp_path / "data" / "second", 2)
    return tmp_path / "data"
