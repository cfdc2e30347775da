"""What a fit adds to the memory of the process that drives it, per source.

    python benchmarks/driver.py --sources 1e6 --models vote,one-coin,grbm

The blocks are held by another process, which takes the place of a cluster: as there, parameters go
to it, and sums come back. Two claims for each source, about one attribute of four values. Ask for
eighty iterations, so that the default converges.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from spark import write_claims

from veracity.data.read.formats import locate
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.datasets import example
from veracity.engines.base import Blocks
from veracity.engines.read import read_in_blocks
from veracity.engines.sums import Sums
from veracity.models import make_model

CLAIMS_PER_BLOCK = 500_000
ITERATIONS = 12


class Elsewhere(Blocks[Any]):
    """Blocks of another process, which knows them by a number."""

    def __init__(self, line: Connection, number: int, size: int) -> None:
        self._line, self._number, self._size = line, number, size

    def __len__(self) -> int:
        return self._size

    def prepare(self, make: Callable[..., Any], *shared: Any) -> Elsewhere:
        """Make something of each block there."""
        return Elsewhere(self._line, self._ask("prepare", make, shared), self._size)

    def total(self, function: Callable[..., Sums], *shared: Any) -> Sums:
        """Add up there what a function returns of each block."""
        sums: Sums = self._ask("total", function, shared)
        return sums

    def results(self, function: Callable[..., Any], *shared: Any) -> Iterator[Any]:
        """Return what a function makes of each block there."""
        made: list[Any] = self._ask("results", function, shared)
        return iter(made)

    def _ask(self, verb: str, function: Callable[..., Any], shared: tuple[Any, ...]) -> Any:
        send(self._line, (verb, self._number, function, shared))
        return pickle.loads(self._line.recv_bytes())


def send(line: Connection, asked: Any) -> None:
    """Send something without a copy of its arrays, as Spark's broadcasts are written to a file."""
    arrays: list[pickle.PickleBuffer] = []
    line.send_bytes(pickle.dumps(asked, 5, buffer_callback=arrays.append))
    line.send(len(arrays))
    for array in arrays:
        line.send_bytes(array.raw())


def received(line: Connection) -> Any:
    """Return what was sent; its arrays can be written to."""
    described, n_arrays = line.recv_bytes(), line.recv()
    return pickle.loads(described, buffers=[bytearray(line.recv_bytes()) for _ in range(n_arrays)])


def hold(line: Connection, path: Path) -> None:
    """Hold the blocks of a file, and do what comes down the line with them."""
    claims = read_in_blocks(
        locate(path),
        FileOptions(),
        Settings(),
        "2GB",
        threads=1,
        claims_per_block=CLAIMS_PER_BLOCK,
        in_memory=True,
    )
    held: list[Blocks[Any]] = [claims.blocks]
    line.send((replace(claims, blocks=None, origin=None), len(claims.blocks)))  # type: ignore[arg-type]
    while (asked := received(line)) is not None:
        verb, number, function, shared = asked
        found: Any = getattr(held[number], verb)(function, *shared)
        if verb == "prepare":
            held.append(found)
            found = len(held) - 1
        elif verb == "results":
            found = list(found)
        line.send_bytes(pickle.dumps(found, 5))


def held_bytes(which: str) -> int:
    """Return what this process holds (VmRSS), or the most that it has held (VmHWM).

    The system's own count of the most begins with that of the process that started this one.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(which))


def drive(line: Connection, model: str, iterations: int, told: Connection) -> None:
    """Fit a model to blocks that are elsewhere, and tell what it held at most, beyond its start."""
    warnings.simplefilter("ignore")  # such as that so few iterations do not converge
    fit = make_model(model, **({} if model == "vote" else {"max_iter": iterations}))
    make_model(model).fit(example.path())  # so that what has to be imported is
    described, n_blocks = line.recv()
    before = held_bytes("VmRSS")
    fit.fit(replace(described, blocks=Elsewhere(line, 0, n_blocks)))
    told.send(held_bytes("VmHWM") - before)
    send(line, None)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", default="1e5,1e6")
    parser.add_argument("--models", default="vote,one-coin,grbm")
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help="at most")
    options = parser.parse_args()
    fresh = multiprocessing.get_context("spawn")
    print("| model | sources | MB | bytes for a source |")
    print("|---|--:|--:|--:|")
    for n_sources in (int(float(text)) for text in options.sources.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "claims.parquet"
            write_claims(path, 2 * n_sources, n_sources)
            for model in options.models.split(","):
                (here, there), (told, tell) = fresh.Pipe(), fresh.Pipe()
                pair = [
                    fresh.Process(target=hold, args=(there, path)),
                    fresh.Process(target=drive, args=(here, model, options.iterations, tell)),
                ]
                for process in pair:
                    process.start()
                added = told.recv()
                for process in pair:
                    process.join()
                each = added / n_sources
                print(f"| {model} | {n_sources:,} | {added / 1e6:,.0f} | {each:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
