"""Runs in limited memory, and runs that are cut short: by a kill, a full disk, a damaged file."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.worlds import write_world

Command = Callable[..., Any]
VERACITY = [sys.executable, "-m", "veracity"]
#: Seconds; the first run compiles much, and the machine may be busy.
TIME_LIMIT = 600
#: A program that runs the command line in small blocks, and strikes when something happens.
PROGRAM = """
import os, signal, sys
import veracity.engines.read as reading
from veracity.cli.app import main
reading.BYTES_PER_CLAIM = 400_000
def strike(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
{trap}
main()
"""
TRAPS = {
    "reading": "reading.code_part = strike",
    "fitting": (
        "import veracity.engines.checkpoints as checkpoints\n"
        "write, count = checkpoints.Checkpoints.write, [0]\n"
        "def counted(*arguments):\n"
        "    write(*arguments)\n"
        "    count[0] += 1\n"
        "    if count[0] == {after}:\n"
        "        strike()\n"
        "checkpoints.Checkpoints.write = counted\n"
    ),
    "writing": "import veracity.workflow.storage as saving\nsaving.write_model = strike",
}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_world(tmp_path_factory.mktemp("world") / "claims.parquet")


@pytest.fixture(scope="module")
def finished(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the results of a model in limited memory, made once; tests only look at them."""

    @cache
    def folder(model: str) -> Path:
        base = tmp_path_factory.mktemp(model)
        scratch = base / "scratch"
        scratch.mkdir()
        done = started(scratch, *discover(world, base / "results" / "out", "--model", model))
        assert done.returncode == 0, done.stderr
        assert list(scratch.iterdir()) == []
        return base / "results" / "out"

    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def started(scratch: Path, *arguments: object, trap: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(trap=trap), *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
    )


def discover(world: Path, out: Path, *more: object) -> list[object]:
    return ["discover", world, "-o", out, "--memory", "400MB", "--threads", 2, "-q", *more]


def tables(out: Path) -> dict[str, bytes]:
    names = ("truths.parquet", "statements.parquet", "sources.parquet", "model.safetensors")
    return {name: (out / name).read_bytes() for name in names}


def test_a_run_in_limited_memory(finished: Callable[[str], Path]) -> None:
    out = finished("grbm")
    described = json.loads((out / "run.json").read_text(encoding="utf-8"))
    n_truths = pq.read_metadata(out / "truths.parquet").num_rows
    assert n_truths >= described["counts"]["n_items"] == 440
    assert pq.read_metadata(out / "claims.parquet").num_rows == described["counts"]["n_claims"]
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_what_needs_claims_side_by_side_is_made_of_the_results(
    world: Path, finished: Callable[[str], Path], tmp_path: Path, veracity: Command
) -> None:
    out, whole = shutil.copytree(finished("grbm"), tmp_path / "out"), tmp_path / "whole"
    assert not (out / "report.html").exists()
    notes = json.loads((out / "run.json").read_text(encoding="utf-8"))["notes"]
    said = [note["text"] for note in notes if note["subject"] == "report"]
    assert len(said) == 1
    assert "`veracity report` makes it" in said[0]
    assert veracity("report", out, "-q").code == 0
    assert (out / "report.html").exists()
    assert veracity("score", out, world, "-q").code == 0
    assert veracity("discover", world, "-o", whole, "--no-report", "-q").code == 0
    assert json.loads((whole / "run.json").read_text(encoding="utf-8"))["counts"]["n_items"] == 440
    explained = [
        json.loads(veracity("explain", folder, "3", "colour", "--json").out)["statements"]
        for folder in (out, whole)
    ]
    assert [one["value"] for one in explained[0]] == [one["value"] for one in explained[1]]
    for one, other in zip(*explained, strict=True):
        assert one["plausibility"] == pytest.approx(other["plausibility"], abs=1e-3)


def test_no_report_is_missed_that_was_not_asked_for(
    world: Path, scratch: Path, tmp_path: Path
) -> None:
    arguments = discover(world, tmp_path / "out", "--model", "vote", "--no-report")
    assert started(scratch, *arguments).returncode == 0
    notes = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))["notes"]
    assert "report" not in [note["subject"] for note in notes]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_other_forms_are_written_part_by_part(
    world: Path, scratch: Path, tmp_path: Path, form: str
) -> None:
    done = started(scratch, *discover(world, tmp_path / "out", "--format", form, "--model", "vote"))
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "out" / f"sources.{form}").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 30 + (form == "csv")


@pytest.mark.parametrize("stage", ["reading", "writing"])
def test_a_kill_leaves_nothing_that_looks_like_a_result(
    world: Path, scratch: Path, tmp_path: Path, stage: str
) -> None:
    out = tmp_path / "results" / "out"
    killed = started(scratch, *discover(world, out, "--model", "vote"), trap=TRAPS[stage])
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    assert len(list(scratch.iterdir())) == 1  # nobody could clean up
    done = started(scratch, *discover(world, out, "--model", "vote"))
    assert done.returncode == 0, done.stderr
    assert list(scratch.iterdir()) == []  # the next one did


@pytest.mark.parametrize(
    ("model", "after"),
    [
        ("grbm", 20),
        ("one-coin", 4),
        pytest.param("grbm", 3, marks=pytest.mark.slow),
        pytest.param("dawid-skene", 4, marks=pytest.mark.slow),
        pytest.param("mle", 4, marks=pytest.mark.slow),
    ],
)
def test_a_killed_fit_goes_on_and_ends_where_it_would_have(
    world: Path,
    scratch: Path,
    tmp_path: Path,
    finished: Callable[[str], Path],
    model: str,
    after: int,
) -> None:
    out = tmp_path / "results" / "out"
    arguments = discover(world, out, "--model", model, "--checkpoint-every", 0)
    killed = started(scratch, *arguments, trap=TRAPS["fitting"].format(after=after))
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    assert [path.name for path in out.parent.iterdir()] == [".out.checkpoints"]
    done = started(scratch, *arguments, "--resume")
    assert done.returncode == 0, done.stderr
    assert tables(out) == tables(finished(model))
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_checkpoints_of_another_run_are_refused(world: Path, scratch: Path, tmp_path: Path) -> None:
    out = tmp_path / "results" / "out"
    arguments = discover(world, out, "--model", "one-coin", "--checkpoint-every", 0)
    started(scratch, *arguments, trap=TRAPS["fitting"].format(after=2))
    done = started(scratch, *arguments, "--resume", "--tol", "0.1")
    assert done.returncode == 2
    assert "to another run: model differ" in done.stderr
    assert started(scratch, *arguments, "--tol", "0.1").returncode == 0  # anew
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_damaged_checkpoint_is_named(world: Path, scratch: Path, tmp_path: Path) -> None:
    out = tmp_path / "results" / "out"
    arguments = discover(world, out, "--model", "one-coin", "--checkpoint-every", 0)
    started(scratch, *arguments, trap=TRAPS["fitting"].format(after=2))
    stage = out.parent / ".out.checkpoints" / "stage-1.safetensors"
    stage.write_bytes(stage.read_bytes()[:50])
    done = started(scratch, *arguments, "--resume")
    assert done.returncode == 2
    assert "stage-1.safetensors is damaged" in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 kilobytes, where we may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    mounted = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_scratch_disk_is_named(world: Path, small_disk: Path, tmp_path: Path) -> None:
    done = started(small_disk, *discover(world, tmp_path / "out"))
    assert done.returncode == 2
    assert "The disk is full" in done.stderr
    assert "TMPDIR" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(small_disk.iterdir()) == []
    assert not (tmp_path / "out").exists()


def test_a_truncated_file_among_many_is_named(scratch: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    random = np.random.default_rng(0)
    for number in range(5):
        columns = {name: random.integers(0, 50, 2_000) for name in ("source", "entity", "value")}
        pq.write_table(pa.table(columns), folder / f"part-{number}.parquet")
    damaged = folder / "part-3.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = started(scratch, *discover(folder, tmp_path / "out", "--model", "vote"))
    assert done.returncode == 2
    assert "part-3.parquet could not be read as Parquet" in done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not (tmp_path / "out").exists()
    assert list(scratch.iterdir()) == []


def test_an_interrupt_in_limited_memory(scratch: Path, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    columns = {"source": 3_000, "entity": 90_000, "value": 6}
    table = pa.table({name: random.integers(0, k, 300_000) for name, k in columns.items()})
    pq.write_table(table, tmp_path / "large.parquet")
    arguments = discover(tmp_path / "large.parquet", tmp_path / "out")
    command = subprocess.Popen(
        [*VERACITY, *map(str, arguments)],
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        text=True,
    )
    begun = time.monotonic()
    while not list(scratch.glob("*/blocks/*")) and time.monotonic() - begun < TIME_LIMIT:
        time.sleep(0.01)
    command.send_signal(signal.SIGINT)
    _, said = command.communicate(timeout=TIME_LIMIT)
    assert command.returncode == 130
    assert said.startswith("Interrupted.")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("memory", ["lots", "10MB", "-1GB"])
def test_an_amount_that_makes_no_sense(
    veracity: Command, world: Path, tmp_path: Path, memory: str
) -> None:
    done = veracity("discover", world, "-o", tmp_path / "out", f"--memory={memory}")
    assert done.code == 2
    assert "memory must be" in done.err


def test_truth_may_be_given(veracity: Command, world: Path, tmp_path: Path) -> None:
    pq.write_table(pq.read_table(world).slice(0, 100), tmp_path / "truth.parquet")
    measured = []
    for limit in ((), ("--memory", "1GB")):
        arguments = ["discover", world, "-o", tmp_path / "out", "--overwrite", *limit]
        done = veracity(*arguments, "--model", "vote", "--truth", tmp_path / "truth.parquet")
        assert done.code == 0
        described = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
        measured.append(described["evaluation"])
        assert (tmp_path / "out" / "truth.parquet").exists()
    assert measured[0] == measured[1]
    assert measured[0]["n_items"] > 10


def test_a_model_that_cannot_says_so_before_it_reads(veracity: Command, tmp_path: Path) -> None:
    arguments = ["discover", tmp_path / "missing.csv", "-o", tmp_path / "out", "--memory", "1GB"]
    done = veracity(*arguments, "--model", "ltm")
    assert done.code == 2
    assert "LTM needs all claims in memory" in done.err
