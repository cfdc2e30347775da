"""``veracity serve``: what it prints, opens and passes on."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Command

from veracity.service import server as serving
from veracity.service.server import Address
from veracity.service.settings import ServiceSettings


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Note what is to be served, without serving it."""
    calls: list[dict[str, Any]] = []

    def serve(folder: Path, host: str, port: int, settings: ServiceSettings, **rest: Any) -> None:
        address = Address(host, 0)
        address.socket.close()
        calls.append({"folder": folder, "host": host, "port": port, "settings": settings} | rest)
        rest["started"](address)

    monkeypatch.setattr(serving, "serve", serve)
    return calls


@pytest.fixture
def run(veracity: Command, claims: Path, tmp_path: Path) -> Path:
    """Return the folder of a small run."""
    options = ("--model", "vote", "--no-report", "-q")
    assert veracity("discover", claims, "-o", tmp_path / "run", *options).code == 0
    return tmp_path / "run"


def test_the_address_is_printed_and_opened(
    veracity: Command, run: Path, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_url(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_url)
    done = veracity("serve", run)
    assert done.code == 0
    assert f"veracity serves {run} at http://127.0.0.1:" in done.out
    assert opened == []
    done = veracity("serve", run, "--open", "--token", "long enough")
    assert "long enough" not in done.out
    assert opened[0].startswith("http://127.0.0.1:")
    assert opened[0].endswith("/?token=long+enough")
    assert veracity("serve", run, "-q").out == ""


def test_options_reach_the_server(veracity: Command, run: Path, served: list[Any]) -> None:
    veracity(
        "serve", run, "--port", 0, "--max-claims", 5, "--max-megabytes", 2, "--score-seconds", 3,
        "--score-slots", 4, "--log", "--token", "long enough",
    )  # fmt: skip
    (call,) = served
    assert (call["host"], call["port"], call["log"]) == ("127.0.0.1", 0, True)
    settings = call["settings"]
    assert settings.token == "long enough"
    assert (settings.max_claims, settings.max_body) == (5, 2 * 2**20)
    assert (settings.score_seconds, settings.score_slots) == (3.0, 4)


def test_a_folder_that_is_none(veracity: Command, tmp_path: Path, served: list[Any]) -> None:
    done = veracity("serve", tmp_path)
    assert done.code == 2
    assert "not the folder of a run" in done.err
    assert served == []
