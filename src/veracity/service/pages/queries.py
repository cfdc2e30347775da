"""Queries in page addresses: the fields of their forms, in which empty means any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from veracity.service.schemas import LARGEST, Decision, ItemSort, Order, SourceSort

Offset = Annotated[int, Field(ge=0, le=LARGEST)]
Text = Annotated[str, Field(max_length=1000)]
Share = Annotated[float, Field(ge=0, le=1)]


class Asked(BaseModel):
    """Fields that several pages have; others are overlooked."""

    offset: Offset = 0


class ItemsAsked(Asked):
    """Which items to list."""

    q: Text = ""
    attribute: Text | None = None
    decision: Decision | None = None
    contested: bool | None = None
    marked: bool | None = None
    max_plausibility: Share | None = None
    min_change: Share | None = None
    sort: ItemSort = "contested"
    order: Order | None = None

    @property
    def is_filtered(self) -> bool:
        """Whether more is asked for than a text and a page."""
        left_out = {"q", "offset"}
        return self.model_dump(exclude=left_out) != ItemsAsked().model_dump(exclude=left_out)


class SourcesAsked(Asked):
    """Which sources to list."""

    q: Text = ""
    sort: SourceSort = "reliability"
    order: Order | None = None


class NextAsked(Asked):
    """Where the review goes on."""

    after: Annotated[int, Field(ge=0, le=LARGEST)] | None = None


Kind = TypeVar("Kind", bound=BaseModel)
_WHOLE = TypeAdapter(int)


def asked_of(request: Request, kind: type[Kind]) -> Kind:
    """Return what a request asks for; refuse what makes no sense, as the API does."""
    given = {name: value for name, value in request.query_params.items() if value}
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise refused(error) from error


def number_in(request: Request, name: str) -> int:
    """Return a number in the path of a page."""
    try:
        return _WHOLE.validate_python(request.path_params[name])
    except ValidationError as error:
        raise refused(error, ("path", name)) from error


def refused(error: ValidationError, where: tuple[str, ...] = ("query",)) -> RequestValidationError:
    """Return an error of the fields of a page as one of the request."""
    return RequestValidationError(
        [{**each, "loc": (*where, *each["loc"])} for each in error.errors()]
    )


def choices_of(request: Request, kind: type[BaseModel]) -> dict[str, str]:
    """Return each field as the address has it, or nothing, to show it in the form again."""
    return {name: request.query_params.get(name, "") for name in kind.model_fields}


def paging(request: Request, limit: int, offset: int, total: int) -> dict[str, Any]:
    """Return where a page of a list stands, and the addresses of those beside it."""
    kept = [
        (name, value)
        for name, value in request.query_params.multi_items()
        if name != "offset" and value
    ]

    def address(start: int) -> str:
        return address_with(request.url.path, [*kept, ("offset", str(start))] if start else kept)

    return {
        "first": min(offset + 1, total),
        "last": min(offset + limit, total),
        "total": total,
        "previous": address(max(offset - limit, 0)) if offset else None,
        "next": address(offset + limit) if offset + limit < total else None,
    }


def address_with(path: str, fields: Iterable[tuple[str, str]]) -> str:
    """Return a path with a query, if there is one.

    >>> address_with("/items", [("q", "a b")])
    '/items?q=a+b'
    """
    given = list(fields)
    return f"{path}?{urlencode(given)}" if given else path
