"""State of the app: loading the run, ready, or failed with a reason."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from starlette.requests import HTTPConnection

from veracity.errors import VeracityError
from veracity.service.errors import not_ready
from veracity.service.metrics import Metrics
from veracity.service.refit import Refitter
from veracity.service.settings import ServiceSettings
from veracity.service.store import RunStore

Status = Literal["loading", "ready", "failed"]


class LoadingStopped(VeracityError):
    """The server ended before the run was loaded."""


class ServiceState:
    """The run of an app, loaded in the background after the server is up."""

    def __init__(self, folder: Path, settings: ServiceSettings) -> None:
        self.folder, self.settings = folder, settings
        self.status: Status = "loading"
        self.reason = "The run is being loaded."
        self.error: Exception | None = None
        self.metrics = Metrics()
        self.scoring = 0
        self.turn = threading.Lock()  # held while a small request is scored
        self.refitter = Refitter(folder, settings, self._open_made, self._switch)
        self._writing = threading.Lock()
        self._store: RunStore | None = None
        self._stopped = False
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def load_in_background(self) -> None:
        """Begin to load the run, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self.load, name="load-run", daemon=True)
            self._thread.start()

    def load(self) -> None:
        """Load the run."""
        try:
            self._store = RunStore.open(
                self.folder, self.settings, self._say, writing=self._writing
            )
            self.status, self.reason = "ready", ""
        except VeracityError as error:
            self.status, self.reason, self.error = "failed", str(error), error
        except Exception as error:
            self.status, self.error = "failed", error
            self.reason = "The run could not be loaded; the server's log says more."
        finally:
            self._done.set()

    def scoring_ended(self, task: asyncio.Future[Any]) -> None:
        """Free the slot of a scoring that came to its end, whether anybody waited for it or not."""
        self.scoring -= 1
        if not task.cancelled():
            task.exception()  # seen, so that it is not reported as forgotten

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run is loaded or could not be; say whether that is so."""
        return self._done.wait(seconds)

    def stop(self) -> None:
        """End the loading at its next step, and a refit at once, and wait for that."""
        self._stopped = True
        self.refitter.stop()
        if self._thread is not None:
            self._thread.join()

    # The refit

    def refit_answer(self) -> dict[str, Any]:
        """Return the state of the refit."""
        return self.refitter.answer(*self._to_refit())

    def start_refit(self) -> dict[str, Any]:
        """Start a refit."""
        self.refitter.start(*self._to_refit())
        return self.refit_answer()

    def cancel_refit(self) -> dict[str, Any]:
        """Cancel the refit."""
        self.refitter.cancel()
        return self.refit_answer()

    def _to_refit(self) -> tuple[dict[str, Any], int]:
        """Return the description of the run, and the number of its marks."""
        store = self.store
        return store.saved.description, len(store.review.all_marks())

    def _open_made(self, made: Path) -> RunStore:
        """Open a run that was made in another folder, and is to take the place of this one."""
        return RunStore.open(made, self.settings, home=self.folder, writing=self._writing)

    def _switch(self, store: RunStore, replace: Callable[[], None]) -> None:
        """Serve another run from now on, once it is in place; nothing is marked meanwhile."""
        with self._writing:
            replace()
            self._store = store

    def _say(self, stage: str) -> None:
        if self._stopped:
            raise LoadingStopped("The server was ended before the run was loaded.")
        self.reason = f"The run is being loaded: {stage}."

    @property
    def store(self) -> RunStore:
        """The run; raises until it is loaded."""
        if self._store is None:
            raise not_ready(self.reason)
        return self._store


def state_of(connection: HTTPConnection) -> ServiceState:
    """Return the state of the app that serves a request."""
    state: ServiceState = connection.app.state.service
    return state


def store_of(connection: HTTPConnection) -> RunStore:
    """Return the run that a request is about; raises until it is loaded."""
    return state_of(connection).store
