"""How long it takes to start: ``import veracity`` and ``veracity --help``, beside bare Python.

    python benchmarks/startup.py [--repeats 9]

Each command runs in a new process; medians of the wall clock, and the ratio to an interpreter that
does nothing, measured in the same run.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMAND = Path(sys.executable).parent / "veracity"
CASES = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import veracity": [sys.executable, "-c", "import veracity"],
    "import veracity, Claims": [sys.executable, "-c", "import veracity; veracity.Claims"],
    "veracity --help": [str(COMMAND), "--help"],
    "veracity discover --help": [str(COMMAND), "discover", "--help"],
}


def seconds(command: list[str]) -> float:
    """Run a command; return how long it took."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Measure all commands in turn, several times, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    taken: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(repeats + 1):  # the first round warms the caches of files
        for name, command in CASES.items():
            taken[name].append(seconds(command))
    medians = {name: statistics.median(times[1:]) for name, times in taken.items()}
    bare = medians["python -c pass"]
    print(f"{'command':<28}{'seconds':>9}{'ratio':>8}")
    for name, median in medians.items():
        print(f"{name:<28}{median:>9.3f}{median / bare:>8.1f}")


if __name__ == "__main__":
    main()
