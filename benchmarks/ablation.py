"""What each part of the default model is worth: the same model without it, on public data sets.

Run with ``make ablation``. It writes its tables into docs/reference/benchmarks.md. Every
data set has a process of its own, every fit a limit of CPU time; what is done is kept in
``benchmarks/data/ablation.json``, so that a run that was broken off goes on where it was. Remove
the file to start anew. The folder of data sets is ``../shared/data``, or what the environment
variable VERACITY_DATA says.

The truth is read after every fit, to judge it. Nothing in the library was chosen by these tables.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from variants import Variant

    from veracity.datasets import Dataset

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "data" / "ablation.json"
#: Points under the vote that count as a loss.
LOSS = 2.0


@dataclass(frozen=True)
class Cell:
    """What came of a variant on a data set; shares, not per cent. `error` says why nothing did."""

    accuracy: float | None = None
    log_loss: float | None = None
    ece: float | None = None
    seconds: float | None = None
    error: str | None = None


#: By variant and data set.
Cells = dict[str, dict[str, Cell]]


# The cells of a data set


def work(variants: Sequence[str], folder: Path, limit: int) -> None:
    """Fit variants to a data set one after the other, and print a line for each.

    A fit that takes more CPU time than the limit ends the process.
    """
    from variants import VARIANTS

    from veracity.datasets import load
    from veracity.scoreboard.sets import few_of

    warnings.simplefilter("ignore")
    data = load(folder)
    few = few_of(data.claims)
    for name in variants:
        with suppress(Exception):  # compiles what it needs; if it matters, it comes again below
            VARIANTS[name].fitted(few)
        most = math.ceil(time.process_time()) + limit
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        try:
            cell = fill(VARIANTS[name], data)
        except Exception as error:
            cell = Cell(error=f"{type(error).__name__}: {error}")
        print(json.dumps(asdict(cell)), flush=True)


def fill(variant: Variant, data: Dataset) -> Cell:
    """Fit a variant to a data set, then judge it."""
    from veracity.evaluation.calibration import calibration
    from veracity.evaluation.metrics import assess

    assert data.truth is not None
    began = time.process_time()
    model = variant.fitted(data.claims)
    seconds = time.process_time() - began
    evaluation, outcomes = assess(model.truths_, data.truth, data.claims)
    marks = calibration(outcomes)
    return Cell(evaluation.accuracy, marks.log_loss, marks.ece, seconds)


def fill_set(variants: Sequence[str], folder: Path, limit: int) -> Iterator[tuple[str, Cell]]:
    """Yield the cells of a data set; after a process that came to its limit, another goes on."""
    left = list(variants)
    while left:
        command = [sys.executable, __file__, "--data", str(folder.parent), "--limit", str(limit)]
        command += ["--work", folder.name, *left]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield left.pop(0), Cell(**json.loads(line))
        if left:
            reason = f"the process ended with code {process.returncode}"
            if process.returncode == -signal.SIGXCPU:
                reason = f"over {limit} s of CPU time"
            yield left.pop(0), Cell(error=reason)


# All cells


def read_kept(path: Path) -> Cells:
    """Return the cells that an earlier run has filled."""
    if not path.is_file():
        return {}
    content = json.loads(path.read_text(encoding="utf-8"))
    return {
        variant: {name: Cell(**cell) for name, cell in cells.items()}
        for variant, cells in content.items()
    }


def keep(path: Path, cells: Cells) -> None:
    """Write all cells, whole or not at all."""
    content = {
        variant: {name: asdict(cell) for name, cell in row.items()}
        for variant, row in cells.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)


def fill_all(variants: Sequence[str], folders: Sequence[Path], limit: int, path: Path) -> Cells:
    """Fill the cells that are empty, and keep each at once."""
    cells = read_kept(path)
    for folder in folders:
        empty = [name for name in variants if folder.name not in cells.setdefault(name, {})]
        for variant, cell in fill_set(empty, folder, limit):
            cells[variant][folder.name] = cell
            keep(path, cells)
            print(f"{folder.name}: {variant}: {cell}", file=sys.stderr, flush=True)
    return cells


# The tables


def means(cells: Cells, variants: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the lines of a table of means over data sets, and of losses to the vote."""
    from variants import DEFAULT, VOTE

    lines = [
        "| model | sets | accuracy | against the default | > 2 under the vote | worst set against "
        "the vote | log loss | ECE | CPU s |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for variant in variants:
        done = [name for name in names if cells[variant][name].accuracy is not None]
        own = points_above(cells, variant, DEFAULT, done)
        above = points_above(cells, variant, VOTE, done)
        if not done:
            lines.append(f"| {variant} | 0 |  |  |  |  |  |  |  |")
            continue
        worst = min(above, key=lambda name: above[name])
        figures = [
            f"{100 * mean(cells[variant], done, 'accuracy'):.1f}",
            "" if variant == DEFAULT else signed(statistics.mean(own.values())),
            "" if variant == VOTE else str(sum(value < -LOSS for value in above.values())),
            "" if variant == VOTE else f"{signed(above[worst])} ({worst})",
            f"{mean(cells[variant], done, 'log_loss'):.3f}",
            f"{mean(cells[variant], done, 'ece'):.3f}",
            f"{mean(cells[variant], done, 'seconds'):.1f}",
        ]
        lines.append(f"| {variant} | {len(done)} | {' | '.join(figures)} |")
    return lines


def by_set(cells: Cells, variants: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the lines of a table of accuracy: the default's, and how far others are from it."""
    from variants import DEFAULT

    columns = ["", *(name.replace("_", " ") for name in names)]
    lines = ["| model " + " | ".join(columns)[1:] + " |", "|---|" + "--:|" * len(names)]
    for variant in variants:
        away = points_above(cells, variant, DEFAULT, names)
        figures = [
            f"{100 * (cells[DEFAULT][name].accuracy or 0.0):.1f}"
            if variant == DEFAULT
            else signed(away[name])
            if name in away
            else "-"
            for name in names
        ]
        lines.append(f"| {variant} | {' | '.join(figures)} |")
    return lines


def points_above(cells: Cells, variant: str, other: str, names: Sequence[str]) -> dict[str, float]:
    """Return how many points a variant is above another, by data set, where both are done."""
    pairs = {name: (cells[variant][name].accuracy, cells[other][name].accuracy) for name in names}
    return {
        name: 100 * (one - two)
        for name, (one, two) in pairs.items()
        if one is not None and two is not None
    }


def signed(points: float) -> str:
    """Write a difference, nothing as +0.0."""
    return f"{round(points, 1) + 0.0:+.1f}"


def mean(row: Mapping[str, Cell], names: Sequence[str], figure: str) -> float:
    """Return the mean of a figure over data sets."""
    return float(statistics.mean(getattr(row[name], figure) for name in names))


def unfilled(cells: Cells, variants: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a line for each cell without figures."""
    return [
        f"- {variant}, {name}: {cells[variant][name].error}"
        for variant in variants
        for name in names
        if cells[variant][name].error
    ]


def tables(cells: Cells, variants: Sequence[str], names: Sequence[str]) -> str:
    """Return everything as Markdown."""
    left = unfilled(cells, variants, names)
    return "\n".join(
        [
            f"Means over {len(names)} public data sets, one seed. Accuracy is in per cent, and "
            "differences are in points.",
            "",
            *means(cells, variants, names),
            "",
            "Accuracy by data set: the default's, and the differences of the others from it.",
            "",
            *by_set(cells, variants, names),
            *(["", "Not finished, and left out of the means:", "", *left] if left else []),
        ]
    )


def main() -> None:
    """Fill the cells and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of data sets")
    parser.add_argument("--sets", nargs="+", help="some of them; then only print the tables")
    parser.add_argument("--limit", type=int, default=100, help="CPU seconds of a fit")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where cells are kept")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)  # a set, and its variants
    arguments = parser.parse_args()
    if arguments.work:
        name, *variants = arguments.work
        work(variants, arguments.data / name, arguments.limit)
        return

    from pages import write_into
    from public_sets import find_sets
    from variants import VARIANTS

    names = arguments.sets or find_sets(arguments.data)
    if not names:
        parser.error(f"{arguments.data} has no data sets")
    folders = [arguments.data / name for name in names]
    cells = fill_all(list(VARIANTS), folders, arguments.limit, arguments.kept)
    content = tables(cells, list(VARIANTS), names)
    if arguments.sets:
        print(content)
    else:
        write_into("reference/benchmarks.md", "make ablation", content)


if __name__ == "__main__":
    main()
