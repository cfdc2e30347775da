"""How time, memory and disk grow with the number of claims, where memory is limited.

    python benchmarks/scale.py --claims 1e6,1e7,1e8 --memory 4GB --models grbm --limit 36000

Each run is a command of its own, watched from outside: wall and CPU time, the largest memory that
it and its children hold at a time, and the most that they have on disk beside input and output.
How CPU time grows is told from the least of at least a million claims on. Files of claims are
written chunk by chunk, one at a time.
Beside it stand crowd-kit's methods, as far as they get, and Dawid and Skene's in plain numpy.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from worlds import World, write_claims

WATCH_SECONDS = 0.05
#: With fewer claims, starting takes longer than the work.
LARGE = 1_000_000
PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """What a run cost."""

    what: str
    n_claims: int
    wall: float
    cpu: float
    peak_mb: float
    spilled_mb: float
    failed: str = ""
    stages: dict[str, float] = field(default_factory=dict)


# Watching


def watch(what: str, n_claims: int, command: list[str], limit: float) -> Cost:
    """Run a command and look at it, and at its children, until it ends."""
    with tempfile.TemporaryDirectory() as scratch:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=os.environ | {"TMPDIR": scratch},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        peak, cpu, spilled, last_look = 0.0, 0.0, 0, 0.0
        while process.poll() is None:
            tree = list(process_tree(process.pid))
            peak = max(peak, sum(_resident(pid) for pid in tree) / 2**20)
            cpu = max(cpu, sum(cpu_of(pid) for pid in tree))
            if time.perf_counter() - last_look > 1.0:
                spilled, last_look = max(spilled, _size(Path(scratch))), time.perf_counter()
            if time.perf_counter() - started > limit:
                process.kill()
            time.sleep(WATCH_SECONDS)
        wall = time.perf_counter() - started
        said = process.communicate()[1].strip().splitlines()
        failed = "" if process.returncode == 0 else (said or [f"stopped: {process.returncode}"])[-1]
    return Cost(what, n_claims, wall, cpu, peak, spilled / 2**20, failed)


def process_tree(pid: int) -> Iterator[int]:
    """Return a process, and those that it started."""
    yield pid
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            children = Path(f"/proc/{pid}/task/{task}/children").read_text()
            for child in children.split():
                yield from process_tree(int(child))
    except OSError:
        return


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except OSError:
        return 0


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process, and of its children that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(ticks) for ticks in fields[11:15]) / TICK


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_blocks * 512
        except OSError:  # gone since
            continue
    return total


# Peers, each in a process of its own


def crowd_kit(path: str, method: str) -> None:
    """Fit a method of crowd-kit to a file."""
    import crowdkit.aggregation

    frame = pq.read_table(path).to_pandas()
    frame.columns = ["worker", "task", "label"]
    make: Callable[..., Any] = getattr(crowdkit.aggregation, method)
    (make(n_iter=20) if method == "DawidSkene" else make()).fit_predict(frame)


def numpy_dawid_skene(path: str) -> None:
    """Do 20 rounds of Dawid and Skene's EM in plain numpy: a yardstick."""
    table = pq.read_table(path)
    codes = []
    for name in ("source", "entity", "value"):
        codes.append(np.array(table[name].combine_chunks().dictionary_encode().indices))
    source, item, label = codes
    n_sources, n_items, k = (int(code.max()) + 1 for code in codes)
    belief = np.bincount(item * k + label, minlength=n_items * k).reshape(n_items, k).astype(float)
    belief /= belief.sum(axis=1, keepdims=True)
    for _ in range(20):
        confusion = np.zeros((n_sources * k, k))
        for truth in range(k):
            confusion[:, truth] = np.bincount(
                source * k + label, belief[item, truth], minlength=n_sources * k
            )
        by_truth = confusion.reshape(n_sources, k, k)
        by_truth = np.log((by_truth + 0.01) / (by_truth + 0.01).sum(axis=1, keepdims=True))
        score = np.tile(np.log(belief.mean(axis=0)), (n_items, 1))
        for truth in range(k):
            score[:, truth] += np.bincount(item, by_truth[source, label, truth], minlength=n_items)
        belief = np.exp(score - score.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)


# All of it


def runs(path: Path, n_claims: int, out: Path, options: argparse.Namespace) -> Iterator[Cost]:
    """Run everything on a file."""
    veracity = [sys.executable, "-m", "veracity", "discover", str(path), "-o", str(out), "-q"]
    places = {options.memory: ["--memory", options.memory]}
    if options.in_memory:
        places["all in memory"] = ["--no-report"]
    for model in options.models.split(","):
        for place, there in places.items():
            command = [*veracity, *there, "--model", model]
            cost = watch(f"{model}, {place}", n_claims, command, options.limit)
            yield replace(cost, stages=_stages(out))
            shutil.rmtree(out, ignore_errors=True)
    if options.peers:
        for name in ("MajorityVote", "DawidSkene"):
            peer = [sys.executable, __file__, "--peer", name, str(path)]
            yield watch(f"crowd-kit {name}", n_claims, peer, options.limit)
        peer = [sys.executable, __file__, "--peer", "numpy", str(path)]
        yield watch("numpy Dawid-Skene", n_claims, peer, options.limit)


def _stages(out: Path) -> dict[str, float]:
    """Return the wall time of each stage of a run, as it says itself."""
    told = out / "run.json"
    return json.loads(told.read_text())["seconds"] if told.exists() else {}


def exponents(costs: list[Cost]) -> Iterator[str]:
    """Say how CPU time grows from the first size that counts to each other, as a power of size."""
    for what in dict.fromkeys(cost.what for cost in costs):
        done = sorted((c.n_claims, c.cpu) for c in costs if c.what == what and not c.failed)
        large = [pair for pair in done if pair[0] >= LARGE]
        (n, cpu), *others = large if len(large) > 1 else done or [(0, 0.0)]
        for n_more, cpu_more in others:
            exponent = np.log(cpu_more / cpu) / np.log(n_more / n)
            yield f"{what}, {n:,} to {n_more:,} claims: CPU time grows with exponent {exponent:.2f}"


def row_of(cost: Cost) -> str:
    """Return the row of a run."""
    shown = cost.failed or (
        f"{cost.wall:.1f} | {cost.cpu:.1f} | {1e6 * cost.cpu / cost.n_claims:.1f} "
        f"| {cost.peak_mb:,.0f}"
    )
    stages = ", ".join(f"{name} {took:.1f}" for name, took in cost.stages.items())
    return f"| {cost.what} | {cost.n_claims:,} | {shown} | {cost.spilled_mb:,.0f} | {stages} |"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", default="1e5,1e6,1e7", help="numbers of them")
    parser.add_argument("--sources", type=float, default=5e3, help="how many there are")
    parser.add_argument("--claims-per-source", type=float, help="let sources grow with claims")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--models", default="vote,one-coin,grbm")
    parser.add_argument("--open", action="store_true", help="values of their own for each item")
    parser.add_argument("--in-memory", action="store_true", help="also with all claims in memory")
    parser.add_argument("--peers", action="store_true", help="also crowd-kit and numpy")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds for each run")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        method, path = options.peer
        numpy_dawid_skene(path) if method == "numpy" else crowd_kit(path, method)
        return
    costs: list[Cost] = []
    print("| run | claims | wall s | CPU s | us a claim | peak MB | on disk MB | stages, wall s |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for size in (int(float(text)) for text in options.claims.split(",")):
            path = Path(folder) / "claims.parquet"
            each = options.claims_per_source
            sources = int(size / each if each else options.sources)
            write_claims(path, World(size, sources, is_open=options.open))
            for cost in runs(path, size, Path(folder) / "out", options):
                costs.append(cost)
                print(row_of(cost), flush=True)
    for sentence in exponents(costs):
        print(sentence)
    if options.json:
        options.json.write_text(json.dumps([asdict(cost) for cost in costs], indent=2) + "\n")


if __name__ == "__main__":
    main()
