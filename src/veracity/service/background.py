"""Work in a thread that does not keep the service from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def in_background(work: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
    """Do work in a thread of its own, and return what will be its result.

    Nothing can stop a thread. This one is given up when the program ends, unlike those of a pool,
    which are waited for.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Any] = loop.create_future()

    def tell(settle: Callable[[Any], None], outcome: Any) -> None:
        if not found.done():
            settle(outcome)

    def run() -> None:
        try:
            settle, outcome = found.set_result, work(*arguments)
        except BaseException as error:
            settle, outcome = found.set_exception, error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, settle, outcome)

    threading.Thread(target=run, name="score", daemon=True).start()
    return found
