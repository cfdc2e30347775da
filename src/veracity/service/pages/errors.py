"""Error pages for browsers, instead of the JSON that programs get."""

from __future__ import annotations

from starlette.requests import Request

from veracity.service.errors import ServiceError
from veracity.service.pages.templates import render

#: Seconds until a page that waits for the run looks again.
AGAIN = 2
#: What an error is called on its page.
TITLES = {
    401: "This service asks for a token",
    404: "There is no such page",
    422: "This cannot be asked for",
    429: "Too much at once",
    503: "Not ready yet",
}
#: Addresses of programs beside those of the API.
OF_PROGRAMS = ("/healthz", "/readyz", "/metrics")


def wants_page(request: Request) -> bool:
    """Whether a request is a person's: for a page, not for data."""
    path = request.url.path
    is_data = path.startswith("/api/") or path in OF_PROGRAMS
    return not is_data and "text/html" in request.headers.get("accept", "")


def error_page(error: ServiceError) -> str:
    """Return the page of an error; one that waits for the run looks again by itself."""
    return render(
        "login.html" if error.status == 401 else "error.html",
        place="",
        has_report=False,
        status=error.status,
        title=TITLES.get(error.status, "Something went wrong"),
        message=error.message,
        again=AGAIN if error.code == "not_ready" else None,
    )
