"""All methods on data that nobody has tuned them on, beside the vote and the true answer.

Run with ``make bench-unseen``, or ``python benchmarks/unseen.py [set] [copy] [world]`` for a part,
with ``--methods grbm,vote``, ``--sets dog,rte``, ``--limit 120`` and ``--jobs 2``. A method may be
given parameters: ``--methods grbm:features=never``.

There are three parts: the public sets with categories, perturbed copies of them, and made worlds.
Every method is as it is by default, the same for all; nobody sees the truth before a fit. The
vote's figures are means over five ways to break ties. Seconds are CPU time of a fit.

Finished cells are kept (``--cache``) until the method's code, the data or the case changes, so that
a run that was broken off goes on where it was. Figures are merged into
docs/benchmarks/unseen.csv, from which docs/benchmarks/unseen.md and its picture are drawn. The
folder of data sets is ``../shared/data``, or what the environment variable VERACITY_DATA says.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue

from guarded import Worker
from pages import DOCS, write_into
from public_sets import categorical_sets
from unseen_cells import Case, Cell, Kept, parse_method
from unseen_copies import COPIES, JUDGED, KINDS
from unseen_page import SHOWN, SMOOTHED, page
from unseen_picture import picture
from unseen_results import VOTE, Results
from unseen_worlds import WORLDS

from veracity.errors import InvalidParameter
from veracity.models import DEFAULT_MODEL, MODELS

ROOT = Path(__file__).resolve().parents[1]
FOLDER = DOCS / "benchmarks"
PARTS = ("set", "copy", "world")
#: Methods of each part, unless others are asked for.
METHODS = {
    "set": [*MODELS, SMOOTHED],
    "copy": [VOTE, DEFAULT_MODEL],
    "world": [VOTE, *SHOWN],
}
WORLD_SEEDS = 3
Task = tuple[Case, str]


class Filling:
    """Fills cells in several processes, and keeps each at once."""

    def __init__(self, kept: Kept, data: Path, limit: int, jobs: int) -> None:
        self._kept = kept
        self._data = data
        self._limit = limit
        self._jobs = jobs
        self._lock = threading.Lock()
        self._done = 0

    def run(
        self, tasks: Sequence[Task], only_kept: bool = False
    ) -> Iterator[tuple[Case, str, Cell]]:
        """Yield all cells: those that are kept and, unless told otherwise, those that are not."""
        missing = []
        for case, method in tasks:
            cell = self._kept.get(case, method, self._limit)
            if cell is None:
                missing.append((case, method))
            else:
                yield case, method, cell
        print(f"{len(tasks) - len(missing)} cells are kept, {len(missing)} to go", file=sys.stderr)
        if only_kept:
            return
        groups = [list(group) for _, group in groupby(missing, key=lambda task: task[0].name)]
        threads = max(1, (os.cpu_count() or 1) // self._jobs)
        script = ROOT / "benchmarks" / "unseen_judge.py"
        workers = [Worker(script, self._limit, threads) for _ in range(self._jobs)]
        idle = SimpleQueue[Worker]()
        for worker in workers:
            idle.put(worker)
        pool = ThreadPoolExecutor(self._jobs)
        try:
            for filled in pool.map(lambda group: self._fill(group, idle, len(missing)), groups):
                yield from filled
        finally:
            for worker in workers:
                worker.close()
            pool.shutdown(cancel_futures=True)

    def _fill(
        self, tasks: Sequence[Task], idle: SimpleQueue[Worker], n_missing: int
    ) -> list[tuple[Case, str, Cell]]:
        """Fill the cells of one set or world, in one process."""
        worker = idle.get()
        filled = []
        for case, method in tasks:
            task = {"case": asdict(case), "method": method, "data": str(self._data)}
            cell = Cell(**worker.ask(task))
            self._kept.put(case, method, cell)
            filled.append((case, method, cell))
            with self._lock:
                self._done += 1
                shown = cell.error or f"{cell.accuracy:.3f} in {cell.seconds:.1f} s"
                where = " ".join(filter(None, (case.name, case.kind, str(case.number))))
                print(f"{self._done}/{n_missing} {where}: {method}: {shown}", file=sys.stderr)
        idle.put(worker)
        return filled


def cases(
    part: str, names: Sequence[str], kinds: Sequence[str], n_copies: int = COPIES
) -> Iterator[Case]:
    """Yield the cases of a part."""
    if part == "world":
        yield from (Case(part, name, "", seed) for name in WORLDS for seed in range(WORLD_SEEDS))
    elif part == "set":
        yield from (Case(part, name) for name in names)
    else:
        for name in names:
            for kind in kinds:
                yield from (Case(part, name, kind, number) for number in range(n_copies))


def default_cache() -> Path:
    """Return where cells are kept unless another folder is given."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "veracity" / "unseen"


def listed(text: str) -> list[str]:
    """Return what stands between commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


def known_methods(text: str) -> list[str]:
    """Return methods by name; refuse one that there is not."""
    for method in listed(text):
        try:
            parse_method(method)
        except InvalidParameter as error:
            raise argparse.ArgumentTypeError(str(error)) from error
    return listed(text)


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("VERACITY_DATA", str(ROOT.parent / "shared" / "data"))
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all if left out")
    parser.add_argument("--data", type=Path, default=Path(data), help="folder of data sets")
    parser.add_argument("--methods", type=known_methods, help="instead of those of each part")
    parser.add_argument("--sets", type=listed, help="some of the data sets")
    parser.add_argument("--kinds", type=listed, default=list(JUDGED), help="of copies")
    parser.add_argument("--copies", type=int, default=COPIES, help="of each kind")
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds of a fit")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where cells are kept")
    parser.add_argument("--kept", action="store_true", help="work nothing out: what is kept")
    parser.add_argument("--print", action="store_true", help="print the tables, write no page")
    given = parser.parse_args()
    for name, asked, there in (
        ("part", given.parts, PARTS),
        ("set", given.sets or (), categorical_sets(given.data)),
        ("kind", given.kinds, KINDS),
    ):
        if strange := [each for each in asked if each not in there]:
            parser.error(f"there is no {name} {strange[0]!r}; there are {', '.join(there)}")
    return given


def main() -> None:
    """Fill the cells, and write results, page and picture."""
    given = arguments()
    names = given.sets or categorical_sets(given.data)
    if not names:
        print(f"There are no data sets in {given.data}: only worlds are run.", file=sys.stderr)
    tasks = [
        (case, method)
        for part in given.parts or PARTS
        for case in cases(part, names, given.kinds, given.copies)
        for method in given.methods or METHODS[part]
    ]
    filling = Filling(Kept(given.cache, given.data), given.data, given.limit, given.jobs)
    found = filling.run(tasks, given.kept)
    if given.print:
        results = Results()
        for case, method, cell in found:
            results.add(case, method, cell)
        print(page(results))
        return
    path = FOLDER / "unseen.csv"
    results = Results.read(path)
    for case, method, cell in found:
        results.add(case, method, cell)
    results.write(path)
    draw(results)


def draw(results: Results) -> None:
    """Write the tables and the picture."""
    write_into("benchmarks/unseen.md", "make bench-unseen", page(results))
    (FOLDER / "unseen.svg").write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
