"""How fast the service answers on a run of a million items, beside a trivial route.

Run with ``make bench-service``, or ``python benchmarks/service.py [--items 1000000]
[--only page]``. Every figure
stands beside that of a FastAPI route that answers two bytes, under the same load on the same
machine, one after the other. Only this machine is reached. The run is drawn and fitted once and
kept in ``--folder``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CONNECTIONS, MANY = 16, 200
TRIVIAL = "trivial FastAPI route"

#: What wrk sends: {setup} fills it in; numbers of items are drawn at random.
SCRIPT = """
math.randomseed(7)
local words = {words}
request = function()
  local item = math.random(0, {items} - 1)
  local word = words[math.random(1, #words)] .. math.random(0, 999)
  {build}
end
done = function(summary, latency, requests)
  local bad = summary.errors.connect + summary.errors.read + summary.errors.write
    + summary.errors.status + summary.errors.timeout
  io.write(string.format('RESULT {{"n": %d, "rps": %f, "p50": %f, "p99": %f, "errors": %d}}\\n',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, bad))
end
"""


@dataclass(frozen=True)
class Load:
    """A kind of request, and how it is sent."""

    name: str
    build: str
    connections: int = CONNECTIONS


@dataclass(frozen=True)
class Measured:
    """What came of a load: requests a second, and milliseconds; `cpu` is that of the server.

    On a machine that others use too, CPU time a request tells more than the times of answers.
    """

    name: str
    connections: int
    rps: float
    p50: float
    p99: float
    errors: int
    cpu: float


def get(path: str) -> str:
    """Return Lua that asks for a path."""
    return f"return wrk.format('GET', {path})"


def score_body(n_claims: int) -> str:
    """Return Lua that sends claims of several sources about items to score."""
    claims = [
        {"source": f"s{i % 50}", "entity": f"n{i // 5}", "attribute": "a0", "value": f"v{i % 3}"}
        for i in range(n_claims)
    ]
    body = json.dumps({"claims": claims})
    return (
        f"return wrk.format('POST', '/api/v1/score', {{['Content-Type'] = 'application/json'}}, "
        f"[==[{body}]==])"
    )


LOADS = (
    Load("item, JSON", get("'/api/v1/items/' .. item")),
    Load("item, page", get("'/items/' .. item")),
    Load("page of items, sorted", get("'/api/v1/items?sort=change&limit=50&offset=' .. item")),
    Load("search in all items", get("'/api/v1/items?limit=50&q=' .. word"), 4),
    Load("scoring 100 claims", score_body(100), 2),
    Load("item, JSON, many at once", get("'/api/v1/items/' .. item"), MANY),
)


def make_run(folder: Path, n_items: int) -> None:
    """Draw claims about many items, fit a quick model to them, and save the run."""
    from veracity import GRBM, discover
    from veracity.datasets import synthetic

    spec = synthetic.SourceSpec(items_per_source=n_items // 40)  # five claims an item
    drawn = synthetic.draw(200, n_items + n_items // 100, sources=spec, random_state=0)
    model = GRBM(features="never", max_iter=20)
    discover(drawn.claims, model=model).save(folder, overwrite=True, report=False)


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(command: list[str], url: str) -> Iterator[int]:
    """Run a server until the block ends, and give its process; it has time to load."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 600
        while not answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command} did not come up")
            time.sleep(0.2)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def answers(url: str) -> bool:
    """Whether an address answers well."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def cpu_seconds(process: int) -> float:
    """Return the CPU time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def put_load(base: str, process: int, load: Load, n_items: int, seconds: int) -> Measured:
    """Send requests for a while; return what wrk measured."""
    words = "{'e00', 'E09', 'v1', '12'}"
    text = SCRIPT.format(words=words, items=n_items, build=load.build)
    with tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False) as script:
        script.write(text)
    command = ["wrk", "-t1", f"-c{load.connections}", f"-d{seconds}s", "--timeout", "30s"]
    before = cpu_seconds(process)
    done = subprocess.run(
        [*command, "-s", script.name, base], capture_output=True, text=True, check=True
    )
    used = cpu_seconds(process) - before
    os.unlink(script.name)
    found = re.search(r"^RESULT (.*)$", done.stdout, re.M)
    if found is None:
        raise RuntimeError(done.stdout + done.stderr)
    result = json.loads(found[1])
    cpu = 1000 * used / max(result.pop("n"), 1)  # a busy machine may not get to answer
    return Measured(load.name, load.connections, **result, cpu=cpu)


def run_trivial(port: int) -> None:
    """Serve a route that answers at once."""
    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/")
    async def trivial() -> dict[str, int]:
        return {}

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)


def measure(
    folder: Path, loads: list[Load], n_items: int, seconds: int
) -> list[tuple[Measured, Measured]]:
    """Put each load on the service, and the same on the trivial route right before."""
    ours, theirs = free_port(), free_port()
    service = [sys.executable, "-m", "veracity", "serve", str(folder), "--port", str(ours), "-q"]
    trivial = [sys.executable, __file__, "--trivial", str(theirs)]
    base, other = f"http://127.0.0.1:{ours}", f"http://127.0.0.1:{theirs}"
    found = []
    with serving(service, f"{base}/readyz") as own, serving(trivial, f"{other}/") as simple:
        for load in loads:
            same = Load(TRIVIAL, get("'/'"), load.connections)
            put_load(base, own, load, n_items, 1)  # warm up
            reference = put_load(other, simple, same, n_items, seconds)
            found.append((put_load(base, own, load, n_items, seconds), reference))
            row = found[-1]
            print(f"{row[0]}\n  beside {row[1]}", file=sys.stderr)
    return found


def table(found: list[tuple[Measured, Measured]]) -> str:
    """Write the figures as a table."""
    lines = [
        "| load | connections | requests a second | p50 | p99 | CPU a request | errors |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for own, reference in found:
        for one in (own, reference):
            lines.append(
                f"| {one.name} | {one.connections} | {one.rps:,.0f} | {one.p50:.1f} ms | "
                f"{one.p99:.1f} ms | {one.cpu:.2f} ms | {one.errors} |"
            )
        lines.append(
            f"| *ratio* | | {reference.rps / own.rps:.1f} | {own.p50 / reference.p50:.1f} | "
            f"{own.p99 / reference.p99:.1f} | {own.cpu / reference.cpu:.1f} | |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=HERE / "data" / "service-run")
    parser.add_argument("--only", default="", help="loads whose name contains this")
    parser.add_argument("--trivial", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.trivial is not None:
        run_trivial(given.trivial)
        return
    folder = given.folder.with_name(f"{given.folder.name}-{given.items}")
    if not (folder / "run.json").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_run(folder, given.items)
    counts = json.loads((folder / "run.json").read_text(encoding="utf-8"))["counts"]
    print(f"{counts['n_items']:,} items, {counts['n_claims']:,} claims\n")
    loads = [load for load in LOADS if given.only in load.name]
    print(table(measure(folder, loads, counts["n_items"], given.seconds)))


if __name__ == "__main__":
    main()
