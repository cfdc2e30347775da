"""Answers on the wire: JSON as bytes, and errors in one shape."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from veracity.errors import VeracityError
from veracity.service.errors import ServiceError
from veracity.service.headers import HEADERS, POLICY, policy_of
from veracity.service.pages import error_page, wants_page

#: Words for programs, by status, for errors that come from the framework.
CODES = {400: "bad_request", 401: "unauthorised", 403: "forbidden", 404: "not_found"}
CODES |= {405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}
CODES |= {422: "invalid_request", 429: "busy", 503: "unavailable"}
MESSAGES = {
    404: "There is nothing at this address. GET /api lists what there is.",
    405: "This address does not take that method. GET /api lists what there is.",
}


def json_answer(content: Any, status: int = 200) -> Response:
    """Return plain data as JSON; what is not finite becomes null."""
    body = to_json(content, inf_nan_mode="null")
    return Response(body, status, media_type="application/json")


def error_answer(request: Request, error: ServiceError) -> Response:
    """Return an error: as JSON, or as a page to who asks for pages."""
    answer = json_answer(error.body(), error.status)
    if wants_page(request):
        answer = HTMLResponse(error_page(error), error.status)
    answer.headers.update(error.headers)
    return answer


async def on_service_error(request: Request, error: Exception) -> Response:
    """Answer an error of ours."""
    assert isinstance(error, ServiceError)
    return error_answer(request, error)


async def on_veracity_error(request: Request, error: Exception) -> Response:
    """Answer an error of the library: what came cannot be used."""
    return error_answer(request, ServiceError(422, "invalid_request", str(error)))


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer an error of the framework."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    message = MESSAGES.get(status, str(error.detail))
    code = CODES.get(status, "error")
    headers = dict(error.headers or {})
    return error_answer(request, ServiceError(status, code, message, headers=headers))


async def on_invalid_request(request: Request, error: Exception) -> Response:
    """Answer a request that does not have the shape it should have."""
    assert isinstance(error, RequestValidationError)
    return error_answer(request, invalid(error))


async def on_fault(request: Request, error: Exception) -> Response:
    """Answer a fault of ours without its details, which the server's log has."""
    message = "The service failed. This is a fault of veracity; the server's log says more."
    answer = error_answer(request, ServiceError(500, "fault", message))
    # Such an answer passes the door unseen, so that it has to bring its headers itself.
    policy = policy_of(answer.headers["content-type"])
    answer.headers.update({**HEADERS, POLICY: policy, "Cache-Control": "no-store"})
    return answer


def invalid(error: RequestValidationError | ValidationError) -> ServiceError:
    """Say what is wrong with a request, part by part."""
    details = [
        {"where": ".".join(map(str, one["loc"])) or "body", "message": str(one["msg"])}
        for one in error.errors()
    ]
    first = details[0] if details else {"where": "body", "message": "it cannot be read"}
    message = f"The request is not as expected: {first['where']}: {first['message']}."
    return ServiceError(422, "invalid_request", message, details[:20])


HANDLERS: dict[Any, Any] = {
    ServiceError: on_service_error,
    VeracityError: on_veracity_error,
    HTTPException: on_http_error,
    RequestValidationError: on_invalid_request,
    Exception: on_fault,
}
