"""What conftest promises: in CI, a test for which a tool is missing fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

SUITE = """
import pytest

@pytest.fixture
def server():
    pytest.skip("needs PostgreSQL")

def test_with_server(server):
    assert server

def test_needs():
    pytest.skip("needs a tool")

def test_elsewhere():
    pytest.skip("no data folder")

def test_fine():
    assert True
"""


@pytest.mark.parametrize(
    ("ci", "outcome"),
    [("true", "1 failed, 1 passed, 1 skipped, 1 error"), ("", "1 passed, 3 skipped")],
)
def test_missing_tools_fail_in_ci_only(tmp_path: Path, ci: str, outcome: str) -> None:
    (tmp_path / "conftest.py").write_text((HERE / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_suite.py").write_text(SUITE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", "."],
        cwd=tmp_path,
        env=os.environ | {"CI": ci, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert outcome in done.stdout
    assert ("needs PostgreSQL, and in CI nothing may be missing" in done.stdout) == bool(ci)
