"""A process in which the n-th change of a folder fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
Tried = Callable[[str, str, int], dict[str, Any]]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library that lets changes of files fail, to be loaded before all others."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("faults need Linux and a C compiler")
    made = tmp_path_factory.mktemp("faults") / "fault.so"
    options = ["-shared", "-fPIC", "-O1", "-o", str(made)]
    subprocess.run([compiler, *options, str(HERE / "fault.c"), "-ldl"], check=True)
    return made


@pytest.fixture(scope="session")
def tried(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    """Return what tries an action in a way at so many places; see `trial`."""
    root = HERE.parents[1]
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root), *filter(None, sys.path)]),
        "OMP_NUM_THREADS": "1",
    }
    said = tmp_path_factory.mktemp("trial") / "said"
    with (
        open(said, "w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.trial"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        asked, answered = process.stdin, process.stdout
        assert asked is not None
        assert answered is not None

        def ask(action: str, how: str, most: int) -> dict[str, Any]:
            asked.write(f"{action} {how} {most}\n")
            asked.flush()
            answer = answered.readline()
            assert answer, said.read_text()
            found: dict[str, Any] = json.loads(answer)
            return found

        yield ask
        asked.close()
