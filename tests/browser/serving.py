"""A real `veracity serve` in a process of its own, for as long as a test needs it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: What the command prints once its run can be asked for.
LOADED = "The run is loaded"


@contextmanager
def running_service(folder: Path, *options: str) -> Iterator[str]:
    """Serve a run on a free port of 127.0.0.1; give its address, without the slash at the end."""
    command = [sys.executable, "-m", "veracity", "serve", str(folder), "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield _address(process)
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line)
        if line.startswith(LOADED):
            break
    found = re.search(r"http://127\.0\.0\.1:\d+", "".join(printed))
    assert found is not None, f"the service did not start: {''.join(printed)}"
    return found[0]
