"""Many clients of a real service: it does not fail, and no mark is lost."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest
from benchmarks.connections import Client, Found, alone, kept_marks, make_run, measure, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    folder = tmp_path_factory.mktemp("served") / "run"
    return folder, make_run(folder, 60)


def test_all_kinds_of_requests_at_once(run: tuple[Path, int], tmp_path: Path) -> None:
    folder = shutil.copytree(run[0], tmp_path / "run")
    found = measure(folder, run[1], 10, 2.0)
    assert found.marks
    assert not found.lost
    assert found.n_failed == 0, found.statuses


def test_two_services_of_one_run_lose_no_mark(run: tuple[Path, int], tmp_path: Path) -> None:
    folder = shutil.copytree(run[0], tmp_path / "run")
    found = Found()

    async def mark(ports: list[int]) -> None:
        clients = [Client(port, run[1], n, found) for n, port in enumerate(ports * 2)]
        await asyncio.gather(*(client.marks(8) for client in clients))

    with serving(folder) as (_, one), serving(folder) as (_, other):
        alone(mark([one, other]))
    assert set(found.statuses) == {"200"}
    assert len(found.marks) == 4 * 8
    assert found.marks <= kept_marks(folder)
