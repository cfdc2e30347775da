"""Numbers on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Write claims about two depths."""
    rows = ["a,sea,10", "b,sea,10.4", "c,sea,20", "a,pond,1", "b,pond,2"]
    path = tmp_path / "claims.csv"
    path.write_text("\n".join(["source,entity,value", *rows, ""]))
    return path


@pytest.fixture
def truth(tmp_path: Path) -> Path:
    """Write what is true of them."""
    path = tmp_path / "truth.csv"
    path.write_text("entity,value\nsea,10.2\npond,1.5\n")
    return path


def run(veracity: Command, claims: Path, *options: str) -> Any:
    """Run discover beside the claims."""
    return veracity("discover", str(claims), "-o", str(claims.parent / "out"), *options)


def test_mean_and_its_errors_are_shown(veracity: Command, claims: Path, truth: Path) -> None:
    declared = ("--compare", "value=number", "--model", "mean")
    done = run(veracity, claims, *declared, "--truth", str(truth))
    assert done.code == 0
    # The means are 40.4 / 3 and 1.5: 3.2667 and 0 off.
    assert "mean absolute error 1.633, root mean squared error 2.31" in done.out


def test_tolerance_makes_one_of_close_numbers(veracity: Command, claims: Path, truth: Path) -> None:
    options = ("--model", "vote", "--tolerance", "value=5%", "--truth", str(truth))
    done = run(veracity, claims, *options)
    assert done.code == 0
    told = json.loads((claims.parent / "out" / "run.json").read_text())
    assert told["counts"]["n_statements"] == 4
    assert told["attributes"][0]["tolerance"] == "5%"
    assert told["evaluation"]["n_right"] == 1
    assert "Merged 1 claim with a number" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tolerance", "value=much"), "tolerance must be a number, zero or more, or a percent"),
        (("--tolerance", "5%"), "should be written ATTRIBUTE=VALUE"),
        (("--tolerance", "value=1", "--compare", "value=text"), "says otherwise"),
        (("--tolerance", "value=1", "--compare", "value=date"), "cannot be set for dates"),
        (("--model", "mean"), "Declare them with --compare value=number"),
    ],
)
def test_mistakes(veracity: Command, claims: Path, options: tuple[str, ...], message: str) -> None:
    done = run(veracity, claims, *options)
    assert done.code == 2
    assert message in " ".join(done.err.split())
