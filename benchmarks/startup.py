"""How long small jobs take: importing, ``--help`` and ``discover`` on the example, beside Python.

    python benchmarks/startup.py [--repeats 9]

Each command runs in a new process, all in turn; medians of the wall clock and of CPU time, and the
ratio of CPU time to that of an interpreter that does nothing. The first round, which fills the
caches of files and of compiled code, does not count.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from veracity.datasets import example

PYTHON = [sys.executable, "-c"]
COMMAND = [sys.executable, "-m", "veracity"]
BARE = "python -c pass"
#: Set where Python is to write no bytecode; then each process would compile all modules anew.
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


class Taken(NamedTuple):
    """Seconds that a command took, by the wall clock and of CPU."""

    wall: float
    cpu: float


def cases(folder: Path) -> dict[str, list[str]]:
    """Return the commands by name; results go to a folder."""
    discover = [*COMMAND, "discover", str(example.path()), "--overwrite", "-q", "-o"]
    return {
        BARE: [*PYTHON, "pass"],
        "import veracity": [*PYTHON, "import veracity"],
        "import veracity, Claims": [*PYTHON, "import veracity; veracity.Claims"],
        "veracity --help": [*COMMAND, "--help"],
        "veracity discover --help": [*COMMAND, "discover", "--help"],
        "veracity discover, no report": [*discover, str(folder / "plain"), "--no-report"],
        "veracity discover, report": [*discover, str(folder / "report")],
    }


def taken(command: Sequence[str]) -> Taken:
    """Run a command; return how long it took.

    It may keep the bytecode of modules, as where the package is installed, whatever is set here.
    """
    kept = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=kept)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(wall, used)


def medians(commands: Mapping[str, Sequence[str]], repeats: int) -> dict[str, Taken]:
    """Run all commands in turn, several times; return the medians of each."""
    found: dict[str, list[Taken]] = {name: [] for name in commands}
    for _ in range(repeats + 1):
        for name, command in commands.items():
            found[name].append(taken(command))
    return {
        name: Taken(*(statistics.median(column) for column in zip(*times[1:], strict=True)))
        for name, times in found.items()
    }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as folder:
        measured = medians(cases(Path(folder)), repeats)
    print(f"{'command':<32}{'wall':>8}{'CPU':>8}{'CPU ratio':>11}")
    for name, one in measured.items():
        print(f"{name:<32}{one.wall:>8.3f}{one.cpu:>8.3f}{one.cpu / measured[BARE].cpu:>11.1f}")


if __name__ == "__main__":
    main()
