"""The door: who may ask, how much may be sent, and what every answer carries."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import time
from collections.abc import Iterable
from functools import lru_cache
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veracity.service.answers import error_answer
from veracity.service.errors import ServiceError
from veracity.service.headers import HEADERS, POLICY, policy_of
from veracity.service.metrics import Metrics
from veracity.service.settings import ServiceSettings

COOKIE = "veracity_token"
#: A Host header: a name or an address, and a port.
HOST = re.compile(r"(\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9.-]+))(:[0-9]{1,5})?")
#: How long the body of a request may take, in seconds.
BODY_SECONDS = 60.0
CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
#: What monitors may ask without a token; it says nothing about the run.
OPEN_TO_ALL = frozenset({"/healthz"})
#: A browser asks for these before anybody has logged in.
LOOKS = "/static/"

_RAW_HEADERS = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
_POLICY = POLICY.lower().encode()


class Guard:
    """Checks each request before the app sees it, and completes each answer.

    The host's name must be one of ours, so that no page can reach the service by letting its own
    name point here; a request that changes something must come from our own pages, or from no page
    at all; and the token must be shown where one was set.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._hosts = frozenset(settings.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def complete(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message)
            await send(message)

        try:
            answer = self._check(scope)
            if answer is None and scope["method"] in CHANGING:
                body = await self._read_in_time(scope, receive)
                receive = _replay(body, receive)
                if scope["path"] == "/login":
                    answer = self._log_in(body)
            if answer is None:
                await self._app(scope, receive, complete)
            else:
                await answer(scope, receive, complete)
        except ServiceError as error:
            await error_answer(Request(scope), error)(scope, receive, complete)
        finally:
            route = scope.get("route")
            name = getattr(route, "path", None) or ("/static" if route else "none")
            taken = time.perf_counter() - started
            self._metrics.count(scope["method"], name, status, taken)

    def _check(self, scope: Scope) -> Response | None:
        """Refuse a request by raising, or answer one that logs in."""
        if self._hosts and _host_name(_host(scope)) not in self._hosts:
            raise ServiceError(
                421,
                "wrong_host",
                "The service was called by a name that is not its own. Call it by "
                f"{' or '.join(sorted(self._hosts))}, or start it with --token.",
            )
        if scope["method"] in CHANGING:
            _check_origin(scope)
        return self._check_token(scope)

    def _check_token(self, scope: Scope) -> Response | None:
        token, path = self._settings.token, scope["path"]
        if token is None or path in OPEN_TO_ALL or path.startswith(LOOKS):
            return None
        query = scope.get("query_string", b"")
        if b"token=" in query and scope["method"] == "GET" and not path.startswith("/api/"):
            given = parse_qs(query.decode("latin-1"), keep_blank_values=True)
            if _same(given.pop("token", [""])[0], token):
                rest = urlencode(given, doseq=True)
                return _logged_in(token, quote(path) + (f"?{rest}" if rest else ""))
        headers = Headers(scope=scope)
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(shown.strip(), token):
            return None
        if _same(_cookie(headers.getlist("cookie")), _cookie_value(token)):
            return None
        if path == "/login":
            return None
        raise ServiceError(
            401,
            "unauthorised",
            "This service asks for a token: send it as `Authorization: Bearer TOKEN`, or open "
            "/?token=TOKEN in a browser.",
            headers={"WWW-Authenticate": "Bearer"},
        )

    def _log_in(self, body: bytes) -> Response | None:
        """Answer a login form."""
        token = self._settings.token
        given = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        if token is None or _same(given.get("token", [""])[0], token):
            return _logged_in(token, "/")
        raise ServiceError(401, "unauthorised", "That is not the token of this service.")

    async def _read_in_time(self, scope: Scope, receive: Receive) -> bytes:
        try:
            return await asyncio.wait_for(self._read(scope, receive), BODY_SECONDS)
        except TimeoutError:
            raise ServiceError(
                408, "too_slow", f"The request did not come within {BODY_SECONDS:g} seconds."
            ) from None

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        """Return the body of a request, unless it is too large."""
        most = self._settings.max_body
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise _too_large(most)
        parts, size, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            part = message.get("body", b"")
            parts.append(part)
            size += len(part)
            if size > most:
                raise _too_large(most)
            more = message.get("more_body", False)
        return b"".join(parts)


def _add_headers(message: Message) -> None:
    headers: list[tuple[bytes, bytes]] = message["headers"]
    kind = next((value for name, value in headers if name == b"content-type"), b"")
    headers.extend(_missing(tuple([name for name, _ in headers]), kind))


@lru_cache(maxsize=64)
def _missing(names: tuple[bytes, ...], kind: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers that an answer of a type lacks; most have the same."""
    missing = [header for header in _RAW_HEADERS if header[0] not in names]
    if _POLICY not in names:
        missing.append((_POLICY, policy_of(kind.decode("latin-1")).encode()))
    if b"cache-control" not in names and b"etag" not in names:
        missing.append((b"cache-control", b"no-store"))
    return tuple(missing)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was read already."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _check_origin(scope: Scope) -> None:
    """Refuse a change that a page of another site asks for."""
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    own = f"{scope.get('scheme', 'http')}://{_host(scope)}"
    foreign = origin is not None and origin != own
    if foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise ServiceError(403, "wrong_origin", "A page of another site may not change anything.")


def _host(scope: Scope) -> str:
    """Return the Host header; nothing if there is none."""
    for name, text in scope["headers"]:
        if name == b"host":
            return str(text, "latin-1")
    return ""


@lru_cache(maxsize=64)
def _host_name(host: str) -> str:
    """Return the name in a Host header, without the port; nothing if it is no such header."""
    found = HOST.fullmatch(host)
    return (found["address"] or found["name"]).lower() if found else ""


def _same(given: str, wanted: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _cookie_value(token: str) -> str:
    """Return what the browser keeps, from which the token cannot be told."""
    return hmac.new(token.encode(), b"veracity cookie", hashlib.sha256).hexdigest()


def _cookie(lines: Iterable[str]) -> str:
    for line in lines:
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(line)
        except CookieError:
            continue
        if COOKIE in jar:
            return jar[COOKIE].value
    return ""


def _logged_in(token: str | None, where: str) -> Response:
    inside = where.startswith("/") and not where.startswith("//")
    answer = RedirectResponse(where if inside else "/", 303)
    if token is not None:
        answer.set_cookie(COOKIE, _cookie_value(token), httponly=True, samesite="strict", path="/")
    return answer


def _too_large(most: int) -> ServiceError:
    return ServiceError(
        413, "too_large", f"The request is larger than {most:,} bytes. Send it in parts."
    )
