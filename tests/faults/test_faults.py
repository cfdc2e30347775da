"""Whichever change of a file fails, a run is as it was before or as it is to be, and whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRIAL = Path(__file__).parent / "trial.py"
#: Places that are tried of each action; set FAULTS to try more.
MOST = int(os.environ.get("FAULTS", "3"))


@pytest.mark.parametrize("how", ["error", "full", "kill"])
@pytest.mark.parametrize("action", ["discover", "overwrite", "update", "report", "marks"])
def test_old_or_new_but_whole(faulty: dict[str, str], action: str, how: str) -> None:
    command = [sys.executable, str(TRIAL), action, how, str(MOST)]
    done = subprocess.run(command, env=faulty, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["tried"] >= min(MOST, found["changes"]) // 2 > 0
    assert found["problems"] == []
