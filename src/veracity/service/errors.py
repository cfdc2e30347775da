"""Errors of requests: a status, a word for programs and a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class ServiceError(Exception):
    """A request that cannot be answered as asked."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = [dict(detail) for detail in details]
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """Return the error in the shape that all errors have."""
        return {"error": {"code": self.code, "message": self.message, "details": self.details}}


def not_found(what: str, number: int, count: int) -> ServiceError:
    """Say that a number is not that of anything in the run."""
    return ServiceError(
        404, "not_found", f"There is no {what} {number}; the run has {count:,}, counted from 0."
    )


def not_ready(reason: str) -> ServiceError:
    """Say that the run is still being loaded."""
    return ServiceError(503, "not_ready", reason, headers={"Retry-After": "1"})
