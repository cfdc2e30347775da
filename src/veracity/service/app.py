"""The app on one run: the JSON API, the pages, and the door before both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool

import veracity
from veracity.service import api, files, operations, pages, schemas
from veracity.service.answers import HANDLERS
from veracity.service.guard import Guard
from veracity.service.settings import ServiceSettings
from veracity.service.shortcut import Shortcut
from veracity.service.state import ServiceState

DESCRIPTION = (
    "Look into a run of veracity, question its verdicts, score new claims by its model, and mark "
    "what is true. Every error has the shape {error: {code, message, details}}."
)


def create_app(folder: str | Path, settings: ServiceSettings | None = None) -> FastAPI:
    """Return the app on the folder of a run, which it loads once it is up.

    Parameters
    ----------
    folder
        As written by `Run.save`.
    settings
        Limits and access.
    """
    settings = settings or ServiceSettings()
    state = ServiceState(Path(folder), settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state.load_in_background()
        yield
        await run_in_threadpool(state.stop)

    app = FastAPI(
        title="veracity",
        version=veracity.__version__,
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers=HANDLERS,
        routes=list(pages.ROUTES),
    )
    app.state.service = state
    app.add_middleware(Shortcut, state=state)
    app.add_middleware(Guard, settings=settings, metrics=state.metrics)
    app.include_router(api.router)
    app.include_router(operations.router)
    app.include_router(files.router)
    app.mount("/static", files.static_files(), name="static")
    _describe_score(app)
    return app


def _describe_score(app: FastAPI) -> None:
    """Put the request of scoring, whose body the route reads itself, into the schema."""
    make: Any = app.openapi

    def openapi() -> dict[str, Any]:
        schema: dict[str, Any] = make()
        shapes = schema.setdefault("components", {}).setdefault("schemas", {})
        if "ScoreRequest" not in shapes:
            template = "#/components/schemas/{model}"
            own = schemas.ScoreRequest.model_json_schema(ref_template=template)
            own.pop("$defs", None)
            shapes["ScoreRequest"] = own
        return schema

    app.openapi = openapi  # type: ignore[method-assign]
