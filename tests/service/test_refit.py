"""The command that the review page shows runs the same run again, with the marks."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from veracity.cli.app import run as veracity
from veracity.service.pages.refit import refit_commands

CLAIMS = """who;what;which;says;source_size
ann;sky;colour;Blue;1
bob;sky;colour;blue ;2
cat;sky;colour;grey;3
ann;sea;depth;10;1
bob;sea;depth;11;2
cat;sea;depth;30;3
"""
KNOWN = ("--known-truth", "marks.csv")
OPTIONS = """--source who --entity what --attribute which --value says --delimiter ;
--kind colour=single --tolerance depth=2 --category source_size --strip --casefold
--error-rate 0.1"""


def described(folder: Path) -> dict[str, Any]:
    """Return what describes how a run was made."""
    written = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return {name: written[name] for name in ("inputs", "settings", "model")}


@pytest.mark.parametrize("model", ["", "--set bins=16 --seed 3", "--model truthfinder --seed 3"])
def test_command_makes_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("claims.csv").write_text(CLAIMS, encoding="utf-8")
    given = [*shlex.split(OPTIONS.replace(";", "';'")), *shlex.split(model)]
    assert veracity(["discover", "claims.csv", "-o", "out", "--no-report", "-q", *given]) == 0
    first = described(Path("out"))
    marks, again = refit_commands(json.loads(Path("out/run.json").read_text()), Path("out"))
    assert shlex.split(marks) == ["veracity", "marks", "out", "-o", "marks.csv"]
    command = [
        word for word in shlex.split(again)[1:] if word not in ("--known-truth", "marks.csv")
    ]
    assert veracity([*command, "--no-report", "-q"]) == 0
    assert described(Path("again")) == first


def test_others_see_no_folders() -> None:
    settings: dict[str, Any] = {"columns": {}, "attributes": {}}
    description = {
        "inputs": {"claims": [{"path": "/home/me/claims.csv"}]},
        "settings": settings,
        "model": {"name": "vote", "parameters": {}},
    }
    marks, again = refit_commands(description, Path("/home/me/out"), names_only=True)
    assert "/home" not in marks + again
    assert "--model vote" in again
