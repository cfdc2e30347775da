"""The process that fills cells: one model on one data set, seed after seed.

Started by `veracity.scoreboard.processes` as ``python -m veracity.scoreboard.worker JOB``, with
the job as JSON. It reports on standard output, one JSON object a line: ``ready`` once all is read,
imported and compiled; ``begun`` and ``fitted`` around each fit; then ``done`` with the figures, or
``refused`` or ``failed`` with the reason.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TextIO

from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.errors import VeracityError
from veracity.evaluation.best_source import against_best_source
from veracity.evaluation.calibration import calibration
from veracity.evaluation.metrics import assess
from veracity.scoreboard.peers import Peer, is_peer
from veracity.scoreboard.sets import Material


class Method(Protocol):
    """A method with the claims it is to be fitted to."""

    def fit(self) -> None:
        """Do the work that is timed."""

    def truths(self) -> Table:
        """Return what is believed."""


class Ours:
    """A model of this library, with the claims it is to be fitted to."""

    def __init__(self, module: str, kind: str, claims: Claims, seed: int) -> None:
        self._model = getattr(import_module(module), kind)().set_params(random_state=seed)
        self._claims = claims

    def fit(self) -> None:
        """Fit the model."""
        self._model.fit(self._claims)

    def truths(self) -> Table:
        """Return what the model believes."""
        truths: Table = self._model.truths_
        return truths


class Worker:
    """Runs one job: ``model``, ``where`` it lives, ``material``, ``seeds``."""

    def __init__(self, job: dict[str, Any], out: TextIO) -> None:
        self._job = job
        self._out = out
        self._path = Path(job["material"])

    def run(self) -> None:
        """Warm up, then fill the cell of each seed."""
        with suppress(Exception):  # if it matters, it comes again with the data
            self._warm_up(Material.open(self._path))
        self._say("ready")
        for seed in self._job["seeds"]:
            try:
                self._fill(seed, Material.open(self._path))
            except VeracityError as error:
                self._say("refused", seed=seed, error=str(error))
            except Exception as error:
                self._say("failed", seed=seed, error=f"{type(error).__name__}: {error}")

    def _warm_up(self, material: Material) -> None:
        """Import and compile all that is needed, on a few of the claims."""
        self._method(material.warm_up, 0).fit()

    def _fill(self, seed: int, material: Material) -> None:
        self._say("begun", seed=seed)
        method = self._method(material.claims, seed)
        _forget_peak()
        wall, cpu = time.perf_counter(), time.process_time()
        method.fit()
        spent = {
            "wall_seconds": time.perf_counter() - wall,
            "seconds": time.process_time() - cpu,
            "peak_mb": peak_memory_mb(),
        }
        self._say("fitted", seed=seed)
        self._say("done", seed=seed, **spent, **figures(method.truths(), material))

    def _method(self, claims: Claims, seed: int) -> Method:
        name = self._job["model"]
        if is_peer(name):
            return Peer(name, claims, seed)
        module, kind = self._job["where"]
        return Ours(module, kind, claims, seed)

    def _say(self, event: str, **content: Any) -> None:
        self._out.write(json.dumps({"event": event, **content}) + "\n")
        self._out.flush()


def figures(truths: Table, material: Material) -> dict[str, Any]:
    """Return how good the verdicts are, and which items they are right about.

    Where the truth of all items is a number, errors take the place of accuracy.
    """
    evaluation, outcomes = assess(truths, material.truth, material.claims)
    if evaluation.all_numbers:
        return {
            "absolute_error": evaluation.mean_absolute_error,
            "against_best_source": against_best_source(truths, material.truth, material.claims),
            "coverage": evaluation.interval_coverage,
            "right": outcomes.right.astype(int).tolist(),
        }
    return {
        **{name: getattr(evaluation, name) for name in ("accuracy", "precision", "recall", "f1")},
        **asdict(calibration(outcomes)),
        "right": outcomes.right.astype(int).tolist(),
    }


def peak_memory_mb() -> float | None:
    """Return the most memory this process held of late, in MB; None where that is not known."""
    # What the system hands down from the process that started this one is no part of it, so that
    # its own account comes before getrusage.
    with suppress(OSError, StopIteration):
        status = Path("/proc/self/status").read_text().splitlines()
        line = next(line for line in status if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _forget_peak() -> None:
    """Begin to count the peak anew, where the system can: measuring an earlier seed is no fit."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _end_with_parent() -> None:
    """End this process when the one that started it is gone."""
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Run the job given on the command line; whatever models print goes to standard error."""
    job = json.loads(sys.argv[1])
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    warnings.simplefilter("ignore")
    Worker(job, out).run()


if __name__ == "__main__":
    main()
