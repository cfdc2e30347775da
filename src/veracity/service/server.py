"""Running the app: an address, a server, and an orderly end."""

from __future__ import annotations

import gc
import ipaddress
import logging
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import uvicorn

from veracity.errors import InvalidParameter
from veracity.service.app import create_app
from veracity.service.protocol import PromptProtocol
from veracity.service.settings import LOOPBACK, ServiceSettings
from veracity.service.state import LoadingStopped, ServiceState

#: How long open requests may take after the server was told to end, in seconds.
FAREWELL = 5
#: Connections that may wait to be accepted.
BACKLOG = 2048
LAST_PORT = 65_535
#: A token in an address.
TOKEN = re.compile(r"token=[^&\s]*", re.IGNORECASE)


class Address:
    """Where to serve: a socket that is bound, and what to call it."""

    def __init__(self, host: str, port: int) -> None:
        if not 0 <= port <= LAST_PORT:
            raise InvalidParameter(f"port must be from 0 to {LAST_PORT}. Got {port} instead.")
        self.host = host
        try:
            self.socket = _bound(host, port)
        except OSError as error:
            raise InvalidParameter(
                f"The address {host}:{port} cannot be used: {error.strerror or error}. Another "
                "program may use it; choose another with --port, or --port 0 for any free one."
            ) from error
        self.port: int = self.socket.getsockname()[1]

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        # Compared with, not bound to.
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}/"


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that holds an address."""
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
    except OSError:
        bound.close()
        raise
    return bound


class Server(uvicorn.Server):
    """A server that ends well when told to: open requests are answered, and then it is done.

    Those that take longer than `FAREWELL` are given up.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take the signals that end a program to be wishes to end in order."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ends = (signal.SIGINT, signal.SIGTERM)
        before = {end: signal.signal(end, self.handle_exit) for end in ends}
        try:
            yield
        finally:
            for end, handler in before.items():
                signal.signal(end, handler)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in LOOPBACK


def access(settings: ServiceSettings, host: str) -> ServiceSettings:
    """Return settings for a host; refuse to serve others without a token."""
    if settings.token is not None and len(settings.token) < 8:
        raise InvalidParameter("The token is too short to be secret: give 8 characters or more.")
    if is_loopback(host):
        return replace(settings, hosts=tuple(dict.fromkeys((*LOOPBACK, host))))
    if settings.token is None:
        raise InvalidParameter(
            f"--host {host} lets others reach the service, who could then read and mark the run. "
            "Give a --token that they must show, or leave --host out to serve this machine only."
        )
    return replace(settings, hosts=())


def serve(
    folder: Path,
    host: str,
    port: int,
    settings: ServiceSettings,
    *,
    log: bool = False,
    started: Callable[[Address], None] = lambda address: None,
    loaded: Callable[[ServiceState], None] = lambda state: None,
) -> None:
    """Serve a run until a signal ends it.

    Parameters
    ----------
    folder
        Of the run.
    host, port
        Where to listen; port 0 for any free one.
    settings
        Limits and the token.
    log
        Write a line for each request.
    started, loaded
        Called once the server listens, and once the run is loaded.
    """
    settings = access(settings, host)
    address = Address(host, port)
    app = create_app(folder, settings)
    state: ServiceState = app.state.service
    config = uvicorn.Config(
        app,
        backlog=BACKLOG,
        log_level="info" if log else "error",
        access_log=log,
        timeout_graceful_shutdown=FAREWELL,
        server_header=False,
        lifespan="on",
        http=PromptProtocol,
    )
    logging.getLogger("uvicorn.access").addFilter(_without_token)
    server = Server(config)
    _watch(server, state, address, started, loaded)
    with address.socket:
        server.run(sockets=[address.socket])
    gc.freeze()  # what is left is not looked through once more, which would take seconds
    if state.error is not None and not isinstance(state.error, LoadingStopped):
        raise state.error


def _without_token(record: logging.LogRecord) -> bool:
    """Leave the token out of a line of the log, which others may read."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            TOKEN.sub("token=***", part) if isinstance(part, str) else part for part in record.args
        )
    return True


def _watch(
    server: Server,
    state: ServiceState,
    address: Address,
    started: Callable[[Address], None],
    loaded: Callable[[ServiceState], None],
) -> None:
    """Tell when the server listens and when the run is loaded; end it if that fails."""

    def watch() -> None:
        while not server.started and not server.should_exit:
            threading.Event().wait(0.01)
        started(address)
        while not state.wait(0.1):
            if server.should_exit:
                return
        if state.status == "failed":
            server.should_exit = True
        else:
            loaded(state)

    threading.Thread(target=watch, name="watch", daemon=True).start()
