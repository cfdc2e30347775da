"""Measure pieces of work in processes of their own: wall time, CPU time and peak memory.

Each piece of work is a function of a benchmark module, called by name in a fresh process, so that
neither caches nor memory of one leak into the next. Imports and, where the function asks for it,
preparation are not counted.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Measured:
    """What a piece of work cost: the best of its repeats."""

    wall: float
    cpu: float
    peak_mb: float
    result: Any = None


def measure(work: Callable[..., Any], *arguments: Any, repeats: int = 3) -> Measured:
    """Run a function of a benchmark module in fresh processes and keep the quickest run."""
    module = Path(sys.modules[work.__module__].__file__ or "").stem
    runs = [_in_process(module, work.__name__, arguments) for _ in range(repeats)]
    return min(runs, key=lambda run: run.wall)


def _in_process(module: str, name: str, arguments: tuple[Any, ...]) -> Measured:
    command = [sys.executable, __file__, module, name, json.dumps(arguments)]
    path = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}{arguments} failed:\n{done.stderr}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))


def run_and_report(module: str, name: str, arguments: list[Any]) -> None:
    """Run the function and print what it cost; called in the fresh process.

    A function may return a callable: then what came before was preparation, and only the callable
    is measured. If that returns a callable in turn, it is what makes the result, not measured.
    """
    function = getattr(importlib.import_module(module), name)
    work = function(*arguments)
    before = resident_mb()
    with PeakMemory() as peak:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    result = result() if callable(result) else result
    measured = {"wall": wall, "cpu": cpu, "peak_mb": peak.mb - before, "result": result}
    sys.stdout.write(json.dumps(measured) + "\n")


def resident_mb() -> float:
    """Memory that this process holds now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


class PeakMemory:
    """Watch the memory of this process from a thread."""

    def __init__(self, every: float = 0.002) -> None:
        self.mb = 0.0
        self._every = every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._stop.is_set():
            self.mb = max(self.mb, resident_mb())
            self._stop.wait(self._every)

    def __enter__(self) -> PeakMemory:
        self.mb = resident_mb()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.mb = max(self.mb, resident_mb())


if __name__ == "__main__":
    run_and_report(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
