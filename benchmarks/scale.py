"""How time, memory and disk grow with the number of claims, where memory is limited.

    python benchmarks/scale.py --claims 1e6,1e7,1e8 --memory 4GB --models grbm --limit 36000

Each run is a command of its own, watched from outside: wall and CPU time, the largest memory that
it and its children hold at a time, and the most that they have on disk beside input and output.
How CPU time grows is told from the least of at least a million claims on. Files of claims are
written chunk by chunk, one at a time.

Beside it stand crowd-kit's methods and Snorkel's (if it can be imported), as far as they get, Dawid
and Skene's in plain numpy, and what no program can do without: the bytes are read once, and each
pass adds up as many numbers as there are claims and classes.

With `--json`, runs whose figures are in that file are not done again, so that a long series may be
cut short. `--page` writes the figures into the documentation.
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
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
from pages import write_into
from scale_page import Cost, exponents, page

from worlds import World, write_claims

WATCH_SECONDS = 0.05
IN_MEMORY = "all in memory"
#: How often the bincounts go over the claims: about as often as a fit of the default does.
PASSES = 30
#: Snorkel holds a number for each item and labelling function, and one for each pair of what two of
#: these may say; above so many bytes it is not tried.
MOST_OF_SNORKEL = 4e9
PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")


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
    source, item, label = _codes(path)
    n_sources, n_items, k = (int(code.max()) + 1 for code in (source, item, label))
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


def _codes(path: str) -> list[npt.NDArray[np.int32]]:
    """Return the source, the item and the label of each claim, as numbers."""
    table = pq.read_table(path)
    return [
        np.array(table[name].combine_chunks().dictionary_encode().indices)
        for name in ("source", "entity", "value")
    ]


def snorkel(path: str) -> None:
    """Fit Snorkel's label model to a file, each source a labelling function."""
    from snorkel.labeling.model import LabelModel

    source, item, label = _codes(path)
    n_sources, n_items, k = (int(code.max()) + 1 for code in (source, item, label))
    needed = max(8.0 * n_items * n_sources * k, 4.0 * (n_sources * k) ** 2)
    if needed > MOST_OF_SNORKEL:
        raise SystemExit(f"one of its matrices would take {needed / 1e9:,.0f} GB")
    votes = np.full((n_items, n_sources), -1)
    votes[item, source] = label
    LabelModel(cardinality=k, verbose=False).fit(votes, progress_bar=False, seed=0)


# What no program can do without


def read_bytes(path: str) -> None:
    """Read a file once."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def bincounts(path: str) -> None:
    """Add up a number of each claim by its source, for each class and in each of `PASSES` passes.

    Sources are drawn, so that no time goes into reading and numbering them.
    """
    n_claims = pq.ParquetFile(path).metadata.num_rows
    rng = np.random.default_rng(0)
    source = rng.integers(0, 5_000, n_claims, dtype=np.int32)
    weight = rng.random(n_claims, dtype=np.float32)
    for _ in range(PASSES * World(1).values):
        np.bincount(source, weight)


PEERS: dict[str, Callable[[str], None]] = {
    "crowd-kit MajorityVote": partial(crowd_kit, method="MajorityVote"),
    "crowd-kit DawidSkene": partial(crowd_kit, method="DawidSkene"),
    "Snorkel LabelModel": snorkel,
    "numpy Dawid-Skene": numpy_dawid_skene,
    "floor: bytes read once": read_bytes,
    f"floor: {PASSES} passes of bincount": bincounts,
}


# All of it


def runs(
    path: Path, n_claims: int, out: Path, done: Collection[str], options: argparse.Namespace
) -> Iterator[Cost]:
    """Run everything on a file but what is done."""
    veracity = [sys.executable, "-m", "veracity", "discover", str(path), "-o", str(out), "-q"]
    for what, there in _commands(options).items():
        if what not in done and (IN_MEMORY not in what or n_claims <= options.in_memory):
            cost = watch(what, n_claims, [*veracity, *there], options.limit)
            yield replace(cost, stages=_stages(out))
            shutil.rmtree(out, ignore_errors=True)
    for name in PEERS if options.peers else ():
        if name not in done and n_claims <= options.most_of_peers:
            peer = [sys.executable, __file__, "--peer", name, str(path)]
            yield watch(name, n_claims, peer, options.limit)


def _commands(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the options of each run of ours, by its name."""
    found = {}
    for model in options.models.split(","):
        found[f"{model}, {options.memory}"] = ["--memory", options.memory, "--model", model]
        if options.in_memory:
            found[f"{model}, {IN_MEMORY}"] = ["--no-report", "--model", model]
    return found


def _stages(out: Path) -> dict[str, float]:
    """Return the wall time of each stage of a run, as it says itself."""
    told = out / "run.json"
    return json.loads(told.read_text())["seconds"] if told.exists() else {}


def row_of(cost: Cost) -> str:
    """Return the row of a run."""
    shown = cost.failed or (
        f"{cost.wall:.1f} | {cost.cpu:.1f} | {1e6 * cost.cpu / cost.n_claims:.1f} "
        f"| {cost.peak_mb:,.0f}"
    )
    stages = ", ".join(f"{name} {took:.1f}" for name, took in cost.stages.items())
    return f"| {cost.what} | {cost.n_claims:,} | {shown} | {cost.spilled_mb:,.0f} | {stages} |"


def _read_costs(path: Path | None) -> list[Cost]:
    """Return the figures of earlier runs."""
    if path is None or not path.exists():
        return []
    return [Cost(**told) for told in json.loads(path.read_text(encoding="utf-8"))]


def _write_costs(costs: list[Cost], path: Path | None) -> None:
    if path is not None:
        told = json.dumps([asdict(cost) for cost in costs], indent=2)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{told}\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", default="1e5,1e6,1e7", help="numbers of them")
    parser.add_argument("--sources", type=float, default=5e3, help="how many there are")
    parser.add_argument("--claims-per-source", type=float, help="let sources grow with claims")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--models", default="vote,one-coin,grbm")
    parser.add_argument("--open", action="store_true", help="values of their own for each item")
    parser.add_argument(
        "--in-memory", type=float, default=0.0, help="also all in memory, up to so many claims"
    )
    parser.add_argument("--peers", action="store_true", help="also others, and the floor")
    parser.add_argument(
        "--most-of-peers", type=float, default=1e9, help="up to so many claims for these"
    )
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds for each run")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, help="keep figures here, and go on from them")
    parser.add_argument("--page", action="store_true", help="write them into the documentation")
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measure, and print a table."""
    options = _options()
    if options.peer:
        name, path = options.peer
        PEERS[name](path)
        return
    costs = _read_costs(options.json)
    print("| run | claims | wall s | CPU s | us a claim | peak MB | on disk MB | stages, wall s |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for size in (int(float(text)) for text in options.claims.split(",")):
            done = {cost.what for cost in costs if cost.n_claims == size}
            path = Path(folder) / "claims.parquet"
            each = options.claims_per_source
            sources = int(size / each if each else options.sources)
            write_claims(path, World(size, sources, is_open=options.open))
            for cost in runs(path, size, Path(folder) / "out", done, options):
                costs.append(cost)
                _write_costs(costs, options.json)
                print(row_of(cost), flush=True)
    for sentence in exponents(costs):
        print(sentence)
    if options.page:
        write_into("benchmarks/scale.md", "make bench-scale", page(costs))


if __name__ == "__main__":
    main()
