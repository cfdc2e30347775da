"""What a fit costs on Spark: time, what the driver holds, and what is sent.

    python benchmarks/spark.py --claims 1e5,1e6 --sources 1e5,1e6 --whole 1e6,1e7 --limit 7200

Every fit is a process of its own, which is stopped at a limit of time. The first table sets a pass
on Spark beside one on this machine with a limit of memory; these fits end after a few iterations.
The second has two claims for each source, so that what grows with sources is seen: the largest
memory of the driver's Python and of its JVM, and the bytes of a pass, as Spark's event log and the
files of its broadcasts tell them. There "grbm" is the default with all parameters on the driver,
however many they are; ask for "grbm divided" to see it with the parameters of sources divided among
executors. The third has whole fits of the default.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from scale import cpu_of, process_tree

#: Executors here have one core each.
JAVA_OPTIONS = "-XX:+UseSerialGC"
CLAIMS_PER_ITEM, LABELS = 5, 4
FEW_SOURCES = 5_000
#: The function that a pass of each model's fit calls on every block.
PASSES = {
    "vote": "tables.count_by_source",
    "one-coin": "by_class_blocks.count",
    "grbm": "moving_part.log_likelihood",
    "grbm divided": "divided_part.log_likelihood",
}
#: The default, however few its parameters are, with those of sources divided among executors.
DIVIDED = "grbm divided"
ITERATIONS = 5


def write_claims(path: Path, n_claims: int, n_sources: int) -> None:
    """Write claims of sources that are right three times of four, all of them about as busy."""
    rng = np.random.default_rng(0)
    item = np.arange(n_claims) // CLAIMS_PER_ITEM
    source = rng.permutation(np.arange(n_claims) % n_sources)
    right = rng.random(n_claims) < 0.75
    label = np.where(right, item % LABELS, rng.integers(0, LABELS, n_claims))
    columns = {"source": source, "entity": item, "value": label}
    table = pa.table({name: pa.array(of).cast(pa.string()) for name, of in columns.items()})
    names = pc.binary_join_element_wise("source", table["source"], "-")
    pq.write_table(table.set_column(0, "source", names), path)


# One fit, in a process of its own


def measure(
    path: str, model: str, master: str, log: Path, iterations: int | None = ITERATIONS
) -> dict[str, float]:
    """Fit to a file, on Spark or here, and tell what a pass cost; to the end if None is said."""
    from veracity import Claims
    from veracity.engines.base import Blocks, name_of
    from veracity.models import make_model

    warnings.simplefilter("ignore")
    claims: Any
    kind: Any = Blocks
    if master:
        from veracity.data.read.settings import Settings
        from veracity.data.read.tables import FileOptions
        from veracity.engines.spark.blocks import SparkBlocks
        from veracity.engines.spark.read import read_path

        session, kind = _session(master, log), SparkBlocks
        sent = _watch_broadcasts(session.sparkContext)
    before = _peak_mb("self")
    started = time.perf_counter()
    if master:
        claims = read_path(session, path, FileOptions(), Settings())
    else:
        claims = Claims.read(path, memory="2GB")
    read = time.perf_counter() - started
    passes: list[float] = []

    def timed(call: Any) -> Any:
        def called(self: Any, *given: Any, **shared: Any) -> Any:
            began = time.perf_counter()
            found = call(self, *given, **shared)
            if PASSES[model] in [name_of(one) for one in given if callable(one)]:
                passes.append(time.perf_counter() - began)
            return found

        return called

    kind.total = timed(kind.total)
    if master:
        from veracity.engines.spark.exchange import SparkExchange
        from veracity.models.grbm import divided_part

        divided_part.DIVIDED_FROM = 1 if model == DIVIDED else sys.maxsize
        SparkExchange.passed = timed(SparkExchange.passed)
    few = {} if model == "vote" or iterations is None else {"max_iter": iterations}
    fitted = make_model(model.partition(" ")[0], **few).fit(claims)
    if not passes:
        raise RuntimeError(f"A fit of {model} never calls {PASSES[model]}. Mend PASSES.")
    found = {
        "iterations": float(getattr(fitted, "n_iter_", 1)),
        "passes": float(len(passes)),
        "cpu": sum(map(cpu_of, process_tree(os.getpid()))),
        "blocks": float(len(claims.blocks)),
        "read": read,
        "pass": median(passes[1:] or passes),  # in the first, executors compile
        "all": time.perf_counter() - started,
        "python": _peak_mb("self") - before,
    }
    if master:
        gateway: Any = session.sparkContext._gateway
        found["jvm"] = _peak_mb(gateway.proc.pid)
        session.stop()
        found |= _traffic(log, PASSES[model], sent)
    return found


def _session(master: str, log: Path) -> Any:
    from pyspark.sql import SparkSession

    from veracity.engines.spark.session import LOCAL_SETTINGS

    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    settings = {
        **LOCAL_SETTINGS,
        "spark.driver.memory": "3g",
        "spark.driver.maxResultSize": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": log.as_uri(),
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _watch_broadcasts(context: Any) -> list[tuple[str | None, int]]:
    """Note the size of everything that is broadcast, with the description of the job it is for."""
    sent: list[tuple[str | None, int]] = []
    broadcast = context.broadcast

    def watched(shared: Any) -> Any:
        made = broadcast(shared)
        description = context.getLocalProperty("spark.job.description")
        sent.append((description, Path(made._path).stat().st_size))
        return made

    context.broadcast = watched
    return sent


def _traffic(log: Path, function: str, sent: list[tuple[str | None, int]]) -> dict[str, float]:
    """Return the bytes of a pass: to every executor, between executors, and to the driver."""
    wanted = f"veracity: {function}"
    stages: dict[int, str] = {}
    passes, returned, shuffled = set[str](), 0, 0
    for event in _events(log):
        if event["Event"] == "SparkListenerJobStart":
            properties = event["Properties"]
            if properties.get("spark.job.description") == wanted:
                query = properties.get("spark.sql.execution.id", str(event["Job ID"]))
                passes.add(query)
                stages |= dict.fromkeys(event["Stage IDs"], query)
        elif event["Event"] == "SparkListenerTaskEnd" and event["Stage ID"] in stages:
            metrics = event["Task Metrics"]
            wrote = metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            shuffled += wrote
            returned += 0 if wrote else metrics["Result Size"]
    sizes = [size for description, size in sent if description == wanted]
    return {
        "sent": median(sizes or [0]),
        "shuffled": shuffled / len(passes),
        "returned": returned / len(passes),
    }


def _events(log: Path) -> Iterator[dict[str, Any]]:
    for file in log.iterdir():
        with file.open() as lines:
            yield from map(json.loads, lines)


def _peak_mb(process: int | str) -> float:
    """Return the largest memory that a process has held."""
    if process == "self":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


# All of them


def run(
    path: Path, model: str, master: str, limit: float, *, whole: bool = False
) -> dict[str, float] | None:
    """Measure in another process; None if that takes too long."""
    with tempfile.TemporaryDirectory() as log:
        child = [sys.executable, __file__, "--one", str(path), model, master, log]
        try:
            done = subprocess.run(
                [*child, *(["--to-the-end"] if whole else [])],
                check=False, capture_output=True, text=True, timeout=limit,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-2000:])
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def compare_passes(
    sizes: list[int], models: list[str], master: str, folder: Path, limit: float
) -> None:
    """Print how long a pass takes on Spark and here."""
    print(f"Seconds for a pass, {FEW_SOURCES:,} sources; Spark is {master}.\n")
    print("| model | claims | Spark | here | ratio | reading, Spark | reading, here |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for size in sizes:
        path = folder / "claims.parquet"
        write_claims(path, size, FEW_SOURCES)
        for model in models:
            there, here = run(path, model, master, limit), run(path, model, "", limit)
            if there is None or here is None:
                print(f"| {model} | {size:,} | stopped after {limit:.0f} s |", flush=True)
                continue
            ratio = there["pass"] / here["pass"]
            passes = f"{there['pass']:.2f} | {here['pass']:.3f} | {ratio:.1f}"
            reading = f"{there['read']:.1f} | {here['read']:.1f}"
            print(f"| {model} | {size:,} | {passes} | {reading} |", flush=True)


def weigh_sources(
    counts: list[int], models: list[str], master: str, folder: Path, limit: float
) -> None:
    """Print what the driver holds and what is sent, by the number of sources."""
    print("\nTwo claims for each source. The driver's Python: what a fit added to it.\n")
    print(
        "| model | sources | blocks | driver's Python MB | bytes a source | driver's JVM MB "
        "| to each executor MB | between executors MB | to the driver MB | pass s |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    held: dict[str, tuple[int, float]] = {}
    for n_sources in counts:
        path = folder / "claims.parquet"
        write_claims(path, 2 * n_sources, n_sources)
        for model in models:
            found = run(path, model, master, limit)
            if found is None:
                print(f"| {model} | {n_sources:,} | stopped after {limit:.0f} s |", flush=True)
                continue
            fewer, before = held.get(model, (0, 0.0))
            each = (found["python"] - before) * 2**20 / (n_sources - fewer)
            held[model] = (n_sources, found["python"])
            sent = " | ".join(f"{found[of] / 1e6:.2f}" for of in ("sent", "shuffled", "returned"))
            print(
                f"| {model} | {n_sources:,} | {found['blocks']:.0f} | {found['python']:,.0f} "
                f"| {each:,.0f} | {found['jvm']:,.0f} | {sent} | {found['pass']:.2f} |",
                flush=True,
            )


def compare_fits(sizes: list[int], master: str, folder: Path, limit: float) -> None:
    """Print what whole fits of the default cost on Spark and here."""
    print(f"\nWhole fits of the default, {FEW_SOURCES:,} sources, reading included.\n")
    print(
        "| claims | wall s, Spark | here | ratio | CPU s, Spark | here | ratio | passes "
        "| MB sent in a pass |"
    )
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for size in sizes:
        path = folder / "claims.parquet"
        write_claims(path, size, FEW_SOURCES)
        there = run(path, "grbm", master, limit, whole=True)
        here = run(path, "grbm", "", limit, whole=True)
        if there is None or here is None:
            print(f"| {size:,} | stopped after {limit:.0f} s |", flush=True)
            continue
        costs = [
            f"{there[what]:.1f} | {here[what]:.1f} | {there[what] / here[what]:.1f}"
            for what in ("all", "cpu")
        ]
        sent = sum(there[of] for of in ("sent", "shuffled", "returned")) / 1e6
        print(f"| {size:,} | {' | '.join(costs)} | {there['passes']:.0f} | {sent:.2f} |")


def main() -> None:
    """Measure, and print three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", default="1e5", help="sizes; nothing for none")
    parser.add_argument("--sources", default="1e4,1e5", help="numbers; nothing for none")
    parser.add_argument("--whole", default="1e5", help="claims of whole fits; nothing for none")
    parser.add_argument("--models", default="vote,one-coin,grbm")
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for each fit")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--to-the-end", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        path, model, master, log = options.one
        iterations = None if options.to_the_end else ITERATIONS
        print(json.dumps(measure(path, model, master, Path(log), iterations)))
        return
    models = options.models.split(",")
    claims, sources, whole = (
        [int(float(text)) for text in texts.split(",") if text]
        for texts in (options.claims, options.sources, options.whole)
    )
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        where = (options.master, Path(folder), options.limit)
        if claims:
            compare_passes(claims, models, *where)
        if sources:
            weigh_sources(sources, models, *where)
        if whole:
            compare_fits(whole, *where)


if __name__ == "__main__":
    main()
