"""What it takes to exchange gradients of sources that no single machine holds.

    python benchmarks/exchange.py --sources 1e5,1e6,1e7 --processes 2

Claims are divided among processes by item, the parameters of sources by key. In every iteration a
process asks the owners for the parameters of the sources it has claims of, works out its gradient,
adds it up by source, and sends each owner its part; owners add the parts up and take a step. Which
sources a process asks for is agreed upon once, so that only numbers travel. All of that is really
done, through pipes between processes; only the model is simple: how often each source is right,
in a few classes.

The last column is what a formula expects to be sent, with which sizes can be told that were not
measured: a source of which N claims of all are divided among E processes is asked for by
E (1 - (1 - 1 / E)^N) of them.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

NUMBER = np.float32
#: Past steps and gradients that a quasi-Newton step would look back to, kept by owners.
HISTORY = 10
#: Spreads the keys of busy sources over all owners; prime, so that no two keys meet.
SPREAD = 2_654_435_761


@dataclass(frozen=True)
class World:
    """Who says how much: the s-th busiest source makes claims in proportion to 1 / s.

    Attributes
    ----------
    sources, claims
        Numbers of them, in all processes together.
    processes
        How many there are; each has its share of the claims and of the sources.
    numbers
        Parameters of each source.
    """

    sources: int
    claims: int
    processes: int = 2
    numbers: int = 4

    def draw(self, rank: int) -> tuple[Array, Array, Array]:
        """Return source, class and correctness of the claims of a process."""
        rng = np.random.default_rng((7, rank))
        n_claims = self.claims // self.processes
        busy = np.minimum(self.sources ** rng.random(n_claims), self.sources - 1).astype(np.int64)
        source = busy * SPREAD % self.sources
        kind = rng.integers(0, self.numbers, n_claims)
        right = rng.random(n_claims) < 0.6 + 0.3 * (source % 7) / 6
        return source, kind, right

    @property
    def bounds(self) -> Array:
        """Where the sources of each owner begin."""
        return np.linspace(0, self.sources, self.processes + 1).astype(np.int64)

    @property
    def expected_asked(self) -> float:
        """How many sources a process is expected to have claims of."""
        edges = np.unique(np.geomspace(1, self.sources, 4_000).astype(np.int64))
        middle, width = np.sqrt(edges[:-1] * edges[1:].astype(float)), np.diff(edges)
        share = 1.0 / (middle * np.log(self.sources))
        return float((width * -np.expm1(-share * self.claims / self.processes)).sum())

    @property
    def expected_bytes(self) -> float:
        """How many bytes are expected to be sent in an iteration, by all processes together."""
        elsewhere = 1.0 - 1.0 / self.processes
        each = 2 * self.numbers * np.dtype(NUMBER).itemsize
        return self.processes * self.expected_asked * elsewhere * each


@dataclass(frozen=True)
class Told:
    """What a process has to tell at the end: its parameters, and what an iteration cost."""

    x: Array
    asked: int
    sent: float
    exchange_cpu: float
    gradient_cpu: float
    wall: float
    bytes_held: int


class Shard:
    """The claims of a process, and the parameters of the sources that it owns."""

    def __init__(self, world: World, rank: int, peers: dict[int, Connection]) -> None:
        self.world, self.rank, self.peers = world, rank, peers
        source, kind, self.right = world.draw(rank)
        self.asked, place = np.unique(source, return_inverse=True)
        self.cell = place * world.numbers + kind
        bounds = world.bounds
        cuts = np.searchsorted(self.asked, bounds)
        self.part = [slice(*pair) for pair in itertools.pairwise(cuts)]
        keys = [
            (self.asked[part] - first).astype(np.int32)
            for part, first in zip(self.part, bounds[:-1], strict=True)
        ]
        self.wanted = self._swap(keys, np.int32)  # by whom which of our sources are asked for
        shape = (int(bounds[rank + 1] - bounds[rank]), world.numbers)
        self.x = np.zeros(shape, NUMBER)
        self.information = np.full(shape, 1.0, NUMBER)
        self.history = np.zeros((2 * HISTORY, *shape), NUMBER)
        self.sent = 0

    def _swap(self, parts: list[Array], kind: Any) -> list[Array]:
        """Give every process its part, and return what they have for us."""

        def send(peer: Connection, part: Array) -> None:
            peer.send_bytes(part.tobytes())

        senders = []
        for rank, peer in self.peers.items():
            sender = threading.Thread(target=send, args=(peer, parts[rank]))
            sender.start()
            senders.append(sender)
        found = [parts[self.rank]] * self.world.processes
        for rank, peer in self.peers.items():
            found[rank] = np.frombuffer(peer.recv_bytes(), kind)
        for sender in senders:
            sender.join()
        self.sent = sum(parts[rank].nbytes for rank in self.peers)
        return found

    def fetch(self) -> Array:
        """Return the parameters of the sources that our claims are of."""
        parts = self._swap([self.x[wanted] for wanted in self.wanted], NUMBER)
        return np.concatenate([part.reshape(-1, self.world.numbers) for part in parts])

    def add_up(self, gradient: Array) -> Array:
        """Return the gradients of all processes, of the sources that we own."""
        parts = self._swap([gradient[part] for part in self.part], NUMBER)
        total = np.zeros_like(self.x)
        for wanted, part in zip(self.wanted, parts, strict=True):
            total[wanted] += part.reshape(-1, self.world.numbers)
        return total

    def gradient(self, x: Array) -> tuple[Array, Array]:
        """Return the gradient of the log-likelihood of our claims, and its curvature."""
        shape = (len(self.asked), self.world.numbers)
        p = 1.0 / (1.0 + np.exp(-x))
        n_right = np.bincount(self.cell, self.right, minlength=x.size).reshape(shape)
        count = np.bincount(self.cell, minlength=x.size).reshape(shape)
        return (n_right - count * p).astype(NUMBER), (0.25 * count).astype(NUMBER)

    def learn(self, iterations: int) -> Told:
        """Climb for a few iterations."""
        exchange, alone, sent = 0.0, 0.0, 0
        _, curvature = self.gradient(np.zeros((len(self.asked), self.world.numbers), NUMBER))
        self.information += self.add_up(curvature)
        started = time.perf_counter()
        for number in range(iterations):
            x, cpu = _timed(self.fetch)
            exchange, sent = exchange + cpu, sent + self.sent
            (gradient, _), cpu = _timed(self.gradient, x)
            alone += cpu
            total, cpu = _timed(self.add_up, gradient)
            exchange, sent = exchange + cpu, sent + self.sent
            step = (total - self.x) / self.information
            self.x += step
            self.history[2 * (number % HISTORY)] = step
            self.history[2 * (number % HISTORY) + 1] = total
        wall = time.perf_counter() - started
        sent_in_one, exchange, alone, wall = (
            cost / iterations for cost in (sent, exchange, alone, wall)
        )
        held = sum(array.nbytes for array in (self.x, self.information, self.history, total))
        return Told(self.x, len(self.asked), sent_in_one, exchange, alone, wall, held)


def _timed(work: Callable[..., Any], *given: Any) -> tuple[Any, float]:
    """Call a function; return what it does, and the CPU seconds of this process."""
    before = time.process_time()
    found = work(*given)
    return found, time.process_time() - before


# Processes


def learn(world: World, iterations: int = 5) -> list[Told]:
    """Let the processes of a world learn; return what each tells, in order."""
    context = multiprocessing.get_context("spawn")
    peers: list[dict[int, Connection]] = [{} for _ in range(world.processes)]
    for one in range(world.processes):
        for other in range(one):
            peers[one][other], peers[other][one] = context.Pipe()
    answers = [context.Pipe(duplex=False) for _ in range(world.processes)]
    running = [
        context.Process(target=_run, args=(world, rank, peers[rank], answers[rank][1], iterations))
        for rank in range(world.processes)
    ]
    for process in running:
        process.start()
    for _, end in answers:  # so that a process that dies is noticed
        end.close()
    told = [receiver.recv() for receiver, _ in answers]
    for process in running:
        process.join()
    return told


def _run(
    world: World, rank: int, peers: dict[int, Connection], answer: Connection, iterations: int
) -> None:
    answer.send(Shard(world, rank, peers).learn(iterations))


def rows(worlds: list[World], iterations: int) -> Iterator[str]:
    """Return the rows of the table."""
    yield (
        "| sources | claims | asked for by a process | sent in an iteration MB | expected MB "
        "| exchange, ns a number | gradient, ns a claim | owner's bytes a source | wall s |"
    )
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for world in worlds:
        told = learn(world, iterations)
        sent = sum(one.sent for one in told)
        asked = sum(one.asked for one in told) / len(told)
        numbers = 2 * world.numbers * sum(one.asked for one in told)
        exchange = sum(one.exchange_cpu for one in told) / numbers
        alone = sum(one.gradient_cpu for one in told) / world.claims
        held = sum(one.bytes_held for one in told) / world.sources
        wall = max(one.wall for one in told)
        yield (
            f"| {world.sources:,} | {world.claims:,} | {asked:,.0f} | {sent / 1e6:,.1f} "
            f"| {world.expected_bytes / 1e6:,.1f} | {1e9 * exchange:.1f} | {1e9 * alone:.0f} "
            f"| {held:.0f} | {wall:.2f} |"
        )


def forecast(worlds: list[World]) -> Iterator[str]:
    """Return a table of what is expected to be sent where nothing was measured."""
    yield (
        "| sources | claims | processes | asked for by a process | sent by each MB | by all GB |"
    )
    yield "|--:|--:|--:|--:|--:|--:|"
    for world in worlds:
        sent = world.expected_bytes
        yield (
            f"| {world.sources:,} | {world.claims:,} | {world.processes:,} "
            f"| {world.expected_asked:,.0f} | {sent / world.processes / 1e6:,.0f} "
            f"| {sent / 1e9:,.1f} |"
        )


def main() -> None:
    """Measure, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", default="1e5,1e6,1e7")
    parser.add_argument("--claims-per-source", type=float, default=2.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--numbers", type=int, default=4, help="parameters of each source")
    parser.add_argument("--iterations", type=int, default=5)
    options = parser.parse_args()
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    worlds = []
    for text in options.sources.split(","):
        sources = int(float(text))
        claims = int(sources * options.claims_per_source)
        worlds.append(World(sources, claims, options.processes, options.numbers))
    print(f"{options.processes} processes, {options.numbers} numbers a source.\n")
    for row in rows(worlds, options.iterations):
        print(row, flush=True)
    print("\nWhat is expected of a cluster, from the same formula:\n")
    far = [World(10**7, 10**10, n, options.numbers) for n in (50, 200, 1_000)]
    for row in forecast(far):
        print(row)


if __name__ == "__main__":
    main()
