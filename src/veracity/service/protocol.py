"""HTTP as the service speaks it: who begins a request has to get to the end of its head in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

#: How long the head of a request may take, in seconds.
HEAD_SECONDS = 10.0


class PromptProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes connections on which nothing comes, or only half a request."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what came; go on waiting unless it completes the head of a request."""
        super().data_received(data)
        if self._is_waiting:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _is_waiting(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _wait(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if self._is_waiting and not self.transport.is_closing():
            self.transport.close()
