"""A service that is told to end does so, whatever it is scoring."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from tests.service.running import TIME_LIMIT, process

from veracity.service.server import FAREWELL

#: Ends while work is under way that takes an hour.
SCRIPT = """
import asyncio, time
from veracity.service.background import in_background

async def main():
    assert await in_background(max, 3, 4) == 4
    try:
        await in_background(int, "x")
    except ValueError:
        in_background(time.sleep, 3600)

asyncio.run(main())
"""


def test_work_in_the_background_is_given_up_at_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], timeout=TIME_LIMIT, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_long_scoring_does_not_keep_the_service_from_ending(
    runs: Callable[[str], Path],
) -> None:
    rows = (f"s{i % 400},e{i // 4},a{i // 4 % 20_000},v{i % 7}" for i in range(100_000))
    upload = "\n".join(["source,entity,attribute,value", *rows]).encode()
    answers: list[Any] = []
    with process(runs("text")) as (server, url):

        def score() -> None:
            headers = {"Content-Type": "text/csv"}
            answers.append(
                httpx.post(f"{url}/api/v1/score", content=upload, headers=headers, timeout=60)
            )

        client = threading.Thread(target=score)
        client.start()
        while "veracity_scoring 1" not in httpx.get(f"{url}/metrics", timeout=20).text:
            assert not answers, answers
        told = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIME_LIMIT) == 0
        took = time.monotonic() - told
        client.join(TIME_LIMIT)
    # A quick machine has scored them by then; a slow one says that it did not.
    assert answers[0].status_code == 200 or "The service is ending" in answers[0].text
    assert took < 4 * FAREWELL


def test_a_service_that_has_scored_ends_in_silence(runs: Callable[[str], Path]) -> None:
    claims = [{"source": name, "entity": "sky", "value": "blue"} for name in ("ann", "bob")]
    with process(runs("text")) as (server, url):
        answer = httpx.post(f"{url}/api/v1/score", json={"claims": claims}, timeout=60)
        assert answer.status_code == 200, answer.text
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIME_LIMIT) == 0
        assert server.stderr is not None
        assert server.stderr.read() == ""
