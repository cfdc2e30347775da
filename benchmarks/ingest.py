"""How fast claims are read, validated and encoded, beside pandas and crowd-kit.

Run with ``make bench-ingest``, or ``python benchmarks/ingest.py [--sizes 1000000 10000000]``.
Every figure is a ratio to a reference measured in the same run:

- from CSV to encoded, against pandas ``read_csv`` and three ``factorize`` calls;
- the whole vote from a DataFrame, against crowd-kit's ``MajorityVote``, to the truths and to all
  tables; once more for a crowd of 50,000 workers, a few of whom answer most, with 2 and 4 labels.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import HERE, Measured, measure

DATA = HERE / "data"
ENTITIES_PER_CLAIM = 5
SOURCES = 5_000
WORKERS = 50_000


def make_claims(n_claims: int) -> Path:
    """Write a CSV of claims with a long tail of sources; kept for the next run."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv

    path = DATA / f"claims-{n_claims}.csv"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    n_entities = n_claims // ENTITIES_PER_CLAIM
    # Distinct pairs of entity and source, so that no method has duplicates to argue about.
    pair = rng.permutation(
        np.unique(
            rng.integers(0, n_entities, 2 * n_claims) * SOURCES
            + (SOURCES * rng.random(2 * n_claims) ** 3).astype(np.int64)
        )
    )[:n_claims]
    table = pa.table(
        {
            "worker": pa.array(np.char.add("worker-", (pair % SOURCES).astype(str))),
            "task": pa.array(np.char.add("task-", (pair // SOURCES).astype(str))),
            "label": pa.array(np.char.add("label-", rng.integers(0, 4, len(pair)).astype(str))),
        }
    )
    DATA.mkdir(exist_ok=True)
    partial = path.with_suffix(".part")
    pyarrow.csv.write_csv(table, partial)
    partial.rename(path)
    return path


def veracity_csv(path: str) -> Callable[[], Any]:
    """From CSV to ClaimMatrix."""
    from veracity.data.claims import Claims

    return lambda: Claims.read(path).matrix.n_claims


def pandas_csv(path: str) -> Callable[[], Any]:
    """From CSV to three integer columns."""
    import pandas as pd

    def work() -> int:
        frame = pd.read_csv(path)
        codes = [pd.factorize(frame[column])[0] for column in ("worker", "task", "label")]
        return len(codes[0])

    return work


def veracity_frame(path: str) -> Callable[[], Any]:
    """From DataFrame to ClaimMatrix."""
    import pandas as pd

    from veracity.data.claims import Claims

    frame = pd.read_csv(path)
    return lambda: Claims.from_frame(frame).matrix.n_claims


def veracity_vote(path: str) -> Callable[[], Any]:
    """From DataFrame to the truths of MajorityVote."""
    import pandas as pd

    return _veracity_vote(pd.read_csv(path))


def veracity_tables(path: str) -> Callable[[], Any]:
    """From DataFrame to all of MajorityVote's tables, how sources answer among them."""
    import pandas as pd

    from veracity import MajorityVote

    frame = pd.read_csv(path)

    def work() -> int:
        model = MajorityVote().fit(frame)
        return len(model.truths_) + len(model.statements_) + len(model.sources_)

    return work


def crowdkit_vote(path: str) -> Callable[[], Any]:
    """From DataFrame to crowd-kit's labels and probabilities."""
    import pandas as pd

    return _crowdkit_vote(pd.read_csv(path))


def veracity_crowd(n_claims: int, n_labels: int) -> Callable[[], Any]:
    """From the DataFrame of a crowd to the truths of MajorityVote."""
    return _veracity_vote(make_crowd(n_claims, n_labels))


def crowdkit_crowd(n_claims: int, n_labels: int) -> Callable[[], Any]:
    """From the DataFrame of a crowd to crowd-kit's labels and probabilities."""
    return _crowdkit_vote(make_crowd(n_claims, n_labels))


def _veracity_vote(frame: Any) -> Callable[[], Any]:
    from veracity import MajorityVote

    return lambda: len(MajorityVote().fit(frame).truths_)


def _crowdkit_vote(frame: Any) -> Callable[[], Any]:
    from crowdkit.aggregation import MajorityVote

    return lambda: len(MajorityVote().fit(frame).labels_)


def make_crowd(n_claims: int, n_labels: int) -> Any:
    """Draw five answers for each task; the r-th of 50,000 workers gives a share of them like 1/r.

    Tasks are whole numbers, workers and labels are words.
    """
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    task = np.arange(n_claims) // ENTITIES_PER_CLAIM
    share = 1 / np.arange(1, WORKERS + 1)
    worker = rng.choice(WORKERS, n_claims, p=share / share.sum())
    skill, truth = rng.beta(6, 2, WORKERS), rng.integers(0, n_labels, task[-1] + 1)
    knows = rng.random(n_claims) < skill[worker]
    label = np.where(knows, truth[task], rng.integers(0, n_labels, n_claims))
    frame = pd.DataFrame(
        {
            "worker": np.char.add("w", worker.astype(str)),
            "task": task,
            "label": np.char.add("l", label.astype(str)),
        }
    )
    return frame.drop_duplicates(["worker", "task"])


def matrix_bytes(path: str) -> Callable[[], Any]:
    """Bytes a claim once encoded."""
    from veracity.data.claims import Claims

    def work() -> float:
        matrix = Claims.read(path).matrix
        return matrix.nbytes / matrix.n_claims

    return work


def line(name: str, ours: Measured, reference: Measured) -> str:
    """Write one row of the report: cost, and ratios to the reference."""
    return (
        f"| {name} | {ours.wall:.2f} s | {ours.cpu:.2f} s | {ours.peak_mb:,.0f} MB "
        f"| {ours.wall / reference.wall:.2f} | {ours.cpu / reference.cpu:.2f} "
        f"| {ours.peak_mb / reference.peak_mb:.2f} |"
    )


def compare(n_claims: int, repeats: int) -> list[Measured]:
    """Measure one size, print its rows, and return our own costs."""
    path = str(make_claims(n_claims))
    pandas, ours = (
        measure(pandas_csv, path, repeats=repeats),
        measure(veracity_csv, path, repeats=repeats),
    )
    frame = measure(veracity_frame, path, repeats=repeats)
    crowdkit = measure(crowdkit_vote, path, repeats=repeats)
    vote = measure(veracity_vote, path, repeats=repeats)
    tables = measure(veracity_tables, path, repeats=repeats)
    crowds = {
        n_labels: (
            measure(crowdkit_crowd, n_claims, n_labels, repeats=repeats),
            measure(veracity_crowd, n_claims, n_labels, repeats=repeats),
        )
        for n_labels in (2, 4)
    }
    per_claim = measure(matrix_bytes, path, repeats=1).result
    print(f"\n{n_claims:,} claims; {per_claim:.1f} bytes a claim once encoded\n")
    print("| work | wall | CPU | peak memory | wall ratio | CPU ratio | memory ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    print(line("pandas: CSV to 3 factorized columns", pandas, pandas))
    print(line("veracity: CSV to ClaimMatrix", ours, pandas))
    print(line("veracity: DataFrame to ClaimMatrix", frame, pandas))
    print(line("crowd-kit: DataFrame to vote", crowdkit, crowdkit))
    print(line("veracity: DataFrame to vote", vote, crowdkit))
    print(line("veracity: DataFrame to vote, all tables", tables, crowdkit))
    for n_labels, (theirs, own) in crowds.items():
        print(line(f"crowd-kit: crowd with {n_labels} labels to vote", theirs, theirs))
        print(line(f"veracity: crowd with {n_labels} labels to vote", own, theirs))
    return [ours, vote]


def main() -> None:
    """Measure every size and print how time grows from each to the next."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    costs = [compare(size, arguments.repeats) for size in arguments.sizes]
    pairs = list(zip(arguments.sizes, costs, strict=True))
    for (small, before), (large, after) in itertools.pairwise(pairs):
        for name, first, second in zip(("CSV to ClaimMatrix", "vote"), before, after, strict=True):
            exponent = math.log(second.cpu / first.cpu) / math.log(large / small)
            print(
                f"\n{name}, {small:,} to {large:,} claims: CPU time grows with exponent "
                f"{exponent:.2f} (1 is linear)."
            )


if __name__ == "__main__":
    main()
