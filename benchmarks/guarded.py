"""Work in processes that may be stopped: each task has a limit of CPU time.

A process takes tasks as lines of JSON on standard input and answers each with a line. One that
comes to its limit, or breaks down, is replaced, and the task has the reason as its answer.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


class Stopped(Exception):
    """The run is being stopped, so that what workers do no longer counts."""


class Worker:
    """A process that runs a script and answers tasks, started when the first one comes."""

    def __init__(self, script: Path, limit: int, threads: int) -> None:
        self._command = [sys.executable, str(script), str(limit)]
        self._limit = limit
        self._environment = {**dict.fromkeys(THREADS, str(threads)), **os.environ}
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a task, or ``{"error": reason}``."""
        if self._closed:
            raise Stopped
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        if line := process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            return answer
        code = process.wait()
        if self._closed:
            raise Stopped
        self._end()
        if code == -signal.SIGXCPU:
            return {"error": f"over {self._limit} s of CPU time", "limit": self._limit}
        return {"error": f"the process ended with code {code}", "limit": 0}  # tried again

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )
        return self._process

    def close(self) -> None:
        """Stop the process, if there is one, and start no other."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()


def limit_cpu(seconds: int) -> None:
    """Give this process so many more seconds of CPU time."""
    most = math.ceil(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer tasks until there are no more; what is printed meanwhile goes to standard error."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        out.write(json.dumps(answer(json.loads(line))) + "\n")
        out.flush()
