"""Runs of every kind, and the service on them, in process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.service.running import NAUGHTY, RUNS, client_of

from veracity import discover
from veracity.datasets import example


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of a run by its name in `RUNS`, made once."""
    base = tmp_path_factory.mktemp("runs")
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            claims, options, saving = RUNS[name]
            run = discover(claims, **options)
            made[name] = run.save(base / name, report=False, **saving)
        return made[name]

    return folder


@pytest.fixture(scope="session")
def example_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run on the shipped example, with features in use and a report."""
    folder = tmp_path_factory.mktemp("example") / "run"
    return discover(example.path(), model="grbm").save(folder)


@pytest.fixture(scope="session")
def service(example_run: Path) -> Iterator[TestClient]:
    """Serve the example, for tests that change nothing."""
    with client_of(example_run) as client:
        yield client


@pytest.fixture
def own_service(runs: Callable[[str], Path], tmp_path: Path) -> Iterator[TestClient]:
    """Serve a copy of a small run, for tests that mark."""
    folder = shutil.copytree(runs("text"), tmp_path / "own")
    with client_of(folder) as client:
        yield client


@pytest.fixture(scope="session")
def naughty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Serve a run whose labels are markup, formulas and patterns."""
    folder = tmp_path_factory.mktemp("naughty") / "run"
    discover(NAUGHTY, model="grbm").save(folder, report=False)
    with client_of(folder) as client:
        yield client
