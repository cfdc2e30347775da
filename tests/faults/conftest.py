"""A process in which the n-th change of a folder fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a process whose changes of files can fail."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("faults need Linux and a C compiler")
    library = tmp_path_factory.mktemp("faults") / "fault.so"
    command = [
        compiler,
        "-shared",
        "-fPIC",
        "-O1",
        "-o",
        str(library),
        str(HERE / "fault.c"),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return os.environ | {
        "LD_PRELOAD": str(library),
        "PYTHONPATH": os.pathsep.join([str(HERE.parents[1] / "src"), *filter(None, sys.path)]),
        "OMP_NUM_THREADS": "1",
    }
