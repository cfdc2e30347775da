"""The files of golden results: one for each data set, a case a line."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tests.golden.cases import Case, run
from tests.golden.record import Difference, Record, constants_of, differences

FOLDER = Path(__file__).parent
#: How far numbers may be from what they were, by place; relative where they are larger than 1.
TOLERANCE = {"spark": 1e-6}
DEFAULT_TOLERANCE = 1e-9
#: On another kind of machine, sums are rounded otherwise.
TOLERANCE_ELSEWHERE = 1e-5
#: What rounding decides there: a network that is trained to the end may reach another optimum.
DECIDED_BY_ROUNDING = ("BinaryGRBM/mlp",)


def path_of(data: str) -> Path:
    """Return the file that keeps the results on a data set."""
    return FOLDER / f"{data}.json"


def read(data: str) -> Record:
    """Return the results on a data set by the keys of cases, none if there is no file."""
    path = path_of(data)
    if not path.exists():
        return {}
    cases: Record = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases


def write(data: str, cases: Record) -> None:
    """Write the results on a data set, a case a line."""
    lines = ",\n".join(f"{json.dumps(key)}: {_compact(cases[key])}" for key in sorted(cases))
    text = f'{{"machine": {json.dumps(machine())},\n"cases": {{\n{lines}\n}}}}\n'
    path_of(data).write_text(text, encoding="utf-8")


def _compact(record: Record) -> str:
    return json.dumps(record, separators=(",", ":"))


def machine() -> str:
    """Return what rounding depends on: the processor and the library of arrays."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    said = (line.partition(":")[::2] for line in reversed(lines))
    known = {name.strip(): value.strip() for name, value in said}
    # Several generations of processors may have one name.
    parts = [known[name] for name in ("model name", "cpu family", "model") if name in known]
    return f"{' '.join(parts) or platform.machine()}, numpy {np.__version__}"


def written_on(data: str) -> str:
    """Return the machine that the results on a data set are from."""
    return str(json.loads(path_of(data).read_text(encoding="utf-8"))["machine"])


def commit() -> str:
    """Return the commit that is checked out, marked if the library differs from it."""
    head = _git("rev-parse", "HEAD")
    return head + ("+" if _git("status", "--porcelain", "--", "src") else "")


def _git(*words: str) -> str:
    command = ["git", "-C", str(FOLDER), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def tolerance_of(case: Case) -> float:
    """Return how far numbers of a case may be from those that are kept."""
    here = TOLERANCE.get(case.place, DEFAULT_TOLERANCE)
    if written_on(case.data) == machine():
        return here
    is_decided = any(name in case.key for name in DECIDED_BY_ROUNDING)
    return float("inf") if is_decided else max(here, TOLERANCE_ELSEWHERE)


def constants() -> dict[str, set[float]]:
    """Return the numbers that all notes about a subject have, in all files."""
    return constants_of([record for path in _paths() for record in read(path.stem).values()])


def _paths() -> Iterator[Path]:
    return iter(sorted(FOLDER.glob("*.json")))


def check(case: Case, always: dict[str, set[float]]) -> list[Difference]:
    """Run a case; return all that is not as it was, however small the change."""
    kept = read(case.data).get(case.key)
    if kept is None:
        return [Difference("no result is kept")]
    if "skipped" in kept:
        return []
    return differences(kept, run(case), always)
