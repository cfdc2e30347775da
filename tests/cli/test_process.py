"""The command as a process: pipes, terminals, signals and disks."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from veracity.cli import console
from veracity.cli.app import run
from veracity.data.read.workbench import close_shared

Command = Callable[..., Any]
Write = Callable[[str, str | bytes], Path]

VERACITY = [sys.executable, "-m", "veracity"]
#: The quickest model, for what has nothing to do with fitting.
VOTE = ("--model", "vote")
TIME_LIMIT = 60
MEGABYTE = 1 << 20

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough claims to be interrupted amid."""
    n = 300_000
    random = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("large") / "claims.parquet"
    columns = {"source": 3_000, "entity": 90_000, "value": 6}
    pq.write_table(pa.table({name: random.integers(0, k, n) for name, k in columns.items()}), path)
    return path


# Pipes


@pytest.mark.parametrize("options", [(), ("--json",), ("--help",)])
def test_a_reader_may_stop_reading(claims: Path, options: tuple[str, ...]) -> None:
    command = subprocess.Popen(
        [*VERACITY, "inspect", str(claims), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert command.stdout is not None
    command.stdout.close()
    said = _rest(command)
    assert (command.returncode, said) == (0, b"")


def _rest(command: subprocess.Popen[bytes]) -> bytes:
    assert command.stderr is not None
    with command.stderr as stream:
        said = stream.read()
    command.wait(TIME_LIMIT)
    return said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written(claims: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*VERACITY, "inspect", str(claims)], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_without_unicode(shell: Command, write: Write, tmp_path: Path) -> None:
    path = write("c.csv", "source,entity,value\nann,😀,a\nbob,😀,b\n")
    done = shell("discover", path, "-o", tmp_path / "out", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "\\U0001f600" in done.out
    told = shell("inspect", path, "--json", PYTHONIOENCODING="ascii")
    assert json.loads(told.out)["counts"]["n_claims"] == 2


# Terminals


def _in_terminal(*arguments: object, **environment: str) -> tuple[int, str]:
    """Run the command line on a terminal, soon out of patience, and return what it showed."""
    import pty

    program = (
        "from veracity.cli import console, main\n"
        f"console.PATIENCE_SECONDS = {environment.pop('patience', 0.1)}\n"
        "main()\n"
    )
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", **environment},
    ) as command:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        code = command.wait(TIME_LIMIT)
    os.close(ours)
    return code, shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_progress_shows_and_vanishes(large: Path, tmp_path: Path) -> None:
    code, shown = _in_terminal("discover", large, "-o", tmp_path / "out", *VOTE)
    assert code == 0
    bar, _, summary = shown.rpartition("\x1b[2K")  # the last line to be wiped
    assert "reading claims" in bar
    assert "3,000 sources make" in summary
    assert "reading claims" not in summary
    assert "\x1b[?25h" in shown  # the cursor is back


def test_short_work_shows_no_progress(claims: Path, tmp_path: Path) -> None:
    code, shown = _in_terminal("discover", claims, "-o", tmp_path / "out", patience="30")
    assert code == 0
    assert "reading claims" not in shown
    assert "4 sources make 6 claims" in shown


def test_somebody_waits_for_about_a_second() -> None:
    assert console.PATIENCE_SECONDS == 1.0


def test_quiet_is_quiet_on_a_terminal(large: Path, tmp_path: Path) -> None:
    code, shown = _in_terminal("discover", large, "-o", tmp_path / "out", "-q", *VOTE)
    # Where colorama is installed, numba brings it in, and it resets the colours at exit.
    assert (code, shown.replace("\x1b[0m", "")) == (0, "")


def test_no_color(claims: Path) -> None:
    green = "\x1b[32m"
    _, coloured = _in_terminal("inspect", claims, patience="0", NO_COLOR="")
    _, plain = _in_terminal("inspect", claims, patience="0", NO_COLOR="1")
    assert green in coloured
    assert "reading claims" in plain
    assert green not in plain


def test_narrow_terminals_cut_nothing(claims: Path) -> None:
    _, narrow = _in_terminal("inspect", claims, COLUMNS="20", TERM="dumb")
    _, wide = _in_terminal("inspect", claims, COLUMNS="200", TERM="dumb")
    assert narrow.split() == wide.split()


def test_the_bar_waits_for_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal there is no bar, however long it takes."""
    monkeypatch.setattr(console, "PATIENCE_SECONDS", 0.0)
    with console.progress_bar(("a", "b"), quiet=False) as progress:
        progress("b")


# Signals


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in the files of a folder and of those in it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("number", "after", "model"),
    [
        (signal.SIGINT, "reading claims", "vote"),
        (signal.SIGINT, "fitting", "grbm"),
        (signal.SIGINT, "writing", "vote"),
        (signal.SIGTERM, "writing", "vote"),
    ],
)
def test_an_interrupt_leaves_the_old_output(
    claims: Path, large: Path, tmp_path: Path, number: int, after: str, model: str
) -> None:
    out = tmp_path / "results" / "out"
    assert run(["discover", str(claims), "-o", str(out), "-q"]) == 0
    before = contents(out)
    # The stage tells us when to strike, as it would tell the bar. We wait for a hundredth of a
    # second of the command's own work: on a busy machine, a thread may get its turn too late.
    program = (
        "import os, signal, veracity.cli.discover as command\n"
        "from contextlib import contextmanager\n"
        "from veracity.cli.app import main\n"
        "@contextmanager\n"
        "def bar(stages, quiet):\n"
        "    def strike(stage):\n"
        f"        if stage == {after!r}:\n"
        "            signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)\n"
        "    yield strike\n"
        "command.progress_bar = bar\n"
        f"signal.signal(signal.SIGVTALRM, lambda *_: os.kill(os.getpid(), {int(number)}))\n"
        "main()\n"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = ["discover", str(large), "-o", str(out), "--overwrite", "--model", model]
    done = subprocess.run(
        [sys.executable, "-c", program, *command],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
    )
    assert done.returncode == 130, done.stderr
    assert done.stdout == ""
    assert done.stderr == "Interrupted. Results are written completely or not at all.\n"
    assert contents(out) == before
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    assert list(scratch.iterdir()) == []


def test_an_interrupt_while_transcoding_leaves_no_scratch(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("source,entity,value\n" + "ann,sky,blue\n" * 3_000_000, encoding="utf-16")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = subprocess.Popen(
        [*VERACITY, "discover", str(path), "-o", str(tmp_path / "out"), "--encoding", "utf-16"],
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
    )
    started = time.monotonic()
    while not list(scratch.glob("*/*")) and time.monotonic() - started < TIME_LIMIT:
        time.sleep(0.01)
    command.send_signal(signal.SIGINT)
    assert _rest(command).startswith(b"Interrupted.")
    assert command.returncode == 130
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "out").exists()


# Disks


def _small_files() -> None:
    """Let no file grow beyond a hundredth of a megabyte, which is a full disk to whoever writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MEGABYTE // 100, MEGABYTE // 100))


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_file_that_cannot_grow_leaves_nothing(large: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "results" / "out"
    done = subprocess.run(
        [*VERACITY, "discover", str(large), "-o", str(out), "--format", form, *VOTE],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        preexec_fn=_small_files,
    )
    assert done.returncode == 2, done.stderr
    assert "was not written" in done.stderr
    assert list(out.parent.iterdir()) == []


@pytest.fixture
def full_disk(tmp_path: Path) -> Any:
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


def test_a_full_disk_leaves_the_old_output(
    full_disk: Path, veracity: Command, claims: Path, large: Path
) -> None:
    out = full_disk / "out"
    assert veracity("discover", claims, "-o", out, "--no-report").code == 0
    before = contents(out)
    done = veracity("discover", large, "-o", out, "--overwrite", "--no-report", *VOTE)
    assert done.code == 2
    assert "The disk is full" in done.err
    assert [path.name for path in full_disk.iterdir()] == ["out"]
    assert contents(out) == before


def test_no_scratch_is_left_behind(
    claims: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    arguments = ["discover", str(claims), "-o", str(tmp_path / "out"), "-q"]
    assert run([*arguments, "--encoding", "latin-1"]) == 0
    close_shared()  # as at the end of a process
    assert list(scratch.iterdir()) == []
