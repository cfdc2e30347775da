"""What strangers may try: names that are not ours, half requests, and what the log tells them."""

from __future__ import annotations

import http.client
import logging
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from veracity.service import protocol
from veracity.service.app import create_app
from veracity.service.guard import _host_name
from veracity.service.protocol import PromptProtocol
from veracity.service.server import Address, Server, _without_token


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:80@evil.com", "localhost@evil.com", "localhost:x", "[::1]evil.com", "::1", "a b"],
)
def test_only_a_name_and_a_port_are_a_host(host: str) -> None:
    assert _host_name(host) not in ("127.0.0.1", "localhost", "::1")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:80", "LOCALHOST:1", "[::1]:8765"])
def test_our_own_names_are_known(host: str) -> None:
    assert _host_name(host) in ("127.0.0.1", "localhost", "::1")


def test_the_log_does_not_tell_the_token() -> None:
    record = logging.LogRecord(
        "uvicorn.access",
        logging.INFO,
        "",
        0,
        '%s - "%s %s HTTP/%s" %d',
        ("127.0.0.1:1", "GET", "/?page=2&token=long%20secret&x=1", "1.1", 303),
        None,
    )
    assert _without_token(record)
    assert "secret" not in record.getMessage()
    assert "/?page=2&token=***&x=1" in record.getMessage()


@pytest.fixture
def address(example_run: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Serve a run with little patience."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    bound = Address("127.0.0.1", 0)
    config = uvicorn.Config(create_app(example_run), http=PromptProtocol, log_level="error")
    server = Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound.socket]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield "127.0.0.1", bound.port
    server.should_exit = True
    thread.join()
    bound.socket.close()


ASKED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize("begun", [b"", ASKED[:20], ASKED + ASKED[:20]])
def test_half_open_connections_are_closed(address: tuple[str, int], begun: bytes) -> None:
    held = [socket.create_connection(address) for _ in range(100)]
    for one in held:
        one.sendall(begun)
    for one in held:
        one.settimeout(10)
        while one.recv(4096):
            pass  # an answer to what was asked whole; then the end
        one.close()


def test_whoever_asks_in_time_is_answered_again_and_again(address: tuple[str, int]) -> None:
    client = http.client.HTTPConnection(*address)
    for _ in range(5):
        client.request("GET", "/healthz")
        answer = client.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')
        time.sleep(0.2)
    client.close()
