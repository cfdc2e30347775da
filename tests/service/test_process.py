"""The service as a process: it ends well, and what it answered is on disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.service.running import TIME_LIMIT, process

from veracity.workflow.marks import MarkBook


def serve(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, which is near where it is refused."""
    return subprocess.run(
        [sys.executable, "-m", "veracity", "serve", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        timeout=TIME_LIMIT,
        env=os.environ | {"VERACITY_TOKEN": ""},
    )


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_open_requests_are_answered_before_the_end(
    runs: Callable[[str], Path], end: signal.Signals
) -> None:
    claims = [
        {
            "source": f"s{i % 40}",
            "entity": f"e{i // 4}",
            "attribute": "colour",
            "value": f"v{i % 3}",
        }
        | {"claim_words": 1.0, "source_kind": "pro", "entity_old": True}
        for i in range(20_000)
    ]
    with process(runs("text")) as (server, url):
        answers: list[Any] = []

        def score() -> None:
            answers.append(httpx.post(f"{url}/api/v1/score", json={"claims": claims}, timeout=60))

        client = threading.Thread(target=score)
        client.start()
        while "veracity_scoring 1" not in httpx.get(f"{url}/metrics").text:
            assert not answers, answers
        server.send_signal(end)
        client.join(TIME_LIMIT)
        assert server.wait(TIME_LIMIT) == 0
        assert answers
        assert answers[0].status_code == 200
        assert len(answers[0].json()["truths"]) == 5_000


def test_a_mark_that_was_answered_survives_a_kill(
    runs: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    with process(folder) as (server, url):
        for item in range(5):
            answer = httpx.put(f"{url}/api/v1/marks/{item}", json={"value": f"v{item}"})
            assert answer.status_code == 200
        server.send_signal(signal.SIGKILL)
        server.wait(TIME_LIMIT)
    kept = sorted(mark.values for mark in MarkBook(folder).read())
    assert kept == [(f"v{item}",) for item in range(5)]
    with process(folder) as (_, url):
        assert httpx.get(f"{url}/api/v1/items/4").json()["mark"] == ["v4"]


def test_a_port_that_is_taken(runs: Callable[[str], Path]) -> None:
    with process(runs("text")) as (_, url):
        done = serve(runs("text"), "--port", url.rpartition(":")[2])
    assert done.returncode == 2
    assert "--port 0 for any free one" in done.stderr


def test_others_need_a_token(runs: Callable[[str], Path]) -> None:
    done = serve(runs("text"), "--host", "0.0.0.0")
    assert done.returncode == 2
    assert "Give a --token" in done.stderr
    with process(runs("text"), "--host", "0.0.0.0", "--token", "long enough") as (_, url):
        assert httpx.get(f"{url}/api/v1/run").status_code == 401
        headers = {"Authorization": "Bearer long enough", "Host": "another.name"}
        assert httpx.get(f"{url}/api/v1/run", headers=headers).status_code == 200


def test_a_folder_that_is_none_or_damaged(runs: Callable[[str], Path], tmp_path: Path) -> None:
    nothing = serve(tmp_path)
    assert (nothing.returncode, "not the folder of a run" in nothing.stderr) == (2, True)
    folder = shutil.copytree(runs("text"), tmp_path / "run")
    (folder / "truths.parquet").write_bytes(b"spoilt")
    damaged = serve(folder, "--port", "0")
    assert damaged.returncode == 2
    assert "truths.parquet is damaged" in damaged.stderr
    assert "Traceback" not in damaged.stderr


def test_without_the_extra_the_error_says_how_to_get_it(runs: Callable[[str], Path]) -> None:
    code = (
        "import sys; sys.modules['fastapi'] = None\n"
        "import importlib.util as util\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'fastapi' else find(name, *rest)\n"
        "from veracity.cli.app import run\n"
        f"sys.exit(run(['serve', {str(runs('text'))!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=TIME_LIMIT
    )
    assert done.returncode == 2
    assert "pip install 'veracity[service]'" in done.stderr


def test_requests_are_written_down_only_if_asked(runs: Callable[[str], Path]) -> None:
    for options, expected in (((), False), (("--log",), True)):
        with process(runs("text"), *options) as (server, url):
            httpx.get(f"{url}/healthz")
            server.send_signal(signal.SIGTERM)
            out, err = server.communicate(timeout=TIME_LIMIT)
            assert ("/healthz" in out + err) == expected
