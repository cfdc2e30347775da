"""Starting workers, listening to them, and stopping them at the time limit."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from veracity.models import MODELS, model_name
from veracity.scoreboard.peers import is_peer

#: For reading, importing and compiling before the first fit, on top of the time limit.
START_SECONDS = 120.0
#: Threads of libraries that would otherwise take all cores in every worker.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
#: What a worker says at the end of a seed; the rest is about how far it is.
RESULTS = ("done", "refused", "failed")


class Stopped(Exception):
    """The run is being stopped, so that what workers do no longer counts."""


@dataclass(frozen=True)
class Job:
    """One model on one data set, with some seeds."""

    model: str
    material: Path
    seeds: Sequence[int]
    time_limit: float | None = None

    def as_json(self) -> str:
        """Return the job as the worker reads it."""
        where = None if is_peer(self.model) else MODELS[model_name(self.model)]
        return json.dumps(
            {
                "model": self.model,
                "where": where,
                "material": str(self.material),
                "seeds": list(self.seeds),
            }
        )


class Workers:
    """All workers of a run, so that none outlives it."""

    def __init__(self, jobs: int = 1) -> None:
        self._jobs = jobs
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def run(self, job: Job) -> Iterator[dict[str, Any]]:
        """Run a job; yield what came of each seed: its figures or the reason why there are none.

        Where one seed takes too long, or brings the process down, the seeds after it are not tried.
        """
        left = list(job.seeds)
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
            self._started(job, said) as process,
        ):
            for result in _results(process, job):
                left.remove(result["seed"])
                yield result
                if result["event"] == "timeout":
                    break
            else:
                if not left:
                    return
                if self._closed:
                    raise Stopped
                result = {"event": "failed", "error": _why(process, said)}
        for seed in left:
            yield {**result, "seed": seed}

    @contextmanager
    def _started(self, job: Job, said: IO[str]) -> Iterator[subprocess.Popen[str]]:
        with self._lock:
            if self._closed:
                raise Stopped
            process = subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "-P", "-m", "veracity.scoreboard.worker", job.as_json()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                encoding="utf-8",
                env=self._environment(),
            )
            self._running.add(process)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            with self._lock:
                self._running.discard(process)

    def _environment(self) -> dict[str, str]:
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        environment = {**os.environ, "PYTHONPATH": paths}
        if self._jobs > 1:
            share = str(max(1, (os.cpu_count() or 1) // self._jobs))
            environment = {**dict.fromkeys(THREADS, share), **environment}
        return environment

    def close(self) -> None:
        """Stop all workers, and start no more."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()


def _results(process: subprocess.Popen[str], job: Job) -> Iterator[dict[str, Any]]:
    """Yield the results that a worker reports, until it is done, dead or over the limit."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(process.stdout, lines), daemon=True)
    listener.start()
    limit, said_all = job.time_limit, False
    seed, patience = job.seeds[0], None if limit is None else limit + START_SECONDS
    try:
        while line := lines.get(timeout=patience):
            report = json.loads(line)
            begun = report["event"] == "begun"
            seed, patience = (report["seed"], limit) if begun else (seed, None)
            if report["event"] in RESULTS:
                yield report
        said_all = True
    except queue.Empty:
        yield {"event": "timeout", "seed": seed, "error": f"over the time limit of {limit:g} s"}
    finally:
        if not said_all:
            process.kill()
        listener.join()


def _listen(stream: IO[str], lines: queue.SimpleQueue[str]) -> None:
    """Pass on what a worker says; an empty line means that it has said all."""
    for line in stream:
        lines.put(line)
    lines.put("")


def _why(process: subprocess.Popen[str], said: IO[str]) -> str:
    """Say why a worker ended before it was done."""
    code = process.wait()
    if code < 0:
        name = signal.Signals(-code).name
        hint = ", perhaps for lack of memory" if name == "SIGKILL" else ""
        return f"the process was stopped by {name}{hint}"
    said.seek(0)
    lines = [line.strip() for line in said.read().splitlines() if line.strip()]
    return f"the process ended with code {code}: {lines[-1] if lines else 'it said nothing'}"
