"""How fast claims are read, validated and encoded, beside pandas and crowd-kit.

Run with ``make bench-ingest``, or ``python benchmarks/ingest.py [--sizes 1000000 10000000]``.
With ``--csv-only``, only CSV files are read. Every figure is a ratio to a reference measured in the
same run:

- from CSV to encoded, against pandas ``read_csv`` and three ``factorize`` calls, for three kinds of
  labels: a word and a number, names of 15 to 60 characters, and bare numbers with yes or no. What
  is imported is not counted on either side: pandas on one, the compiler numba on the other, which a
  process loads when it first reads a large file or fits a model. How long that takes is printed;
- the whole vote from a DataFrame, against crowd-kit's ``MajorityVote``, to the truths and to all
  tables; once more for a crowd of 50,000 workers, a few of whom answer most, with 2 and 4 labels.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from measure import HERE, Measured, measure

DATA = HERE / "data"
ENTITIES_PER_CLAIM = 5
SOURCES = 5_000
WORKERS = 50_000
#: What labels look like: task-194981; 15 to 60 letters and spaces; 194981, and yes or no.
KINDS = ("words", "names", "numbers")
NAME_LENGTHS = (15, 61)


def make_claims(n_claims: int, kind: str = "words") -> Path:
    """Write a CSV of claims with a long tail of sources; kept for the next run.

    `kind` is one of `KINDS`: what the labels look like.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv

    path = DATA / f"claims-{n_claims}{'' if kind == 'words' else f'-{kind}'}.csv"
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
    value = rng.integers(0, 2 if kind == "numbers" else 4, len(pair))
    columns = {"worker": pair % SOURCES, "task": pair // SOURCES, "label": value}
    table = pa.table({name: label(kind, name, column) for name, column in columns.items()})
    DATA.mkdir(exist_ok=True)
    partial = path.with_suffix(".part")
    pyarrow.csv.write_csv(table, partial)
    partial.rename(path)
    return path


def label(kind: str, column: str, number: Any) -> Any:
    """Return labels of a kind that stand for the numbers of a column."""
    import numpy as np
    import pyarrow as pa

    if kind == "words":
        return pa.array(np.char.add(f"{column}-", number.astype(str)))
    if kind == "numbers":
        return pa.array(np.array(["no", "yes"])[number]) if column == "label" else pa.array(number)
    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz     "))
    names = [
        "".join(rng.choice(letters, length))
        for length in rng.integers(*NAME_LENGTHS, number.max() + 1)
    ]
    return pa.array(names).take(pa.array(number))


def veracity_csv(path: str) -> Callable[[], Any]:
    """From CSV to ClaimMatrix."""
    from veracity.data.claims import Claims

    load_compiler()()
    return lambda: Claims.read(path).matrix.n_claims


def load_compiler() -> Callable[[], Any]:
    """Load what runs compiled functions: numba, and all that it does before the first of them."""
    from veracity.data.claims import Claims  # noqa: F401  imported by then

    def work() -> None:
        import numpy as np

        from veracity.data.read.cell_kernels import move_slots

        move_slots(np.zeros(1, np.uint64), np.zeros(1, np.uint64))

    return work


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


def compare_csv(n_claims: int, repeats: int) -> tuple[Measured, Measured]:
    """Read CSV files of every kind in turns with pandas; return what words cost either."""
    print(f"\n{n_claims:,} claims from a CSV file\n")
    print("| work | wall | CPU | peak memory | wall ratio | CPU ratio | memory ratio |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    costs = {}
    for kind in KINDS:
        path = str(make_claims(n_claims, kind))
        pairs = [
            (measure(pandas_csv, path, repeats=1), measure(veracity_csv, path, repeats=1))
            for _ in range(repeats)
        ]
        pandas, ours = (median(runs) for runs in zip(*pairs, strict=True))
        print(line(f"{kind}, pandas: CSV to 3 factorized columns", pandas, pandas))
        print(line(f"{kind}, veracity: CSV to ClaimMatrix", ours, pandas))
        costs[kind] = (pandas, ours)
    loading = measure(load_compiler, repeats=repeats)
    print(f"\nTo load the compiler takes {loading.wall:.2f} s, {loading.cpu:.2f} s of CPU.")
    return costs["words"]


def median(runs: Iterable[Measured]) -> Measured:
    """Return the medians of what several runs cost."""
    found = list(runs)
    return Measured(
        *(
            statistics.median(getattr(run, name) for run in found)
            for name in ("wall", "cpu", "peak_mb")
        )
    )


def compare(n_claims: int, repeats: int) -> list[Measured]:
    """Measure one size, print its rows, and return our own costs."""
    path = str(make_claims(n_claims))
    pandas, ours = compare_csv(n_claims, repeats)
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
    parser.add_argument("--csv-only", action="store_true")
    arguments = parser.parse_args()
    if arguments.csv_only:
        for size in arguments.sizes:
            compare_csv(size, arguments.repeats)
        return
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
