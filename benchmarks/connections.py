"""Many kinds of requests at once on a real service: nothing fails, no mark is lost.

Run with ``make bench-connections``, or ``python benchmarks/connections.py [--connections 200]
[--seconds 60]``. A run is drawn, fitted and served by ``veracity serve`` on this machine. Each
connection asks for pages and data, marks items, uploads claims to score, breaks off, or sends half
a request and waits. It fails if an answer is 5xx, if a mark that was acknowledged is not in the
history of marks, or if the service keeps more than so many megabytes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

HOST = "127.0.0.1"
#: How long a client waits for an answer, in seconds.
PATIENCE = 60.0
#: The kinds of requests, and how often each is made.
KINDS = {"page": 4, "data": 6, "mark": 4, "score": 1, "upload": 1, "half": 1, "aborted": 2}
PAGES = ("/", "/items", "/items/{item}", "/sources", "/sources/0", "/review", "/try", "/report")
DATA = ("items", "items/{item}", "items?q=1&limit=20", "sources", "run", "marks", "audit")


@dataclass
class Found:
    """What came of the requests."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    memory: tuple[float, float, float] = (0.0, 0.0, 0.0)  # megabytes: before, after, largest

    @property
    def n_failed(self) -> int:
        """How many answers say that the service failed."""
        return sum(count for status, count in self.statuses.items() if status.startswith("5"))

    def percentile(self, share: float) -> float:
        """Return the time within which a share of the answers came, in milliseconds."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[int(share * (len(ordered) - 1))] if ordered else 0.0

    def lines(self) -> list[str]:
        """Say what was found."""
        counts = ", ".join(f"{status}: {n:,}" for status, n in sorted(self.statuses.items()))
        before, after, largest = self.memory
        return [
            f"requests: {self.statuses.total():,} ({counts})",
            f"answers: p50 {self.percentile(0.5):,.0f} ms, p99 {self.percentile(0.99):,.0f} ms",
            f"marks: {len(self.marks):,} acknowledged, {len(self.marks) - len(self.lost):,} found",
            f"memory: {before:,.0f} MB before, {after:,.0f} MB after, {largest:,.0f} MB at most",
        ]


class Client:
    """A connection after the other, each with a request of some kind."""

    def __init__(self, port: int, n_items: int, number: int, found: Found) -> None:
        self._port, self._n_items, self._number, self._found = port, n_items, number, found
        self._random = random.Random(number)
        self._n_marks = 0

    async def work(self, until: float) -> None:
        """Make requests until it is time to stop."""
        names, shares = list(KINDS), list(KINDS.values())
        while time.monotonic() < until:
            (kind,) = self._random.choices(names, shares)
            started = time.monotonic()
            try:
                status = await asyncio.wait_for(self._request(kind), PATIENCE)
            except TimeoutError:
                status = "no answer in time"
            except OSError:
                status = "refused"
            self._found.statuses[status] += 1
            if status.isdigit():
                self._found.seconds.append(time.monotonic() - started)

    async def marks(self, n: int) -> None:
        """Mark so many items."""
        for _ in range(n):
            self._found.statuses[await self._mark(self._random.randrange(self._n_items))] += 1

    async def _request(self, kind: str) -> str:
        item = self._random.randrange(self._n_items)
        if kind == "mark":
            return await self._mark(item)
        head = self._head(kind, item)
        reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            if kind == "half":
                writer.write(head[: self._random.randrange(len(head) - 4)])
                await writer.drain()
                await asyncio.sleep(self._random.random())
                return "half"
            writer.write(head)
            await writer.drain()
            if kind == "aborted":
                await asyncio.sleep(0.05 * self._random.random())
                return "aborted"
            return await _status(reader)
        finally:
            writer.transport.abort() if kind in ("half", "aborted") else writer.close()

    def _head(self, kind: str, item: int) -> bytes:
        if kind == "aborted":
            kind = self._random.choice(["page", "data", "score", "upload"])
        if kind == "page":
            return _asking("GET", self._random.choice(PAGES).format(item=item))
        if kind == "score":
            claims = [_claim(number, item) for number in range(20)]
            return _asking("POST", "/api/v1/score", json.dumps({"claims": claims}).encode())
        if kind == "upload":
            rows = [",".join(_claim(number, item).values()) for number in range(200)]
            text = "\n".join(["source,entity,attribute,value", *rows])
            return _asking("POST", "/api/v1/score", text.encode(), "text/csv")
        return _asking("GET", f"/api/v1/{self._random.choice(DATA).format(item=item)}")

    async def _mark(self, item: int) -> str:
        self._n_marks += 1
        value = f"mark {self._number}-{self._n_marks}"
        reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            body = json.dumps({"value": value}).encode()
            writer.write(_asking("PUT", f"/api/v1/marks/{item}", body))
            await writer.drain()
            status = await _status(reader)
        finally:
            writer.close()
        if status == "200":
            self._found.marks.add(value)
        return status


def _asking(
    method: str, path: str, body: bytes = b"", content_type: str = "application/json"
) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", "Connection: close"]
    if body:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _claim(number: int, item: int) -> dict[str, str]:
    return {
        "source": f"s{number % 7}",
        "entity": f"n{item + number // 5}",
        "attribute": "a0",
        "value": f"v{number % 3}",
    }


async def _status(reader: asyncio.StreamReader) -> str:
    """Read an answer to its end; return its status."""
    first = await reader.readline()
    while await reader.read(65536):
        pass
    words = first.decode("latin-1").split()
    return words[1] if len(words) > 1 else "closed"


def make_run(folder: Path, n_items: int) -> int:
    """Draw claims, fit a quick model to them, save the run, and return its number of items."""
    from veracity import GRBM, discover
    from veracity.datasets import synthetic

    spec = synthetic.SourceSpec(items_per_source=max(1, n_items // 8))
    drawn = synthetic.draw(40, n_items, sources=spec, random_state=0)
    run = discover(drawn.claims, model=GRBM(features="never", max_iter=20))
    run.save(folder)
    return int(run.claims.matrix.n_items)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, int]]:
    """Serve a run until the block ends; give the process and its port."""
    command = [sys.executable, "-m", "veracity", "serve", str(folder), "--port", "0"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "VERACITY_TOKEN": ""}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split(" at ")[1].split()[0]
            assert "loaded" in process.stdout.readline()
            yield process.pid, int(address.rstrip("/").rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def megabytes(process: int, name: str) -> float:
    """Return a figure of a process's memory: VmRSS now, VmHWM at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024


async def _all_at_once(port: int, n_items: int, n_clients: int, seconds: float) -> Found:
    found = Found()
    until = time.monotonic() + seconds
    clients = [Client(port, n_items, number, found) for number in range(n_clients)]
    await asyncio.gather(*(client.work(until) for client in clients))
    return found


def alone(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own, whatever else runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def kept_marks(folder: Path) -> set[str]:
    """Return all values that were ever marked."""
    with closing(sqlite3.connect(folder / "marks.sqlite")) as connection:
        return {value for (value,) in connection.execute("SELECT value FROM history")}


def measure(folder: Path, n_items: int, n_clients: int, seconds: float) -> Found:
    """Serve a run to many clients for a while."""
    with serving(folder) as (process, port):
        alone(_all_at_once(port, n_items, min(n_clients, 10), 2.0))  # warm up
        before = megabytes(process, "VmRSS")
        found = alone(_all_at_once(port, n_items, n_clients, seconds))
        found.memory = before, megabytes(process, "VmRSS"), megabytes(process, "VmHWM")
    found.lost = found.marks - kept_marks(folder)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return 1 if something failed or was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--growth", type=float, default=500.0, help="largest growth, in megabytes")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        n_items = make_run(folder, given.items)
        found = measure(folder, n_items, given.connections, given.seconds)
    print(f"{given.connections} connections for {given.seconds:g} s, {n_items:,} items")
    print("\n".join(found.lines()))
    before, _, largest = found.memory
    failed = found.n_failed > 0 or bool(found.lost) or largest - before > given.growth
    print("FAILED" if failed or not found.marks else "passed")
    return int(failed or not found.marks)


if __name__ == "__main__":
    sys.exit(main())
