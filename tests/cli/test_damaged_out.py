"""Whatever is damaged in the folder of a run, a command says so and does not fall over."""

from __future__ import annotations

import shutil
from itertools import cycle
from pathlib import Path

import pytest
from tests.cli.damaged import CASES, COMMANDS, make_run, unsealed

from veracity.cli.app import run as command


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "out")


@pytest.mark.parametrize("shift", range(len(COMMANDS)))
def test_no_damage_is_a_fault_of_ours(
    made: Path, tmp_path: Path, shift: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each case with one command; the run has no hashes, as one of an earlier version."""
    more = tmp_path / "more.csv"
    more.write_text("source,entity,value\nzoe,e1,x\nzoe,e99,y\n")
    out = tmp_path / "out"
    places = {"OUT": str(out), "MORE": str(more), "PAGE": str(tmp_path / "page.html")}
    faults = []
    for number, ((name, damage), words) in enumerate(
        zip(CASES.items(), cycle(COMMANDS), strict=False)
    ):
        if number % len(COMMANDS) != shift:
            continue
        shutil.copytree(made, out)
        unsealed(out)
        damage(out)
        code = command([places.get(word, word) for word in words])
        said = capsys.readouterr().err
        if code not in (0, 2):
            faults.append((name, words[0], said[:200]))
        shutil.rmtree(out)
    assert faults == []
