"""``veracity scoreboard`` from folders to tables, rows and a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
SMALL = ("--sources", 12, "--entities", 60, "-q")


@pytest.fixture
def data(veracity: Command, tmp_path: Path) -> Path:
    """Return a folder of two drawn sets."""
    (tmp_path / "data").mkdir()
    for name, seed in (("north", 1), ("south", 2)):
        assert veracity("generate", tmp_path / "data" / name, *SMALL, "--seed", seed).code == 0
    return tmp_path / "data"


def test_everything_at_once(veracity: Command, data: Path, tmp_path: Path) -> None:
    rows, text, drawn = (tmp_path / name for name in ("b.json", "b.md", "b.svg"))
    command = (
        *("scoreboard", "--data", data, "--models", "vote,default, sums", "--seeds", 2),
        *("--jobs", 2, "--json", rows, "--markdown", text, "--picture", drawn),
    )
    done = veracity(*command)
    assert done.code == 0, done.err
    for word in ("Accuracy", "Summary", "worst vs vote", "ceiling", "oracle", "north", "south"):
        assert word in done.out
    assert max(map(len, done.out.splitlines())) <= 100
    found = json.loads(rows.read_text())
    assert len(found) == 12
    assert {row["model"] for row in found} == {"vote", "default", "sums"}
    assert all(row["error"] is None and row["oracle"] is not None for row in found)
    assert text.read_text().startswith("# Scoreboard\n\n## Summary\n")
    assert drawn.read_text().startswith("<svg")
    assert veracity(*command).out == done.out  # nothing is run again


def test_a_model_that_does_not_apply_says_so(veracity: Command, data: Path) -> None:
    done = veracity("scoreboard", "--data", data / "north", "--models", "vote,gtm", "--seeds", 1)
    assert done.code == 0
    assert "n/a [1]" in done.out
    assert "[1] " in done.out.split("Notes")[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--models", "vot"), "Did you mean 'vote'"),
        (("--sets", "nroth"), "Did you mean 'north'"),
        (("--seeds", 0), "--seeds"),
        (("--jobs", 0), "--jobs"),
        (("--time-limit", -1), "more than 0 seconds"),
        (("--picture", "board.png"), "ends in .svg"),
        (("--markdown", "nowhere/board.md"), "there is no folder"),
        (("--json", "."), "is a folder"),
    ],
)
def test_wrong_options_are_refused(
    veracity: Command, data: Path, options: tuple[object, ...], said: str
) -> None:
    done = veracity("scoreboard", "--data", data, *options)
    assert done.code == 2
    assert said in done.err


def test_a_folder_without_sets_or_truth(veracity: Command, data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no data sets" in veracity("scoreboard", "--data", tmp_path / "empty").err
    for name in ("north", "south"):
        (data / name / "truth.csv.gz").unlink()
    done = veracity("scoreboard", "--data", data)
    assert done.code == 2
    assert "north, south" in done.err
    assert veracity("scoreboard").code == 2
