"""The command line under test: in process where that will do, as a real command where it must."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from veracity import datasets, discover
from veracity.cli.app import run as run_command

TIME_LIMIT = 60
CLAIMS = (
    "source,entity,value,claim_words\n"
    "ann,sky,blue,3\n"
    "bob,sky,green,5\n"
    "cy,sky,blue,4\n"
    "ann,grass,green,2\n"
    "bob,grass,green,\n"
    "dee,rose,red,7\n"
)
TRUTH = "entity,value\nsky,blue\ngrass,green\nrose,white\nmoon,grey\n"


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Finished]
Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def veracity(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in this process."""

    def call(*arguments: object) -> Finished:
        code = run_command([str(argument) for argument in arguments])
        return Finished(code, *capsys.readouterr())

    return call


@pytest.fixture
def shell() -> Command:
    """Run the command line in a process of its own."""

    def call(*arguments: object, **environment: str) -> Finished:
        done = subprocess.run(
            [sys.executable, "-m", "veracity", *map(str, arguments)],
            env={**os.environ, **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=TIME_LIMIT,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file to the test's own folder."""

    def call(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return call


@pytest.fixture
def claims(write: Write) -> Path:
    """Six claims by four sources about three items, of which one is contested."""
    return write("claims.csv", CLAIMS)


@pytest.fixture
def truth(write: Write) -> Path:
    """Truth about the three items and one more; the claims are wrong about the rose."""
    return write("truth.csv", TRUTH)


@pytest.fixture(scope="session")
def example_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run of the default model on the shipped example, once."""
    return discover(datasets.example.path()).save(tmp_path_factory.mktemp("example") / "run")


@pytest.fixture
def run(example_run: Path, tmp_path: Path) -> Path:
    """Return a run on the shipped example that the test may change."""
    return Path(shutil.copytree(example_run, tmp_path / "run"))
