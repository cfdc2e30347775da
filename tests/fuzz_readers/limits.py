"""Read large seeds one after the other, and print what each cost: run in a process of its own.

python -m tests.fuzz_readers.limits
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from pathlib import Path

from tests.fuzz_readers.seeds import large_seeds
from tests.fuzz_readers.trial import read

#: Whatever hangs is ended after so many seconds of work.
SECONDS_IN_ALL = 300
#: What a file may cost, and what each of its bytes may add; compressed ones count as unpacked.
SECONDS, SECONDS_PER_MB = 10.0, 2.0
MB, MB_PER_MB = 800.0, 64.0
UNPACKED_MB = 40.0


def peak_mb() -> float:
    """Return the most memory so far; `getrusage` would count what the parent had at the start."""
    said = Path("/proc/self/status").read_text(encoding="utf-8")
    return float(said.partition("VmHWM:")[2].split()[0]) / 1e3


def main() -> None:
    """Print a line for each seed: its name, size, seconds, and the most memory so far, in MB."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_IN_ALL, SECONDS_IN_ALL))
    with tempfile.TemporaryDirectory() as folder:
        for name, content in large_seeds().items():
            path = Path(folder) / f"claims.{name.split('/')[0]}"
            path.write_bytes(content)
            before = resource.getrusage(resource.RUSAGE_SELF)
            claims = read(path, {})
            after, peak = resource.getrusage(resource.RUSAGE_SELF), peak_mb()
            spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            size = max(len(content) / 1e6, UNPACKED_MB if "bomb" in name else 0.0)
            cost = {"name": name, "mb": size, "seconds": spent, "peak": peak}
            sys.stdout.write(json.dumps(cost | {"n_claims": claims and len(claims)}) + "\n")


if __name__ == "__main__":
    main()
