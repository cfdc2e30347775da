"""Health, readiness and metrics of the service."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from veracity.service import schemas
from veracity.service.answers import json_answer
from veracity.service.errors import ServiceError
from veracity.service.state import state_of

router = APIRouter(tags=["operations"])

ERROR = {"model": schemas.ErrorAnswer}
#: The same for a route whose own answer is plain text.
JSON_ERROR = {
    "description": "An error.",
    "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}},
    },
}


@router.get("/healthz", responses={200: {"model": schemas.HealthAnswer}, 421: ERROR})
async def health() -> Response:
    """Say that the server runs."""
    return json_answer({"status": "ok"})


@router.get(
    "/readyz", responses={200: {"model": schemas.ReadyAnswer}, 401: ERROR, 421: ERROR, 503: ERROR}
)
async def ready(request: Request) -> Response:
    """Say whether the run is loaded; 503 with the reason until it is."""
    state = state_of(request)
    if state.status == "failed":
        raise ServiceError(503, "load_failed", state.reason)
    state.store  # noqa: B018
    return json_answer({"status": "ready"})


@router.get(
    "/metrics", response_class=PlainTextResponse, responses={401: JSON_ERROR, 421: JSON_ERROR}
)
async def metrics(request: Request) -> Response:
    """Count requests, latencies, scored claims and marks, in the text format of Prometheus."""
    state = state_of(request)
    is_ready = state.status == "ready"
    n_marks = len(state.store.review.all_marks()) if is_ready else 0
    text = state.metrics.text(is_ready, n_marks, state.scoring)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")
