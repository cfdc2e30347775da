"""What all tests share: a small table, the shared data, servers and a cluster, strictness."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Tests run side by side, so each of them, and what it starts, has one core; libraries read these
# when they are first imported.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

# A run of the library costs tens of milliseconds, so a few dozen examples have to do; the same ones
# every time, so that a failure is seen again.
settings.register_profile(
    "quick",
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("quick")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail, where the environment variable CI is set, a test that is skipped for want of a tool."""
    report = yield
    skipped = call.excinfo is not None and isinstance(call.excinfo.value, pytest.skip.Exception)
    if os.environ.get("CI") and skipped and call.excinfo is not None:
        reason = str(call.excinfo.value)
        if reason.startswith("needs "):
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} {reason}, and in CI nothing may be missing"
    return report


#: The files to begin with, in this order. The first compiles the loops that run over blocks, beside
#: one that needs none of them; Spark's executors and commands then find these loops compiled.
FIRST = (
    "tests/engines/test_same_everywhere.py",
    "tests/test_publication.py",
    "tests/engines/test_spark.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no process is left alone with one."""
    first = {REPOSITORY / name: place for place, name in enumerate(FIRST)}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (first.get(item.path, len(first)), item.path not in slow))


def shared_data() -> Path | None:
    """Return the folder of shared data sets, or None where there is none."""
    folder = Path(os.environ.get("VERACITY_DATA", REPOSITORY.parent / "shared" / "data"))
    return folder if (folder / "README.md").is_file() else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of shared data sets."""
    folder = shared_data()
    if folder is None:
        pytest.skip("no data folder")
    return folder


@pytest.fixture
def columns() -> dict[str, list[Any]]:
    """Return a small table of claims as a dict of columns."""
    return {
        "source": ["ann", "bob", "cat", "ann", "bob", "dan"],
        "entity": ["sky", "sky", "sky", "sea", "sea", "sea"],
        "attribute": ["colour", "colour", "colour", "depth", "depth", "depth"],
        "value": ["blue", "blue", "grey", "10", "11", "11"],
    }


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """Start a PostgreSQL server; give what `tests.postgres.Server` offers."""
    from tests.postgres import find_programs, running_server

    programs = find_programs()
    if programs is None:
        pytest.skip("needs PostgreSQL")
    with running_server(programs) as server:
        yield server


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Start a Spark cluster of two executors; give a session on it."""
    from tests.spark_cluster import has_java, running_cluster

    if not has_java():
        pytest.skip("needs Java 17")
    with running_cluster() as session:
        yield session
