"""The commands and programs of the guide do what it says, against a real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.running import TIME_LIMIT, process

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "service.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the blocks of the guide in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.M | re.S)


@pytest.fixture(scope="module")
def address(example_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the example in a process of its own."""
    folder = shutil.copytree(example_run, tmp_path_factory.mktemp("guide") / "results")
    with process(folder) as (_, url):
        yield url


@pytest.mark.parametrize("block", blocks("bash"))
def test_shell_commands(block: str, address: str) -> None:
    if shutil.which("curl") is None or shutil.which("bash") is None:
        pytest.skip("needs curl and bash")
    # Without -f, curl takes an error for an answer like any other.
    checked = block.replace("curl -s ", "curl -sf ")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", checked],
        env=os.environ | {"URL": address},
        capture_output=True,
        encoding="utf-8",
        timeout=TIME_LIMIT,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert '"error"' not in done.stdout


def test_python_programs(address: str) -> None:
    names = {"URL": address}
    for program in blocks("python"):
        exec(compile(program, "service.md", "exec"), names)
    service = names.pop("service")
    service.close()  # type: ignore[attr-defined]


def test_the_error_is_shaped_as_shown() -> None:
    (shown,) = blocks("json")
    assert set(json.loads(shown)["error"]) == {"code", "message", "details"}


def test_every_route_is_on_the_page() -> None:
    for route in ("run", "items", "sources", "score", "marks", "items/0/what-if", "audit", "refit"):
        assert f"/api/v1/{route}" in GUIDE
    for route in ("/healthz", "/readyz", "/metrics", "/api/openapi.json"):
        assert route in GUIDE
