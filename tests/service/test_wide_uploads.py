"""Uploads whose header alone is megabytes are refused, and others are answered meanwhile."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from tests.service.running import TIME_LIMIT, process


def test_after_two_wide_uploads_the_service_answers_and_ends(runs: Callable[[str], Path]) -> None:
    names = ",".join(f"column{n}" for n in range(250_000))
    upload = f"source,entity,value,{names}\nann,sky,blue{',x' * 250_000}\n".encode()
    assert len(upload) > 2_900_000
    answers: list[Any] = []
    with process(runs("text")) as (server, url):

        def score() -> None:
            headers = {"Content-Type": "text/csv"}
            answers.append(
                httpx.post(f"{url}/api/v1/score", content=upload, headers=headers, timeout=60)
            )

        clients = [threading.Thread(target=score) for _ in range(2)]
        for client in clients:
            client.start()
        assert httpx.get(f"{url}/healthz", timeout=20).status_code == 200
        for client in clients:
            client.join(TIME_LIMIT)
        assert [answer.status_code for answer in answers] == [413, 413]
        assert "250,003 columns came; at most 1,000 are read" in answers[0].text
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIME_LIMIT) == 0
