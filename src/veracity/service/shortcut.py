"""A short way to items, which are asked for most.

The framework takes longer to find the route of an item than we take to answer it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from veracity.service.answers import json_answer
from veracity.service.pages.item_page import item_page
from veracity.service.schemas import WhatIfRequest
from veracity.service.state import ServiceState
from veracity.service.store import RunStore

#: The address of an item; how other numbers are refused is left to the framework.
ADDRESS = re.compile(r"(?P<where>/items/|/api/v1/items/)(?P<item>0|[1-9][0-9]{0,8})")
#: The run as it is.
UNCHANGED = WhatIfRequest()


class Way(NamedTuple):
    """What answers, and the path of the route that does the same; the metrics name it so."""

    path: str
    answer: Callable[[RunStore, int], Response]


def _page(store: RunStore, item: int) -> Response:
    return HTMLResponse(item_page(store, item, UNCHANGED))


def _data(store: RunStore, item: int) -> Response:
    return json_answer(store.item(item))


WAYS = {
    "/items/": Way("/items/{item}", _page),
    "/api/v1/items/": Way("/api/v1/items/{item}", _data),
}


class Shortcut:
    """Answers who asks for an item as it is; all else goes on to the app.

    The app answers the same: an address with a query goes there, whatever it asks for.
    """

    def __init__(self, app: ASGIApp, state: ServiceState) -> None:
        self._app, self._state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        found = None
        if scope["type"] == "http" and scope["method"] == "GET" and not scope["query_string"]:
            found = ADDRESS.fullmatch(scope["path"])
        if found is None:
            await self._app(scope, receive, send)
            return
        way = WAYS[found["where"]]
        try:
            answer = way.answer(self._state.store, int(found["item"]))
        except Exception:  # the app fails likewise, and knows what to say
            await self._app(scope, receive, send)
            return
        scope["route"] = way
        await answer(scope, receive, send)
