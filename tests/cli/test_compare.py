"""``veracity compare`` on one table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_models_side_by_side(veracity: Command, claims: Path, truth: Path, tmp_path: Path) -> None:
    rows, text, drawn = (tmp_path / name for name in ("c.json", "c.md", "c.svg"))
    done = veracity(
        *("compare", claims, "--truth", truth, "--models", "vote,default", "--seeds", 1),
        *("--json", rows, "--markdown", text, "--picture", drawn),
    )
    assert done.code == 0, done.err
    assert "6 claims, 3 items with known truth" in done.out
    assert "vs default (p)" in done.out
    found = json.loads(rows.read_text())
    assert [(row["dataset"], row["model"]) for row in found] == [
        ("claims", "vote"),
        ("claims", "default"),
    ]
    assert found[0]["accuracy"] == pytest.approx(2 / 3)
    assert "| vote | 0.6667 |" in text.read_text()
    assert drawn.read_text().startswith("<svg")


def test_reading_options_apply(veracity: Command, claims: Path, tmp_path: Path) -> None:
    truth = tmp_path / "t.csv"
    truth.write_text("entity,value\nsky,BLUE\n")
    command = ("compare", claims, "--truth", truth, "--models", "vote", "--seeds", 1)
    rows = tmp_path / "c.json"
    assert veracity(*command, "--json", rows, "--casefold", "-q").out == ""
    assert json.loads(rows.read_text())[0]["accuracy"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--models", "vot"), "Did you mean 'vote'"),
        (("--source", "nobody"), "nobody"),
        (("--json", "."), "is a folder"),
    ],
)
def test_wrong_options_are_refused(
    veracity: Command, claims: Path, truth: Path, options: tuple[object, ...], said: str
) -> None:
    done = veracity("compare", claims, "--truth", truth, *options)
    assert done.code == 2
    assert said in done.err


def test_the_truth_is_needed(veracity: Command, claims: Path) -> None:
    done = veracity("compare", claims)
    assert done.code == 2
    assert "--truth" in done.err
