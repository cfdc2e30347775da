"""The JSON API: what can be asked about a run, and what can be done with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import ValidationError
from starlette.responses import Response

from veracity.data.output.write import escape_formulas, table_bytes
from veracity.service import schemas
from veracity.service.answers import invalid, json_answer
from veracity.service.background import in_background
from veracity.service.errors import ServiceError
from veracity.service.items import ItemQuery
from veracity.service.state import ServiceState, state_of, store_of

#: The most rows of an answer.
MOST_ROWS = 1000
#: Claims in so many bytes are scored within a few hundredths of a second.
SMALL = 100_000

router = APIRouter(prefix="/api/v1")

Result = TypeVar("Result")

ItemId = Annotated[int, Path(ge=0, le=schemas.LARGEST, description="Number of an item.")]
SourceId = Annotated[int, Path(ge=0, le=schemas.LARGEST, description="Number of a source.")]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="How many rows to return.")]
Offset = Annotated[int, Query(ge=0, le=schemas.LARGEST, description="How many rows to skip.")]
Text = Annotated[str, Query(max_length=1000, description="Text to search, whatever its case.")]


def _responses(model: Any, *errors: int, csv: bool = False) -> dict[int | str, dict[str, Any]]:
    """Describe what a route answers."""
    described: dict[int | str, dict[str, Any]] = {200: {"model": model, "description": "Found."}}
    if csv:
        described[200]["content"] = {"text/csv": {"schema": {"type": "string"}}}
    texts = {401: "A token is needed.", 403: "Not from another site.", 404: "No such thing."}
    texts |= {
        409: "Not now.",
        413: "Too large.",
        415: "Another type is expected.",
        421: "Not this service's name.",
    }
    texts |= {422: "Not as expected.", 429: "Busy."}
    texts |= {503: "The run is still being loaded, or it takes too long."}
    for status in sorted({*errors, 401, 421, 422, 503}):
        described[status] = {"model": schemas.ErrorAnswer, "description": texts[status]}
    return described


@router.get("/run", responses=_responses(schemas.RunAnswer), tags=["run"])
async def run(request: Request) -> Response:
    """Describe the run: what went in, by which model, and what was found."""
    return json_answer(await run_in_threadpool(store_of(request).run))


@router.get("/items", responses=_responses(schemas.ItemsAnswer), tags=["items"])
async def items(
    request: Request,
    q: Text = "",
    attribute: Annotated[str | None, Query(max_length=1000)] = None,
    decision: schemas.Decision | None = None,
    contested: Annotated[bool | None, Query(description="Several values are claimed.")] = None,
    marked: Annotated[bool | None, Query(description="There is a mark.")] = None,
    max_plausibility: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
    min_change: Annotated[
        float | None,
        Query(ge=0, le=1, allow_inf_nan=False, description="Distance to the share of claims."),
    ] = None,
    sort: schemas.ItemSort = "contested",
    order: schemas.Order | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Search, filter and sort items, a page at a time."""
    store = store_of(request)
    query = ItemQuery(
        q, attribute, decision, contested, marked, max_plausibility, min_change, sort, order
    )
    return json_answer(await run_in_threadpool(store.items, query, limit, offset))


@router.get("/items/{item}", responses=_responses(schemas.ItemAnswer, 404), tags=["items"])
async def item(request: Request, item: ItemId) -> Response:
    """Return an item in full: its values, every claim, and the evidence."""
    return json_answer(store_of(request).item(item))


@router.post(
    "/items/{item}/what-if",
    responses=_responses(schemas.WhatIfAnswer, 403, 404, 413),
    tags=["items"],
)
async def what_if(request: Request, item: ItemId, change: schemas.WhatIfRequest) -> Response:
    """Judge an item again after claims were switched off or added; nothing is kept."""
    return json_answer(await run_in_threadpool(store_of(request).what_if, item, change))


@router.get("/sources", responses=_responses(schemas.SourcesAnswer), tags=["sources"])
async def sources(
    request: Request,
    q: Text = "",
    sort: schemas.SourceSort = "reliability",
    order: schemas.Order | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """Search and sort sources, a page at a time."""
    store = store_of(request)
    return json_answer(await run_in_threadpool(store.sources, q, sort, order, limit, offset))


@router.get("/sources/{source}", responses=_responses(schemas.SourceAnswer, 404), tags=["sources"])
async def source(
    request: Request, source: SourceId, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """Return a source: its reliability, a page of its claims, and who says much the same."""
    store = store_of(request)
    return json_answer(await run_in_threadpool(store.source, source, limit, offset))


SCORE_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/ScoreRequest"}},
        "text/csv": {
            "schema": {"type": "string"},
            "example": "source,entity,attribute,value\nCityquilt,Cinder Hall,category,bar\n",
        },
    },
}


@router.post(
    "/score",
    responses=_responses(schemas.ScoreAnswer, 403, 413, 415, 429, csv=True),
    openapi_extra={"requestBody": SCORE_BODY},
    tags=["score"],
)
async def score(
    request: Request,
    table: Annotated[
        schemas.ScoreTable, Query(description="Which table to return as CSV.")
    ] = "truths",
    explain: Annotated[bool, Query(description="Explain the verdicts.")] = False,
    alone: Annotated[bool, Query(description="Judge without the claims of the run.")] = False,
    accept: Annotated[str, Header(include_in_schema=False)] = "*/*",
    content_type: Annotated[str, Header(include_in_schema=False)] = "application/json",
) -> Response:
    """Judge new claims, also of unseen sources and items, by the model of the run.

    Claims about an item of the run are combined with the run's claims about it, unless they are to
    be judged alone.

    Claims come as JSON or, with the content type text/csv, as CSV. With `Accept: text/csv`, one of
    the tables comes back as CSV, otherwise all of them as JSON.
    """
    state, body = state_of(request), await request.body()
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in ("text/csv", "application/json"):
        message = f"The content type {kind[:100]!r} is not known here: expected application/json or text/csv."  # noqa: E501
        raise ServiceError(415, "unsupported_media_type", message)
    as_csv = accept.partition(";")[0].partition(",")[0].strip().lower() == "text/csv"
    scorer = state.store.scorer

    def work() -> tuple[int, Response]:
        """Take turns with other small requests: threads that compete take longer together."""
        with state.turn if len(body) <= SMALL else nullcontext():
            return judge()

    def judge() -> tuple[int, Response]:
        """Read, judge and write in one thread: each change of threads waits for the others."""
        if kind == "text/csv":
            scored = scorer.of_csv(body, explain, alone)
        else:
            wanted = _score_request(body)
            both = explain or wanted.explain, alone or wanted.alone
            scored = scorer.of_records(wanted.claims, *both)
        answer = (
            _csv(scored.csv(table), f"{table}.csv") if as_csv else json_answer(scored.as_dict())
        )
        return scored.scored.n_claims, answer

    n_claims, answer = await _in_a_slot(state, work)
    state.metrics.scored_claims += n_claims
    return answer


def _score_request(body: bytes) -> schemas.ScoreRequest:
    """Read a request in JSON."""
    try:
        return schemas.ScoreRequest.model_validate_json(body)
    except ValidationError as error:
        raise invalid(error) from error


async def _in_a_slot(state: ServiceState, work: Callable[[], Result]) -> Result:
    """Run scoring in a thread, if a slot is free, for as long as it may take.

    Work that takes too long keeps its slot until it ends.
    """
    limits = state.settings
    if state.scoring >= limits.score_slots:
        raise ServiceError(
            429,
            "busy",
            f"{state.scoring} requests are being scored already. Try again in a moment.",
            headers={"Retry-After": "1"},
        )
    state.scoring += 1
    task = in_background(work)
    task.add_done_callback(state.scoring_ended)
    try:
        found: Result = await asyncio.wait_for(asyncio.shield(task), limits.score_seconds)
    except TimeoutError:
        raise ServiceError(
            503,
            "too_slow",
            f"Scoring took more than {limits.score_seconds:g} seconds. Send fewer claims at once.",
            headers={"Retry-After": "10"},
        ) from None
    except asyncio.CancelledError:
        raise ServiceError(
            503, "ending", "The service is ending, and gave this scoring up."
        ) from None
    return found


@router.get("/marks", responses=_responses(schemas.MarksAnswer, csv=True), tags=["marks"])
async def marks(
    request: Request,
    format: Annotated[
        str, Query(pattern="^(json|csv)$", description="json, or csv for all.")
    ] = "json",
    escape: Annotated[
        bool,
        Query(
            description="Of CSV: make cells harmless that a spreadsheet would run; false for the "
            "values as they are."
        ),
    ] = True,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Response:
    """List the marks, the latest first; as CSV, all of them as a truth table."""
    store = store_of(request)
    if format == "csv":
        table = store.review.table()
        table = escape_formulas(table) if escape else table
        return _csv(await run_in_threadpool(table_bytes, table, "csv"), "marks.csv")
    return json_answer(await run_in_threadpool(store.marks_answer, limit, offset))


@router.put("/marks/{item}", responses=_responses(schemas.MarkRow, 403, 404, 413), tags=["marks"])
async def put_mark(request: Request, item: ItemId, mark: schemas.MarkRequest) -> Response:
    """Mark the true value of an item; it is on disk when the answer comes.

    Where several values can be true, give all of them as `values`: a mark says that no other is.
    """
    return json_answer(await run_in_threadpool(store_of(request).set_mark, item, mark.chosen))


@router.delete(
    "/marks/{item}",
    status_code=204,
    responses={
        status: described
        for status, described in _responses(schemas.MarkRow, 403, 404, 413).items()
        if status != 200
    },
    tags=["marks"],
)
async def delete_mark(request: Request, item: ItemId) -> Response:
    """Take the mark or the skip of an item away."""
    await run_in_threadpool(store_of(request).delete_mark, item)
    return Response(status_code=204)


@router.put(
    "/skips/{item}", responses=_responses(schemas.AuditAnswer, 403, 404, 413), tags=["audit"]
)
async def put_skip(request: Request, item: ItemId) -> Response:
    """Skip an item about which nobody can tell; in the audit, it counts as wrong."""
    return json_answer(await run_in_threadpool(store_of(request).skip, item))


@router.get("/audit", responses=_responses(schemas.AuditAnswer), tags=["audit"])
async def audit(request: Request) -> Response:
    """Say how far the audit is, what it carries, and which item comes next."""
    return json_answer(await run_in_threadpool(store_of(request).audit))


@router.post("/audit", responses=_responses(schemas.AuditAnswer, 403, 413), tags=["audit"])
async def draw_audit(request: Request, wanted: schemas.AuditRequest) -> Response:
    """Draw verdicts at random for the audit; a larger size continues the draw."""
    return json_answer(await run_in_threadpool(store_of(request).draw_audit, wanted.size))


@router.post(
    "/audit/undo", responses=_responses(schemas.AuditAnswer, 403, 404, 413), tags=["audit"]
)
async def undo_audit(request: Request) -> Response:
    """Take back the last mark or skip of the audit."""
    return json_answer(await run_in_threadpool(store_of(request).undo_audit))


@router.get("/refit", responses=_responses(schemas.RefitAnswer), tags=["refit"])
async def refit(request: Request) -> Response:
    """Say how far the refit is, or whether one can be started."""
    return json_answer(await run_in_threadpool(state_of(request).refit_answer))


@router.post(
    "/refit", responses=_responses(schemas.RefitAnswer, 403, 409, 413, 429), tags=["refit"]
)
async def start_refit(request: Request) -> Response:
    """Make the run again in the background, with the marks as known truth.

    The old run is served until the new one is complete, and takes its place.
    """
    return json_answer(await run_in_threadpool(state_of(request).start_refit))


@router.delete("/refit", responses=_responses(schemas.RefitAnswer, 403, 409, 413), tags=["refit"])
async def cancel_refit(request: Request) -> Response:
    """Cancel the refit; the run stays as it was."""
    return json_answer(await run_in_threadpool(state_of(request).cancel_refit))


def _csv(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)
